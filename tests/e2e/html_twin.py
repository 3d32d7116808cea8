#!/usr/bin/python3
"""Compares kith's HTML tokenizer with a parser that builds trees, on real pages.

    html_twin.py DUMP_HTML [--parser html5lib|lexbor] [--least SHARE] [--limit N] [--show N]
        [--jobs N] PATH...

DUMP_HTML is the program of dump_html.cc. A PATH is an HTML file, a folder of them or a
.warc.gz. The parser builds the tree of each page; a walk over it gives words, links and title by
the rules of docs/algorithms/html.md. A page is equal when its words and its links are, in order.
Exit status 1 when fewer than SHARE of the pages are.

html5lib is Debian's python3-html5lib, after the standard to the letter; lexbor, a hundred times
as fast, comes with selectolax from PyPI.
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
    form fieldset legend button datalist input isindex label meter optgroup option output progress
    select textarea applet area audio canvas embed iframe noembed noframes image img map object
    picture video frame frameset marquee rp rt rtc title xmp plaintext noscript
    svg math foreignObject desc annotation-xml annotation metadata text mi mn mo ms mtext
    """.split())

WORD = re.compile(r"[^\W\d_]+")
CLONE = "kith-clone"

# A parser turns a page into events: (OPEN, name with namespace, attributes), (CLOSE, name, None)
# and (TEXT, text, None).
OPEN, CLOSE, TEXT = range(3)


class Page:
    """What a page says, from the events of its tree."""

    def __init__(self, events):
        self.text = []
        self.links = []
        self.title = None
        self.dropped = []  # the open elements from the first dropped one on
        for kind, what, attributes in events:
            if kind == TEXT:
                self.add_text(what)
                continue
            if what.split("}")[-1] in SEPARATING and not self.dropped[1:]:
                self.text.append(" ")
            if kind == CLOSE:
                if self.dropped:
                    self.dropped.pop()
            elif self.dropped or self.is_dropped(what, attributes):
                self.dropped.append(what)
                if what == HTML + "title" and self.title is None:
                    self.title = ""
            else:
                self.add_element(what, attributes)

    @staticmethod
    def is_dropped(name, attributes):
        is_shown_template = name == HTML + "template" and "shadowrootmode" in attributes
        return name in DROPPED and not is_shown_template

    def add_text(self, text):
        if not self.dropped:
            self.text.append(text)
        elif self.dropped == [HTML + "title"] and self.title == "":
            self.title = re.sub(r"[\x00-\x20]+", " ", text).strip(" ")

    def add_element(self, name, attributes):
        if name == HTML + "img":
            self.text.append(" " + (attributes.get("alt") or "") + " ")
        is_link = name.split("}")[-1] == "a" or name == HTML + "area"
        if is_link and "href" in attributes and CLONE not in attributes:
            self.links.append(attributes["href"] or "")


def html5lib_events(text):
    import html5lib
    from html5lib.treebuilders import getTreeBuilder
    builder = getTreeBuilder("etree")

    class Element(builder.elementClass):
        def cloneNode(self):
            """An element that is made again (of <b>, <a> ...) is marked."""
            clone = super().cloneNode()
            clone.attributes = {**clone.attributes, CLONE: ""}
            return clone

    class Builder(builder):
        elementClass = Element

    # Depth first without recursion: real pages are deeper than Python's stack.
    stack = [(html5lib.HTMLParser(tree=Builder).parse(text), False)]
    while stack:
        node, is_closing = stack.pop()
        is_element = isinstance(node.tag, str)  # and no comment
        if is_closing:
            if is_element:
                yield CLOSE, node.tag, None
            yield TEXT, node.tail or "", None
            continue
        stack.append((node, True))
        if is_element:
            yield OPEN, node.tag, node.attrib
            yield TEXT, node.text or "", None
            stack.extend((child, False) for child in reversed(list(node)))


SVG_TO_HTML = {SVG + name for name in ("foreignObject", "desc", "title")}
MATHML_TO_HTML = {MATHML + name for name in ("mi", "mn", "mo", "ms", "mtext")}


