#!/usr/bin/python3
"""Compares the pairs of a run of `kith dedup` with brute force inside families of packages.

    tools/debian_crawl.py --packages libboost1.74-doc,libboost1.81-doc -o boost.warc.gz --labels labels.tsv
    kith dedup boost.warc.gz -o run --similarity 0.5
    tools/evaluate_duplicates.py run labels.tsv --family libboost1.74-doc,libboost1.81-doc

LABELS is the file that tools/debian_crawl.py writes; a URL stands for one document. A family is the
documents of some packages, e.g. of versions of a manual; without --family those of the table below
that the labels name. N sampled documents of a family (--queries, 0: all) are intersected with all of
it, shingle by shingle, from shingles.kith of RUN: no signature and no table is used. It prints

    resemblance  a bin, its lower end included; `equal`: documents with the shingles of an earlier one
    pairs        of a sampled document with another of the family, each once; documents with equal
                 shingles count as one document, but in the row `equal`
    found        of these, in pairs.tsv of RUN
    recall       found / pairs
    promised     R(s) of the tables of RUN, the mean over the pairs
    wrong        pairs in pairs.tsv whose resemblance is another one than brute force finds

R(s) does not count pairs that are lost where large buckets are split; `kith info RUN` says how many are.

--merged PACKAGE shows instead what was removed of a package in favour of one of its documents: how much,
how similar it is to what is kept, and some examples.
"""

import argparse
import collections
import csv
import json
import math
import mmap
import os
import random
import struct
import sys

FAMILIES = {
    "boost 1.74, 1.81": ["libboost1.74-doc", "libboost1.81-doc"],
    "llvm 15, 16, 19": ["llvm-15-doc", "llvm-16-doc", "llvm-19-doc"],
    "clang 15, 19": ["clang-15-doc", "clang-19-doc"],
    "installation guide amd64, i386": ["installation-guide-amd64", "installation-guide-i386"],
    "biojava 5, 6": ["libbiojava5-java-doc", "libbiojava6-java-doc"],
    "linux 6.1, 6.12": ["linux-doc-6.1", "linux-doc-6.12"],
}
BIN = 0.1


def fail(message):
    sys.exit(f"evaluate_duplicates: {message}")


def open_rows(path, columns):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        missing = [column for column in columns if column not in (rows.fieldnames or [])]
        if missing:
            fail(f"{path} has no column {', '.join(missing)}")
        yield from rows


def read_sections(path):
    """The sections of a kith file (docs/formats/container.md), by name, as views of the mapped file."""
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    table, = struct.unpack_from("<Q", data, len(data) - 24)
    found = {}
    for entry in range(table, len(data) - 24, 40):
        name, offset, size, _ = struct.unpack_from("<16sQQQ", data, entry)
        found[name.rstrip(b"\0").decode()] = data[offset:offset + size]
    return found


class Run:
    """The documents of a run: their names and their sets of shingles."""

    def __init__(self, path):
        self.path = path
        names = read_sections(os.path.join(path, "names.kith"))
        shingles = read_sections(os.path.join(path, "shingles.kith"))
        at = names["names_at"].cast("Q")
        self.names = [bytes(names["names"][at[i]:at[i + 1]]).decode(errors="surrogateescape")
                      for i in range(len(at) - 1)]
        self.ids = {name: id for id, name in enumerate(self.names)}
        self._elements = shingles["shingles"].cast("Q")
        self._at = shingles["shingles_at"].cast("Q")
        first = {}
        # By document: the first one with the same elements; itself when it is empty.
        self.same_as = [first.setdefault(bytes(self.elements(id)), id) if self.size(id) else id
                        for id in range(len(self.names))]
        with open(os.path.join(path, "report.json"), encoding="utf-8") as file:
            self.report = json.load(file)

    def size(self, id):
        return self._at[id + 1] - self._at[id]

    def elements(self, id):
        """Ascending, each once."""
        return self._elements[self._at[id]:self._at[id + 1]]

    def resemblance(self, a, b):
        common = len(set(self.elements(a)).intersection(self.elements(b)))
        return common / (self.size(a) + self.size(b) - common)


