"""kith info --memory: what every stage was given of --memory."""

import json
import re
import unittest

from kith_case import KithCase, jsonl, topic_pages

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class MemoryShares(KithCase):
    LIMIT = 256 << 20

    def make(self, job, *options):
        self.write("pages.jsonl", jsonl(topic_pages()))
        self.kith(job, "pages.jsonl", "-o", "run", "--memory", "256M", *options)
        return json.loads(self.kith("info", "run", "--json")[0])

    def shares(self, report):
        """By stage: the bytes of each share."""
        return {stage["stage"]: {given["share"]: given["bytes"] for given in stage["memory"]}
                for stage in report["stages"]}

    def test_the_table_has_what_the_report_has(self):
        report = self.make("cluster", "--engine", "lsh")
        lines = self.kith("info", "run", "--memory")[0].splitlines()
        self.assertEqual(lines[0].split(), ["stage", "share", "memory"])
        self.assertRegex(lines[1], r"^all +--memory +256 MiB$")
        self.assertRegex(lines[2], r"^all +taken at most, as measured +\S+ [KMG]iB$")
        self.assertEqual(lines[-2:], ["", "Steps of a stage that follow one another share the same memory."])
        printed = [re.split(r"  +", line) for line in lines[3:-2]]
        expected = [(stage["stage"], given["share"]) for stage in report["stages"] for given in stage["memory"]]
        self.assertEqual([(stage, share) for stage, share, _ in printed], expected)
        for (_, _, size), (stage, share) in zip(printed, expected):
            number, unit = size.split()
            self.assertAlmostEqual(float(number) * UNITS[unit], self.shares(report)[stage][share],
                                   delta=0.06 * self.shares(report)[stage][share] + 1)

    def test_stages_of_clusters_have_their_shares(self):
        shares = self.shares(self.make("cluster", "--engine", "lsh"))
        left = self.LIMIT - (28 << 20)
        self.assertEqual(shares["bags"]["stems"], left // 4)
        self.assertEqual(shares["bags"]["words that workers remember"], left // 8)
        self.assertIn("candidates", shares["pairs"])
        self.assertIn("terms considered for labels", shares["cluster"])
        for stage, given in shares.items():
            for share, size in given.items():
                self.assertTrue(0 < size <= self.LIMIT, (stage, share))

    def test_stages_of_dedup_have_their_shares(self):
        shares = self.shares(self.make("dedup"))
        self.assertEqual(shares["matches"]["finding pairs"], shares["matches"]["sorting pairs"] * 6)
        self.assertNotIn("stems", shares["matches"])

    def test_a_stage_that_is_reused_keeps_what_it_was_given(self):
        before = self.shares(self.make("cluster"))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--memory", "128M")
        self.assertEqual(self.shares(json.loads(self.kith("info", "run", "--json")[0])), before)

    def test_it_is_not_with_json_nor_of_a_stream(self):
        self.make("cluster")
        self.fails("info", "run", "--memory", "--json", code=2, says="--json")
        self.kith("stream", "stream", "pages.jsonl")
        self.fails("info", "stream", "--memory", code=2, says="a stream")


if __name__ == "__main__":
    unittest.main()