def lexbor_events(text):
    """selectolax does not tell namespaces: they are found on the way down."""
    from selectolax.lexbor import LexborHTMLParser
    node = LexborHTMLParser(text).root
    open_elements = []  # (node, its name)
    space = HTML
    while node is not None:
        if node.is_element_node:
            if node.tag in ("svg", "math"):
                space = SVG if node.tag == "svg" else MATHML
            name = space + node.tag
            yield OPEN, name, node.attributes
            if node.child is not None:
                open_elements.append((node, name))
                if name in SVG_TO_HTML | MATHML_TO_HTML:
                    space = HTML
                node = node.child
                continue
            yield CLOSE, name, None
            space = namespace_within(open_elements)
        elif node.is_text_node:
            yield TEXT, node.text(deep=False), None
        while node.next is None and open_elements:
            node, name = open_elements.pop()
            yield CLOSE, name, None
            space = namespace_within(open_elements)
        node = node.next


def namespace_within(open_elements):
    if not open_elements:
        return HTML
    name = open_elements[-1][1]
    if name in SVG_TO_HTML | MATHML_TO_HTML:
        return HTML
    return name[:name.index("}") + 1]


PARSERS = {"html5lib": html5lib_events, "lexbor": lexbor_events}


def words_of(text):
    return WORD.findall(text.lower())


def first_difference(ours, theirs):
    for at, (a, b) in enumerate(itertools.zip_longest(ours, theirs)):
        if a != b:
            return f"at {at}: kith {ours[at:at + 6]}, the tree {theirs[at:at + 6]}"
    return ""


def without_repeats(links):
    """lexbor does not tell which elements it made again: they follow the first."""
    return [href for href, _ in itertools.groupby(links)]


def compare(ours, parser):
    """(path, kind of difference or "", where) of a line of dump_html."""
    with open(ours["path"], "rb") as file:
        text, _ = webencodings.decode(file.read(), ours["charset"])
    theirs = Page(PARSERS[parser](text))
    our_words, their_words = words_of(ours["text"]), words_of("".join(theirs.text))
    our_links, their_links = [href for href, _ in ours["links"]], theirs.links
    if parser == "lexbor":
        our_links, their_links = without_repeats(our_links), without_repeats(their_links)
    if our_words != their_words:
        moved = collections.Counter(our_words) == collections.Counter(their_words)
        kind = "words in another order" if moved else "other words"
        return ours["path"], kind, first_difference(our_words, their_words)
    if our_links != their_links:
        moved = collections.Counter(our_links) == collections.Counter(their_links)
        kind = "links in another order" if moved else "other links"
        return ours["path"], kind, first_difference(our_links, their_links)
    if ours["title"] != (theirs.title or ""):
        return ours["path"], "title", f"kith {ours['title']!r}, the tree {theirs.title!r}"
    return ours["path"], "", ""


def compare_batch(job):
    dump_html, parser, paths = job
    dumped = subprocess.run([dump_html], input="\n".join(paths), encoding="utf-8",
                            stdout=subprocess.PIPE, check=True)
    return [compare(json.loads(line), parser) for line in dumped.stdout.split("\n") if line]


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
    parser.add_argument("--parser", choices=PARSERS, default="html5lib")
    parser.add_argument("--least", type=float, default=0.995, help="share of equal pages")
    parser.add_argument("--limit", type=int, help="take N pages, evenly spread")
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args(arguments)

    with tempfile.TemporaryDirectory() as scratch:
        files = list(html_files(args.paths, scratch))
        if args.limit and len(files) > args.limit:
            files = [files[i * len(files) // args.limit] for i in range(args.limit)]
        batches = [(args.dump_html, args.parser, files[i:i + 16])
                   for i in range(0, len(files), 16)]
        with multiprocessing.Pool(args.jobs) as pool:
            results = list(itertools.chain.from_iterable(
                pool.imap_unordered(compare_batch, batches)))
    if not results:
        print("html_twin: no pages")
        return 1
    different = sorted(result for result in results if result[1])
    for path, kind, where in different[:args.show]:
        print(f"{path}: {kind}: {where}")
    kinds = collections.Counter(kind for _, kind, _ in different)
    for kind, count in kinds.most_common():
        print(f"{kind}: {count}")
    share = 1 - len(different) / len(results)
    print(f"html_twin: {len(results)} pages, {share:.2%} equal in words, links and title")
    return 0 if share >= args.least else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
