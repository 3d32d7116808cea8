#!/usr/bin/python3
"""How many of the ten nearest pages of a page the index of a run has, by similarity.

    bench/related_recall.py RUN [--kith PROGRAM] [--urls 500]

Compares random URLs with all bags (`kith related --brute-force`) and prints, for each range of
similarities, the nearest pages that are so similar, and the share of them that the index has.
"""

import argparse
import csv
import subprocess

from serve_load import drawn_urls

BOUNDS = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--kith", default="build/bench/bin/kith")
    parser.add_argument("--urls", type=int, default=500)
    args = parser.parse_args()
    nearest = [0] * len(BOUNDS)
    found = [0] * len(BOUNDS)
    complete = asked = 0
    for url in drawn_urls(args.kith, args.run, args.urls):
        done = subprocess.run([args.kith, "related", args.run, url, "--brute-force"], check=True,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        rows = [row for row in csv.DictReader(done.stdout.splitlines(), delimiter="\t",
                                              quoting=csv.QUOTE_NONE) if row["scan"]]
        for row in rows:
            place = max(i for i, bound in enumerate(BOUNDS) if float(row["similarity"]) >= bound)
            nearest[place] += 1
            found[place] += row["index"] != ""
        asked += bool(rows)
        complete += bool(rows) and all(row["index"] for row in rows)
    print("from\tpages\tshare that the index has")
    for bound, all_pages, its in zip(BOUNDS, nearest, found):
        if all_pages:
            print(f"{bound:g}\t{all_pages}\t{its / all_pages:.3f}")
    print(f"all\t{sum(nearest)}\t{sum(found) / max(1, sum(nearest)):.3f}")
    print(f"URLs all of whose nearest pages the index has\t{complete} of {asked}")


if __name__ == "__main__":
    main()