def members_of(run, labels, packages):
    """The documents of some packages that have a shingle, in the order of the run."""
    return sorted(run.ids[row["url"]] for row in labels
                  if row["package"] in packages and row["url"] in run.ids
                  and run.size(run.ids[row["url"]]) > 0)


# --- brute force ------------------------------------------------------------------------------


def true_pairs(run, queries, others, similarity):
    """{(a, b): resemblance} of every query with every other document, a < b, from `similarity` on.

    Elements that the same queries have are one class, so that a document is counted class by class.
    """
    holders = collections.defaultdict(list)
    for query in queries:
        for element in run.elements(query):
            holders[element].append(query)
    classes = {}
    class_of = {element: classes.setdefault(tuple(who), len(classes))
                for element, who in holders.items()}
    queries_of = list(classes)
    found = {}
    for other in others:
        elements = class_of.keys() & run.elements(other)
        common = collections.Counter()
        for number, count in collections.Counter(map(class_of.get, elements)).items():
            for query in queries_of[number]:
                common[query] += count
        for query, count in common.items():
            resemblance = count / (run.size(query) + run.size(other) - count)
            if query != other and resemblance >= similarity:
                found[min(query, other), max(query, other)] = resemblance
    return found


# --- what the run found and promised ----------------------------------------------------------


def listed_pairs(run, wanted):
    """{(a, b): resemblance} of the pairs in pairs.tsv with one of the `wanted` documents, a < b."""
    found = {}
    for row in open_rows(os.path.join(run.path, "pairs.tsv"), ["url_a", "url_b", "resemblance"]):
        a, b = sorted((run.ids[row["url_a"]], run.ids[row["url_b"]]))
        if a in wanted or b in wanted:
            found[a, b] = float(row["resemblance"])
    return found


def promised_recall(run):
    """R(s): X of m minima agree, X ~ Bin(m, s), and one of l random k-subsets lies within the X."""
    tables = next((t for t in run.report["tables"] if t["chosen"]), None)
    if tables is None:
        fail(f"{run.path} has no tables: it was made with --method exact or --similarity 1")
    m, k, l = run.report["options"]["lanes"], tables["per_key"], tables["tables"]
    missed = [(1 - math.comb(x, k) / math.comb(m, k)) ** l for x in range(m + 1)]

    def recall(s):
        chance = (math.comb(m, x) * s**x * (1 - s)**(m - x) for x in range(m + 1))
        return 1 - sum(p * miss for p, miss in zip(chance, missed))
    return recall, k, l


# --- output -----------------------------------------------------------------------------------


def bin_of(resemblance):
    """The bin's number; 1 is of the last."""
    return min(int(resemblance / BIN + 1e-9), round(1 / BIN) - 1)


def print_row(name, label, pairs, found, promised, wrong):
    recall = f"{found / pairs:.4f}" if pairs else "-"
    print(f"{name}\t{label}\t{pairs}\t{found}\t{recall}\t{promised}\t{wrong}")


