"""tools/evaluate_duplicates.py on a run whose pairs are known."""

import os
import random
import subprocess
import sys
import unittest

from kith_case import KithCase, jsonl

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "..", "tools", "evaluate_duplicates.py")
COUNT = 20


def text_with(first, words=200, changed=0):
    """Words that no text with another `first` has; the last `changed` are other ones."""
    def word(number):
        return "".join(chr(ord("a") + digit) for digit in (number // 676, number // 26 % 26, number % 26))
    numbers = [first * 500 + i for i in range(words - changed)]
    numbers += [first * 500 + 300 + i for i in range(changed)]
    return " ".join(word(number) for number in numbers)


class Evaluation(KithCase):
    def setUp(self):
        super().setUp()
        # Of every page of "old" there is a version in "new": equal, nearly so, or less.
        pages, labels = [], ["url\tpackage\ttopic\tpath"]
        for i in range(COUNT):
            for package, changed in [("old", 0), ("new", (0, 8, 40)[i % 3])]:
                url = f"https://{package}.example/{i}"
                pages.append({"url": url, "html": text_with(i, changed=changed)})
                labels.append(f"{url}\t{package}\tt\tp")
        random.Random(1).shuffle(pages)
        self.write("pages.jsonl", jsonl(pages))
        self.write("labels.tsv", "\n".join(labels) + "\n")
        self.kith("dedup", "pages.jsonl", "-o", "run", "--similarity", "0.5", "--recall", "0.9999")

    def evaluate(self, *options, code=0):
        done = subprocess.run([sys.executable, TOOL, "run", "labels.tsv", *options], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def bins(self, *options):
        """resemblance: (pairs, found, recall, wrong)"""
        rows = [line.split("\t") for line in self.evaluate(*options).splitlines() if line[0] != "#"]
        self.assertEqual(rows[0], "family resemblance pairs found recall promised wrong".split())
        for row in rows[1:]:
            if row[2] != "0":
                self.assertGreaterEqual(float(row[5]), 0.9999)
        return {row[1]: (int(row[2]), int(row[3]), row[4], int(row[6])) for row in rows[1:]}

    def test_all_is_found(self):
        # 196 shingles of each; 40 words changed at the end are 40 other shingles: 156 / 236 = 0.66,
        # and 8: 188 / 204 = 0.92.
        for queries in ("0", "5"):
            found = self.bins("--family", "old,new", "--queries", queries)
            self.assertEqual(found["equal"], (7, 7, "1.0000", 0))
            self.assertEqual(found["0.5-0.6"], (0, 0, "-", 0))
            if queries == "0":
                self.assertEqual(found["0.6-0.7"], (6, 6, "1.0000", 0))
                self.assertEqual(found["0.9-1.0"], (7, 7, "1.0000", 0))
            else:
                self.assertTrue(0 < sum(row[0] for row in found.values()) - 7 <= 5)

    def test_what_is_missing_or_wrong_is_seen(self):
        path = self.path("run/pairs.tsv")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        near = [line for line in lines if line.split("\t")[2].startswith("0.66")]
        self.assertEqual(len(near), 6)
        lines.remove(near[0])
        lines[lines.index(near[1])] = near[1].replace("\t0.66", "\t0.67")
        self.write("run/pairs.tsv", "".join(lines))
        found = self.bins("--family", "old,new", "--queries", "0")
        self.assertEqual(found["0.6-0.7"], (6, 5, "0.8333", 1))
        self.assertEqual(found["0.9-1.0"], (7, 7, "1.0000", 0))

    def test_merged_pages(self):
        labels = self.path("labels.tsv")
        with open(labels, encoding="utf-8") as file:
            rows = file.read().replace("\told\t", "\tboth\t").replace("\tnew\t", "\tboth\t")
        self.write("labels.tsv", rows)
        lines = self.evaluate("--merged", "both", "--examples", "2").splitlines()
        self.assertIn("40 documents, 20 removed at 0.5 in favour of another of the package (50.0%)", lines[0])
        counts = dict(line.split("\t") for line in lines[2:8])
        self.assertEqual(counts, {"0.00-0.50": "0", "0.50-0.85": "6", "0.85-0.90": "0", "0.90-0.95": "7",
                                  "0.95-0.98": "0", "0.98-1.00": "0"})
        self.assertEqual(lines[8], "equal\t7")
        self.assertEqual(len(lines), 11)

    def test_what_cannot_be_evaluated(self):
        self.assertIn("# old, gone: the labels lack gone", self.evaluate("--family", "old,gone"))
        self.assertIn("name no package gone", self.evaluate("--merged", "gone", code=1))
        self.kith("dedup", "pages.jsonl", "-o", "exact", "--method", "exact")
        os.rename(self.path("run"), self.path("tables"))
        os.rename(self.path("exact"), self.path("run"))
        self.assertIn("has no tables", self.evaluate("--family", "old,new", code=1))


if __name__ == "__main__":
    unittest.main()
