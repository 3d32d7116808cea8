"""--neighbours 0: clusters alone, the same as with neighbours, and no join where nothing needs one."""

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
        expected.pop("other_sites.kith", None)
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
                without = [stage for stage in self.stages_of("with") if stage not in ("pairs", "topics", "check")]
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
                without = [stage for stage in self.stages_of("with") if stage != "topics"]
                self.assertEqual(self.stages_of("alone"), without)
                self.assertRegex(summary, "measured .*pairs recall")
                self.assertNotIn("neighbours recall", summary)
                self.assertNotIn("not looked for", summary)

    def test_the_run_can_be_read(self):
        self.make_twins("--engine", "lsh")
        for command in ("clusters", "pairs", "bags"):
            alone, beside = self.kith(command, "alone")[0], self.kith(command, "with")[0]
            if command == "clusters":  # the last column is the topic
                alone, beside = ([line.rsplit("\t", 1)[0] for line in text.splitlines()]
                                 for text in (alone, beside))
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


if __name__ == "__main__":
    unittest.main()
