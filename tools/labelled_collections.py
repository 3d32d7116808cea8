#!/usr/bin/python3
"""Converts public collections of labelled pages, for judging clusters and related pages.

    git clone https://github.com/OWNER/NAME folder    # and git -C folder checkout COMMIT, as listed below
    tools/labelled_collections.py bbc folder -o build/collections
    kith cluster build/collections/bbc.jsonl.gz -o build/collections/bbc.run --bags content

Written are
    SET.warc.gz or SET.jsonl.gz    the pages: WARC if the collection has HTML, else JSON lines
    SET.labels.tsv                 url, label: a line for each label of a page; parts of a label
                                   from general to special, with '/' between them
    SET.authors.tsv                labels of another kind, if the collection has them
    SET.main.jsonl.gz              url, title, text: the main text as people marked it, if it has that

Pages stand in the order of the SHA-256 of their URLs, so that their order tells nothing about
labels. Where the URL of a page is not known, it gets one that tells nothing either. What the
collection has beside the page and would give its label away (the newsgroup of a message, the
subjects in the head of a wiki article) is left out. The same folder gives the same bytes.

The data is not part of this repository, and most of it is for research only:

{sources}
"""

import argparse
import collections
import gzip
import hashlib
import html as markup
import json
import os
import re
import sys
import urllib.parse

from debian_crawl import gzip_member, response_record

# A page has html (bytes) or text; labels are of one kind each; main is text marked by people.
Page = collections.namedtuple("Page", "url title html text labels more main")


def page(url, title, labels, html=None, text=None, more=None, main=None):
    # As kith writes it, so that labels can be joined with what it prints.
    parts = urllib.parse.urlsplit(url)
    host = re.sub(":80$" if parts.scheme == "http" else ":443$", "", parts.netloc.lower())
    url = urllib.parse.urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))
    return Page(url, title, html, text, labels, more or {}, main)


def made_url(host, name):
    return f"https://{host}.example/{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def files_below(folder, suffix=""):
    """Paths of the files below the folder, in one order on every machine."""
    found = []
    for base, _, names in os.walk(folder):
        found += [os.path.join(base, name) for name in names if name.endswith(suffix)]
    if not found:
        sys.exit(f"labelled_collections: no files *{suffix} below {folder}: see --help for the source")
    return sorted(found)


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def read_json(path):
    return json.loads(read(path).decode("utf-8-sig"))


def read_rows(path):
    """The rows of a TSV file with comments."""
    return [line.split("\t") for line in read(path).decode().splitlines()
            if "\t" in line and not line.startswith("#")]


def one_line(text):
    return " ".join(text.split())


def plain(text):
    """Text of SGML: references resolved, control characters dropped."""
    return re.sub(r"[\x00-\x08\x0b-\x1f]", " ", markup.unescape(text))


def html_title(data):
    found = re.search(rb"(?is)<title[^>]*>(.*?)</title", data)
    return one_line(markup.unescape(found[1].decode("utf-8", "replace"))) if found else ""


def bbc(folder):
    """News articles of the BBC, 2004 and 2005, in 5 topics.
    dejanbatanjac/bbc-article-classify-bert 8265dc84e88b82b87ce7f5b2df5bbbb1159ae922
    Greene and Cunningham, ICML 2006. The articles are the BBC's; for research."""
    for path in files_below(os.path.join(folder, "bbc"), ".txt"):
        topic, name = path.split(os.sep)[-2:]
        title, _, text = read(path).decode("utf-8", "replace").partition("\n")
        yield page(made_url("news", topic + name), title.strip(), [topic], text=text)


def newsgroups(folder):
    """Messages of 20 newsgroups, 1993 ("by date" version). Labels: comp/graphics, ...
    julenminer/mlnn_P65 7393be663c8dd63e64c8264476494e62edf05c6e
    Lang 1995, Rennie. No licence; public messages, for research.
    Kept are the subject, as title, and the body with what it quotes; other heads are left out."""
    for path in files_below(os.path.join(folder, "data")):
        group, name = path.split(os.sep)[-2:]
        if not name.isdigit():
            continue
        head, _, body = read(path).decode("latin-1").partition("\n\n")
        subject = re.search(r"(?m)^Subject: *(.*)", head)
        yield page(made_url("groups", group + name), one_line(subject[1]) if subject else "",
                   [group.replace(".", "/")], text=body)


