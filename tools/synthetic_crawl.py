#!/usr/bin/python3
"""Makes a web crawl of any size out of nothing but a seed: for tests, and where no network is.

    tools/synthetic_crawl.py --pages 10000 -o crawl.warc.gz --labels labels.tsv --counts counts.json
    kith cluster crawl.warc.gz -o run
    kith evaluate run labels.tsv --column topic

Pages are about topics. Topic t has a share proportional to (t + 1)^-0.8 of the pages; its pages
stand in groups of eight on sites drawn at random. A text is words of the topic and general ones,
both of Zipf frequencies; it links to pages of the same topic, and sometimes to any page, by anchors
of one to three words of the topic linked to.

Beside its record a page may have, each with a probability that is an option:
    a redirect    301 from an old URL, to which half of the links to the page go
    a variant     URL?print=1, the same page with <link rel=canonical>; likewise
    a mirror      the same bytes under a URL of another host
    a recapture   a second capture of the same URL
    a gone page   404 under a URL of its own
The crawl is WARC/1.1, a gzip member a record, the pages in a seeded order that mixes sites and topics.
The same options give the same records; the compressed bytes also depend on the version of zlib.
Memory does not grow with --pages, but with --topics.

The labels file is TSV: url, package (the site), topic, path: one line for each URL that is a page.
The counts file is JSON: what kith finds in this crawl, under the names of `kith info --json`.
"""

import argparse
import bisect
import json
import math
import os
import sys
import urllib.parse
import uuid

from debian_crawl import gzip_member, warc_record

TOPIC_EXPONENT = 0.8
TOPIC_WORDS = 30
TOPIC_SHARE = 0.5  # of the words of a text
GENERAL_WORDS = 2000
CONTENT_WORDS = 200_000
PAGES_PER_GROUP = 8  # of a topic, on one site
LINKS = (3, 9)
FAR_LINKS = 0.1  # to a page of any topic

SYLLABLES = 19 * 5
MASK = (1 << 64) - 1
KINDS = ["redirects", "variants", "mirrors", "recaptures", "gone"]
STATUS = {200: "OK", 301: "Moved Permanently", 404: "Not Found"}


def mix(*numbers):
    """64 bits that look random, of some numbers (the finaliser of SplitMix64, chained)."""
    x = 0
    for number in numbers:
        x = (x + number + 0x9E3779B97F4A7C15) & MASK
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
        x ^= x >> 31
    return x


class Draws:
    """A sequence of draws that is a function of some numbers."""

    def __init__(self, *numbers):
        self.state = mix(*numbers)

    def uniform(self):
        self.state = mix(self.state)
        return self.state / (MASK + 1)

    def below(self, n):
        return min(n - 1, int(self.uniform() * n))

    def zipf(self, n):
        """A rank below n, P(rank) about 1 / (rank + 1)."""
        return min(n - 1, int((n + 1) ** self.uniform()) - 1)


