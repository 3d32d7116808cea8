"""kith dedup --method: the ways to find pairs, and what is said of each."""

import json
import unittest

from kith_case import KithCase

WORDS = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)]


def text(changes=()):
    words = list(WORDS)
    for place in changes:
        words[place] = f"changed{chr(97 + place % 26)}"
    return " ".join(words)


# Of 396 shingles of five words per edit changes five.
DOCUMENTS = [
    {"id": "old", "text": text()},
    {"id": "once", "text": text([20])},
    {"id": "again", "text": text([20, 300])},
    {"id": "often", "text": text(range(10, 400, 20))},
    {"id": "other", "text": " ".join(reversed(WORDS))},
    {"id": "same", "text": text().upper()},
]


class DedupMethodsTest(KithCase):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", "".join(json.dumps(document) + "\n" for document in DOCUMENTS))

    def pairs(self, run):
        return {(row["url_a"], row["url_b"]) for row in self.list(f"{run}/pairs.tsv")}

    def report(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def test_every_method_finds_the_close_ones(self):
        near = {("old", "once"), ("old", "again"), ("once", "again"), ("old", "same")}
        for method in ("minhash", "supershingle", "simhash"):
            distance = ["--distance", "7"] if method == "simhash" else []
            _, err = self.kith("dedup", "in.jsonl", "-o", method, "--method", method, "--similarity", "0.9", *distance)
            self.assertEqual(self.pairs(method), near, method)
            self.assertEqual([row["url"] for row in self.list(f"{method}/keep.tsv")], ["old", "often", "other"])
            self.assertIn("6 of 6 similar pairs found (100.0 %)", err)
            self.kith("info", method, "--verify")

    def test_info_explains_the_choice(self):
        self.kith("dedup", "in.jsonl", "-o", "super", "--method", "supershingle")
        out, _ = self.kith("info", "super")
        self.assertIn("super-shingles of", out)
        self.assertIn("false positives", out)
        self.assertIn("chosen", out)
        chosen = [keys for keys in self.report("super")["super_shingles"] if keys["chosen"]]
        self.assertEqual(len(chosen), 1)
        self.assertGreaterEqual(chosen[0]["recall"], 0.99)
        self.kith("dedup", "in.jsonl", "-o", "simhash", "--method", "simhash", "--distance", "5")
        out, _ = self.kith("info", "simhash")
        self.assertIn("5 fingerprints, up to 5 of 64 bits different", out)
        self.assertEqual(len(self.report("simhash")["fingerprints"]["pairs_by_distance"]), 6)

    def test_a_request_beyond_the_lanes_is_told_what_to_change(self):
        _, err = self.kith("dedup", "in.jsonl", "-o", "new", "--similarity", "0.05", "--lanes", "16", code=2)
        self.assertIn("give more --lanes, a higher --similarity or a lower --recall", err)
        self.assertNotRegex(err, r"\.\d{3}")

    def test_no_verify_takes_what_is_found_and_says_so(self):
        self.kith("dedup", "in.jsonl", "-o", "run", "--method", "simhash", "--similarity", "0.97", "--distance", "7",
                  "--no-verify")
        below = [row for row in self.list("run/pairs.tsv") if float(row["resemblance"]) < 0.97]
        self.assertIn(("old", "again"), {(row["url_a"], row["url_b"]) for row in below})
        self.assertEqual(self.report("run")["pairs"]["below_similarity"], len(below))
        self.assertIn(f"{len(below)} of them below the similarity", self.kith("info", "run")[0])
        self.kith("dedup", "in.jsonl", "-o", "verified", "--method", "simhash", "--similarity", "0.97",
                  "--distance", "7")
        self.assertEqual(self.pairs("verified"), self.pairs("run") - {(row["url_a"], row["url_b"]) for row in below})

    def test_a_check_without_pairs_claims_nothing(self):
        self.write("one.jsonl", json.dumps(DOCUMENTS[0]) + "\n")
        self.write("two.jsonl", json.dumps(DOCUMENTS[4]) + "\n")
        _, err = self.kith("dedup", "one.jsonl", "-o", "one")
        self.assertIn("others: no similar pair", err)
        _, err = self.kith("dedup", "two.jsonl", "-o", "two", "--against", "one")
        self.assertIn("none is like an earlier one", err)
        self.assertNotIn("100.0 %", err.split("measured")[1])

    def test_a_bag_counts_repetitions(self):
        words = "one two three four five six seven eight nine ten".split()
        self.write("bag.jsonl", "".join(json.dumps({"id": str(n), "text": " ".join(words * n)}) + "\n"
                                        for n in (4, 40)))
        for method in ("simhash", "supershingle"):
            self.kith("dedup", "bag.jsonl", "-o", f"{method}-set", "--method", method)
            self.assertEqual(self.pairs(f"{method}-set"), {("4", "40")})
            self.kith("dedup", "bag.jsonl", "-o", f"{method}-bag", "--method", method, "--bag")
            self.assertEqual(self.pairs(f"{method}-bag"), set())

    def test_exact_means_equal_texts(self):
        fox, twice = "the quick brown fox jumps over the lazy dog ", "one two three four five six "
        self.write("in.jsonl", "".join(json.dumps({"id": name, "text": content}) + "\n" for name, content in (
            ("plain", fox), ("marked", fox.replace(" ", ", ").upper()), ("double", twice * 3), ("triple", twice * 4))))
        for flags, kept in (([], ["plain", "double", "triple"]),
                            (["--raw"], ["plain", "marked", "double", "triple"])):
            run = "run" + "".join(flags)
            self.kith("dedup", "in.jsonl", "-o", run, "--method", "exact", *flags)
            self.assertEqual([row["url"] for row in self.list(f"{run}/keep.tsv")], kept, flags)
        out = " ".join(self.kith("dedup", "--help", "all")[0].split())
        self.assertIn("case and punctuation do not count without --raw", out)
        self.assertIn("whose sketches agree", out)

    def test_errors(self):
        self.fails("dedup", "in.jsonl", "-o", "new", "--method", "exact", "--no-verify", code=2, says="--no-verify")
        self.fails("dedup", "in.jsonl", "-o", "new", "--method", "simhash", "--distance", "8", code=2,
                   says="--distance 8")
        self.fails("dedup", "in.jsonl", "-o", "new", "--method", "supershingle", "--similarity", "0.05", code=2,
                   says="give a higher --similarity or a lower --recall")


if __name__ == "__main__":
    unittest.main()
