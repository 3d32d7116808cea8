#!/usr/bin/python3
"""Precision and recall of `kith audit` on families with labels.

    bench/audit_pages.py -o build/audit
    bench/audit.py build/audit/tune.warc.gz build/audit/tune.tsv [--show]

A family that the audit reports is right if at least nine tenths of its pages that have a label are
no content (of a session trap also such that may stay). A labelled family without content is found if
at least half of its pages are in reported families. Pages whose label is missing do not count.
"""

import argparse
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile


def read_labels(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["url"]: (row["family"], row["label"], row["kind"]) for row in rows}


def audit(kith, crawl, options):
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "run")
        subprocess.run([kith, "-q", "dedup", *crawl, "-o", run, "--no-check"], check=True)
        lists = []
        for kind in ("families", "urls"):
            out = subprocess.run([kith, "audit", run, "--list", kind, "--format", "jsonl", *options], check=True,
                                 capture_output=True, text=True).stdout
            lists.append([json.loads(line) for line in out.splitlines()])
    return lists


def measure(labels, families, urls, show):
    members = collections.defaultdict(list)
    for row in urls:
        members[row["family"]].append(row["url"])
    reported = {row["url"] for row in urls}
    right, wrong, unknown = 0, 0, 0
    for family in families:
        known = [labels[url] for url in members[family["family"]] if url in labels]
        if not known:
            unknown += 1
            continue
        good = sum(label == "no_content" or (label == "stays" and family["kind"] == "session_trap")
                   for _, label, _ in known)
        if good >= .9 * len(known):
            right += 1
            continue
        wrong += 1
        if show:
            print("WRONG", family["kind"], family["score"], family["reasons"], family["url"], len(known))
    all_families = collections.defaultdict(list)
    for url, (name, label, kind) in labels.items():
        if label != "content":
            all_families[name, kind].append(url in reported)
    by_kind = collections.Counter()
    found_by_kind = collections.Counter()
    for (name, kind), found in sorted(all_families.items()):
        by_kind[kind] += 1
        if sum(found) * 2 >= len(found):
            found_by_kind[kind] += 1
        elif show:
            print("MISSED", kind, name, f"{sum(found)} of {len(found)}")
    found = sum(found_by_kind.values())
    print(f"precision {right / max(1, right + wrong):.3f} ({right} of {right + wrong} reported families"
          + (f", {unknown} more without labels)" if unknown else ")"))
    print(f"recall    {found / max(1, len(all_families)):.3f} ({found} of {len(all_families)} labelled families)")
    print(", ".join(f"{kind} {found_by_kind[kind]}/{count}" for kind, count in sorted(by_kind.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawl", nargs="+", help="crawl files, and last the table of labels")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--show", action="store_true", help="what is wrong, and what was missed")
    parser.add_argument("--option", action="append", default=[], help="an option of kith audit, as --min-score=0.8")
    args = parser.parse_args()
    labels = read_labels(args.crawl.pop())
    families, urls = audit(args.kith, args.crawl, args.option)
    measure(labels, families, urls, args.show)


if __name__ == "__main__":
    sys.exit(main())