def spell(number):
    """A word of three syllables, another for every number below 95^3."""
    number = number * 300_007 % SYLLABLES ** 3
    word = ""
    for _ in range(3):
        number, digit = divmod(number, SYLLABLES)
        word += "bcdfghjklmnpqrstvwz"[digit // 5] + "aeiou"[digit % 5]
    return word


class Crawl:
    """The pages 0 to n - 1, in the order of their topics; each a function of its number."""

    def __init__(self, options):
        self.options = options
        self.seed = options.seed
        self.n = options.pages
        weights = [(t + 1) ** -TOPIC_EXPONENT for t in range(options.topics)]
        total, so_far, self.begin = sum(weights), 0, [0]
        for weight in weights:
            so_far += weight
            self.begin.append(round(self.n * so_far / total))
        self.begin[-1] = self.n

    def topic(self, page):
        return bisect.bisect_right(self.begin, page) - 1

    def site(self, page):
        topic = self.topic(page)
        group = (page - self.begin[topic]) // PAGES_PER_GROUP
        return mix(self.seed, 1, topic, group) % self.options.sites

    def topic_word(self, topic, place):
        return spell(GENERAL_WORDS + mix(self.seed, 2, topic, place) % CONTENT_WORDS)

    def has(self, page, kind):
        return Draws(self.seed, 3, page, KINDS.index(kind)).uniform() < getattr(self.options, kind)

    def folder(self, page):
        return f"https://site-{self.site(page):05}.test/{self.topic_word(self.topic(page), 0)}"

    def url(self, page, kind=None):
        folder = self.folder(page)
        return {
            None: f"{folder}/{page}.html",
            "redirects": f"{folder}/old/{page}.html",
            "variants": f"{folder}/{page}.html?print=1",
            "mirrors": f"https://mirror.test/{page}.html",
            "gone": f"{folder}/gone/{page}.html",
        }[kind]

    def words(self, draws, topic, count):
        return " ".join(
            self.topic_word(topic, draws.zipf(TOPIC_WORDS)) if draws.uniform() < TOPIC_SHARE
            else spell(draws.zipf(GENERAL_WORDS)) for _ in range(count))

    def anchor(self, draws, page):
        """A link to a page, under its own URL or under one that stands for it."""
        kind = ["redirects", "variants", None, None][draws.below(4)]
        url = self.url(page, kind if kind and self.has(page, kind) else None)
        topic = self.topic(page)
        text = " ".join(self.topic_word(topic, draws.zipf(TOPIC_WORDS))
                        for _ in range(1 + draws.below(3)))
        return f'<a href="{url}">{text}</a>'

    def link_targets(self, draws, page):
        topic = self.topic(page)
        first, end = self.begin[topic], self.begin[topic + 1]
        for _ in range(LINKS[0] + draws.below(LINKS[1] - LINKS[0] + 1)):
            is_far = draws.uniform() < FAR_LINKS
            target = draws.below(self.n) if is_far else first + draws.below(end - first)
            if target != page:
                yield target

    def html(self, page):
        """The title and the body of a page, and the number of its links."""
        draws = Draws(self.seed, 4, page)
        topic = self.topic(page)
        title = self.words(draws, topic, 4)
        targets = list(self.link_targets(draws, page))
        words = self.options.words // (len(targets) + 1)
        parts = [self.words(draws, topic, words)]
        for target in targets:
            parts += [self.anchor(draws, target), self.words(draws, topic, words)]
        return title, f"<h1>{title}</h1>\n<p>{' '.join(parts)}</p>", len(targets)

    def order(self):
        """All pages, mixed: a linear congruence over them."""
        step = max(1, mix(self.seed, 5) % max(1, self.n))
        while math.gcd(step, self.n) > 1:
            step += 1
        return (step * i % self.n for i in range(self.n))


def document(title, body, canonical=None):
    link = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{link}'
            f"</head>\n<body>{body}</body></html>\n").encode()


def response(url, status, body, record, location=None):
    head = f"HTTP/1.1 {status} {STATUS[status]}\r\nContent-Type: text/html; charset=utf-8\r\n"
    if location:
        head += f"Location: {location}\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    identity = uuid.uuid5(uuid.NAMESPACE_URL, f"{record} {url}")
    fields = [("WARC-Record-ID", f"<urn:uuid:{identity}>"), ("WARC-Target-URI", url)]
    return warc_record("response", fields, "application/http; msgtype=response",
                       head.encode() + body)


