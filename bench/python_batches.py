#!/usr/bin/env python3
"""Compares the batch calls of the Python package with the same calls of the library in C++.

    build/peers/bin/python bench/python_batches.py    # the environment of bench/peers.py

Both are given the same arrays and one thread, in turns; printed are the medians of processor time,
without reading the input; freeing the answer counts. The program and the package must have the
same flags: build/bench/bin/bench_batch_calls and a wheel of tools/wheel.sh have.

    extract       HTML pages (the first --pages of --crawl) to text, titles and links
    shingles      their texts to sets of hashes, 5 words each
    MinHasher     128 values of each set       SimHasher   a fingerprint of each set
    Index         .add, .query and .pairs of all sets
    BagSketcher   128 values of --pages bags of 34 words
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time

import kith
import numpy
import pyarrow
from fastwarc.warc import ArchiveIterator, WarcRecordType


def write_strings(path, strings):
    offsets = numpy.cumsum([0] + [len(one) for one in strings]).astype(numpy.uint64)
    offsets.tofile(path + ".offsets")
    with open(path + ".bytes", "wb") as file:
        file.writelines(strings)


def bags_of(count, words=34):
    """Bags of terms by Zipf's law, as arrays."""
    draw = numpy.random.default_rng(1)
    rows = [numpy.unique(draw.zipf(1.1, 2 * words) % 100_000)[:words] for _ in range(count)]
    offsets = numpy.cumsum([0] + [len(row) for row in rows]).astype(numpy.uint64)
    terms = numpy.concatenate(rows).astype(numpy.uint32)
    return offsets, terms, draw.random(len(terms)) + 0.01


def python_calls(html, texts, bags):
    """The calls by name, in order, and what to call before a turn of them."""
    sets, index = kith.shingles(texts), []
    hasher, simhasher, sketcher = kith.MinHasher(), kith.SimHasher(), kith.BagSketcher()

    def prepare():
        index[:] = [kith.Index(similarity=0.8)]

    return prepare, {
        "extract": lambda: kith.extract(html, url="https://a.example/", threads=1),
        "shingles": lambda: kith.shingles(texts, threads=1),
        "MinHasher": lambda: hasher.signatures(sets, threads=1),
        "SimHasher": lambda: simhasher.fingerprints(sets, threads=1),
        "Index.add": lambda: index[0].add(sets, threads=1),
        "Index.query": lambda: index[0].query(sets, threads=1),
        "Index.pairs": lambda: index[0].pairs(threads=1),
        "BagSketcher": lambda: sketcher.signatures(*bags, threads=1),
    }


def seconds_of(call):
    before = time.process_time()
    call()
    return time.process_time() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crawl", default="build/demo/demo.warc.gz", metavar="WARC")
    parser.add_argument("--program", default="build/bench/bin/bench_batch_calls")
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with open(args.crawl, "rb") as stream:
        records = ArchiveIterator(stream, record_types=WarcRecordType.response)
        pages = [record.reader.read() for record, _ in zip(records, range(args.pages))]
    html = pyarrow.array(pages, pyarrow.large_binary())
    texts = pyarrow.array(kith.extract(html)["text"])
    bags = bags_of(args.pages)
    prepare, calls = python_calls(html, texts, bags)
    own = {name: [] for name in calls}
    library = {name: [] for name in calls}
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as tmp:
        write_strings(f"{tmp}/html", pages)
        write_strings(f"{tmp}/text", [text.as_buffer().to_pybytes() for text in texts])
        for name, values in zip(("offsets", "terms", "weights"), bags):
            values.tofile(f"{tmp}/{name}")
        for turn in range(1 + args.repeat):
            lines = subprocess.run([args.program, tmp], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.splitlines()
            for name, seconds in (line.split() for line in lines):
                library[name].append(float(seconds))
            prepare()
            for name, call in calls.items():
                own[name].append(seconds_of(call))
            if turn == 0:  # the heap has no pages yet
                own, library = ({name: [] for name in calls} for _ in range(2))
    print("| call | C++, ms | Python, ms | ratio |\n|---|---|---|---|")
    for name in calls:
        there, here = statistics.median(library[name]), statistics.median(own[name])
        print(f"| {name} | {there * 1e3:.1f} | {here * 1e3:.1f} | {here / there:.2f} |")


if __name__ == "__main__":
    main()
