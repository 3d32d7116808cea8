#!/usr/bin/python3
"""Compares kith's HTML tokenizer with the parser of html5lib on real pages.

    html5lib_twin.py DUMP_HTML [--least SHARE] [--limit N] [--show N] [--jobs N] PATH...

DUMP_HTML is the program of dump_html.cc. A PATH is an HTML file, a folder of them or a
.warc.gz. html5lib (Debian: python3-html5lib) builds the tree of each page; a walk over it gives
words, links and title by the rules of docs/algorithms/html.md. A page is equal when its words
and its links are, in order. Exit status 1 when fewer than SHARE of the pages are.
"""

import argparse
import collections
import gzip
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

import html5lib
from html5lib.treebuilders import getTreeBuilder
import webencodings

HTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"
SVG = "{http://www.w3.org/2000/svg}"

DROPPED = {HTML + name for name in
           ("script", "style", "title", "iframe", "noembed", "noframes", "template")}
DROPPED |= {SVG + name for name in ("script", "style", "metadata")}
DROPPED |= {MATHML + name for name in ("script", "style", "annotation")}

# Elements that leave a blank, whatever their namespace.
SEPARATING = set("""
    html head body address article aside footer header hgroup main nav search section
    h1 h2 h3 h4 h5 h6 blockquote center div details dialog summary dd dl dt dir figcaption figure
    hr li listing menu ol p pre ul br table caption col colgroup tbody td tfoot th thead tr
    form fieldset legend button datalist input isindex meter optgroup option output progress
    select textarea applet area audio canvas embed iframe noembed noframes image img map object
    picture video frame frameset marquee rp rt rtc title xmp plaintext noscript
    svg math foreignObject desc annotation-xml annotation metadata text mi mn mo ms mtext
    """.split())

WORD = re.compile(r"[^\W\d_]+")
CLONE = "kith-clone"


def tree_builder():
    """html5lib's, but an element that it makes again (of <b>, <a> ...) is marked."""
    builder = getTreeBuilder("etree")

    class Element(builder.elementClass):
        def cloneNode(self):
            clone = super().cloneNode()
            clone.attributes = {**clone.attributes, CLONE: ""}
            return clone

    class Builder(builder):
        elementClass = Element

    return Builder


class Page:
    def __init__(self, tree):
        self.text = []
        self.links = []
        self.title = None
        self.walk(tree)

    def walk(self, tree):
        """Depth first without recursion: real pages are deeper than Python's stack."""
        stack = [(tree, None)]
        while stack:
            node, closing = stack.pop()
            if closing is not None:
                self.text.append(closing)
                continue
            if not isinstance(node.tag, str):  # a comment
                self.text.append(node.tail or "")
                continue
            separator = " " if node.tag.split("}")[-1] in SEPARATING else ""
            if node is not tree:
                stack.append((node, separator + (node.tail or "")))
            self.text.append(separator)
            if node.tag in DROPPED and not (node.tag == HTML + "template"
                                            and "shadowrootmode" in node.attrib):
                if node.tag == HTML + "title" and self.title is None:
                    self.title = re.sub(r"[\x00-\x20]+", " ", node.text or "").strip(" ")
                continue
            self.add_element(node)
            self.text.append(node.text or "")
            stack.extend((child, None) for child in reversed(list(node)))

    def add_element(self, node):
        name = node.tag.split("}")[-1]
        if node.tag == HTML + "img":
            self.text.append(" " + node.attrib.get("alt", "") + " ")
        is_link = name == "a" or node.tag == HTML + "area"
        if is_link and "href" in node.attrib and CLONE not in node.attrib:
            self.links.append(node.attrib["href"])


def words_of(text):
    return WORD.findall(text.lower())


def html5lib_page(path, charset):
    with open(path, "rb") as file:
        text, _ = webencodings.decode(file.read(), charset)
    parser = html5lib.HTMLParser(tree=tree_builder())
    return Page(parser.parse(text))


def first_difference(ours, theirs):
    for at, (a, b) in enumerate(itertools.zip_longest(ours, theirs)):
        if a != b:
            return f"at {at}: kith {ours[at:at + 6]}, html5lib {theirs[at:at + 6]}"
    return ""


def compare(line):
    """(path, kind of difference or "", where) of one line of dump_html."""
    ours = json.loads(line)
    theirs = html5lib_page(ours["path"], ours["charset"])
    our_words, their_words = words_of(ours["text"]), words_of("".join(theirs.text))
    our_links, their_links = [href for href, _ in ours["links"]], theirs.links
    if our_words != their_words:
        moved = collections.Counter(our_words) == collections.Counter(their_words)
        kind = "words in another order" if moved else "other words"
        return ours["path"], kind, first_difference(our_words, their_words)
    if our_links != their_links:
        moved = collections.Counter(our_links) == collections.Counter(their_links)
        kind = "links in another order" if moved else "other links"
        return ours["path"], kind, first_difference(our_links, their_links)
    if ours["title"] != (theirs.title or ""):
        return ours["path"], "title", f"kith {ours['title']!r}, html5lib {theirs.title!r}"
    return ours["path"], "", ""


def unpack_warc(path, folder):
    """Writes the HTML payloads of a .warc.gz below `folder`."""
    with gzip.open(path) as warc:
        for number in itertools.count():
            header = {}
            for line in iter(warc.readline, b"\r\n"):
                if not line:
                    return
                key, _, value = line.decode("utf-8", "replace").partition(":")
                header[key.lower()] = value.strip()
            block = warc.read(int(header["content-length"]))
            warc.read(4)
            http_header, _, body = block.partition(b"\r\n\r\n")
            if header["warc-type"] == "response" and b"text/html" in http_header.lower():
                with open(os.path.join(folder, f"{number:06}.html"), "wb") as out:
                    out.write(body)


def html_files(paths, scratch):
    for number, path in enumerate(paths):
        if path.endswith(".warc.gz"):
            folder = os.path.join(scratch, str(number))
            os.mkdir(folder)
            unpack_warc(path, folder)
            path = folder
        if not os.path.isdir(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                if name.lower().endswith((".html", ".htm", ".xhtml")):
                    yield os.path.join(folder, name)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump_html")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--least", type=float, default=0.995, help="share of equal pages")
    parser.add_argument("--limit", type=int, help="take N pages, evenly spread")
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args(arguments)

    with tempfile.TemporaryDirectory() as scratch:
        files = list(html_files(args.paths, scratch))
        if args.limit and len(files) > args.limit:
            files = [files[i * len(files) // args.limit] for i in range(args.limit)]
        dumped = subprocess.run([args.dump_html], input="\n".join(files), encoding="utf-8",
                                stdout=subprocess.PIPE, check=True)
        with multiprocessing.Pool(args.jobs) as pool:
            results = list(pool.imap_unordered(compare, filter(None, dumped.stdout.split("\n")), 4))
    if not results:
        print("html5lib_twin: no pages")
        return 1
    different = sorted(result for result in results if result[1])
    for path, kind, where in different[:args.show]:
        print(f"{path}: {kind}: {where}")
    kinds = collections.Counter(kind for _, kind, _ in different)
    for kind, count in kinds.most_common():
        print(f"{kind}: {count}")
    share = 1 - len(different) / len(results)
    print(f"html5lib_twin: {len(results)} pages, {share:.2%} equal in words, links and title")
    return 0 if share >= args.least else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
