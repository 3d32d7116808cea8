"""kith paper: the paper's own pipeline makes a whole run, and agrees with the fast engines."""

import json
import os
import unittest

from kith_case import DATA, KithCase


class Paper(KithCase):
    SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")

    def setUp(self):
        super().setUp()
        self.kith("paper", self.SAMPLE, "-o", "paper")
        self.report = json.loads(self.kith("info", "paper", "--json")[0])

    def pairs(self, run):
        return {(row["url_a"], row["url_b"]): row["similarity"] for row in self.rows("pairs", run)}

    def test_every_reading_command_takes_the_run(self):
        self.assertIn("match their checksums", self.kith("info", "paper", "--verify")[1])
        clusters = self.rows("clusters", "paper")
        self.assertEqual(len(clusters), self.report["bags"]["urls"])
        pairs = self.pairs("paper")
        self.assertGreater(len(pairs), 1000)
        # Every pair stands in the list of related pages of both its ends.
        url = next(iter(pairs))[0]
        similar = {a if b == url else b for a, b in pairs if url in (a, b)}
        related = self.rows("related", "paper", url, "-n", "20")
        self.assertEqual(len(related), min(20, len(similar)))
        self.assertLessEqual({row["url"] for row in related}, similar)
        self.assertGreaterEqual(len(self.kith("bags", "paper")[0].splitlines()), len(clusters))

    def test_the_report_names_the_paper_and_its_steps(self):
        self.assertEqual(self.report["engine"]["engine"], "paper")
        self.assertEqual(self.report["threshold"]["similarity"], 0.2)
        self.assertEqual(self.report["clusters"]["order"], "url")
        self.assertEqual([stage["stage"] for stage in self.report["stages"]],
                         ["bags", "plan", "pairs", "cluster", "check"])
        self.assertEqual([step["stage"] for step in self.report["steps"]],
                         ["signatures", "pairs", "filter", "repeats", "verify", "sort",
                          "neighbours", "center", "labels"])
        info = self.kith("info", "paper")[0]
        for text in ["Table 1 of the paper", "MH-signature generation", "CENTER", "107.0 h", "277.7 h", "49.9860 ms"]:
            self.assertIn(text, info)

    def test_the_report_counts_what_the_pairs_took(self):
        pairs = self.report["pairs"]
        self.assertFalse(pairs["skipped"])
        self.assertGreaterEqual(pairs["collisions"], pairs["passed"])
        self.assertGreater(pairs["passed"], pairs["candidates"])  # repeats
        self.assertGreater(pairs["candidates"], pairs["similar"])
        # Equal bags count as one.
        bags = {}
        for line in self.kith("bags", "paper")[0].splitlines():
            bag = json.loads(line)
            bags[bag.pop("url")] = json.dumps(bag.pop("terms"), sort_keys=True)
        different = {frozenset((bags[a], bags[b])) for a, b in self.pairs("paper")}
        self.assertEqual(pairs["similar"], sum(len(pair) == 2 for pair in different))
        self.assertEqual(pairs["blocks"], 1)
        self.assertEqual([pairs[key] for key in ("split_buckets", "split_members", "largest_split")], [0, 0, 0])
        row = next(line for line in self.kith("info", "paper")[0].splitlines() if line.startswith("pairs  "))
        self.assertEqual(row.split(maxsplit=1)[1],
                         "{collisions:,} met in 125 rounds, {passed:,} passed the filter (blocks of signatures: 1, "
                         "passes a round: 1), {candidates:,} compared exactly, {similar:,} at or above the threshold"
                         .format(**pairs))

    def test_a_repair_keeps_the_steps_that_were_not_done_again(self):
        with open(self.path("paper/pairs.kith"), "r+b") as file:
            file.seek(-9, os.SEEK_END)
            byte = file.read(1)
            file.seek(-9, os.SEEK_END)
            file.write(bytes([byte[0] ^ 1]))
        self.kith("paper", self.SAMPLE, "-o", "paper")
        again = json.loads(self.kith("info", "paper", "--json")[0])
        self.assertEqual([step["stage"] for step in again["steps"]],
                         [step["stage"] for step in self.report["steps"]])
        self.assertEqual(again["steps"][-2:], self.report["steps"][-2:])

    def test_the_pairs_are_true_and_most_are_found(self):
        check = self.report["check"]
        self.assertEqual(check["pair_precision"], 1.0)
        self.assertGreater(check["pair_recall"], 0.6)
        self.kith("cluster", self.SAMPLE, "-o", "exact", "--engine", "exact", "--similarity", "0.2",
                  "--bags", "anchor",
                  "--urls", "all", "--boilerplate", "keep")
        exact = self.pairs("exact")
        paper = self.pairs("paper")
        self.assertLessEqual(paper.items(), exact.items())
        self.assertGreater(len(paper), 0.6 * len(exact))

    def test_clusters_are_center_on_the_pairs_in_the_order_of_urls(self):
        rows = self.rows("clusters", "paper")
        adjacent = {}
        for a, b in self.pairs("paper"):
            adjacent.setdefault(a, set()).add(b)
            adjacent.setdefault(b, set()).add(a)
        # The pairs come by id: a URL that first stands on the left or right is no order, so the
        # order of ids is taken from the bags, which are listed by id.
        order = [json.loads(line)["url"] for line in self.kith("bags", "paper")[0].splitlines()]
        center = {}
        for url in order:
            if url in center:
                continue
            center[url] = url
            for other in adjacent.get(url, ()):
                center.setdefault(other, url)
        found = {}
        for row in rows:
            found.setdefault(row["cluster"], []).append(row)
        for members in found.values():
            head = members[0]["url"]
            self.assertEqual({row["url"] for row in members},
                             {url for url, its in center.items() if its == head})

    def test_threads_and_memory_change_no_byte(self):
        self.kith("paper", "paper", "-o", "other", "--threads", "3", "--memory", "64M")
        self.assertEqual(self.files_of("paper"), self.files_of("other"))

    def test_the_seed_and_the_threshold_are_heeded(self):
        for number, options in enumerate([["--seed", "2"], ["--similarity", "0.4"],
                                          ["--neighbours", "3"]]):
            self.kith("paper", "paper", "-o", str(number), *options)
            self.assertFalse(self.files_of("paper") == self.files_of(str(number)), options)

    def test_the_same_command_goes_on(self):
        before = self.files_of("paper")
        self.kith("paper", self.SAMPLE, "-o", "paper")
        self.assertEqual(before, self.files_of("paper"))
        self.assertNotIn("tmp", os.listdir(self.path("paper")))

    def test_what_the_paper_decides_cannot_be_given(self):
        for flag in [["--engine", "lsh"], ["--recall", "0.5"], ["--lanes", "64"], ["--max-tables", "9"],
                     ["--order", "degree"], ["--assign", "best"], ["--urls", "seen"], ["--boilerplate", "remove"],
                     ["--topics", "full"], ["--related", "plain"], ["--other-sites", "3"]]:
            self.fails("paper", "paper", "-o", "x", *flag, code=2, says=f"paper: there is no option {flag[0]}")
        self.fails("paper", "paper", "-o", "x", "--bags", "both", code=2, says="'both' is not one of anchor, content")
        self.assertFalse(os.path.exists(self.path("x")))

    def rows_of_table_1(self, run):
        table = self.kith("info", run)[0].split("Table 1 of the paper")[1].split("\n\n")[0].splitlines()[1:]
        return {row[:32].strip(): row[32:].split() for row in table}

    def test_bags_are_its_own(self):
        self.assertTrue(self.report["own_bags"])
        options = self.report["options"]
        self.assertEqual([options[key] for key in ("bags", "urls", "boilerplate")], ["anchor", "all", "keep"])
        self.assertNotIn("note ", self.kith("info", "paper")[0])
        self.assertNotIn("-", self.rows_of_table_1("paper")["bag generation, bag sorting"])

    def test_bags_of_another_run_are_said_to_be_so(self):
        self.kith("cluster", self.SAMPLE, "-o", "run")
        _, summary = self.kith("paper", "run", "-o", "other")
        said = "the bags are those of run (bags both, urls fetched, boilerplate remove), and have no time in Table 1"
        self.assertIn(said, summary)
        self.assertIn(said, self.kith("info", "other")[0])
        rows = self.rows_of_table_1("other")
        for row in ("bag generation, bag sorting", "all of these"):
            self.assertEqual(rows[row][:2], ["-", "-"])
        self.assertNotEqual(rows["from bags to clusters"][0], "-")
        # Not of other engines.
        self.assertNotIn("Table 1", self.kith("cluster", "run", "-o", "fast")[1])

    def test_the_next_steps_are_those_of_such_a_run(self):
        _, summary = self.kith("paper", self.SAMPLE, "-o", "summed")
        steps = summary.split("\nnext ")[1]
        self.assertNotIn("kith topics", steps)
        self.assertIn("kith info summed", steps)
        self.assertIn("Table 1", steps)

    def test_empty_collections(self):
        self.write("none.jsonl", json.dumps({"url": "https://a.example/", "html": ""}) + "\n")
        self.kith("paper", "none.jsonl", "-o", "none", code=1)
        self.kith("info", "none", "--verify")
        self.assertEqual(self.pairs("none"), {})


if __name__ == "__main__":
    unittest.main()