def reuters(folder):
    """News of Reuters, 1987 (Reuters-21578). Labels: topics, several or none of a message.
    loki86/ksr_zadanie1V2 d16457fd9d6d2b623fffc163746092b89a6e2fef
    Lewis 1997. Copyright Reuters and Carnegie Group; for research."""
    # In this copy reut2-003.sgm is cut, and -full has all of it.
    paths = {}
    for path in files_below(folder, ".sgm"):
        number = re.fullmatch(r"reut2-(\d+)(-full)?\.sgm", os.path.basename(path))
        if number and (number[2] or number[1] not in paths):
            paths[number[1]] = path
    for _, path in sorted(paths.items()):
        source = read(path).decode("latin-1")
        for number, item in re.findall(r'(?s)<REUTERS[^>]*NEWID="(\d+)">(.*?)</REUTERS>', source):
            topics = re.search("(?s)<TOPICS>(.*?)</TOPICS>", item)[1]
            whole = re.search("(?s)<TEXT[^>]*>(.*)</TEXT>", item)[1]
            title = re.search("(?s)<TITLE>(.*?)</TITLE>", whole)
            body = re.search("(?s)<BODY>(.*?)</BODY>", whole)
            text = body[1] if body else re.sub("(?s)<TITLE>.*?</TITLE>|<[^>]*>", " ", whole)
            yield page(made_url("wire", number), plain(title[1]).strip() if title else "",
                       re.findall("<D>(.*?)</D>", topics), text=plain(text))


def wikispeedia(folder):
    """Wikipedia for Schools, 2007: articles with hierarchical subjects and the links between them.
    angelpras/epfl_ADA_project c955510edade22d9101315a6003a238947d60769
    West, Pineau and Precup, IJCAI 2009; West and Leskovec, WWW 2012. Text: Wikipedia, GFDL.
    The source has plain text and a list of links; the HTML is made of both: a link is put where the
    text first names the article linked to, and at the end if it never does."""
    data = os.path.join(folder, "data")
    graph = os.path.join(data, "wikispeedia_paths-and-graph")
    links, labels = collections.defaultdict(list), collections.defaultdict(list)
    for source, target in read_rows(os.path.join(graph, "links.tsv")):
        links[source].append(target)
    for article, subject in read_rows(os.path.join(graph, "categories.tsv")):
        labels[article].append(subject[len("subject."):].replace(".", "/"))
    # The tables have names percent-encoded, of the files some are and some are not.
    names = {urllib.parse.unquote(name): name for name in (*labels, *links)}
    base = "https://en.wikipedia.org/wiki/"
    for path in files_below(os.path.join(data, "plaintext_articles"), ".txt"):
        article = urllib.parse.unquote(os.path.basename(path)[:-len(".txt")])
        article = names.get(article, article)
        text = re.sub(r"(?s)#copyright|2007 Schools Wikipedia Selection\..*?\n\s*\n", "\n\n",
                      read(path).decode("utf-8", "replace"))
        title = urllib.parse.unquote(article).replace("_", " ")
        yield page(base + article, title, labels[article],
                   html=linked_html(title, text, [(target, base + target) for target in links[article]]))


def linked_html(title, text, links):
    """An HTML page of the text, with a link at the first mention of each article linked to."""
    open_links = {re.sub(r" \(.*\)$", "", urllib.parse.unquote(target).replace("_", " ")).lower(): url
                  for target, url in links}
    names = re.compile(r"(?i)\b(?:" + "|".join(
        re.escape(markup.escape(name)) for name in sorted(open_links, key=lambda name: (-len(name), name))) + r")\b")

    def anchor(found):
        target = open_links.pop(markup.unescape(found[0]).lower(), None)
        return f'<a href="{markup.escape(target)}">{found[0]}</a>' if target else found[0]

    blocks = [one_line(block) for block in re.split(r"\n\s*\n", text) if block.strip()]
    body = [f"<p>{names.sub(anchor, markup.escape(block)) if links else markup.escape(block)}</p>"
            for block in blocks]
    rest = [f'<li><a href="{markup.escape(url)}">{markup.escape(name)}</a></li>'
            for name, url in sorted(open_links.items())]
    return "\n".join(['<!DOCTYPE html><html><head><meta charset="utf-8">',
                      f"<title>{markup.escape(title)}</title></head><body>", *body,
                      "<ul>", *rest, "</ul></body></html>\n"]).encode()