def evaluate_family(name, run, members, options, promised):
    similarity = run.report["options"]["similarity"]
    distinct = sorted({run.same_as[id] for id in members})
    queries = distinct
    if 0 < options.queries < len(distinct):
        queries = random.Random(options.seed).sample(distinct, options.queries)
    truth = true_pairs(run, queries, distinct, similarity)
    listed = listed_pairs(run, set(queries) | set(members))
    print(f"# {name}: {len(members)} documents, {len(distinct)} different, {len(queries)} sampled")
    bins = collections.defaultdict(list)
    for pair, resemblance in truth.items():
        bins[bin_of(resemblance)].append(pair)
    for number in range(bin_of(similarity), round(1 / BIN)):
        pairs = bins[number]
        found = [pair for pair in pairs if pair in listed]
        # The list has six digits.
        wrong = sum(abs(listed[pair] - truth[pair]) > 1e-6 for pair in found)
        mean = f"{sum(promised(truth[p]) for p in pairs) / len(pairs):.4f}" if pairs else "-"
        print_row(name, f"{number * BIN:.1f}-{(number + 1) * BIN:.1f}", len(pairs), len(found),
                  mean, wrong)
    equal = [(run.same_as[id], id) for id in members if run.same_as[id] != id]
    found = [pair for pair in equal if pair in listed]
    wrong = sum(listed[pair] != 1 for pair in found)
    print_row(name, "equal", len(equal), len(found), "1.0000" if equal else "-", wrong)


def show_merged(package, run, labels, options):
    urls = {row["url"] for row in labels if row["package"] == package}
    if not urls:
        fail(f"the labels name no package {package}")
    columns = ["group", "url", "role"]
    kept, removed = {}, []
    for row in open_rows(os.path.join(run.path, "groups.tsv"), columns):
        if row["role"] == "kept":
            kept[row["group"]] = row["url"]
        elif row["url"] in urls and kept[row["group"]] in urls:
            removed.append((run.ids[row["url"]], run.ids[kept[row["group"]]]))
    removed = [(run.resemblance(id, by), id, by) for id, by in removed]
    similarity = run.report["options"]["similarity"]
    print(f"# {package}: {len(urls)} documents, {len(removed)} removed at {similarity} in favour of "
          f"another of the package ({len(removed) / len(urls):.1%})")
    print("resemblance to the kept one\tremoved")
    edges = [0, similarity] + [edge for edge in (0.85, 0.9, 0.95, 0.98) if edge > similarity] + [1]
    for low, high in zip(edges, edges[1:]):
        count = sum(low <= entry[0] < high for entry in removed)
        print(f"{low:.2f}-{high:.2f}\t{count}")
    print(f"equal\t{sum(entry[0] == 1 for entry in removed)}")
    for resemblance, id, by in random.Random(options.seed).sample(
            removed, min(options.examples, len(removed))):
        print(f"{resemblance:.4f}\t{run.size(id)} and {run.size(by)} shingles\t"
              f"{run.names[id]}\t{run.names[by]}")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="a finished run of `kith dedup`, lists as TSV")
    parser.add_argument("labels", metavar="LABELS", help="TSV: url, package, ...")
    parser.add_argument("--family", action="append", type=lambda text: text.split(","),
                        metavar="A,B,C", help="these packages; may be repeated")
    parser.add_argument("--queries", type=int, default=300, metavar="N",
                        help="documents of a family to sample (default: %(default)s; 0: all)")
    parser.add_argument("--merged", action="append", metavar="PACKAGE",
                        help="show what was removed of a package; may be repeated")
    parser.add_argument("--examples", type=int, default=10, metavar="N",
                        help="removed documents to show (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the samples (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    run = Run(options.run)
    labels = list(open_rows(options.labels, ["url", "package"]))
    if options.merged:
        for package in options.merged:
            show_merged(package, run, labels, options)
        return 0
    there = {row["package"] for row in labels}
    families = FAMILIES
    if options.family:
        families = {", ".join(packages): packages for packages in options.family}
    promised, k, l = promised_recall(run)
    lost = run.report["pairs"]["split_buckets"]
    print(f"# {len(run.names)} documents; {l} tables of {k} minima; {lost} buckets split")
    print("family\tresemblance\tpairs\tfound\trecall\tpromised\twrong")
    for name, packages in families.items():
        missing = [package for package in packages if package not in there]
        if missing:
            print(f"# {name}: the labels lack {', '.join(missing)}")
            continue
        evaluate_family(name, run, members_of(run, labels, packages), options, promised)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
