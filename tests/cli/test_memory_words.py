"""--memory is kept for vocabularies that do not fit it."""

import json
import os
import random
import unittest

from kith_case import KITH, jsonl
from test_memory import MEBIBYTE, MemoryCase


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class ManyWords(MemoryCase):
    """4 MB of text, 300,000 different words of which each third stands in two pages."""

    LIMIT = 64

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = random.Random(1)
        words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(300000)]
        pages = [{"url": f"http://a.example/{i}", "text": " ".join(words[i * 100:i * 100 + 135])} for i in range(3000)]
        cls.crawl = cls.for_all_tests().write("crawl.jsonl", jsonl(pages))

    def test_cluster_shard_and_merge(self):
        command = ("cluster", self.crawl, "--bags", "content", "--threads", "4", "-o")
        code, resident = self.run_within(None, KITH, *command, "free")
        self.assertEqual(code, 0, self.error())
        self.assertGreater(resident, self.LIMIT * MEBIBYTE)
        self.obeys(self.LIMIT, *command, "within", hard=False)
        self.obeys(self.LIMIT, *command, "shard", "--shard", "1/1", hard=False)
        self.obeys(self.LIMIT, "merge", "shard", "-o", "merged", "--threads", "4", hard=False)
        self.kith(*command, "free-shard", "--shard", "1/1")
        self.assert_same("shard/shard.kith", "free-shard/shard.kith")
        names = sorted(name for name in os.listdir(self.path("free")) if name.endswith(".kith"))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            self.assert_same(f"within/{name}", f"free/{name}")
            self.assert_same(f"merged/{name}", f"free/{name}")

    def test_the_report_has_the_peak_of_the_whole_run(self):
        code, resident = self.run_within(None, KITH, "cluster", self.crawl, "--bags", "content", "-o", "run", "--threads", "2",
                                         "--memory", f"{self.LIMIT}M")
        self.assertEqual(code, 0, self.error())
        with open(self.path("run/report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertGreaterEqual(report["peak_memory"], max(stage["peak_memory"] for stage in report["stages"]))
        # The process ends behind its report.
        self.assertLessEqual(resident - report["peak_memory"], MEBIBYTE)


if __name__ == "__main__":
    unittest.main()
