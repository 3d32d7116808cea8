#!/usr/bin/env python3
"""Finds the main text of the pages of a crawl by other programs, and times them.

    python3 -m venv build/extractors
    build/extractors/bin/pip install fastwarc resiliparse trafilatura lxml_html_clean
    build/extractors/bin/python bench/extractors.py build/demo/demo.warc.gz -o build/demo/main
    kith cluster build/demo/main.resiliparse.jsonl -o build/demo/main-run --bags content

For a comparison of clusters and related pages of the whole text, of the text without boilerplate
(kith cluster --boilerplate remove), of main text by these programs, and of main text marked by people
(tools/labelled_collections.py writes it for some collections): docs/quality.md.

    resiliparse   extract_plain_text(main_content=True) of resiliparse: rules over the parsed page
    trafilatura   extract() of trafilatura: rules, then readability and jusText where they find little

OUT.NAME.jsonl has a line for each page: url, title, text. The text is empty where the program finds
none, so all outputs have the same pages. INPUT is a WARC file (HTML of responses with status 200), or
JSON lines with url and html, also compressed by gzip.

Printed for each program: pages, pages without text, megabytes of markup and of text, seconds of CPU
and megabytes of markup per second. The seconds are those of the program's call with the page as a
string: reading the file, the charset and the title are not counted. One thread.
"""

import argparse
import gzip
import json
import time

import trafilatura
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree

EXTRACTORS = {
    "resiliparse": lambda page, url: extract_plain_text(page, main_content=True),
    "trafilatura": lambda page, url: trafilatura.extract(page, url=url) or "",
}


def open_input(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return (gzip.open if packed else open)(path, "rb")


def is_html(record):
    http = record.http_headers
    kind = (record.http_content_type or "text/html").lower()
    return http is not None and http.status_code == 200 and kind in ("text/html", "application/xhtml+xml")


def read_warc(path):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            if is_html(record):
                data, charset = record.reader.read(), record.http_charset
                yield (record.headers["WARC-Target-URI"],
                       bytes_to_str(data, charset or detect_encoding(data)))


def read_pages(path):
    """(URL, page as a string) of every page with HTML."""
    with open_input(path) as file:
        first = file.read(1)
    if first != b"{":
        yield from read_warc(path)
        return
    with open_input(path) as file:
        for line in file:
            item = json.loads(line)
            if "html" in item:
                yield item["url"], item["html"]


def title_of(page):
    return " ".join((HTMLTree.parse(page).title or "").split())


def extract_all(options):
    names = options.extractor or list(EXTRACTORS)
    outputs = {name: open(f"{options.out}.{name}.jsonl", "w", encoding="utf-8", errors="replace")
               for name in names}
    seconds, empty, written = (dict.fromkeys(names, 0) for _ in range(3))
    pages = size = 0
    for url, page in read_pages(options.input):
        pages += 1
        size += len(page.encode("utf-8", "replace"))
        title = title_of(page)
        for name in names:
            start = time.process_time()
            text = EXTRACTORS[name](page, url)
            seconds[name] += time.process_time() - start
            empty[name] += not text.strip()
            written[name] += len(text.encode("utf-8", "replace"))
            line = json.dumps({"url": url, "title": title, "text": text}, ensure_ascii=False)
            outputs[name].write(line + "\n")
    for file in outputs.values():
        file.close()
    print("extractor     pages  without text  MB markup  MB text  seconds  MB/s")
    for name in names:
        print(f"{name:<12}{pages:>7,}{empty[name]:>14,}{size / 1e6:>11.1f}{written[name] / 1e6:>9.1f}"
              f"{seconds[name]:>9.1f}{size / 1e6 / max(seconds[name], 1e-9):>6.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="INPUT")
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="beginning of the outputs' names")
    parser.add_argument("--extractor", action="append", choices=EXTRACTORS,
                        help="only this one; may be given twice")
    extract_all(parser.parse_args())


if __name__ == "__main__":
    main()