def webkb(folder):
    """Pages of computer science departments, 1997, 4 universities and others. Labels: course/cornell, ...
    namaemonaishi/WebKB-classification 40c13744d93824249872ad5ff9a54da7fc6eabb3
    Craven et al., AAAI 1998 (CMU World Wide Knowledge Base). No licence; for research.
    Pages of the class "other" have no label: it is the rest, no kind of page."""
    for path in files_below(os.path.join(folder, "bert", "webkb")):
        kind, university, name = path.split(os.sep)[-3:]
        # The file's name is the URL with ^ for /, and U+F03A for the colon in this copy.
        url = name.replace("^", "/").replace("\uf03a", ":")
        if not url.startswith("http://"):
            continue
        head, _, body = re.sub(rb"\r\n?", b"\n", read(path)).partition(b"\n\n")
        yield page(url, html_title(body), [] if kind == "other" else [f"{kind}/{university}"], html=body)


def news_queries(folder):
    """News pages of about 250 sites, 2017, found by 36 queries (10 each). Labels: the query.
    MSVCode/ir-research-data cbb428cea48e1392496a6542b610fb422a436b52 (folder Extraction/chaos-all)
    Utomo and Leu, Multimedia Systems 2019. For research only, cite them. Has the main text by people."""
    base = os.path.join(folder, "Extraction", "chaos-all")
    for path in files_below(os.path.join(base, "html")):
        name = os.path.splitext(os.path.basename(path))[0]
        data = read(path)
        gold = os.path.join(base, "gold", name + ".txt")
        yield page(own_url(data) or made_url("news", name), html_title(data),
                   [name.split(" (")[0].replace(",", " ")], html=data,
                   main=read(gold).decode("utf-8-sig", "replace") if os.path.exists(gold) else None)


def own_url(data):
    """The http URL that a saved page gives for itself, if any."""
    attribute = rb"""\s*=\s*["']?([^"'\s>]+)"""
    saved = re.search(rb"saved from url=\(\d+\)(https?:\S+)", data)
    if saved:
        return saved[1].decode("ascii", "replace")
    for tag in re.findall(rb"(?is)<(?:link|meta)\b[^>]*>", data):
        if re.search(rb"""(?i)rel\s*=\s*["']?canonical|["']og:url["']""", tag):
            value = re.search(rb"(?i)\b(?:href|content)" + attribute, tag)
            if value and value[1].startswith(b"http"):
                return markup.unescape(value[1].decode("ascii", "replace"))
    return None


def news_stories(folder):
    """Titles and descriptions of 1,000 news pages found by 20 queries. Labels: query/story, as one person
    saw the stories; query alone for a page of no story.
    MSVCode/ir-research-data cbb428cea48e1392496a6542b610fb422a436b52 (folder Clustering, gold1)
    Utomo and Leu, Multimedia Systems 2019. For research only, cite them."""
    for path in files_below(os.path.join(folder, "Clustering", "dataset"), ".txt"):
        query = os.path.basename(path)[len("m1-"):-len(".txt")]
        stories = read_json(os.path.join(folder, "Clustering", "gold1", os.path.basename(path)))
        story_of = {number: story for story, numbers in enumerate(stories, 1) for number in numbers}
        for number, item in enumerate(read_json(path), 1):
            about = item.get("meta") or {}
            label = f"{query}/{story_of[number]}" if number in story_of else query
            yield page(item["url"], about.get("title") or item["title"], [label],
                       text=about.get("description") or item["title"])


def web_types(folder):
    """Pages of about 1,600 sites, 2025 and 2026. Labels: 7 types of page (article, product, forum, ...).
    Murrough-Foley/web-content-extraction-benchmark c039d5ee9f5a3a984a0e167e63aacd04e76e78a9
    WCXB, CC-BY-4.0 (the pages themselves are their owners'). Has the main text by people."""
    for path in files_below(folder, ".html.gz"):
        split, _, name = path.split(os.sep)[-3:]
        about = read_json(os.path.join(folder, split, "ground-truth", name[:-len(".html.gz")] + ".json"))
        data = read(path)
        url = about.get("url") or own_url(data) or made_url("web", name)
        yield page(url, html_title(data), [about["_internal"]["page_type"]["primary"]], html=data,
                   main=about["ground_truth"].get("main_content"))


