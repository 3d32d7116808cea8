"""kith dedup: what it finds, lists and says."""

import gzip
import json
import os
import unittest

from kith_case import KithCase, warc_gz

WORDS = ("the quick brown fox jumps over the lazy dog while nine old sailors mend their nets and sing of "
         "storms that broke the masts of ships long lost beyond the northern ice in winter").split()


def text(changes=(), words=WORDS):
    words = list(words)
    for place in changes:
        words[place] = f"changed{'abcdefghij'[place % 10]}"
    return " ".join(words)


def near_and_far():
    """Four versions of one text, two equal ones of another, and one alone."""
    return [
        {"id": "old", "text": text()},
        {"id": "other", "text": text(words=reversed(WORDS))},
        {"id": "edited", "text": text([0])},
        {"id": "same", "text": text().upper() + "!"},
        {"id": "longer", "text": text() + " again"},
        {"id": "far", "text": text([1, 8, 15, 22, 29])},
        {"id": "other again", "text": text(words=reversed(WORDS))},
    ]


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


class DedupListsTest(KithCase):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", lines(near_and_far()))

    def test_verify_names_a_list_that_is_damaged_or_missing(self):
        for format in ("tsv", "jsonl"):
            self.kith("dedup", "in.jsonl", "-o", "run", "--format", format)
            self.kith("info", "run", "--verify")
            for name in ("groups", "pairs", "keep"):
                path = self.path(f"run/{name}.{format}")
                with open(path, "rb") as file:
                    sound = file.read()
                self.write(path, sound[:-3] + b"x" + sound[-2:])
                self.fails("info", "run", "--verify",
                           says=[f"run/{name}.{format}: was changed", "run the same 'kith dedup' command again"])
                os.remove(path)
                self.fails("info", "run", "--verify", says=f"run/{name}.{format}: is missing")
                self.kith("dedup", "in.jsonl", "-o", "run", "--format", format)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), sound)
            self.kith("info", "run", "--verify")

    def test_the_same_command_that_writes_a_copy_is_no_error(self):
        args = ("dedup", "in.jsonl", "-o", "run", "--write", "out.jsonl")
        _, first = self.kith(*args)
        with open(self.path("out.jsonl"), "rb") as file:
            copy = file.read()
        _, again = self.kith(*args)
        written = [[line for line in err.splitlines() if line.startswith("written ")] for err in (first, again)]
        self.assertEqual(written[0], written[1])
        with open(self.path("out.jsonl"), "rb") as file:
            self.assertEqual(file.read(), copy)
        self.write("out.jsonl", copy + b"mine")
        self.fails(*args, code=2,
                   says="out.jsonl is not what this run has written there: name a new place for the copy")
        self.write("other.jsonl", "mine")
        self.fails(*args[:-1], "other.jsonl", code=2, says="other.jsonl exists: name a new file or folder")

    def test_groups_pairs_and_what_is_kept(self):
        out, err = self.kith("dedup", "in.jsonl", "-o", "run")
        self.assertEqual(out, "")
        self.assertIn("2 groups, 4 documents removed, 4 in the largest group", err)
        groups = self.list("run/groups.tsv")
        self.assertEqual([(row["group"], row["url"], row["role"]) for row in groups], [
            ("1", "old", "kept"), ("1", "edited", "removed"), ("1", "same", "removed"), ("1", "longer", "removed"),
            ("2", "other", "kept"), ("2", "other again", "removed")])
        self.assertEqual(groups[2]["resemblance"], "1.000000")
        # All shingles of the shorter text are in the longer one.
        shingles = len(WORDS) - 4
        self.assertEqual(groups[3]["resemblance"], f"{shingles / (shingles + 1):.6f}")
        self.assertEqual(groups[3]["containment"], f"{shingles / (shingles + 1):.6f}")
        self.assertEqual(groups[3]["containment_of_kept"], "1.000000")
        self.assertEqual([(row["url"], row["file"], row["record"]) for row in self.list("run/keep.tsv")], [
            ("old", "in.jsonl", "0"), ("other", "in.jsonl", "1"), ("far", "in.jsonl", "5")])
        pairs = {(row["url_a"], row["url_b"]): row for row in self.list("run/pairs.tsv")}
        self.assertEqual(set(pairs), {("old", "edited"), ("old", "same"), ("old", "longer"), ("edited", "longer"),
                                      ("other", "other again")})
        pair = pairs["old", "longer"]
        self.assertEqual((pair["containment_ab"], pair["containment_ba"]),
                         ("1.000000", f"{shingles / (shingles + 1):.6f}"))

    def test_lists_as_json_lines(self):
        self.kith("dedup", "in.jsonl", "-o", "run")
        before = {name: self.list(f"run/{name}.tsv") for name in ("groups", "pairs", "keep")}
        self.kith("dedup", "in.jsonl", "-o", "run", "--format", "jsonl")  # the same run, listed anew
        for name, rows in before.items():
            self.assertFalse(os.path.exists(self.path(f"run/{name}.tsv")))
            with open(self.path(f"run/{name}.jsonl"), encoding="utf-8") as file:
                found = [json.loads(line) for line in file]
            self.assertEqual([list(row) for row in found], [list(row) for row in rows])
            self.assertEqual([[str(value) if isinstance(value, str) else float(value) for value in row.values()]
                              for row in found],
                             [[value if isinstance(row[key], str) else float(value)
                               for (key, value) in old.items()] for row, old in zip(found, rows)])

    def test_keep(self):
        self.kith("dedup", "in.jsonl", "-o", "longest", "--keep", "longest")
        self.assertEqual([row["url"] for row in self.list("longest/keep.tsv")], ["other", "longer", "far"])
        self.kith("dedup", "in.jsonl", "-o", "shortest", "--keep", "shortest", "--order", "keep")
        self.assertEqual([row["url"] for row in self.list("shortest/keep.tsv")], ["old", "other", "far"])

    def test_exact_and_raw(self):
        self.kith("dedup", "in.jsonl", "-o", "exact", "--method", "exact")
        self.assertEqual([row["url"] for row in self.list("exact/groups.tsv")], ["old", "same", "other", "other again"])
        self.kith("dedup", "in.jsonl", "-o", "raw", "--method", "exact", "--raw")
        self.assertEqual([row["url"] for row in self.list("raw/groups.tsv")], ["other", "other again"])

    def test_components_and_center(self):
        """A chain: each text is similar to the next only."""
        chain = [{"id": str(i), "text": text(range(0, 2 * i, 2))} for i in range(6)]
        self.write("chain.jsonl", lines(chain))
        self.kith("dedup", "chain.jsonl", "-o", "center", "--similarity", "0.7")
        self.kith("dedup", "chain.jsonl", "-o", "chain", "--similarity", "0.7", "--groups", "components")
        self.assertEqual(len(self.list("chain/keep.tsv")), 1)
        self.assertGreater(len(self.list("center/keep.tsv")), 1)
        self.assertIn("components  would be 1 group, 5 documents removed", self.kith("info", "center")[0])

    def test_the_last_lines_say_what_comes_first(self):
        _, summary = self.kith("dedup", "in.jsonl", "-o", "run")
        heads = [line.split(" ")[0] for line in summary.splitlines() if line[:1].strip()]
        self.assertEqual(heads, ["read", "fields", "documents", "groups", "kept", "removed", "loss", "measured", "took",
                                 "largest", "next"])
        self.assertLess(len(summary.splitlines()), 20)
        self.assertIn("kith info run", summary)
        for name in ("groups.tsv", "keep.tsv"):
            self.assertIn(f" run/{name} ", summary)
            self.assertTrue(self.list(f"run/{name}"))

    def test_write_leaves_the_kept_lines(self):
        self.kith("dedup", "in.jsonl", "-o", "run", "--write", "clean.jsonl")
        documents = {document["id"]: document for document in near_and_far()}
        with open(self.path("clean.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), lines(documents[name] for name in ("old", "other", "far")))
        self.fails("dedup", "in.jsonl", "-o", "new", "--write", "in.jsonl", code=2, says="in.jsonl")
        self.assertFalse(os.path.exists(self.path("new")))

    def test_write_packs_as_the_input_was(self):
        pages = [{"url": f"https://a.example/{d['id']}", "html": f"<p>{d['text']}"} for d in near_and_far()]
        self.write("crawl/a.warc.gz", warc_gz(pages))
        self.write("crawl/b/c.warc.gz", warc_gz(pages))
        self.kith("dedup", "crawl", "-o", "run", "--write", "clean")
        with open(self.path("clean/a.warc.gz"), "rb") as file:
            self.assertEqual(file.read(), warc_gz([pages[i] for i in (0, 1, 5)]))
        with open(self.path("clean/b/c.warc.gz"), "rb") as file:
            self.assertEqual(gzip.decompress(file.read()), b"")

    def test_info(self):
        self.kith("dedup", "in.jsonl", "-o", "run")
        out, _ = self.kith("info", "run")
        self.assertIn("chosen", out)
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(report["documents"], report["documents"] | {
            "documents": 7, "empty": 0, "text_bytes": sum(len(d["text"]) for d in near_and_far())})
        self.assertEqual(report["pairs"]["duplicates"], 2)
        self.assertEqual(report["check"]["recall"], 1.0)
        _, err = self.kith("info", "run", "--verify")
        self.assertIn("match their checksums", err)

    def test_errors(self):
        self.kith("dedup", "in.jsonl", "-o", "run")
        self.fails("dedup", "in.jsonl", "-o", "run", "--similarity", "0.7", code=2, says=["run", "similarity"])
        self.fails("dedup", "in.jsonl", "-o", "new", "--similarity", "1.5", code=2, says="--similarity 1.5")
        self.fails("dedup", "in.jsonl", "-o", "new", "--similarity", "0.01", code=2, says="recall")
        self.fails("dedup", "missing.jsonl", "-o", "new", says="missing.jsonl")
        self.assertFalse(os.path.exists(self.path("new")))
        self.fails("clusters", "run", code=2, says="kith dedup")
        self.fails("cluster", "in.jsonl", "-o", "run", code=2, says="kith dedup")


if __name__ == "__main__":
    unittest.main()
