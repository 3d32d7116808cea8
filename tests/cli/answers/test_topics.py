"""kith topics, and topics in clusters, related, info, evaluate; kith route."""

import collections
import json
import os
import pty
import random
import re
import shutil
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]

WORDS = {topic: [f"{topic}{letter}word" for letter in "abcdefghijklmnopqrstuvwx"]
         for topic in ("music", "cooking", "astronomy", "sailing")}


def pages(per_topic=60, seed=3):
    """Pages of four topics on two sites each: words of the topic, and some of all."""
    rng = random.Random(seed)
    every = [word for words in WORDS.values() for word in words]
    found = []
    for topic, words in WORDS.items():
        for i in range(per_topic):
            own = rng.sample(words, 12) + rng.sample(every, 3)
            found.append({"url": f"https://{topic}{i % 2}.example/{i}", "title": f"{topic} {i}",
                          "text": " ".join(own)})
    return found


def topic_of(url):
    return url.split("//")[1].split(".")[0].rstrip("01")


class Topics(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = KithCase.for_all_tests()
        cls.case.write("pages.jsonl", jsonl(pages()))
        cls.case.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content")

    def setUp(self):
        self.folder = self.case.folder

    def first_level(self, run="run"):
        return self.rows("topics", run, "--depth", "1", "--format", "tsv")

    def test_the_first_level_has_the_planted_topics(self):
        rows = self.first_level()
        self.assertEqual([row["topic"] for row in rows], ["1", "2", "3", "4"])
        self.assertEqual(sum(int(row["pages"]) for row in rows), 240)
        self.assertEqual({topic_of(row["exemplar"]) for row in rows}, set(WORDS))
        for row in rows:
            topic = topic_of(row["exemplar"])
            self.assertTrue(all(word.startswith(topic) for word in row["label"].split(", ")[:3]), row)
            self.assertIn(f"{topic}0.example 50%", row["hosts"])
            self.assertTrue(row["title"].startswith(topic))
            self.assertTrue(0 < float(row["cohesion"]) <= 1)

    def test_text_says_the_same(self):
        out = self.kith("topics", "run", "--depth", "1")[0]
        head, *lines = out.splitlines()
        self.assertRegex(head, "240 pages in [0-9]+ topics")
        for line, row in zip(lines, self.first_level(), strict=True):
            self.assertTrue(line.startswith(f"{row['topic']}  {row['pages']}  "), line)
            self.assertIn(row["title"], line)

    def test_few_topics_are_shown_with_theirs(self):
        shown = self.kith("topics", "run")[0]
        self.assertEqual(shown, self.kith("topics", "run", "--depth", "2")[0])

    def test_children_share_out_the_pages(self):
        rows = self.rows("topics", "run", "--format", "tsv")
        pages_of = {row["topic"]: int(row["pages"]) for row in rows}
        below = collections.Counter()
        for path, count in pages_of.items():
            if "." in path:
                below[path.rpartition(".")[0]] += count
        for path, count in below.items():
            self.assertEqual(count, pages_of[path])
        for row in rows:
            self.assertEqual(int(row["children"]) > 0, row["topic"] in below)

    def test_json_lines(self):
        lines = self.kith("topics", "run", "--depth", "1", "--format", "jsonl")[0].splitlines()
        for line, row in zip(lines, self.first_level(), strict=True):
            topic = json.loads(line)
            self.assertEqual((topic["topic"], topic["pages"]), (row["topic"], int(row["pages"])))
            self.assertIsInstance(topic["label"], list)

    def test_a_cut_of_about_so_many(self):
        self.assertEqual(self.rows("topics", "run", "--topics", "4", "--format", "tsv"), self.first_level())
        for count in (1, 2, 4, 6):
            rows = self.rows("topics", "run", "--topics", str(count), "--format", "tsv")
            self.assertEqual(sum(int(row["pages"]) for row in rows), 240)
            self.assertTrue(count <= len(rows) <= count + 11, rows)
        everything = self.rows("topics", "run", "--topics", "100000", "--format", "tsv")
        self.assertTrue(all(row["children"] == "0" for row in everything))

    def test_under_a_path(self):
        below = self.rows("topics", "run", "--under", "2", "--format", "tsv")
        self.assertTrue(all(row["topic"].startswith("2.") for row in below))
        self.assertIn("\n2  ", "\n" + self.kith("topics", "run", "--under", "2")[0].split("\n", 1)[0])
        for path in ("9", "1.", ".1", "0", "1..1", "x", "1.99", "-1", "99999999999999999999"):
            self.fails("topics", "run", f"--under={path}", code=1, says=[f"no topic '{path}'"])

    def test_clusters_and_related_have_topics(self):
        first = {row["topic"]: topic_of(row["exemplar"]) for row in self.first_level()}
        for row in self.rows("clusters", "run"):
            self.assertEqual(first[row["topic"].split(".")[0]], topic_of(row["url"]), row)
        out, err = self.kith("related", "run", "https://music0.example/0")
        self.assertTrue(out.startswith("url\tsimilarity\ttitle\ttopic\tfetched\tdate\n"))
        self.assertEqual(err, "")

    def test_related_tells_a_person_the_topic_of_the_page(self):
        terminal, its_end = pty.openpty()
        subprocess.run([KITH, "related", "run", "https://music0.example/0"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=its_end)
        os.close(its_end)
        self.assertRegex(os.read(terminal, 1000).decode(), r"topic [1-4].*\(.*music")
        os.close(terminal)

    def test_info_has_the_levels(self):
        out = self.kith("info", "run")[0]
        self.assertRegex(out, r"topics +4 at the first level")
        self.assertIn("Topics by level, of 240 pages", out)
        counts = json.loads(self.kith("info", "run", "--json")[0])["topics"]
        self.assertEqual(counts["pages"], 240)
        self.assertEqual(counts["levels"][0]["topics"], 4)
        self.assertEqual(counts["topics"], 1 + sum(level["topics"] for level in counts["levels"]))

    def test_evaluate_measures_every_level(self):
        self.write("labels.tsv", "url\tlabel\n" + "".join(
            f"{page['url']}\t{topic_of(page['url'])}\n" for page in pages()))
        out = self.kith("evaluate", "run", "labels.tsv")[0]
        self.assertRegex(out, "topics +dendrogram purity 1.000; first level: 4 topics, ARI 1.000")
        topics = json.loads(self.kith("evaluate", "run", "labels.tsv", "--json")[0])["topics"]
        depths = [cut["depth"] for cut in topics[0]["cuts"]]
        self.assertEqual(depths, [*range(1, len(depths)), 0])
        self.assertEqual(topics[0]["cuts"][0]["agreement"]["ari"], 1)
        self.assertEqual(topics[0]["cuts"][-1]["topics"], 4)

    def test_same_bytes_for_any_threads_and_memory(self):
        for options in (["--threads", "3"], ["--memory", "96M", "--threads", "2"]):
            shutil.rmtree(self.path("again"), ignore_errors=True)
            self.kith("cluster", "pages.jsonl", "-o", "again", "--bags", "content", *options)
            self.assertEqual(self.files_of("again")["topics.kith"], self.files_of("run")["topics.kith"])

    def edges(self, run):
        return json.loads(self.kith("info", run, "--json")[0])["topics"]["edges"]

    def test_smaller_graphs(self):
        full = self.files_of("run")
        for graph in ("mutual", "clusters"):
            command = ("cluster", "pages.jsonl", "-o", graph, "--bags", "content")
            self.kith(*command, "--topics", graph)
            self.assertEqual({row["topic"] for row in self.rows("topics", graph, "--depth", "1", "--format", "tsv")},
                             {"1", "2", "3", "4"})
            files = self.files_of(graph)
            self.assertEqual(files["clusters.kith"], full["clusters.kith"])
            self.assertLess(self.edges(graph), self.edges("run"))
            self.kith(*command[:3], "again-" + graph, *command[4:], "--topics", graph, "--threads", "3",
                      "--memory", "96M")
            self.assertEqual(self.files_of("again-" + graph)["topics.kith"], files["topics.kith"])
            # What a run stands on is a part of what it is.
            self.fails(*command, code=2, says="topics")

    def test_a_removed_file_is_made_again(self):
        before = self.files_of("run")["topics.kith"]
        os.remove(self.path("run/topics.kith"))
        self.fails("topics", "run", code=1, says="topics.kith")
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content")
        self.assertEqual(self.files_of("run")["topics.kith"], before)


class Route(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = KithCase.for_all_tests()
        cls.case.write("pages.jsonl", jsonl(pages()))
        cls.case.write("new.jsonl", jsonl(pages(20, seed=8)))
        cls.case.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content")

    def setUp(self):
        self.folder = self.case.folder

    def test_new_pages_go_to_their_topics(self):
        before = self.files_of("run")
        first = {row["topic"]: topic_of(row["exemplar"])
                 for row in self.rows("topics", "run", "--depth", "1", "--format", "tsv")}
        centers = {row["cluster"]: row["url"] for row in self.rows("clusters", "run")
                   if row["role"] != "member"}
        rows = self.rows("route", "run", "new.jsonl")
        self.assertEqual([row["url"] for row in rows], [page["url"] for page in pages(20, seed=8)])
        for row in rows:
            self.assertEqual(first[row["topic"].split(".")[0]], topic_of(row["url"]))
            self.assertEqual(topic_of(row["center"]), topic_of(row["url"]))
            self.assertEqual(centers[row["cluster"]], row["center"])
            self.assertTrue(0 < float(row["similarity"]) <= 1)
        self.assertEqual(self.files_of("run"), before)

    def test_pages_of_the_run_go_back(self):
        topics = {row["url"]: row["topic"] for row in self.rows("clusters", "run")}
        centers = {row["url"] for row in self.rows("clusters", "run") if row["role"] != "member"}
        back = 0
        for row in self.rows("route", "run", "pages.jsonl"):
            back += row["topic"] == topics[row["url"]]
            if row["url"] in centers:
                self.assertEqual(row["similarity"], "1.000000")
        self.assertGreater(back, 235)

    def test_standard_input_threads_and_formats(self):
        expected = self.kith("route", "run", "new.jsonl", "--threads", "1")[0]
        content = jsonl(pages(20, seed=8)).encode()
        self.assertEqual(self.kith("route", "run", stdin=content)[0], expected)
        self.assertEqual(self.kith("route", "run", "new.jsonl", "--threads", "3")[0], expected)
        lines = self.kith("route", "run", "new.jsonl", "--format", "jsonl")[0].splitlines()
        self.assertEqual(len(lines), 80)
        self.assertEqual(list(json.loads(lines[0])),
                         ["url", "topic", "fit", "cluster", "center", "similarity"])

    def test_a_page_without_a_known_word(self):
        self.write("strange.jsonl", jsonl([{"url": "https://a.example/", "text": "nowhere known"}]))
        row, = self.rows("route", "run", "strange.jsonl")
        self.assertEqual((row["topic"], row["cluster"], row["center"]), ("", "0", ""))

    def test_runs_that_cannot_route(self):
        self.kith("cluster", "run", "-o", "plain", "--topics", "none")
        self.fails("route", "plain", "new.jsonl", code=2, says=["plain: has no topics", "--topics none"])
        self.write("links.jsonl", jsonl(
            [{"url": f"https://a.example/{i}",
              "html": f"<title>page {i}</title><a href=/{(i + 1) % 9}>next words</a>"} for i in range(9)]))
        self.kith("cluster", "links.jsonl", "-o", "anchors", "--min-df", "1", "--bags", "anchor")
        self.fails("route", "anchors", "new.jsonl", code=2, says=["anchors: its bags", "--bags both or content"])
        self.fails("route", "run", "nothing.jsonl", code=1, says="nothing.jsonl")


class RunsWithoutTopics(KithCase):
    def make(self, found, *options):
        self.write("pages.jsonl", jsonl(found))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--min-df", "1", *options)

    def test_none_were_made(self):
        for options, says in ((["--topics", "none"], "--topics none"), (["--neighbours", "0"], "--neighbours 0")):
            with self.subTest(options):
                self.setUp()
                self.make(pages(5), *options)
                self.assertFalse(os.path.exists(self.path("run/topics.kith")))
                self.fails("topics", "run", code=2, says=["run: has no topics", says])
                self.assertEqual({row["topic"] for row in self.rows("clusters", "run")}, {""})
                self.write("labels.tsv", "url\tlabel\nhttps://music0.example/0\tmusic\n")
                measured = json.loads(self.kith("evaluate", "run", "labels.tsv", "--json")[0])
                self.assertNotIn("topics", measured)

    def test_too_little_memory_for_them_is_said(self):
        subprocess.run([BAGS, "--urls", "20000", "-o", self.path("bags")], check=True, stdout=subprocess.DEVNULL)
        command = ("cluster", "bags", "-o", "run", "--no-check", "--threads", "2")
        _, summary = self.kith(*command, "--memory", "64M")
        self.assertRegex(summary, r"\Awarning +no topics were made, since they need [0-9.]+ MiB of memory, "
                                  r"and --memory is 64 MiB")
        self.assertFalse(os.path.exists(self.path("run/topics.kith")))
        self.assertRegex(self.kith("info", "run")[0],  r"topics +none \(they need")
        _, err = self.kith("topics", "run", code=2)
        need = re.search("has no topics.*--memory ([0-9]+M)", err)[1]
        self.assertRegex(self.kith("info", "run")[0], "topics.*--topics mutual needs [0-9.]+ MiB, which")
        # The same command with as much memory makes them, with the bytes that they always have.
        self.kith(*command, "--memory", need)
        self.kith("cluster", "bags", "-o", "free", "--no-check", "--threads", "1")
        self.assertEqual(self.files_of("run"), self.files_of("free"))

    def test_flags_that_do_not_decide_files_may_change(self):
        self.make(pages(30), "--topics", "none")
        self.make(pages(30))
        self.assertTrue(os.path.exists(self.path("run/topics.kith")))

    def test_one_page_and_equal_pages(self):
        text = "cider apples orchard harvest autumn"
        equal = [{"url": f"https://a.example/{i}", "text": text} for i in range(50)]
        for found, count in ((pages(1)[:1], 1), (equal, 50)):
            self.setUp()
            self.make(found)
            self.assertEqual(self.kith("topics", "run")[0].split(" ")[0], str(count))
            self.assertEqual(self.rows("topics", "run", "--format", "tsv"), [])
            self.assertIn("nothing tells them apart", self.kith("info", "run")[0])

    def test_wrong_flags(self):
        self.make(pages(5))
        self.fails("topics", "run", "--depth", "0", code=2, says="--depth")
        self.fails("topics", "run", "--topics", "0", code=2, says=["--topics", "1 to 1000000000"])
        self.fails("topics", "run", "--topics", "5", "--depth", "2", code=2, says="--topics")
        self.fails("topics", "run", "--format", "xml", code=2, says="xml")
        self.fails("topics", "nowhere", code=1, says="nowhere")


if __name__ == "__main__":
    unittest.main()
