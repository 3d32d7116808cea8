#!/usr/bin/env python3
"""How good the labels of a run are, by two figures: how many of their words stand on most pages of the site, and how
many clusters have the label of a neighbour.

    kith cluster CRAWL -o pages --bags content --boilerplate keep --max-df 1 --neighbours 0 --similarity 0.5
    python3 bench/labels.py RUN --pages pages [--kith build/release/bin/kith]

site words   of all words of labels, those that stand on more than half of the pages of the host that has most of the
             cluster's members: in the bags of the run `pages`, which have all words of a page. Hosts of fewer than
             10 pages, and clusters of which no host has a tenth, are left out. Over clusters of 2, 10 and 50 members
             and more.
same label   clusters that have all words of their label in common, in any order, with a cluster of which a page is
             among the neighbours of one of theirs: a pair of pages at or above the threshold, one of each.

The bags have stems and labels have words: the stem of a word is taken to be the one in the bags of the cluster that
shares the longest beginning with it.
"""

import argparse
import collections
import json
import os
import subprocess
import urllib.parse

MIN_PAGES = 10
SIZES = (2, 10, 50)


def lines(kith, *arguments):
    """What a command of kith prints, as objects, one by one."""
    with subprocess.Popen([kith, *arguments], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode != 0:
        raise SystemExit(f"{kith} {' '.join(arguments)} failed")


def host_of(url):
    return urllib.parse.urlsplit(url).hostname


def read_bags(kith, run):
    """URLs and the stems of their bags, where these are not empty."""
    for bag in lines(kith, "bags", run):
        if bag["terms"]:
            yield bag["url"], list(bag["terms"])


def count_on_hosts(kith, run):
    """By host the number of its pages, and the number of those with each stem."""
    pages, frequency = collections.Counter(), collections.defaultdict(collections.Counter)
    for url, stems in read_bags(kith, run):
        pages[host_of(url)] += 1
        frequency[host_of(url)].update(stems)
    return pages, frequency


def read_clusters(kith, run):
    """URLs and label of the clusters of two and more, by number."""
    members = collections.defaultdict(list)
    for row in lines(kith, "clusters", run, "--format", "jsonl"):
        members[row["cluster"]].append(row["url"])
    labels = {row["cluster"]: row["label"] for row in lines(kith, "clusters", run, "--summary", "--format", "jsonl")}
    return {number: members[number] for number in labels}, labels


def stem_of(word, stems):
    def shared(stem):
        return len(os.path.commonprefix([word, stem]))

    likely = [stem for stem in stems if shared(stem) >= max(1, len(stem) - 1)]
    return max(likely, key=lambda stem: (shared(stem), -len(stem), stem), default=None)


def count_site_words(clusters, labels, stems, pages, frequency, size):
    words = on_most = 0
    for number, urls in clusters.items():
        (host, members), = collections.Counter(map(host_of, urls)).most_common(1)
        if len(urls) < size or pages[host] < MIN_PAGES or members * 10 < len(urls):
            continue
        vocabulary = {stem for url in urls for stem in stems[url]}
        for word in labels[number]:
            stem = stem_of(word, vocabulary)
            words += 1
            on_most += stem is not None and 2 * frequency[host][stem] > pages[host]
    return words, on_most


def count_same_labels(kith, run, clusters, labels):
    cluster_of = {url: number for number, urls in clusters.items() for url in urls}
    same = set()
    for pair in lines(kith, "pairs", run, "--format", "jsonl"):
        a, b = cluster_of.get(pair["url_a"]), cluster_of.get(pair["url_b"])
        if a is not None and b is not None and a != b and sorted(labels[a]) == sorted(labels[b]):
            same |= {a, b}
    return len(same)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="a run of kith cluster")
    parser.add_argument("--pages", required=True, help="a run whose bags have all words of the pages")
    parser.add_argument("--kith", default="build/release/bin/kith", help="the program (default: %(default)s)")
    options = parser.parse_args()
    clusters, labels = read_clusters(options.kith, options.run)
    stems = dict(read_bags(options.kith, options.run))
    pages, frequency = count_on_hosts(options.kith, options.pages)
    same = count_same_labels(options.kith, options.run, clusters, labels)
    print(f"clusters     {len(clusters)}")
    for size in SIZES:
        words, on_most = count_site_words(clusters, labels, stems, pages, frequency, size)
        print(f"site words   {on_most} of {words} ({100 * on_most / max(1, words):.1f} %), clusters of {size} and more")
    print(f"same label   {same} ({100 * same / max(1, len(clusters)):.1f} % of the clusters)")


if __name__ == "__main__":
    main()
