"""An option that would do nothing next to others is refused, and both are named; what is so anyway may be said."""

import os
import unittest

from kith_case import DATA, KithCase, jsonl, topic_pages

EXACT = ["--engine", "exact"]
CONTENT = ["--bags", "content"]

# A command, options that go together, and one that then does nothing: of the flag the error tells.
IDLE = {
    "cluster": [
        (EXACT, ["--lanes", "64"]), (EXACT, ["--recall", "0.8"]), (EXACT, ["--max-tables", "8"]),
        (CONTENT, ["--window", "3"]), (CONTENT, ["--links", "all"]), (CONTENT, ["--urls", "all"]),
        (CONTENT, ["--content-share", "0.4"]), (["--bags", "anchor"], ["--content-share", "0.4"]),
        (["--neighbours", "0"], ["--topics", "full"]), (["--neighbours", "0"], ["--other-sites", "5"]),
        (["--neighbours", "0"], ["--related", "plain"]),
        ([*EXACT, "--similarity", "0.3", "--no-check"], ["--seed", "2"]),
    ],
    "paper": [(CONTENT, ["--window", "3"]), (CONTENT, ["--links", "external"])],
    "dedup": [
        (["--method", "minhash"], ["--distance", "3"]), ([], ["--distance", "3"]),
        (["--method", "simhash"], ["--lanes", "64"]), (["--method", "simhash"], ["--recall", "0.9"]),
        (["--method", "containment"], ["--lanes", "64"]), (["--method", "supershingle"], ["--distance", "3"]),
        (["--method", "exact"], ["--similarity", "0.9"]), (["--method", "exact"], ["--groups", "components"]),
        (["--method", "exact"], ["--list-pairs", "all"]), (["--method", "exact"], ["--order", "degree"]),
        (["--method", "exact"], ["--no-distinct-titles"]), (["--method", "exact"], ["--no-verify"]),
        (["--method", "exact"], ["--seed", "2"]), (["--method", "simhash", "--no-check"], ["--seed", "2"]),
        (["--similarity", "1"], ["--recall", "0.9"]), (["--similarity", "1"], ["--no-distinct-titles"]),
        (["--raw"], ["--numbers", "drop"]),
    ],
    "stream": [
        ([], ["--distance", "3"]), ([], ["--bits", "32"]), ([], ["--dictionary", "run"]), ([], ["--language", "de"]),
        (["--by", "fingerprint"], ["--similarity", "0.9"]), (["--by", "fingerprint"], ["--half-life", "1h"]),
        (["--by", "fingerprint"], ["--assign", "first"]), (["--by", "fingerprint"], ["--leader", "mean"]),
        (["--by", "bags"], ["--width", "3"]), (["--by", "bags"], ["--similarity-of", "containment"]),
        (["--by", "simhash"], ["--seed", "2"]), (["--similarity-of", "containment"], ["--seed", "2"]),
        (["--similarity-of", "containment"], ["--max-tables", "8"]), (["--pairs"], ["--themes", "3"]),
        (["--pairs"], ["--assign", "best"]), (["--raw"], ["--numbers", "mask"]),
    ],
    "tune": [
        ([], ["--groups", "4"]), (["--for", "simhash"], ["--lanes", "64"]), (["--for", "minhash"], ["--distance", "3"]),
        (["--for", "fingerprint"], ["--svg", "a.svg"]), ([], ["--width", "3"]), ([], ["--format", "jsonl"]),
    ],
    "compare": [
        (["--json"], ["--diff", "full"]), (["--raw"], ["--numbers", "drop"]),
        (["--run", "duplicates"], ["--width", "3"]), (["--run", "run"], ["--smallest", "50"]),
        (["--run", "run"], ["--html", "a.html"]),
    ],
}

ARGUMENTS = {"cluster": ["pages.jsonl", "-o", "new"], "paper": ["pages.jsonl", "-o", "new"],
             "dedup": ["pages.jsonl", "-o", "new"], "stream": ["new", "pages.jsonl"], "tune": [],
             "compare": ["pages.jsonl", "more.jsonl"]}


class IdleOptions(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = cls.for_all_tests()
        for name in ("pages.jsonl", "more.jsonl"):
            cls.case.write(name, jsonl(topic_pages()))
        cls.case.kith("cluster", "pages.jsonl", "-o", "run")
        cls.case.kith("dedup", "pages.jsonl", "-o", "duplicates")

    def setUp(self):
        super().setUp()
        self.folder = self.case.folder

    def test_each_is_refused_and_named_with_the_other(self):
        for command, cases in IDLE.items():
            for others, idle in cases:
                with self.subTest((command, *others, *idle)):
                    self.fails(command, *ARGUMENTS[command], *others, *idle, code=2,
                               says=[f"kith: {idle[0]}: has no effect with --", *others[:2], "; it is for "])
                    self.assertFalse(os.path.exists(self.path("new")))

    def test_what_is_the_default_is_said_to_be(self):
        self.fails("dedup", "pages.jsonl", "-o", "new", "--distance", "3", code=2,
                   says="--distance: has no effect with --method minhash, the default; it is for --method simhash")

    def test_what_has_an_effect_is_not_refused(self):
        for number, (command, *words) in enumerate((
                ("cluster", "--engine", "exact", "--order", "mass", "--lanes", "64"),
                ("cluster", "--bags", "content", "--order", "inlinks", "--links", "external"),
                ("cluster", "--engine", "exact", "--similarity", "0.3", "--seed", "2"),
                ("dedup", "--method", "simhash", "--seed", "2"),
                ("dedup", "--method", "simhash", "--similarity", "1", "--no-verify", "--distance", "2"),
                ("dedup", "--method", "exact", "--width", "3", "--keep", "longest"))):
            with self.subTest(words):
                self.kith(command, "pages.jsonl", "-o", f"effect-{number}", *words)

    def test_what_is_so_anyway_may_be_said(self):
        self.kith("cluster", "pages.jsonl", "-o", "so", "--neighbours", "0", "--topics", "none", "--other-sites", "0",
                  "--no-check")
        self.kith("dedup", "pages.jsonl", "-o", "so-too", "--raw", "--numbers", "keep", "--no-check")

    def test_a_run_goes_on_with_the_same_options(self):
        for command, words in (("cluster", ["--engine", "exact", "--window", "4"]),
                               ("dedup", ["--method", "simhash", "--distance", "2"]), ("paper", ["--window", "4"])):
            for _ in range(2):
                self.kith(command, "pages.jsonl", "-o", command + "-again", *words)
        for _ in range(2):
            self.kith("stream", "stream-again", "pages.jsonl", "--by", "simhash", "--distance", "2")

    def test_refused_ones_would_change_nothing(self):
        """Slow twin of the table, where another option makes the effect visible or not."""
        sample = os.path.join(DATA, "crawl", "sample.warc.gz")
        base = ["cluster", sample, "--engine", "exact", "--similarity", "0.3", "--no-check", "-o"]
        self.kith(*base, "plain", "--order", "url")
        self.kith(*base, "mass", "--order", "mass")
        self.kith(*base, "mass-64", "--order", "mass", "--lanes", "64")
        self.assertNotIn("signatures.kith", self.files_of("plain"))
        self.assertNotEqual(self.files_of("mass"), self.files_of("mass-64"))


if __name__ == "__main__":
    unittest.main()
