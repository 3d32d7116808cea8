"""kith dedup of families of near-duplicates that are larger than a bucket, and of a recall below what is expected."""

import itertools
import json
import random
import unittest

from kith_case import KithCase

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def family(count, replaced, seed):
    """Texts of the same 300 words, of which so many are replaced anywhere."""
    rng = random.Random(seed)

    def word():
        return "".join(rng.choice(LETTERS) for _ in range(7))

    frame = [word() for _ in range(300)]
    texts = []
    for _ in range(count):
        words = list(frame)
        for _ in range(replaced):
            words[rng.randrange(300)] = word()
        texts.append(" ".join(words))
    return texts


class DedupFamiliesTest(KithCase):
    def write_texts(self, name, texts):
        self.write(name, "".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))

    def report(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def test_one_of_a_large_family_is_kept(self):
        self.write_texts("shop.jsonl", family(1500, 3, 1))
        for method in ("minhash", "supershingle"):
            _, err = self.kith("dedup", "shop.jsonl", "-o", method, "--method", method, "--memory", "64M")
            self.assertEqual([row["url"] for row in self.list(f"{method}/keep.tsv")], ["0"])
            self.assertRegex(self.kith("info", method)[0], r"families +\d+ large buckets?, the largest of [0-9,]+ "
                                                           r"documents: [0-9,]+ pairs met there")
            self.assertIn("1 group, 1,499 documents removed, 1,500 in the largest group", err)
            self.assertIn("kept        1 document\n", err)
            self.assertNotIn("warning", err)
            self.kith("info", method, "--verify")

    def test_a_large_family_of_an_earlier_run_is_not_new(self):
        texts = family(2600, 3, 4)
        self.write_texts("before.jsonl", texts[:1300])
        self.write_texts("now.jsonl", texts[1300:] + family(1, 0, 5))
        self.kith("dedup", "before.jsonl", "-o", "before")
        for memory in ("64M", "1G"):
            run = f"run-{memory}"
            self.kith("dedup", "now.jsonl", "-o", run, "--against", "before", "--memory", memory)
            self.assertEqual([row["url"] for row in self.list(f"{run}/keep.tsv")], ["1300"])
            self.assertEqual(len(self.list(f"{run}/against.tsv")), 1300)

    def test_all_pairs_are_listed_where_they_are_asked_for(self):
        self.write_texts("shop.jsonl", family(700, 3, 2))
        self.kith("dedup", "shop.jsonl", "-o", "run")
        few = self.list("run/pairs.tsv")
        self.kith("dedup", "shop.jsonl", "-o", "run", "--list-pairs", "all")
        every = self.list("run/pairs.tsv")
        self.assertLess(len(few), len(every) / 2)
        self.assertGreater(len(every), 0.98 * 700 * 699 / 2)
        keys = [(int(row["url_a"]), int(row["url_b"])) for row in every]
        self.assertEqual(keys, sorted(set(keys)))
        self.assertLessEqual({tuple(row.values()) for row in few}, {tuple(row.values()) for row in every})

    def test_how_many_comparisons_there_may_be_is_said_before_they_are_made(self):
        counter = ("w" + "".join(letters) for letters in itertools.product(LETTERS, repeat=3))
        self.write_texts("counter.jsonl", [f"{text} {next(counter)}" for text in family(1, 0, 6) * 9000])
        _, err = self.kith("dedup", "counter.jsonl", "-o", "run")
        said = err.index("million comparisons at the most, fewer where buckets are alike; "
                         "--max-comparisons sets a limit")
        self.assertLess(said, err.index("\ngroups "))
        self.assertIn("families ", self.kith("info", "run")[0])
        self.assertGreater(self.report("run")["large"]["max_comparisons"], 100_000_000)
        _, err = self.kith("dedup", "counter.jsonl", "-o", "few", "--max-comparisons", "200000")
        self.assertNotIn("million comparisons", err)
        self.assertLessEqual(self.report("few")["large"]["max_comparisons"], 200_000)

    def test_comparisons_are_bounded(self):
        # Of these most are not similar to another, but all meet.
        self.write_texts("calendar.jsonl", family(1500, 6, 3))
        self.kith("dedup", "calendar.jsonl", "-o", "all")
        large = self.report("all")["large"]
        self.assertGreater(large["centers"], 100)
        most = large["members"] * 2
        _, err = self.kith("dedup", "calendar.jsonl", "-o", "few", "--max-comparisons", str(most))
        self.assertLessEqual(self.report("few")["large"]["comparisons"], most)
        self.assertRegex(err, r"[0-9,]+ comparisons with centers left out, since a bucket had too many of them "
                              r"\(--max-comparisons\)")

    def test_a_recall_below_what_is_expected_is_a_warning(self):
        # All pairs are found or lost together, by the sixteen minima of one family.
        self.write_texts("shop.jsonl", family(300, 3, 1))
        weak = ("--lanes", "16", "--recall", "0.9", "--similarity", "0.85", "--seed", "30")
        _, err = self.kith("dedup", "shop.jsonl", "-o", "run", *weak)
        self.assertRegex(err, r"near-duplicates were missed: the measured recall is \d+\.\d %, at most \d+\.\d %, "
                              r"where \d+\.\d % is expected")
        self.assertIn("warning", self.kith("info", "run")[0].splitlines()[0])
        _, err = self.kith("dedup", "shop.jsonl", "-o", "strict", *weak, "--strict", code=1)
        self.assertIn("kith: --strict: near-duplicates were missed", err)
        self.kith("dedup", "shop.jsonl", "-o", "good", "--similarity", "0.85", "--strict")


if __name__ == "__main__":
    unittest.main()
