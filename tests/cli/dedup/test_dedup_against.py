"""kith dedup --against: what is like a document of an earlier run is removed first."""

import json
import os
import shutil
import unittest

from kith_case import KithCase

WORDS = ("the quick brown fox jumps over the lazy dog while nine old sailors mend their nets and sing of "
         "storms that broke the masts of ships long lost beyond the northern ice in winter").split()
OTHER = ("a committee of seven engineers measured every bridge along that river before spring floods came down "
         "and wrote their long report about rust cracks bolts cables paint and money").split()


def text(words=WORDS, changes=()):
    words = list(words)
    for place in changes:
        words[place] = f"changed{'abcdefghij'[place % 10]}"
    return " ".join(words)


def lines(documents):
    return "".join(json.dumps({"id": name, "text": content}) + "\n" for name, content in documents)


MONDAY = [("m1", text()), ("m2", text(changes=[0]))]
TUESDAY = [("t1", text(OTHER)), ("t2", text() + " again"), ("t3", text(OTHER).upper()),
           ("t4", "something else entirely")]
WEDNESDAY = [("w1", text(OTHER, [0])), ("w2", text(changes=[0])), ("w3", text(reversed(WORDS)))]


class DedupAgainstTest(KithCase):
    def setUp(self):
        super().setUp()
        for name, documents in (("mon", MONDAY), ("tue", TUESDAY), ("wed", WEDNESDAY)):
            self.write(f"{name}.jsonl", lines(documents))

    def chain(self, *more):
        """The input of earlier days is gone when the next one comes."""
        self.kith("dedup", "mon.jsonl", "-o", "mon", *more)
        os.remove(self.path("mon.jsonl"))
        self.kith("dedup", "tue.jsonl", "-o", "tue", "--against", "mon", *more)
        os.remove(self.path("tue.jsonl"))
        return self.kith("dedup", "--against", "mon", "--against", "tue", "wed.jsonl", "-o", "wed", *more)[1]

    def test_a_chain_of_days(self):
        err = self.chain()
        self.assertEqual([row["url"] for row in self.list("mon/keep.tsv")], ["m1"])
        self.assertEqual([(row["url"], row["match"], row["match_run"]) for row in self.list("tue/against.tsv")],
                         [("t2", "m1", "mon")])
        shingles = len(WORDS) - 4
        row = self.list("tue/against.tsv")[0]
        self.assertEqual(row["resemblance"], f"{shingles / (shingles + 1):.6f}")
        self.assertEqual(row["containment"], f"{shingles / (shingles + 1):.6f}")
        self.assertEqual(row["containment_of_match"], "1.000000")
        # The others of the day are grouped among themselves.
        self.assertEqual([(row["url"], row["role"]) for row in self.list("tue/groups.tsv")],
                         [("t1", "kept"), ("t3", "removed")])
        self.assertEqual([row["url"] for row in self.list("tue/keep.tsv")], ["t1", "t4"])
        # m2 counts, though Monday did not keep it; the best match is named, and its run.
        self.assertEqual([(row["url"], row["match"], row["match_run"]) for row in self.list("wed/against.tsv")],
                         [("w1", "t1", "tue"), ("w2", "m2", "mon")])
        self.assertEqual([row["url"] for row in self.list("wed/keep.tsv")], ["w3"])
        self.assertIn("mon: 1 removed that are like one of its 2 documents", err)
        self.assertIn("tue: 1 removed that are like one of its 4 documents", err)
        self.assertIn("2 removed in all, 1 of them with the same shingles", err)
        self.assertIn("2 of 2 that are like an earlier one were found", err)
        self.assertIn("kept        1 document", err)
        report = json.loads(self.kith("info", "wed", "--json")[0])
        self.assertEqual(report["against"]["removed"], 2)
        self.assertEqual([run["path"] for run in report["against"]["runs"]], ["mon", "tue"])
        self.assertIn("match their checksums", self.kith("info", "wed", "--verify")[1])

    def test_equal_texts_only(self):
        err = self.chain("--method", "exact")
        self.assertEqual(self.list("tue/against.tsv"), [])
        self.assertEqual([row["match"] for row in self.list("wed/against.tsv")], ["m2"])
        self.assertNotIn("measured on", err)

    def test_lists_as_json_lines(self):
        self.chain()
        rows = self.list("wed/against.tsv")
        self.kith("dedup", "wed.jsonl", "--against", "mon", "--against", "tue", "-o", "wed", "--format", "jsonl")
        self.assertFalse(os.path.exists(self.path("wed/against.tsv")))
        with open(self.path("wed/against.jsonl"), encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
        self.assertEqual([list(row) for row in found], [list(row) for row in rows])
        self.assertEqual([row["match"] for row in found], ["t1", "m2"])

    def test_write_leaves_what_is_new(self):
        self.kith("dedup", "mon.jsonl", "-o", "mon")
        self.kith("dedup", "tue.jsonl", "-o", "tue", "--against", "mon", "--write", "new.jsonl")
        with open(self.path("new.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), lines([TUESDAY[0], TUESDAY[3]]))

    def test_errors(self):
        self.kith("dedup", "mon.jsonl", "-o", "mon")
        tuesday = ("dedup", "tue.jsonl", "-o", "tue", "--against")
        self.fails(*tuesday, "mon", "--width", "7", code=2, says=["mon", "--width 5", "--width 7"])
        self.fails(*tuesday, "nowhere", says=["nowhere", "no run directory"])
        self.fails(*tuesday, "tue", code=2, says="the run itself")
        self.fails(*tuesday, "mon", "--against", "./mon", code=2, says="named twice")
        self.assertFalse(os.path.exists(self.path("tue")))
        self.kith("dedup", "mon.jsonl", "-o", "equal", "--method", "exact")
        self.fails(*tuesday, "equal", code=2, says=["--method exact", "--method minhash"])
        for method in ("supershingle", "simhash"):
            self.kith("dedup", "mon.jsonl", "-o", method, "--method", method)
            self.fails(*tuesday, method, code=2,
                       says=[f"--method {method}", f"make {method} again with --method minhash", "give --method exact"])
            self.kith("dedup", "tue.jsonl", "-o", f"by-{method}", "--against", method, "--method", "exact")
        self.kith(*tuesday, "mon")
        self.fails("dedup", "tue.jsonl", "-o", "tue", code=2, says=["tue", "against"])
        shutil.rmtree(self.path("mon"))
        self.kith("dedup", "wed.jsonl", "-o", "mon")
        self.fails(*tuesday, "mon", code=2, says=["tue: holds a run with another --against mon;"])


if __name__ == "__main__":
    unittest.main()
