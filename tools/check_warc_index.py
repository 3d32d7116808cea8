#!/usr/bin/python3
"""Compares what kith reads in a folder of WARC and ARC files with an index of what is in them.

    tools/check_warc_index.py INDEX.tsv FOLDER [--kith build/release/bin/kith]

INDEX.tsv has a header line and at least the columns path (below FOLDER), conversion (records),
html and html_200 (HTML pages of any status, and of 200), links, and warcio_error (not empty: the
library that made the index gave the file up). Every file is read by `kith crawl`, which must
not crash. A file is sound when the index has no error and kith finds no damage; then must agree
  conversion  with the text pages without a status (a file without responses: WET),
  html_200    with the HTML pages of status 200,
  html        with the HTML pages of any status, but for those kith passes over as empty or as a
              further capture of a URL.
Links are shown only: two HTML parsers seldom count the same. Exit status 1 on a crash or a
sound file that differs.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys

HTML = ("text/html", "application/xhtml+xml")


class Reading:
    """One file as kith reads it, pages of every status."""

    def __init__(self, kith, path):
        done = subprocess.run([kith, "crawl", path, "--status", "any", "--format", "jsonl"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.crashed = done.returncode not in (0, 1, 2)
        self.message = done.stderr.decode(errors="replace").strip()
        self.pages = [json.loads(line) for line in done.stdout.splitlines()]
        self.html = [page for page in self.pages if page["type"].lower() in HTML]

    def skipped(self, kind):
        found = re.search(rf"^passed over .*?([\d,]+) {kind}\b", self.message, re.MULTILINE)
        return int(found[1].replace(",", "")) if found else 0

    def counts(self):
        return {
            "conversion": sum(page["status"] == 0 and page["type"] == "text/plain" for page in self.pages),
            "html_200": sum(page["status"] == 200 for page in self.html),
            "html": len(self.html),
            "links": sum(page["links"] for page in self.html),
        }


def differences(row, reading):
    counts = reading.counts()
    wrong = []
    if int(row["html_200"]) != counts["html_200"]:
        wrong.append("html_200")
    passed_over = reading.skipped("empty") + reading.skipped("duplicate")
    if not 0 <= int(row["html"]) - counts["html"] <= passed_over:
        wrong.append("html")
    if int(row["responses"]) == 0 and int(row["conversion"]) != counts["conversion"]:
        wrong.append("conversion")
    return wrong


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("folder")
    parser.add_argument("--kith", default="build/release/bin/kith")
    options = parser.parse_args(arguments)
    columns = ("html_200", "html", "conversion", "links")
    print("path", *(f"{name} (kith)" for name in columns), "damaged", "verdict", sep="\t")
    bad = 0
    with open(options.index, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        reading = Reading(options.kith, os.path.join(options.folder, row["path"]))
        damaged = reading.skipped("damaged")
        wrong = differences(row, reading)
        if reading.crashed:
            verdict = "CRASH"
        elif damaged or row["warcio_error"]:
            verdict = "not sound"
        else:
            verdict = "differs: " + ", ".join(wrong) if wrong else "equal"
        bad += verdict == "CRASH" or verdict.startswith("differs")
        counts = reading.counts()
        print(row["path"], *(f"{row[name]} ({counts[name]})" for name in columns), damaged, verdict,
              sep="\t")
        if reading.crashed:
            print(reading.message, file=sys.stderr)
    print(f"{len(rows)} files, {bad} crash or differ", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
