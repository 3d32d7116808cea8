#!/usr/bin/env python3
"""A simpler rule against boilerplate: words that stand on more than half of a host's pages are dropped.

    python3 -m venv venv && venv/bin/pip install resiliparse fastwarc
    venv/bin/python bench/frequent_words.py crawl.warc.gz crawl
    kith cluster crawl.all.jsonl -o all --bags content --boilerplate keep
    kith cluster crawl.all.jsonl -o blocks --bags content --boilerplate remove
    kith cluster crawl.rare.jsonl -o rare --bags content --boilerplate keep

Writes two files of JSON lines with the plain text of the pages, as resiliparse makes it, a line for a block:
OUT.all.jsonl with all words, and OUT.rare.jsonl without those words, on hosts of 8 pages and more. So both rules are
judged on the same text (docs/notes/quality.md).
"""

import argparse
import collections
import json
import re
import urllib.parse

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

MIN_PAGES = 8
WORD = re.compile(r"[^\W\d_]+")


def pages(path):
    """URL, title and text of every page that was answered with 200."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            body = record.reader.read()
            if record.http_headers and record.http_headers.status_code not in (200, None):
                continue
            tree = HTMLTree.parse_from_bytes(body, detect_encoding(body))
            text = extract_plain_text(str(tree), main_content=False)
            yield record.headers.get("WARC-Target-URI"), tree.title or "", text


def frequent_words(crawl):
    """Of every host the words on more than half of its pages."""
    hosts = collections.defaultdict(list)
    for url, _, text in crawl:
        hosts[urllib.parse.urlsplit(url).netloc].append(text)
    frequent = {}
    for host, texts in hosts.items():
        if len(texts) < MIN_PAGES:
            continue
        count = collections.Counter()
        for text in texts:
            count.update({word.lower() for word in WORD.findall(text)})
        frequent[host] = {word for word, on in count.items() if 2 * on > len(texts)}
    return frequent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawl", help="a WARC file")
    parser.add_argument("out", help="the first part of the names of the two files")
    args = parser.parse_args()
    crawl = list(pages(args.crawl))
    frequent = frequent_words(crawl)
    with open(args.out + ".all.jsonl", "w", encoding="utf-8") as every, \
            open(args.out + ".rare.jsonl", "w", encoding="utf-8") as rare:
        for url, title, text in crawl:
            dropped = frequent.get(urllib.parse.urlsplit(url).netloc, ())
            kept = WORD.sub(lambda match: "." if match.group().lower() in dropped else match.group(), text)
            every.write(json.dumps({"url": url, "title": title, "text": text}) + "\n")
            rare.write(json.dumps({"url": url, "title": title, "text": kept}) + "\n")
    print(f"{len(crawl)} pages, {len(frequent)} hosts with {MIN_PAGES} pages or more")


if __name__ == "__main__":
    main()
