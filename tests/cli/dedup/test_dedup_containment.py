"""kith dedup --method containment: what lies in a longer document."""

import json
import unittest

from kith_case import KithCase

WORDS = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(600)]

DOCUMENTS = [
    {"id": "excerpt", "text": " ".join(WORDS[100:130])},
    {"id": "whole", "text": " ".join(WORDS)},
    {"id": "most of an excerpt", "text": " ".join(WORDS[200:240] + ["but", "not", "all"])},
    {"id": "half of an excerpt", "text": " ".join(WORDS[300:320] + WORDS[100:90:-1] + WORDS[500:480:-1])},
    {"id": "whole in other order of bytes", "text": "  ".join(WORDS)},
]


class DedupContainmentTest(KithCase):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", "".join(json.dumps(document) + "\n" for document in DOCUMENTS))

    def kept(self, run):
        return [row["url"] for row in self.list(f"{run}/keep.tsv")]

    def test_the_longer_one_is_kept(self):
        _, err = self.kith("dedup", "in.jsonl", "-o", "run", "--method", "containment")
        self.assertEqual(self.kept("run"), ["whole", "half of an excerpt"])
        groups = {row["url"]: row for row in self.list("run/groups.tsv")}
        self.assertEqual(groups["excerpt"]["containment"], "1.000000")
        self.assertLess(float(groups["excerpt"]["resemblance"]), 0.05)
        self.assertEqual(groups["most of an excerpt"]["containment"], f"{36 / 39:.6f}")
        self.assertIn("4 of 4 similar pairs found (100.0 %)", err)
        out, _ = self.kith("info", "run")
        self.assertIn("samples, a doc.", out)
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(report["options"]["method"], "containment")
        self.assertEqual([one["one_in"] for one in report["samples"]], [1, 1, 16])

    def test_keep_decides_among_equals(self):
        self.kith("dedup", "in.jsonl", "-o", "run", "--method", "containment", "--keep", "longest")
        self.assertEqual(self.kept("run"), ["half of an excerpt", "whole in other order of bytes"])

    def test_resemblance_does_not_see_it(self):
        self.kith("dedup", "in.jsonl", "-o", "run")
        self.assertEqual(len(self.kept("run")), 4)

    def test_what_makes_no_sense(self):
        command = ("dedup", "in.jsonl", "-o", "new", "--method", "containment")
        self.fails(*command, "--groups", "components", code=2, says="--groups components")
        self.fails(*command, "--order", "degree", code=2, says="--order degree")
        self.fails(*command, "--keep", "shortest", code=2, says="--keep shortest")
        self.fails(*command, "--no-verify", code=2, says="--no-verify")


if __name__ == "__main__":
    unittest.main()
