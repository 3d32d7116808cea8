"""Few open files are enough for any input: every job under a low limit comes to the same bytes."""

import os
import resource
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]
FEW = 40


class OpenFiles(KithCase):
    def kith_within(self, *args):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, FEW))

        done = subprocess.run([KITH, *args], cwd=self.folder, capture_output=True, text=True, check=False,
                              preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_same(self, few, many):
        self.assertEqual(self.files_of(few), self.files_of(many))

    def test_bags_of_an_input_that_looks_large(self):
        # By its size it gets some hundred partitions; most of it is a hole, and no line.
        self.write("pages.jsonl", jsonl(topic_pages()))
        self.write("large.jsonl", jsonl(topic_pages()))
        os.truncate(self.path("large.jsonl"), 400 << 20)
        for kind in ("anchor", "content"):
            self.kith_within("cluster", "large.jsonl", "-o", "few", "--bags", kind, "--max-df", "1")
            self.kith("cluster", "pages.jsonl", "-o", "many", "--bags", kind, "--max-df", "1")
            for name in ("bags", "urls", "terms"):
                self.assertEqual(self.files_of("few")[f"{name}.kith"], self.files_of("many")[f"{name}.kith"])
            subprocess.run(["rm", "-r", self.path("few"), self.path("many")], check=True)

    def test_every_stage_beyond_memory(self):
        subprocess.run([BAGS, "--urls", "15000", "-o", "bags"], cwd=self.folder, check=True, capture_output=True)
        for engine in ("exact", "lsh"):
            self.kith_within("cluster", "bags", "-o", f"few-{engine}", "--engine", engine, "--memory", "64M",
                             "--no-check", "--topics", "none")
            self.kith("cluster", "bags", "-o", f"many-{engine}", "--engine", engine, "--no-check", "--topics", "none")
            self.assert_same(f"few-{engine}", f"many-{engine}")
        pairs = self.kith_within("pairs", "few-lsh", "--memory", "64M")
        self.assertEqual(pairs, self.kith("pairs", "many-lsh")[0])

    def test_duplicates_and_shards(self):
        self.write("pages.jsonl", jsonl(topic_pages()))
        self.kith_within("dedup", "pages.jsonl", "-o", "few", "--memory", "64M")
        self.kith("dedup", "pages.jsonl", "-o", "many")
        self.assert_same("few", "many")
        for part in (1, 2):
            self.kith_within("cluster", "pages.jsonl", "-o", f"part-{part}", "--shard", f"{part}/2")
        self.kith_within("merge", "part-1", "part-2", "-o", "merged")
        self.kith("cluster", "pages.jsonl", "-o", "whole")
        self.assert_same("merged", "whole")


if __name__ == "__main__":
    unittest.main()
