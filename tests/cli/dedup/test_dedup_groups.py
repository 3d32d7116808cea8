"""What `kith dedup` says of groups: sizes, weights, annotations, and what is lost."""

import gzip
import json
import math
import os
import unittest

from kith_case import KithCase, jsonl

STORY = " ".join(f"word{i}" for i in range(100))
OTHER = " ".join(f"other{i}" for i in range(100))


def documents():
    """A group of four documents on three hosts, one of two, and one that is like no other."""
    return [
        {"url": "http://a.test/1", "text": STORY, "date": "2020-05-01"},
        {"url": "http://a.test/2", "text": STORY, "date": "2019-01-02"},
        {"url": "http://B.test/1", "text": STORY + " end", "date": "2022-01-01"},
        {"url": "http://alone.test/1", "text": "this one is like no other in the whole collection"},
        {"url": "http://c.test/1", "text": STORY + " another end"},
        {"url": "http://a.test/3", "text": OTHER},
        {"url": "http://d.test/1", "text": OTHER + " x"},
    ]


class DedupGroupsTest(KithCase):
    def json_lines(self, name):
        opener = gzip.open if name.endswith(".gz") else open
        with opener(self.path(name), "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_kept_documents_know_their_groups(self):
        self.write("in.jsonl", jsonl(documents()))
        self.kith("dedup", "in.jsonl", "-o", "run", "--format", "jsonl", "--weights", "sqrt")
        groups = {}
        for row in self.json_lines("run/groups.jsonl"):
            groups.setdefault(row["group"], []).append(row)
        keep = {row["url"]: row for row in self.json_lines("run/keep.jsonl")}
        self.assertEqual([row["group_size"] for row in keep.values()], [4, 1, 2])
        for row in keep.values():
            members = groups.get(row["group"], [])
            self.assertEqual(row["group_size"], len(members) or 1)
            alike = [other["resemblance"] for other in members if other["role"] == "removed"] or [1]
            self.assertEqual((row["min_similarity"], row["max_similarity"]), (min(alike), max(alike)))
            self.assertAlmostEqual(row["weight"], math.sqrt(row["group_size"]), places=6)
        first = keep["http://a.test/1"]
        self.assertEqual((first["group"], first["hosts"]), (1, 3))
        self.assertEqual((first["first_date"], first["last_date"]), ("2019-01-02T00:00:00Z", "2022-01-01T00:00:00Z"))
        alone = keep["http://alone.test/1"]
        self.assertEqual((alone["group"], alone["hosts"], alone["first_date"]), (0, 1, ""))

    def test_weights(self):
        self.write("in.jsonl", jsonl(documents()))
        for weights, expected in [("1", [1, 1, 1]), ("log", [1 + math.log(4), 1, 1 + math.log(2)]),
                                  ("sqrt", [2, 1, math.sqrt(2)]), ("cap3", [3, 1, 2]), ("cap1", [1, 1, 1])]:
            self.kith("dedup", "in.jsonl", "-o", "run", "--weights", weights, "--write", f"{weights}.jsonl")
            for found, wanted in zip(self.list("run/keep.tsv"), expected):
                self.assertAlmostEqual(float(found["weight"]), wanted, places=5)
            written = self.json_lines(f"{weights}.jsonl")
            if weights == "1":
                self.assertNotIn("kith_weight", written[0])
            else:
                self.assertEqual([row["kith_weight"] for row in written],
                                 [float(row["weight"]) for row in self.list("run/keep.tsv")])
        for weights in ("0", "cap", "cap0", "cap-1", "cap1.5", "linear", ""):
            self.fails("dedup", "in.jsonl", "-o", "x", "--weights", weights, code=2,
                       says="must be 1, log, sqrt, or cap")

    def test_annotated_copies_have_all_rows_and_say_what_the_lists_say(self):
        lines = jsonl(documents())
        blank = lines.replace("\n", "\r\n", 1).replace("\n", "\n\n", 2) + "no json\n"
        for name, content in [("in.jsonl", lines), ("in.jsonl.gz", gzip.compress(lines.encode())),
                              ("last.jsonl", lines.rstrip("\n"))]:
            self.write(name, content)
            self.kith("dedup", name, "-o", f"run-{name}", "--annotate", "--write", f"out-{name}")
            rows = self.json_lines(f"out-{name}")
            own = [{key: row[key] for key in row if not key.startswith("kith_")} for row in rows]
            self.assertEqual(own, documents())
            for row, listed in zip(rows, self.list(f"run-{name}/documents.tsv")):
                for field in ("kith_group", "kith_group_size", "kith_similarity", "kith_weight"):
                    self.assertEqual(float(listed[field]), row[field])
                self.assertEqual((listed["url"], listed["kith_kept_id"]), (row["url"], row["kith_kept_id"]))
            self.assertEqual([row["kith_group"] for row in rows], [1, 1, 1, 0, 1, 2, 2])
            self.assertEqual([row["kith_weight"] for row in rows], [1, 0, 0, 1, 0, 1, 0])
            self.assertEqual(rows[2]["kith_kept_id"], "http://a.test/1")
        self.write("mixed.jsonl", blank)
        self.kith("dedup", "mixed.jsonl", "-o", "mixed", "--annotate", "--write", "mixed-out.jsonl")
        with open(self.path("mixed-out.jsonl"), "rb") as file:
            out = file.read()
        self.assertEqual(out.count(b"\n"), blank.count("\n"))
        self.assertEqual(out.count(b"kith_group_size"), 7)
        self.assertTrue(out.endswith(b"\nno json\n"))

    def test_own_fields_of_the_same_names_are_replaced(self):
        rows = [{"kith_group": {"a": [1, "}"]}, "text": STORY + ' "kith_group": 5', "id": "a"},
                {"text": STORY, "id": "b", "x": {"kith_group": 7}, "kith_weight": "\\\"", "kith_similarity": None}]
        self.write("in.jsonl", jsonl(rows))
        self.kith("dedup", "in.jsonl", "-o", "run", "--annotate", "--write", "out.jsonl")
        first, second = self.json_lines("out.jsonl")
        self.assertEqual(first["kith_group"], 1)
        self.assertEqual(first["text"], rows[0]["text"])
        self.assertEqual((second["x"], second["kith_weight"]), ({"kith_group": 7}, 0))
        with open(self.path("out.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read().count('"kith_group":'), 3)
        self.kith("dedup", "out.jsonl", "-o", "again", "--annotate", "--write", "again.jsonl")
        with open(self.path("again.jsonl"), "rb") as again, open(self.path("out.jsonl"), "rb") as out:
            self.assertEqual(again.read(), out.read())

    def test_what_has_no_rows_is_not_annotated_in_a_copy(self):
        self.write("in.csv", "url,text\nhttp://a.test/,a text of a few words\n")
        for flag in (["--annotate"], ["--weights", "log"]):
            self.fails("dedup", "in.csv", "-o", "run", "--write", "out.csv", *flag, code=2,
                       says="neither JSON lines nor a table")
            self.kith("dedup", "in.csv", "-o", "run", *flag)
        self.write("in.jsonl", jsonl(documents()))
        self.write("cut.jsonl.gz", gzip.compress(jsonl(documents()).encode())[:-20])
        self.fails("dedup", "cut.jsonl.gz", "-o", "cut", "--annotate", "--write", "x.jsonl.gz",
                   says="is damaged after line")
        self.assertFalse(os.path.exists(self.path("x.jsonl.gz")))

    def test_removed_against_earlier_runs(self):
        self.write("old.jsonl", jsonl(documents()[:1]))
        self.write("new.jsonl", jsonl(documents()[2:]))
        self.kith("dedup", "old.jsonl", "-o", "old")
        self.kith("dedup", "new.jsonl", "-o", "new", "--against", "old", "--annotate", "--write", "out.jsonl")
        first = self.json_lines("out.jsonl")[0]
        self.assertEqual((first["kith_group"], first["kith_kept_id"], first["kith_weight"]), (0, "http://a.test/1", 0))
        losses = {(row["part"], row["name"]): row for row in self.list("new/losses.tsv")}
        self.assertEqual(losses["host", "b.test"]["kept"], "http://a.test/1")

    def test_the_list_of_losses_is_what_brute_force_finds(self):
        pages = [{"url": f"http://h{i % 5}.test/{2000 + i}/page{i}.html?id={i}&x=1", "src": f"s{i % 3}",
                  "text": f"{STORY} {' '.join(f'w{i % 9}x{k}' for k in range(60))}"} for i in range(60)]
        self.write("in/1.jsonl", jsonl(pages[:30]))
        self.write("in/2.jsonl", jsonl(pages[30:]))
        self.kith("dedup", "in", "-o", "run", "--source-field", "src", "--annotate")
        removed = {row["url"] for row in self.list("run/groups.tsv") if row["role"] == "removed"}
        parts = {"source": lambda page: page["src"], "host": lambda page: page["url"].split("/")[2],
                 "path": lambda page: page["url"].split("/")[2] + "/#/*.html?id&x"}
        expected = {}
        for part, of in parts.items():
            for page in pages:
                counts = expected.setdefault((part, of(page)), [0, 0])
                counts[0] += 1
                counts[1] += page["url"] in removed
        found = {(row["part"], row["name"]): [int(row["documents"]), int(row["removed"])]
                 for row in self.list("run/losses.tsv")}
        self.assertEqual(found, {key: counts for key, counts in expected.items() if counts[1]})
        for row in self.list("run/losses.tsv"):
            for example in row["examples"].split(", "):
                self.assertIn(example, removed)
        counts = [int(row["removed"]) for row in self.list("run/losses.tsv") if row["part"] == "host"]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.kith("dedup", "in", "-o", "plain")
        sources = [row for row in self.list("plain/losses.tsv") if row["part"] == "source"]
        self.assertEqual([row["name"] for row in sources], ["in"])

    def test_too_large_a_loss_writes_nothing(self):
        pages = [{"url": f"http://h.test/{i}", "text": STORY if i < 6 else f"{OTHER} {i} " * 3} for i in range(12)]
        pages += [{"url": f"http://small.test/{i}", "text": STORY} for i in range(9)]
        self.write("in.jsonl", jsonl(pages))
        for limit in ("20%", "0.2"):
            _, err = self.kith("dedup", "in.jsonl", "-o", "run", "--method", "exact", "--max-loss", limit, "--write",
                               "out.jsonl", code=1)
            self.assertIn("h.test loses 5 of 12 documents (41.7 %)", err)
            self.assertIn("--max-loss 20.0 %: the source in.jsonl would lose", err)
            self.assertNotIn("small.test loses", err)
            self.assertFalse(os.path.exists(self.path("out.jsonl")))
        self.kith("dedup", "in.jsonl", "-o", "run", "--method", "exact", "--max-loss", "80%", "--write", "out.jsonl")
        self.assertEqual(len(self.json_lines("out.jsonl")), 7)
        for limit in ("0", "101%", "1.5", "x", "-1", "%"):
            self.fails("dedup", "in.jsonl", "-o", "x", "--max-loss", limit, code=2, says="--max-loss")

    def test_a_dry_run_writes_no_copy(self):
        self.write("in.jsonl", jsonl(documents()))
        _, err = self.kith("dedup", "in.jsonl", "-o", "run", "--dry-run", "--write", "out.jsonl")
        self.assertIn("1 of 3 documents (33.3 %) of the host a.test", err)
        self.assertFalse(os.path.exists(self.path("out.jsonl")))
        self.assertIn("of the host a.test", self.kith("info", "run")[0])
        self.fails("dedup", "in.jsonl", "-o", "x", "--dry-run", code=2, says="--dry-run")
        self.kith("dedup", "in.jsonl", "-o", "run", "--write", "out.jsonl")
        self.assertEqual(len(self.json_lines("out.jsonl")), 3)


if __name__ == "__main__":
    unittest.main()
