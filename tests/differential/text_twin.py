#!/usr/bin/env python3
"""Compares the words that kith reads in pages of HTML with those of the text that resiliparse extracts.

    text_twin.py KITH [--pages N] [--first S] [WARC...]

A page is made from each of N numbers (made_html.py), and the pages of the WARC files are read. Both texts are
cut into words by kith. A page fails when one of both has a word that the other has not, except for

- where words end: kith puts a blank at the end tag of a block that is not open, at cells outside of tables,
  at options and embedded objects, and leaves text in a table outside of its cells where it stands
  (docs/algorithms/html.md). A word is the same when it is a part of one of the other's. Of the pages of
  WARC files these may be 1 % of the words;
- the values of <input>, which kith does not count as text: resiliparse is asked to leave them out;
- a <title> in the body, which no browser shows: none is made, not in SVG either, where it is text;
- pages with more than 2 % of control characters, which kith takes for binary.

A page that fails is printed: `--first PAGE --pages 1` replays it.
"""

import argparse
import collections
import json
import os
import random
import sys
import tempfile

import fastwarc.warc
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree

from kith_words import Kith, is_text
from made_html import Page

BATCH = 200
MAX_CUT_OTHERWISE = .01
MARKS = [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]


def text_of_resiliparse(page, charset):
    """The encoding is that of the mark, of HTTP, or of the page, in this order (WHATWG HTML, 13.2.3.2)."""
    for mark, encoding in MARKS:
        if page.startswith(mark):
            page, charset = page[len(mark):], encoding
            break
    text = bytes_to_str(page, charset or detect_encoding(page, from_html_meta=True))
    tree = HTMLTree.parse(text)
    text = extract_plain_text(tree, main_content=False, alt_texts=True, form_fields=True, noscript=True,
                              list_bullets=False, skip_elements=["input"])
    return f"{tree.title or ''}\n{text}"


def record(url, page, charset):
    media_type = "text/html" + (f"; charset={charset}" if charset else "")
    content = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode() + page
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(content)}\r\n\r\n")
    return head.encode() + content + b"\r\n\r\n"


def words_of_both(kith, folder, pages):
    """Of each page its name, the words of kith, and those of resiliparse."""
    warc, texts = os.path.join(folder, "pages.warc"), os.path.join(folder, "texts.jsonl")
    with open(warc, "wb") as file:
        file.writelines(record(f"http://pages.test/{name}", *page) for name, page in pages.items())
    with open(texts, "w", encoding="ascii") as file:
        for name, page in pages.items():
            file.write(json.dumps({"url": f"http://texts.test/{name}", "text": text_of_resiliparse(*page)}) + "\n")
    found, _ = kith.read([warc, texts])
    for name in pages:
        yield name, found.get(f"http://pages.test/{name}", set()), found.get(f"http://texts.test/{name}", set())


def without_parts(words, others):
    """The words that are neither a part of one of the others nor made of such parts; those of one or two
    letters are no words."""
    return {word for word in words
            if not any(word in other or other in word for other in others) and (len(word) > 4 or not word.isascii())}


def made_pages(numbers):
    for number in numbers:
        yield f"made-{number}", Page(random.Random(number)).make()


def pages_of(path):
    """The HTML of a WARC file with the charsets that HTTP declares."""
    responses = fastwarc.warc.ArchiveIterator(path, auto_decode="all", quirks_mode=True,
                                              record_types=fastwarc.warc.response)
    for number, response in enumerate(responses):
        is_html = "html" in (response.http_content_type or "")
        if response.http_headers and response.http_headers.status_code == 200 and is_html:
            yield f"{os.path.basename(path)}-{number}", (response.reader.read(), response.http_charset or "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kith")
    parser.add_argument("warc", nargs="*")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_intermixed_args()  # options may stand before the files
    pages = dict(made_pages(range(arguments.first, arguments.first + arguments.pages)))
    for path in arguments.warc:
        pages.update(pages_of(path))
    names = [name for name, (page, _) in pages.items() if page.strip() and is_text(page)]
    counts, failed = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        kith = Kith(arguments.kith, folder)
        for first in range(0, len(names), BATCH):
            batch = {name: pages[name] for name in names[first:first + BATCH]}
            for name, ours, theirs in words_of_both(kith, folder, batch):
                only_ours, only_theirs = without_parts(ours - theirs, theirs), without_parts(theirs - ours, ours)
                cut_otherwise = len(ours ^ theirs) - len(only_ours) - len(only_theirs)
                kind = "made pages" if name.startswith("made-") else "pages of crawls"
                counts[kind] += 1
                counts[f"words of {kind}"] += len(ours | theirs)
                counts[f"words of {kind} cut otherwise"] += cut_otherwise
                is_crawled = kind == "pages of crawls"
                if only_ours or only_theirs or is_crawled and cut_otherwise > MAX_CUT_OTHERWISE * len(ours | theirs):
                    failed.append(name)
                    print(f"{name}: of {len(ours | theirs)} words kith alone has {sorted(only_ours)[:5]}, resiliparse "
                          f"{sorted(only_theirs)[:5]}; {cut_otherwise} are cut otherwise")
    print(", ".join(f"{count:,} {what}" for what, count in sorted(counts.items())))
    if failed:
        sys.exit(f"text_twin: {len(failed)} pages failed: {failed[:20]}")


if __name__ == "__main__":
    main()
