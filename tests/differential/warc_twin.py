#!/usr/bin/env python3
"""Compares the pages that kith reads in WARC files with those of warcio and FastWARC.

    warc_twin.py KITH [--seeds N] [--first S]

A file is made from each seed, valid or damaged (made_warc.py).

- Of a valid one kith, and each reader that knows its forms, must give all pages, with their words.
- Of a damaged one kith must give each page that both other readers find, or name a damage at its place.
- kith must not crash, hang, or end by an exit code that is not documented, and refuses no file of which
  both others read a page.

A seed that fails is printed: `--first SEED --seeds 1` replays it.
"""

import argparse
import bisect
import collections
import contextlib
import io
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import fastwarc.warc
import warcio.archiveiterator

from kith_words import Kith, Refused, is_text
from made_warc import Maker, damaged, words_of

# Forms that the standards allow and a reader does not know (warcio 1.8, FastWARC 2.0): it is not asked.
LIMITS = {
    "warcio": {
        "one gzip": "refuses members of several records",
        "several per gzip": "likewise",
        "br": "fails with the package brotli from 1.1 on",
        "x-gzip": "does not know the name (RFC 9110, 8.4.1.3)",
        "gzip, br": "undoes one coding only (RFC 9110, 8.4)",
        "several members in a body": "gives the first one (RFC 1952, 2.2)",
        "raw deflate": "an error where the first chunk is of one byte",
        "trailer": "takes it for the body where that is empty (RFC 9112, 7.1.2)",
        "Chunked": "compares the name with case (RFC 9112, 7)",
    },
    "FastWARC": {
        "WARC names in another case": "compares them with case (ISO 28500, 4)",
        "no type of a response": "takes it for no HTTP (ISO 28500, 6.3: it should have one)",
        "chunk extension": "an error (RFC 9112, 7.1.1)",
        "raw deflate": "an error; servers send it, and browsers take it",
        "x-gzip": "does not know the name",
        "zeros at the end": "an error that loses the last record; gzip takes them for padding",
        "empty member": "ends there (RFC 1952, 2.2: members follow each other)",
    },
}
BATCH = 25  # files that kith reads at a time


@dataclass
class Found:
    url: str
    words: set
    offset: int


def is_page(kind, url, block_type, status, http_type, payload):
    """Whether docs/formats/inputs.md makes a page of a record."""
    media_type = http_type if kind == "response" else block_type
    essence = (media_type or "").split(";")[0].strip().strip("\"'").lower()
    return (bool(url) and url.lower().startswith(("http://", "https://")) and payload.strip() != b""
            and (kind in ("resource", "conversion") or kind == "response" and status == 200)
            and essence in ("text/html", "application/xhtml+xml", "text/plain") and is_text(payload))


def warcio_pages(path):
    """The pages until the end, or until it gives up, by whatever exception."""
    found = []
    with open(path, "rb") as file, contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(Exception):
        records = warcio.archiveiterator.ArchiveIterator(file)
        for record in records:
            url = record.rec_headers.get_header("WARC-Target-URI")
            block_type = record.rec_headers.get_header("Content-Type")
            status, http_type = "", None
            if record.http_headers:
                status = record.http_headers.get_statuscode()
                http_type = record.http_headers.get_header("Content-Type")
            payload = record.content_stream().read()
            if is_page(record.rec_type, url, block_type, int(status) if status.isdigit() else 0, http_type, payload):
                found.append(Found(url, words_of(payload), records.get_record_offset()))
    return found


def fastwarc_pages(path):
    found = []
    size = os.path.getsize(path)
    with contextlib.suppress(Exception):
        for record in fastwarc.warc.ArchiveIterator(path, parse_http=False, quirks_mode=True):
            url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
            status, http_type = 0, None
            if record.content_length < 1000 * size:
                record.freeze()  # else it ends after a body that is chunked and coded
            if record.is_http:
                record.parse_http(auto_decode="all", quirks_mode=True)
                status, http_type = record.http_headers.status_code, record.http_headers.get("Content-Type")
            payload = record.reader.read()
            if is_page(str(record.record_type), url, record.headers.get("Content-Type"), status, http_type, payload):
                found.append(Found(url, words_of(payload), record.stream_pos))
    return found


def is_same(one, other):
    return one.url == other.url or bool(one.words & other.words)


def begins_one(word, words):
    """Whether one of the sorted words begins so: damage cuts words and makes them longer."""
    at = bisect.bisect_left(words, word)
    return at < len(words) and words[at].startswith(word)


