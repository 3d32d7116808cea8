"""kith dedup obeys --memory: the shingles of its documents do not fit it."""

import json
import os
import random
import unittest
from string import ascii_lowercase

from kith_case import KithCase

MEMORY = 64


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class DedupMemoryTest(KithCase):
    """20,000 documents of 250 words: 40 MB of shingles, 5 MB of sketches."""

    def documents(self, name, seed):
        """Every second text is the same for all seeds."""
        shared, own = random.Random(1), random.Random(seed)
        with open(self.path(name), "w", encoding="utf-8") as file:
            for number in range(20000):
                text = self.text(own if number % 2 else shared)
                link = f'<a href="/{own.randrange(20000)}"></a>'
                file.write(json.dumps({"url": f"https://a.example/{number}", "html": f"<p>{text}{link}"}) + "\n")

    def text(self, rng):
        return " ".join(a + b + c for a, b, c in zip(*(rng.choices(ascii_lowercase, k=250) for _ in range(3))))

    def peaks(self, run):
        report = json.loads(self.kith("info", run, "--json")[0])
        return {stage["stage"]: stage["peak_memory"] for stage in report["stages"]}

    def obeys(self, run, *args):
        self.kith("dedup", *args, "-o", run, "--memory", f"{MEMORY}M", "--threads", "2")
        for stage, peak in self.peaks(run).items():
            self.assertLessEqual(peak, MEMORY << 20, f"{run}: {stage}")

    def test_every_method(self):
        self.documents("a.jsonl", 2)
        self.documents("b.jsonl", 3)
        for method in "simhash", "supershingle", "containment":
            self.obeys(method, "a.jsonl", "b.jsonl", "--method", method)

    def test_every_stage(self):
        self.documents("a.jsonl", 2)
        self.documents("b.jsonl", 3)
        self.obeys("a", "a.jsonl", "--keep", "inlinks")
        self.obeys("b", "b.jsonl", "--against", "a")
        self.obeys("common", "a.jsonl", "--max-documents", "1")
        report = json.loads(self.kith("info", "b", "--json")[0])
        self.assertGreaterEqual(report["against"]["removed"], 10000)
        # Not even without a bound are the shingles ever resident as a whole.
        self.kith("dedup", "b.jsonl", "-o", "free", "--against", "a", "--threads", "2")
        shingles = os.path.getsize(self.path("free/shingles.kith"))
        self.assertGreater(shingles, 32 << 20)
        self.assertLess(max(self.peaks("free").values()), shingles)


if __name__ == "__main__":
    unittest.main()
