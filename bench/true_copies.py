#!/usr/bin/env python3
"""How many true copies of pages `kith dedup` removes, with and without the rule of titles.

usage: true_copies.py KITH CRAWL.warc.gz [--pages 3000] [--seed 1]

Makes, in a temporary folder, a crawl of all pages and, of sampled HTML pages, of a copy under another URL: of each kind
as many.
    session  every link has a session id, a visit counter stands at the end
    dated    the date of the visit stands at the head of the text and at its end
    dated_title  the same, and the date is in the title
    print    a print head before the text, no other change
    print_title  the same, and the title begins with "Print version:"
A copy counts as found where it and its page have the same kept page. Prints a row a kind and choice of options."""

import argparse
import collections
import csv
import gzip
import random
import re
import subprocess
import tempfile

KINDS = ("session", "dated", "dated_title", "print", "print_title")


def records(path):
    """Yields URL, HTTP head and body of every response."""
    with gzip.open(path, "rb") as file:
        while line := file.readline():
            if not line.startswith(b"WARC/1"):
                continue
            head = {}
            while line := file.readline().strip():
                name, _, value = line.partition(b":")
                head[name.lower()] = value.strip()
            content = file.read(int(head[b"content-length"]))
            if head.get(b"warc-type") != b"response":
                continue
            http, _, body = content.partition(b"\r\n\r\n")
            yield head[b"warc-target-uri"].decode(), http, body


def copy(kind, body, rng):
    number = rng.randrange(10**8)
    date = b"2024-%02d-%02d" % (rng.randrange(1, 13), rng.randrange(1, 29))
    if kind == "session":
        body = re.sub(rb'(href=")([^"#]+)', rb"\1\2?sid=%d" % number, body)
        return re.sub(rb"</body", b"<p>Visitor number %d</p></body" % number, body, count=1)
    note = b"<p>Print this page</p><p>Back to the page</p>"
    if kind.startswith("dated"):
        note = b"<p>Today is %s.</p>" % date
    body = re.sub(rb"(<body[^>]*>)", rb"\1" + note, body, count=1)
    if kind == "dated_title":
        body = re.sub(rb"</title", b" (%s)</title" % date, body, count=1)
    if kind == "print_title":
        body = re.sub(rb"(<title[^>]*>)", rb"\1Print version: ", body, count=1)
    return body


def warc(url, body):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n").encode()
    return gzip.compress(head + http + b"\r\n\r\n", 1, mtime=0)


def make(path, crawl, pages, rng):
    """Writes the crawl; by kind the pairs of URLs of page and copy."""
    with open(crawl, "rb") as source, open(path, "wb") as out:
        while part := source.read(1 << 24):
            out.write(part)
        usable = [(url, body) for url, _, body in records(crawl)
                  if b"<title" in body and b"<body" in body and len(body) > 4096]
        pairs = collections.defaultdict(list)
        for i, (url, body) in enumerate(rng.sample(usable, min(pages, len(usable)))):
            kind = KINDS[i % len(KINDS)]
            other = f"{url}{'&' if '?' in url else '?'}copy={kind}"
            out.write(warc(other, copy(kind, body, rng)))
            pairs[kind].append((url, other))
    return pairs


def kept_pages(folder):
    kept, keeper = {}, ""
    with open(f"{folder}/groups.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            keeper = row["url"] if row["role"] == "kept" else keeper
            kept[row["url"]] = keeper
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("crawl")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        crawl = f"{folder}/copies.warc.gz"
        pairs = make(crawl, args.crawl, args.pages, random.Random(args.seed))
        print("titles", "kind", "copies", "found", "share", sep="\t")
        for flags in ([], ["--no-distinct-titles"]):
            run = f"{folder}/run{len(flags)}"
            subprocess.run([args.kith, "dedup", crawl, "-o", run, *flags, "--no-check", "--quiet"],
                           check=True)
            kept = kept_pages(run)
            for kind in KINDS:
                found = sum(kept.get(a, a) == kept.get(b, b) for a, b in pairs[kind])
                share = found / max(1, len(pairs[kind]))
                print("all" if flags else "apart", kind, len(pairs[kind]), found, f"{share:.4f}", sep="\t")


if __name__ == "__main__":
    main()
