#!/usr/bin/python3
"""How much the tree of topics moves: other K, a smaller graph, other ids, a tenth of the pages left out.

    bench/topics.py KITH pages.jsonl.gz [--folder FOLDER]

Makes a run of the pages (JSON lines, perhaps gzipped) with --bags content, and others of the same pages with another K
(--neighbours), by a smaller graph (--topics), with other URLs and so other ids, and without a tenth of the pages.
Prints how well the first two levels of their trees agree with those of the first run: ARI by kith evaluate, whose
labels are the paths of the first run.
"""

import argparse
import gzip
import hashlib
import json
import os
import random
import subprocess
import tempfile

NEIGHBOURS = (10, 15, 30, 50)
GRAPHS = ("mutual", "clusters")
SEEDS = (1, 2, 3)


def read_pages(path):
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    with (gzip.open if is_gzip else open)(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Runs:
    def __init__(self, kith, folder):
        self.kith, self.folder = kith, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments):
        return subprocess.run([self.kith, *arguments], check=True, capture_output=True, text=True).stdout

    def make(self, name, pages, *options):
        """A run of these pages; the name of its directory."""
        source = self.path(name + ".jsonl")
        with open(source, "w", encoding="utf-8") as file:
            for page in pages:
                file.write(json.dumps(page) + "\n")
        self.call("cluster", source, "-o", self.path(name), "--bags", "content", "--no-check", *options)

    def topics(self, name):
        """The path of every page."""
        rows = [line.split("\t") for line in self.call("clusters", self.path(name)).splitlines()[1:]]
        return {row[1]: row[4] for row in rows}

    def agreement(self, name, topics):
        """ARI of the first two levels with those of other topics by URL."""
        labels = self.path("labels.tsv")
        with open(labels, "w", encoding="utf-8") as file:
            file.write("url\tlabel\n")
            for url, path in topics.items():
                if path:
                    file.write(f"{url}\t{path.replace('.', '/')}\n")
        found = json.loads(self.call("evaluate", self.path(name), labels, "--json"))["topics"]
        return [found[level]["cuts"][level]["agreement"]["ari"] for level in (0, 1)]


def other_url(url, seed):
    return "https://pages.example/" + hashlib.sha256(f"{seed} {url}".encode()).hexdigest()


def show(what, levels):
    print(f"{what:<28}{levels[0]:>9.3f}{levels[1]:>9.3f}", flush=True)


def compare(runs, pages):
    runs.make("first", pages)
    topics = runs.topics("first")
    print(f"{'ARI with the first run':<28}{'level 1':>9}{'level 2':>9}")
    for count in NEIGHBOURS:
        name = f"neighbours-{count}"
        runs.make(name, pages, "--neighbours", str(count))
        show(f"--neighbours {count}", runs.agreement(name, topics))
    for graph in GRAPHS:
        runs.make(graph, pages, "--topics", graph)
        show(f"--topics {graph}", runs.agreement(graph, topics))
    for seed in SEEDS:
        renamed = [{**page, "url": other_url(page["url"], seed)} for page in pages]
        runs.make(f"renamed-{seed}", renamed)
        show(f"other ids, {seed}", runs.agreement(
            f"renamed-{seed}", {other_url(url, seed): path for url, path in topics.items()}))
        rng = random.Random(seed)
        runs.make(f"fewer-{seed}", [page for page in pages if rng.random() >= 0.1])
        show(f"a tenth left out, {seed}", runs.agreement(f"fewer-{seed}", topics))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kith")
    parser.add_argument("pages")
    parser.add_argument("--folder", help="where the runs are left (default: a temporary one)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kith-topics-") as temporary:
        folder = arguments.folder or temporary
        os.makedirs(folder, exist_ok=True)
        compare(Runs(arguments.kith, folder), read_pages(arguments.pages))


if __name__ == "__main__":
    main()