def make(seed):
    source = random.Random(seed)
    damage = source.choice(["valid", "valid", "damaged records", "damaged bytes"])
    made = Maker(source, seed).make_file(damage == "damaged records")
    if damage == "damaged bytes":
        made.content = damaged(source, [made.content])[0]
    return damage == "valid", made


class Comparison:
    def __init__(self, kith, folder):
        self.kith = kith
        self.folder = folder
        self.counts = collections.Counter()
        self.failed = []

    def path(self, seed):
        return os.path.join(self.folder, f"{seed}.warc")

    def run(self, seeds):
        made = {seed: make(seed) for seed in seeds}
        for seed, (_, file) in made.items():
            with open(self.path(seed), "wb") as output:
                output.write(file.content)
        self.compare(made)
        for seed in seeds:
            os.unlink(self.path(seed))

    def compare(self, made):
        """Of several files, one whose comparison fails is compared again by itself."""
        alone = len(made) == 1
        try:
            pages, report = self.kith.read(map(self.path, made))
        except Exception as error:
            refused = [seed for seed in made if isinstance(error, Refused) and f"/{seed}.warc" in str(error)]
            for seed in made if not refused else refused:
                if alone:
                    self.note(seed, self.refusal(seed, made[seed][0], error))
                else:
                    self.compare({seed: made[seed]})
            rest = {seed: file for seed, file in made.items() if seed not in refused}
            if refused and rest:
                self.compare(rest)
            return
        for seed, (is_valid, file) in made.items():
            check = self.check_valid if is_valid else self.check_damaged
            problem = check(seed, file, pages, report)
            if problem and not alone:
                self.compare({seed: (is_valid, file)})
            else:
                self.note(seed, problem)
                self.counts["valid files" if is_valid else "damaged files"] += 1

    def note(self, seed, problem):
        if problem:
            self.failed.append(seed)
            print(f"seed {seed}: {problem}", flush=True)

    def refusal(self, seed, is_valid, error):
        """What is wrong where kith reads nothing of a file."""
        self.counts["refused files"] += 1
        by_warcio = warcio_pages(self.path(seed))
        both = [page.url for page in fastwarc_pages(self.path(seed))
                if any(is_same(page, other) for other in by_warcio)]
        if is_valid or both or not isinstance(error, Refused):
            return f"{error}; both others find {both}"
        return ""

    def check_valid(self, seed, file, pages, report):
        readers = {"kith": {url: {word for word in words if word.startswith("zq")}
                            for url, words in pages.items() if f"//n{seed}." in url}}
        for name, read in (("warcio", warcio_pages), ("FastWARC", fastwarc_pages)):
            if not file.shape & LIMITS[name].keys():
                readers[name] = {page.url: page.words for page in read(self.path(seed))}
                self.counts[f"valid files read by {name}"] += 1
        self.counts["pages of valid files"] += len(file.pages)
        for name, found in readers.items():
            if found != file.pages:
                differing = sorted(url for url in found.keys() | file.pages.keys()
                                   if found.get(url) != file.pages.get(url))
                return f"{name} differs from what was made at {differing} of a file with {sorted(file.shape)}"
        return ""

    def check_damaged(self, seed, file, pages, report):
        by_warcio, by_fastwarc = warcio_pages(self.path(seed)), fastwarc_pages(self.path(seed))
        self.counts["pages of damaged files by warcio"] += len(by_warcio)
        self.counts["pages of damaged files by FastWARC"] += len(by_fastwarc)
        self.counts["pages of damaged files by kith"] += sum(f"//n{seed}." in url for url in pages)
        damages = [example["offset"] for example in report["examples"] if f"/{seed}.warc" in example["file"]]
        words = sorted(set().union(*pages.values()))
        ends = [page.offset for page in by_fastwarc[1:]] + [len(file.content)]
        before = 0
        for page, end in zip(by_fastwarc, ends):
            both = set().union(*(page.words & other.words for other in by_warcio))
            lost = [word for word in both if not begins_one(word, words)]
            if lost:
                if not any(before <= offset <= end for offset in damages):
                    return (f"kith lacks words of {page.url} at {page.offset}: {sorted(lost)[:5]}; "
                            f"{report['skipped']}, damages at {damages}")
                self.counts["pages of damaged files whose damage kith names"] += 1
            else:
                before = page.offset
        return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kith")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(Kith(arguments.kith, folder), folder)
        end = arguments.first + arguments.seeds
        for first in range(arguments.first, end, BATCH):
            comparison.run(range(first, min(first + BATCH, end)))
    print(", ".join(f"{count:,} {what}" for what, count in sorted(comparison.counts.items())))
    if comparison.failed:
        sys.exit(f"warc_twin: {len(comparison.failed)} seeds failed: {comparison.failed[:20]}")


if __name__ == "__main__":
    main()