def swde_books(folder):
    """Pages of single books in two shops, 2011 (the SWDE data set has 8 more). Labels: the shop's shelf, one
    shop only. Authors are labels of another kind, for both shops.
    AnLiGentile/WREN 12d6109e9c2ea5d776f5d32bd7b261beb57a4b2e
    Hao, Cai, Pang and Zhang, SIGIR 2011. No licence; for research. Most of a page is its shop's menus."""
    base = os.path.join(folder, "resources", "datasets", "swde-17477")
    for shop in ("booksamillion", "christianbook"):
        truth = read(os.path.join(base, "groundtruth", "book", f"book-{shop}-author.txt"))
        authors = {}
        for line in truth.decode("utf-8-sig", "replace").splitlines()[2:]:
            number, _, *names = line.split("\t")
            authors[number] = [name.strip(": ") for name in names if name.strip(": ") not in ("", "<NULL>")]
        for path in files_below(os.path.join(base, "testset", "book", f"book-{shop}-2000"), ".htm"):
            # The collectors put <base href="URL of the page"/> before the page.
            first, data = re.match(rb'(?s)\xef\xbb\xbf?<base href="([^"]*)"/>\s*(.*)', read(path)).groups()
            shelf = re.findall(r'"breadcrumb (?:parent|current)"><span></span><a [^>]*>([^<(]*)',
                               data.decode("utf-8", "replace"))
            label = "/".join(markup.unescape(name).replace("/", " ").strip() for name in shelf[1:])
            yield page(first.decode(), html_title(data), [label] if label else [], html=data,
                       more={"authors": authors.get(os.path.basename(path)[:-len(".htm")], [])})


SETS = {"bbc": bbc, "newsgroups": newsgroups, "reuters": reuters, "wikispeedia": wikispeedia,
        "webkb": webkb, "news-queries": news_queries, "news-stories": news_stories,
        "web-types": web_types, "swde-books": swde_books}


def write_warc(path, pages):
    with open(path, "wb") as file:
        for item in pages:
            file.write(gzip_member(response_record(item.url, item.html), 6))


def write_texts(path, texts):
    lines = [json.dumps({"url": item.url, "title": item.title, "text": text}, ensure_ascii=False)
             for item, text in texts]
    with open(path, "wb") as file:
        file.write(gzip_member(("\n".join(lines) + "\n").encode("utf-8", "replace"), 6))


def write_labels(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write("url\tlabel\n")
        for url, labels in rows:
            file.writelines(f"{url}\t{one_line(label)}\n" for label in dict.fromkeys(labels))


def convert(name, folder, out):
    """Writes the files of one collection; of pages with one URL the first counts, with the labels of all."""
    first, labels, more = {}, collections.defaultdict(list), collections.defaultdict(dict)
    for item in SETS[name](folder):
        first.setdefault(item.url, item)
        labels[item.url] += item.labels
        for kind, values in item.more.items():
            more[kind].setdefault(item.url, []).extend(values)
    pages = sorted(first.values(), key=lambda item: hashlib.sha256(item.url.encode()).digest())
    os.makedirs(out, exist_ok=True)
    target = os.path.join(out, name)
    if pages[0].html is not None:
        write_warc(target + ".warc.gz", pages)
    else:
        write_texts(target + ".jsonl.gz", ((item, item.text) for item in pages))
    write_labels(target + ".labels.tsv", ((item.url, labels[item.url]) for item in pages))
    for kind, values in more.items():
        write_labels(f"{target}.{kind}.tsv", ((item.url, values.get(item.url, [])) for item in pages))
    marked = [item for item in pages if item.main is not None]
    if marked:
        write_texts(target + ".main.jsonl.gz", ((item, item.main) for item in marked))
    hosts = {urllib.parse.urlsplit(item.url).netloc for item in pages}
    every = {label for item in pages for label in labels[item.url]}
    size = sum(len(item.html if item.html is not None else item.text.encode()) for item in pages)
    print(f"{name}: {len(pages):,} pages of {len(hosts):,} hosts, {size / 1e6:.1f} MB, "
          f"{sum(1 for item in pages if labels[item.url]):,} of them with {len(every):,} labels "
          f"({len({label.split('/')[0] for label in every}):,} by their first part)")


def parse_arguments(arguments):
    sources = "\n\n".join(f"{name}\n    {function.__doc__}" for name, function in SETS.items())
    parser = argparse.ArgumentParser(description=__doc__.replace("{sources}", sources),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS, help="the collection")
    parser.add_argument("folder", help="a checkout of the repository that --help names for it")
    parser.add_argument("-o", "--out", default=".", metavar="FOLDER", help="where the files go")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    convert(options.set, options.folder, options.out)


if __name__ == "__main__":
    main(sys.argv[1:])