class Writer:
    """Writes records and labels, and counts what kith will find."""

    def __init__(self, crawl, warc, labels):
        self.crawl, self.warc, self.labels = crawl, warc, labels
        self.records = self.pages = self.links = 0
        self.met = dict.fromkeys(KINDS, 0)
        if labels:
            labels.write("url\tpackage\ttopic\tpath\n")

    def add_info(self):
        block = b"software: kith synthetic_crawl\r\nformat: WARC File Format 1.1\r\n"
        fields = [("WARC-Record-ID", f"<urn:uuid:{uuid.UUID(int=mix(self.crawl.seed))}>")]
        self._write(warc_record("warcinfo", fields, "application/warc-fields", block))

    def add_page(self, page):
        crawl, url = self.crawl, self.crawl.url(page)
        title, body, links = crawl.html(page)
        plain = document(title, body)
        self._add_capture(page, url, plain, links)
        for kind in KINDS:
            if not crawl.has(page, kind):
                continue
            self.met[kind] += 1
            if kind == "redirects":
                self._write(response(crawl.url(page, kind), 301, b"", self.records, location=url))
            elif kind == "variants":
                self._add_capture(page, crawl.url(page, kind), document(title, body, url), links)
            elif kind == "mirrors":
                self._add_capture(page, crawl.url(page, kind), plain, links)
            elif kind == "recaptures":
                later = document(title, f"{body}<p>{title}</p>")
                self._write(response(url, 200, later, self.records))
            else:
                self._write(response(crawl.url(page, kind), 404, b"<p>Gone.</p>", self.records))

    def counts(self):
        met = self.met
        skipped = {"other_record": 1, "status": met["redirects"] + met["gone"],
                   "duplicate": met["recaptures"]}
        return {
            "crawl": {"records": self.records, "pages": self.pages, "redirects": met["redirects"],
                      "skipped": {kind: count for kind, count in skipped.items() if count}},
            "text": {"links": self.links},
            "aliases": {"canonical": met["variants"], "redirect": met["redirects"]},
        }

    def _add_capture(self, page, url, body, links):
        self._write(response(url, 200, body, self.records))
        self.pages += 1
        self.links += links
        if self.labels:
            parts = urllib.parse.urlsplit(url)
            self.labels.write(f"{url}\t{parts.hostname}\t{self.crawl.topic(page)}\t{parts.path}\n")

    def _write(self, record):
        self.warc.write(gzip_member(record, self.crawl.options.gzip_level))
        self.records += 1


def build(options):
    crawl = Crawl(options)
    labels_path = options.labels or os.devnull
    with open(options.output, "wb") as warc, open(labels_path, "w", encoding="utf-8") as labels:
        writer = Writer(crawl, warc, labels)
        writer.add_info()
        for page in crawl.order():
            writer.add_page(page)
    if options.counts:
        with open(options.counts, "w", encoding="utf-8") as out:
            json.dump(writer.counts(), out, indent=2)
            out.write("\n")
    print(f"synthetic_crawl: {writer.pages} pages in {writer.records} records about "
          f"{options.topics} topics on {options.sites} sites, "
          f"{os.path.getsize(options.output) / 1e6:.1f} MB: {options.output}", file=sys.stderr)


def natural(text):
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return value


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def share(text):
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("must be between 0 and 1")
    return value


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, metavar="OUT.warc.gz")
    parser.add_argument("--labels", metavar="OUT.tsv")
    parser.add_argument("--counts", metavar="OUT.json")
    parser.add_argument("--pages", type=natural, default=1000, help="(default: %(default)s)")
    parser.add_argument("--topics", type=positive, help="(default: a 50th of the pages)")
    parser.add_argument("--sites", type=positive, help="(default: a 100th of the pages)")
    parser.add_argument("--words", type=natural, default=120,
                        help="of a text (default: %(default)s)")
    parser.add_argument("--seed", type=natural, default=1, help="(default: %(default)s)")
    for kind, default in zip(KINDS, [0.05, 0.05, 0.02, 0.03, 0.02]):
        parser.add_argument(f"--{kind}", type=share, default=default, metavar="SHARE",
                            help="of the pages (default: %(default)s)")
    parser.add_argument("--gzip-level", type=int, choices=range(1, 10), default=6, metavar="1..9")
    options = parser.parse_args(arguments)
    options.topics = options.topics or max(1, options.pages // 50)
    options.sites = options.sites or max(1, options.pages // 100)
    return options


def main(arguments):
    try:
        build(parse_arguments(arguments))
    except OSError as error:
        print(f"synthetic_crawl: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
