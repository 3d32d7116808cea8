"""No option that does nothing: each changes the files of a run, or what it reports."""

import json
import os
import unittest

from kith_case import DATA, KithCase


class EveryOption(KithCase):
    SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")

    def run_with(self, name, *options):
        self.kith("cluster", self.SAMPLE, "-o", name, "--no-check", *options)
        return self.files_of(name)

    def report_of(self, name):
        return json.loads(self.kith("info", name, "--json")[0])

    def assert_changes(self, base, plain, *cases):
        for number, options in enumerate(cases):
            with self.subTest(options):
                self.assertFalse(
                    self.run_with(f"{len(base)}-{number}", *base, *options) == plain)

    def test_of_bags(self):
        base = ["--similarity", "0.2"]
        self.assert_changes(
            base, self.run_with("plain", *base),
            ["--bags", "content"], ["--bags", "anchor"], ["--links", "external"], ["--urls", "all"],
            ["--urls", "seen"], ["--content-share", "0.4"], ["--max-terms", "20"], ["--max-terms", "0"],
            ["--window", "2"], ["--weighting", "nmdf"], ["--weighting", "tf"], ["--min-df", "5"],
            ["--engine", "lsh"], ["--order", "url"], ["--order", "inlinks"],
            ["--order", "mass"], ["--order", "random"], ["--assign", "best"], ["--neighbours", "3"],
            ["--other-sites", "3"], ["--related", "similar"], ["--related", "plain"], ["--max-page", "2K"])

    def test_of_words_that_are_too_frequent(self):
        base = ["--urls", "all"]  # a word on fewer than a hundred URLs is never too frequent
        self.assert_changes(base, self.run_with("frequent", *base), ["--max-df", "0.001"])

    def test_of_the_threshold(self):
        self.assertFalse(self.run_with("low", "--similarity", "0.2") ==
                         self.run_with("high", "--similarity", "0.4"))

    def test_of_the_tables(self):
        base = ["--engine", "lsh", "--similarity", "0.3"]
        self.assert_changes(base, self.run_with("plain", *base),
                            ["--recall", "0.5"], ["--lanes", "64"], ["--seed", "2"],
                            ["--order", "degree"])

    def test_of_the_number_of_tables(self):
        most = {}
        for number in ("20", "512"):
            self.run_with(number, "--similarity", "0.3", "--max-tables", number)
            rows = self.report_of(number)["engine"]["considered"]
            most[number] = max(row["tables"] for row in rows)
        self.assertLessEqual(most["20"], 20)
        self.assertGreater(most["512"], 20)

    def test_of_the_machine(self):
        self.run_with("small", "--memory", "100M", "--threads", "3")
        report = self.report_of("small")
        self.assertEqual(report["memory"], 100 << 20)
        self.assertEqual(report["threads"], 3)

    def test_cut_pages_are_counted(self):
        self.run_with("cut", "--max-page", "2K")
        self.assertGreater(self.report_of("cut")["crawl"]["cut_pages"], 100)

    def test_an_automatic_threshold_follows_the_crawl(self):
        self.run_with("auto")
        threshold = self.report_of("auto")["threshold"]
        self.assertTrue(threshold["automatic"])
        self.assertGreaterEqual(threshold["similarity"], 0.05)
        self.assertLessEqual(threshold["similarity"], 0.5)
        self.assertLessEqual(threshold["similarity"], threshold["tenth"]["p50"] + 0.005)


if __name__ == "__main__":
    unittest.main()
