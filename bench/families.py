#!/usr/bin/env python3
"""What kith does with families of near-duplicates, at growing sizes: a row for each method and size.

    bench/families.py [--kith build/release/bin/kith] [--pages 1000,10000,100000] [--others 0]
                      [--methods minhash,supershingle,simhash,cluster] [--kind counter|shop] [-- OPTIONS...]

A family of `counter` is one text of 60 words with two words of each page alone; one of `shop` is 300 words,
of which three are replaced anywhere in each page. --others adds so many documents of 200 words of a
vocabulary of 20,000. Of a family one document should be kept, or, by the method `cluster` (content bags
with tables), all be in one cluster. The CPU seconds of a page should not grow with the pages. Whatever
follows `--` is given to every run.
"""

import argparse
import json
import os
import random
import sys
import tempfile

from timed_runs import run_once, split_options

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def texts(kind, pages, others, seed=1):
    rng = random.Random(seed)

    def word():
        return "".join(rng.choices(LETTERS, k=7))

    vocabulary = [word() for _ in range(20_000)]
    for _ in range(others):
        yield " ".join(rng.choices(vocabulary, k=200))
    frame = [word() for _ in range(60 if kind == "counter" else 300)]
    for _ in range(pages):
        words = list(frame)
        if kind == "counter":
            words += [word(), word()]
        else:
            for _ in range(3):
                words[rng.randrange(300)] = word()
        yield " ".join(words)


def write_documents(path, kind, pages, others):
    with open(path, "w", encoding="utf-8") as file:
        for number, text in enumerate(texts(kind, pages, others)):
            file.write(json.dumps({"url": f"http://a.example/{number}", "text": text}) + "\n")


def row_of(method, pages, report):
    documents = report["documents"]["documents"]
    check = report["check"]
    return [method, pages, documents, documents - report["groups"]["removed"], report["groups"]["largest"],
            f"{check['recall']:.4f}", report["large"]["comparisons"], f"{report['cpu']:.2f}",
            f"{1e6 * report['cpu'] / documents:.1f}"]


def row_of_clusters(pages, report):
    urls = report["bags"]["urls"]
    clusters = report["clusters"]
    return ["cluster", pages, urls, clusters["clusters"] + clusters["singles"], clusters["largest"],
            f"{report['check']['pair_recall']:.4f}", report["pairs"]["collisions"], f"{report['cpu']:.2f}",
            f"{1e6 * report['cpu'] / urls:.1f}"]


CLUSTER = ["--bags", "content", "--max-df", "1", "--engine", "lsh"]


def run_method(args, path, method, pages, options):
    if method == "cluster":
        report = run_once(args.kith, "cluster", [path], [*CLUSTER, *options], threads=2)
        return row_of_clusters(pages, report)
    report = run_once(args.kith, "dedup", [path], ["--method", method, *options], threads=2)
    return row_of(method, pages, report)


def main():
    own, options = split_options(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--pages", default="1000,10000,100000")
    parser.add_argument("--others", type=int, default=0)
    parser.add_argument("--methods", default="minhash,supershingle,simhash")
    parser.add_argument("--kind", choices=["counter", "shop"], default="counter")
    args = parser.parse_args(own)
    print("\t".join(["method", "pages", "documents", "kept", "largest_group", "recall", "comparisons", "cpu_s",
                     "us_a_document"]))
    for pages in map(int, args.pages.split(",")):
        with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
            path = os.path.join(folder, "documents.jsonl")
            write_documents(path, args.kind, pages, args.others)
            for method in args.methods.split(","):
                print("\t".join(map(str, run_method(args, path, method, pages, options))), flush=True)


if __name__ == "__main__":
    main()
