"""--neighbours 0: clusters alone, the same as with neighbours, and no join where nothing needs one.

--related similar: related pages from the threshold on, all else as without it.
"""

import json
import os
import unittest

from kith_case import DATA, KithCase


class ClustersAlone(KithCase):
    SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")

    def report_of(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def stages_of(self, run):
        return [stage["stage"] for stage in self.report_of(run)["stages"]]

    def make_twins(self, *options):
        """The same run with neighbours and without."""
        self.kith("cluster", self.SAMPLE, "-o", "with", *options)
        return self.kith("cluster", self.SAMPLE, "-o", "alone", "--neighbours", "0", *options)[1]

    def clusters_of(self, run):
        return [{**row, "topic": ""} for row in self.rows("clusters", run)]

    def assert_same_but_for_neighbours(self):
        expected = self.files_of("with")
        found = self.files_of("alone")
        # Labels begin with what tells a cluster from the nearest one, which only neighbours name.
        for name in ("neighbours.kith", "clusters.kith"):
            expected.pop(name)
            found.pop(name, None)
        for name in ("smoothed.kith", "smoothed_sites.kith"):
            expected.pop(name)
        expected.pop("topics.kith", None)
        # Topics stand on neighbours, too.
        self.assertEqual(self.clusters_of("alone"), self.clusters_of("with"))
        self.assertEqual(sorted(found), sorted(expected))
        for name, content in expected.items():
            self.assertTrue(found[name] == content, name)

    def test_no_join_where_nothing_needs_one(self):
        for options in (["--engine", "lsh"], ["--engine", "lsh", "--order", "url"],
                        ["--engine", "exact", "--order", "random"],
                        ["--engine", "exact", "--order", "mass"],
                        ["--engine", "exact", "--order", "inlinks", "--similarity", "0.3"]):
            with self.subTest(options):
                self.setUp()
                summary = self.make_twins(*options)
                self.assert_same_but_for_neighbours()
                self.assertFalse(os.path.exists(self.path("alone/neighbours.kith")))
                without = [stage for stage in self.stages_of("with")
                           if stage not in ("pairs", "smooth", "topics", "check")]
                self.assertEqual(self.stages_of("alone"), without)
                info = self.kith("info", "alone")[0]
                for text in (summary, info):
                    self.assertRegex(text, "pairs +not looked for.*order [a-z]+ need none")
                    self.assertNotIn("measured on", text)
                self.assertNotIn("not looked for", self.kith("info", "with")[0])

    def test_the_order_by_degree_needs_the_join(self):
        for engine in ("exact", "lsh"):
            with self.subTest(engine):
                self.setUp()
                summary = self.make_twins("--engine", engine, "--order", "degree")
                self.assert_same_but_for_neighbours()
                without = [stage for stage in self.stages_of("with") if stage not in ("smooth", "topics")]
                self.assertEqual(self.stages_of("alone"), without)
                self.assertRegex(summary, "measured .*pairs recall")
                self.assertNotIn("neighbours recall", summary)
                self.assertNotIn("not looked for", summary)

    def test_the_run_can_be_read(self):
        self.make_twins("--engine", "lsh")
        for command in ("pairs", "bags"):
            self.assertEqual(self.kith(command, "alone")[0], self.kith(command, "with")[0])
        alone, beside = ([{**row, "topic": ""} for row in self.rows("clusters", run)] for run in ("alone", "with"))
        self.assertEqual(alone, beside)
        self.assertIn("match their checksums", self.kith("info", "alone", "--verify")[1])
        self.kith("cluster", "alone", "-o", "again", "--engine", "lsh")
        self.assertEqual(self.files_of("again"), self.files_of("with"))

    def test_related_says_that_there_are_none_and_what_to_do(self):
        self.make_twins("--engine", "lsh")
        url = self.rows("clusters", "alone")[0]["url"]
        self.fails("related", "alone", url, "-n", "5", code=2,
                   says=["alone: keeps no related pages", "kith cluster alone -o OTHER --neighbours 5"])

    def test_the_same_command_goes_on(self):
        self.make_twins("--engine", "lsh")
        before = self.files_of("alone")
        _, err = self.kith("cluster", self.SAMPLE, "-o", "alone", "--engine", "lsh", "--neighbours", "0")
        self.assertIn("not looked for", err)
        self.assertEqual(self.files_of("alone"), before)


class SimilarOnly(KithCase):
    SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")
    LISTS = ("neighbours.kith", "other_sites.kith", "clusters.kith", "topics.kith")

    def report_of(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def related_of(self, run, url, *options):
        return [(row["url"], float(row["similarity"]))
                for row in self.rows("related", run, url, "-n", "20", *options)]

    def urls_of(self, run):
        return [json.loads(line)["url"] for line in self.kith("bags", run)[0].splitlines()]

    def test_lists_end_at_the_threshold_and_all_else_stays(self):
        for engine in ("exact", "lsh"):
            with self.subTest(engine):
                self.setUp()
                self.kith("cluster", self.SAMPLE, "-o", "all", "--engine", engine, "--related", "plain")
                _, summary = self.kith("cluster", "all", "-o", "similar", "--engine", engine, "--related", "similar")
                every, similar = self.files_of("all"), self.files_of("similar")
                self.assertEqual(sorted(every), sorted(similar))
                for name in every:
                    if name not in self.LISTS:
                        self.assertTrue(every[name] == similar[name], name)
                clusters = [[{**row, "topic": ""} for row in self.rows("clusters", run)]
                            for run in ("all", "similar")]
                self.assertEqual(clusters[0], clusters[1])
                self.assertRegex(summary, "neighbours recall [0-9.]+ % at or above the threshold, precision")
                report = self.report_of("similar")
                self.assertEqual(report["pairs"]["rare_postings"], 0)
                self.assertGreater(report["check"]["similar_neighbour_recall"], 0.95)
                self.assertIn("neighbours 20 (similar only)", self.kith("info", "similar")[0])
                self.assertIn("match their checksums", self.kith("info", "similar", "--verify")[1])

    def test_exact_lists_are_the_beginnings_of_all(self):
        self.kith("cluster", self.SAMPLE, "-o", "all", "--related", "plain")
        self.kith("cluster", "all", "-o", "similar", "--related", "similar")
        threshold = self.report_of("similar")["threshold"]["similarity"]
        left_out = 0
        for url in self.urls_of("all")[::5]:
            for options in (["--per-site", "0"], ["--other-sites"]):
                every = self.related_of("all", url, *options)
                similar = [row for row in every if row[1] >= threshold]
                self.assertEqual(self.related_of("similar", url, *options), similar)
                left_out += len(every) - len(similar)
        self.assertGreater(left_out, 20)

    def test_same_files_for_any_threads_and_memory(self):
        for engine in ("exact", "lsh"):
            with self.subTest(engine):
                self.setUp()
                base = ["cluster", self.SAMPLE, "--related", "similar", "--engine", engine]
                self.kith(*base, "-o", "one", "--threads", "1")
                self.kith(*base, "-o", "small", "--threads", "3", "--memory", "80M")
                self.assertTrue(self.files_of("small") == self.files_of("one"))

    def test_what_it_does_not_go_with(self):
        self.fails("cluster", self.SAMPLE, "-o", "run", "--related", "similar", "--neighbours", "0", code=2,
                   says="--related: has no effect with --neighbours 0; it is for --neighbours above 0")


if __name__ == "__main__":
    unittest.main()
