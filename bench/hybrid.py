#!/usr/bin/python3
"""Clusters within classes that were learnt from a few labels, beside clusters without.

    bench/hybrid.py KITH SET.jsonl.gz SET.labels.tsv [--share 0.05] [--similarity S ...]

A share of the labelled pages is drawn; of several labels a page keeps the first. kith classify
learns from them, and clusters are made with and without the classes: with the automatic thresholds,
and with those that are named. All measures are of the labelled pages that were not drawn.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile


def kith(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def draw(labels, share, seed, train, rest):
    """Writes the table to learn from and the labels to measure by; returns how many were drawn."""
    with open(labels, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t")[:2] for line in file][1:]
    first = {}
    for url, label in rows:
        first.setdefault(url, label)
    urls = sorted(first)
    random.Random(seed).shuffle(urls)
    drawn = urls[:int(len(urls) * share + 0.5)]
    with open(train, "w", encoding="utf-8") as file:
        file.write("url\tclass\n" + "".join(f"{url}\t{first[url]}\n" for url in drawn))
    known = set(drawn)
    with open(rest, "w", encoding="utf-8") as file:
        file.write("url\tlabel\n" + "".join(f"{url}\t{label}\n" for url, label in rows if url not in known))
    return len(drawn)


def measure(program, run, rest):
    level = json.loads(kith(program, "evaluate", run, rest, "--json"))["levels"][-1]
    threshold = json.loads(kith(program, "info", run, "--json"))["threshold"]["similarity"]
    every = level["all"]
    return (f"{threshold:9.2f} {every['clusters']:9} {every['ari']:6.3f} {level['clustered']['purity']:7.3f} "
            f"{every['bcubed_precision']:6.3f} {every['bcubed_recall']:6.3f} {every['bcubed_f1']:6.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("pages")
    parser.add_argument("labels")
    parser.add_argument("--share", type=float, default=0.05, help="of the labelled pages, to learn from")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--similarity", type=float, nargs="*", default=[], help="further thresholds")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        drawn = draw(arguments.labels, arguments.share, arguments.seed, path("train.tsv"), path("rest.tsv"))
        options = ["--min-words", "1", "--topics", "none", "--no-check"]
        kith(arguments.kith, "cluster", arguments.pages, "-o", path("run"), "--bags", "content", *options)
        learnt = json.loads(kith(arguments.kith, "classify", path("run"), "--train", path("train.tsv"),
                                 "-o", path("classes.tsv"), "--json"))
        print(f"drawn {drawn} of {len(learnt['classes'])} classes; held back {learnt['right'] / learnt['learnt']:.3f} "
              f"right; {learnt['classified'] / learnt['urls']:.3f} of the pages get a class")
        print("          threshold  clusters    ARI  purity   B3 P   B3 R     B3")
        for similarity in ["auto", *map(str, arguments.similarity)]:
            for name, within in (("without", []), ("within", ["--within", path("classes.tsv")])):
                run = path(f"{name}-{similarity}")
                kith(arguments.kith, "cluster", path("run"), "-o", run, "--similarity", similarity, *options, *within)
                print(f"{name:9} {measure(arguments.kith, run, path('rest.tsv'))}", flush=True)


if __name__ == "__main__":
    main()
