#!/usr/bin/python3
"""Compares the clusters of a run with the labels of its crawl.

    kith clusters build/demo/run | tools/evaluate_clusters.py - build/demo/labels.tsv

CLUSTERS is the output of `kith clusters` (TSV), LABELS the file that tools/debian_crawl.py writes.
URLs without a label (linked, but not in the crawl) are counted and left out. For each of package,
topic and area (the topic's first part) it prints, first over all labelled URLs, where every single
is a cluster of its own, then over the URLs in clusters of two and more:

    purity     share of the URLs whose cluster has their label as its most frequent one
    precision  share of the pairs in one cluster that have one label
    recall     share of the pairs with one label that are in one cluster
    ARI        adjusted Rand index (Hubert and Arabie 1985): 1 equal, 0 as by chance

High purity with low recall and ARI is usual: clusters are finer than packages.
"""

import argparse
import collections
import contextlib
import csv
import sys

LEVELS = {
    "package": lambda row: row["package"],
    "topic": lambda row: row["topic"],
    "area": lambda row: row["topic"].split("/")[0],
}


def read_rows(path, columns):
    """The rows of a TSV file as dicts; ends the program when columns are missing."""
    with contextlib.ExitStack() as stack:
        file = sys.stdin if path == "-" else stack.enter_context(
            open(path, encoding="utf-8", errors="surrogateescape", newline=""))
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        missing = [column for column in columns if column not in (rows.fieldnames or [])]
        if missing:
            sys.exit(f"evaluate_clusters: {path} has no column {', '.join(missing)}")
        yield from rows


def pairs(count):
    return count * (count - 1) // 2


class Agreement:
    """Purity, pair precision and recall, and ARI of (cluster, label) of each URL."""

    def __init__(self, assigned):
        both = collections.Counter(assigned)
        clusters = collections.Counter(cluster for cluster, _ in assigned)
        labels = collections.Counter(label for _, label in assigned)
        best = collections.Counter()
        for (cluster, _), count in both.items():
            best[cluster] = max(best[cluster], count)
        total = len(assigned)
        together = sum(map(pairs, clusters.values()))
        alike = sum(map(pairs, labels.values()))
        agreed = sum(map(pairs, both.values()))
        chance = together * alike / pairs(total) if total > 1 else 0
        most = (together + alike) / 2
        self.labels = len(labels)
        self.purity = sum(best.values()) / total if total else 1
        self.precision = agreed / together if together else 1
        self.recall = agreed / alike if alike else 1
        self.ari = (agreed - chance) / (most - chance) if most != chance else 1


def print_agreement(title, members):
    """members: (cluster, labels row) of each URL."""
    print(f"\n{title}: {len(members)} URLs")
    print(f"{'level':<10}{'labels':>8}{'purity':>9}{'precision':>11}{'recall':>9}{'ARI':>9}")
    for name, label_of in LEVELS.items():
        a = Agreement([(cluster, label_of(row)) for cluster, row in members])
        print(f"{name:<10}{a.labels:>8}{a.purity:>9.3f}{a.precision:>11.3f}{a.recall:>9.3f}"
              f"{a.ari:>9.3f}")


def print_mixed(clusters, level, count, centers):
    """The largest clusters by the number of members that have not the most frequent label."""
    label_of = LEVELS[level]
    mixed = []
    for cluster, rows in clusters.items():
        labels = collections.Counter(map(label_of, rows)).most_common()
        strangers = len(rows) - labels[0][1]
        if strangers:
            mixed.append((strangers, cluster, labels))
    mixed.sort(key=lambda entry: (-entry[0], entry[1]))
    print(f"\nMost mixed clusters by {level} ({len(mixed)} of {len(clusters)} are mixed):")
    for strangers, cluster, labels in mixed[:count]:
        shares = ", ".join(f"{label} {n}" for label, n in labels[:5])
        more = f", {len(labels) - 5} more" if len(labels) > 5 else ""
        print(f"  cluster {cluster}: {strangers} strangers: {shares}{more}\n"
              f"    center {centers.get(cluster, '?')}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clusters", metavar="CLUSTERS", help="TSV of `kith clusters`, - for stdin")
    parser.add_argument("labels", metavar="LABELS", help="TSV: url, package, topic, path")
    parser.add_argument("--mixed", type=int, default=10, metavar="N",
                        help="mixed clusters to show (default: %(default)s)")
    parser.add_argument("--level", choices=list(LEVELS), default="area",
                        help="what makes a cluster mixed (default: %(default)s)")
    options = parser.parse_args(arguments)

    labels = {row["url"]: row for row in read_rows(options.labels, ["url", "package", "topic"])}
    clusters, centers, unlabelled, sizes = {}, {}, 0, collections.Counter()
    for row in read_rows(options.clusters, ["cluster", "url", "role"]):
        sizes[row["cluster"]] += 1
        if row["role"] == "center":
            centers[row["cluster"]] = row["url"]
        label = labels.get(row["url"])
        if label:
            clusters.setdefault(row["cluster"], []).append(label)
        else:
            unlabelled += 1

    urls = sum(sizes.values())
    singles = sum(1 for size in sizes.values() if size == 1)
    labelled = urls - unlabelled
    print(f"{urls} URLs, {unlabelled} of them without a label; "
          f"{len(labels) - labelled} labelled URLs are in no cluster")
    print(f"{len(sizes)} clusters, {len(sizes) - singles} of two and more; singles are "
          f"{singles / urls if urls else 0:.1%} of the URLs; "
          f"largest: {', '.join(str(size) for _, size in sizes.most_common(10))}")
    members = [(cluster, row) for cluster, rows in clusters.items() for row in rows]
    print_agreement("All labelled URLs", members)
    print_agreement("Those in clusters of two and more",
                    [(cluster, row) for cluster, row in members if sizes[cluster] > 1])
    print_mixed(clusters, options.level, options.mixed, centers)


if __name__ == "__main__":
    main(sys.argv[1:])
