"""kith cluster --related: related pages by smoothed bags, the default, or plain ones; all else is the same."""

import json
import os
import unittest

from kith_case import DATA, KithCase

STAY = ("bags.kith", "neighbours.kith", "clusters.kith", "topics.kith", "signatures.kith")
PLAIN = ("--related", "plain")


class RelatedPages(KithCase):
    SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")

    def report_of(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def bags_of(self, run):
        lines = self.kith("bags", run)[0].splitlines()
        return {bag["url"]: bag["terms"] for bag in map(json.loads, lines)}

    def test_only_related_pages_change(self):
        for engine in ("exact", "lsh"):
            with self.subTest(engine):
                self.setUp()
                self.kith("cluster", self.SAMPLE, "-o", "plain", "--engine", engine, *PLAIN)
                self.kith("cluster", "plain", "-o", "smooth", "--engine", engine)
                plain, smooth = self.files_of("plain"), self.files_of("smooth")
                self.assertEqual(sorted(smooth),
                                 sorted({*plain, "smoothed.kith", "smoothed_sites.kith"} - {"other_sites.kith"}))
                # Tables find some more neighbours where lists of other sites are asked for.
                for name in STAY if engine == "exact" else ("bags.kith", "clusters.kith", "signatures.kith"):
                    self.assertTrue(smooth.get(name) == plain.get(name), name)
                self.assertFalse(smooth["smoothed.kith"] == plain["neighbours.kith"])
                self.assertFalse(smooth["smoothed_sites.kith"] == plain["other_sites.kith"])
                stages = [stage["stage"] for stage in self.report_of("smooth")["stages"]]
                self.assertEqual(stages[stages.index("pairs") + 1], "smooth")
                if engine == "exact":
                    self.assertEqual(self.report_of("smooth")["check"], self.report_of("plain")["check"])
                self.assertIn("match their checksums", self.kith("info", "smooth", "--verify")[1])
                self.assertFalse(os.path.exists(self.path("smooth/tmp")))
                report = self.report_of("smooth")["smooth"]
                self.assertGreater(report["others"], 0)
                self.assertLess(report["others"], report["listed"])
                self.assertEqual(report["tables"] > 0, engine == "lsh")
                self.assertRegex(self.kith("info", "smooth")[0],
                                 r"smoothed +lists by smoothed bags, [\d.]+ % of [\d,]+ neighbours")
                self.assertNotIn("by smoothed bags", self.kith("info", "plain")[0])

    def test_similarities_are_those_of_the_own_bags(self):
        self.kith("cluster", self.SAMPLE, "-o", "run")
        bags = self.bags_of("run")
        unsorted = 0
        for url in list(bags)[::7]:
            rows = self.rows("related", "run", url, "-n", "20", "--per-site", "0")
            own = bags[url]
            for row in rows:
                other = bags[row["url"]]
                common = sum(min(weight, other.get(word, 0)) for word, weight in own.items())
                self.assertGreater(common, 0)
                self.assertAlmostEqual(float(row["similarity"]), common / (200 - common), places=3)
            found = [float(row["similarity"]) for row in rows]
            unsorted += found != sorted(found, reverse=True)
        self.assertGreater(unsorted, 0)  # the order is that of smoothed bags

    def test_same_files_for_any_threads_and_memory(self):
        for engine in ("exact", "lsh"):
            with self.subTest(engine):
                self.setUp()
                self.kith("cluster", self.SAMPLE, "-o", "one", "--engine", engine, "--threads", "1")
                self.kith("cluster", self.SAMPLE, "-o", "small", "--engine", engine, "--threads", "3",
                          "--memory", "80M")
                self.assertTrue(self.files_of("small") == self.files_of("one"))

    def test_merged_shards_are_the_whole(self):
        self.kith("cluster", self.SAMPLE, "-o", "whole")
        self.kith("cluster", self.SAMPLE, "-o", "part", "--shard", "1/1")
        self.kith("merge", "part", "-o", "merged")
        self.assertTrue(self.files_of("merged") == self.files_of("whole"))
        for shard in ("1/2", "2/2"):
            self.kith("cluster", "whole", "-o", "signed-" + shard[0], "--shard", shard, "--engine", "lsh")
        self.kith("merge", "signed-1", "signed-2", "-o", "of-signatures")
        self.kith("cluster", "whole", "-o", "by-tables", "--engine", "lsh")
        self.assertTrue(self.files_of("of-signatures") == self.files_of("by-tables"))

    def test_goes_on_and_makes_damaged_lists_again(self):
        command = ["cluster", self.SAMPLE, "-o", "run"]
        self.kith(*command)
        before = self.files_of("run")
        with open(self.path("run/smoothed.kith"), "r+b") as file:
            file.truncate(200)
        self.fails("info", "run", says="smoothed.kith")
        _, err = self.kith(*command)
        self.assertIn("the smooth stage is run again", err)
        self.assertTrue(self.files_of("run") == before)

    def test_lists_of_other_sites_have_the_similarities_of_the_own_bags(self):
        self.kith("cluster", self.SAMPLE, "-o", "run")
        self.kith("cluster", "run", "-o", "plain", *PLAIN)
        bags = self.bags_of("run")
        orders = set()
        for url in list(bags)[::7]:
            rows = self.rows("related", "run", url, "-n", "10", "--other-sites")
            for row in rows:
                common = sum(min(weight, bags[row["url"]].get(word, 0)) for word, weight in bags[url].items())
                self.assertAlmostEqual(float(row["similarity"]), common / (200 - common), places=3)
            plain = self.rows("related", "plain", url, "-n", "10", "--other-sites")
            orders.add([row["url"] for row in rows] == [row["url"] for row in plain])
        self.assertIn(False, orders)

    def test_is_one_of_the_options_that_make_a_run(self):
        self.kith("cluster", self.SAMPLE, "-o", "run")
        self.kith("cluster", self.SAMPLE, "-o", "run", "--related", "smoothed")
        self.fails("cluster", self.SAMPLE, "-o", "run", *PLAIN, code=2, says="run")

    def test_runs_without_such_lists_are_plain(self):
        for command in (("cluster", "--neighbours", "0"), ("cluster", "--related", "similar"), ("paper",)):
            with self.subTest(command):
                self.setUp()
                self.kith(command[0], self.SAMPLE, "-o", "run", *command[1:])
                self.assertFalse(os.path.exists(self.path("run/smoothed.kith")))
        self.fails("cluster", self.SAMPLE, "-o", "other", "--neighbours", "0", "--related", "smoothed", code=2,
                   says="--related: has no effect with --neighbours 0")
        self.assertFalse(os.path.exists(self.path("other")))


if __name__ == "__main__":
    unittest.main()
