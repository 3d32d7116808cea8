"""kith cluster and the commands that read a run: what they find and print."""

import gzip
import json
import os
import pty
import subprocess
import unittest

from kith_case import KITH, TOPICS, KithCase, jsonl, topic_pages, warc_gz, warc_record


class Finds(KithCase):
    def cluster_topics(self, *options):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        return self.kith("cluster", "crawl.jsonl", "-o", "run", *options)

    def assert_topics_apart(self):
        clusters = {}
        for row in self.rows("clusters", "run"):
            clusters.setdefault(row["cluster"], set()).add(row["url"].split("/")[2])
        self.assertTrue(all(len(hosts) == 1 for hosts in clusters.values()), clusters)
        self.assertLess(len(clusters), 24)

    def test_topics_stand_apart_with_every_engine_and_bag(self):
        for engine in ("exact", "lsh"):
            for bags in ("both", "anchor", "content"):
                with self.subTest(engine=engine, bags=bags):
                    self.setUp()
                    self.cluster_topics("--engine", engine, "--bags", bags)
                    self.assert_topics_apart()

    def test_rows_are_whole(self):
        self.cluster_topics("--bags", "content")
        rows = self.rows("clusters", "run")
        self.assertEqual(sorted(row["url"] for row in rows),
                         sorted(page["url"] for page in topic_pages()))
        centers = {row["cluster"]: row["url"] for row in rows if row["role"] == "center"}
        for row in rows:
            self.assertIn(row["role"], ("center", "member", "single"))
            if row["role"] == "member":
                self.assertIn(row["cluster"], centers)
                self.assertLessEqual(float(row["similarity"]), 1)
            else:
                self.assertEqual(float(row["similarity"]), 1)

    def test_jsonl_says_what_tsv_says(self):
        self.cluster_topics()
        for command in (["clusters", "run"], ["pairs", "run"],
                        ["related", "run", "https://music.example/music/1"]):
            rows = self.rows(*command)
            objects = [json.loads(line) for line in
                       self.kith(*command, "--format", "jsonl")[0].splitlines()]
            self.assertEqual(len(rows), len(objects))
            for row, item in zip(rows, objects):
                self.assertEqual(set(row), set(item))
                for key, value in item.items():
                    if isinstance(value, bool):
                        self.assertEqual(row[key], str(value).lower())
                    elif isinstance(value, (int, float)):
                        self.assertAlmostEqual(float(row[key]), value)
                    else:
                        self.assertEqual(row[key], value)

    def test_summary_has_labels_in_surface_words(self):
        self.cluster_topics("--bags", "content")
        rows = self.rows("clusters", "run", "--summary")
        self.assertGreaterEqual(len(rows), 3)
        known = {word for words in TOPICS.values() for word in words.split()} | set(TOPICS)
        for row in rows:
            self.assertGreaterEqual(int(row["size"]), 2)
            self.assertTrue(row["title"])
            for word in row["label"].split(", "):
                self.assertIn(word, known)

    def test_summary_names_the_hosts_and_their_shares(self):
        self.cluster_topics("--bags", "content")
        hosts = {row["hosts"] for row in self.rows("clusters", "run", "--summary")}
        self.assertIn("music.example", hosts)
        pages = topic_pages()
        for page in pages[:3]:
            page["url"] = page["url"].replace("music.example", "songs.example")
        self.write("crawl.jsonl", jsonl(pages))
        self.kith("cluster", "crawl.jsonl", "-o", "moved", "--bags", "content", "--similarity", "0.05")
        rows = self.rows("clusters", "moved", "--summary")
        members = self.rows("clusters", "moved")
        for row in rows:
            count = {}
            for member in members:
                if member["cluster"] == row["cluster"]:
                    host = member["url"].split("/")[2]
                    count[host] = count.get(host, 0) + 1
            texts = [host if n == int(row["size"]) else f"{host} {100 * n // int(row['size'])} %"
                     for host, n in count.items()]
            self.assertEqual(sorted(row["hosts"].split(", ")), sorted(texts))
        self.assertTrue(any("%" in row["hosts"] for row in rows), rows)

    def test_the_last_lines_say_what_comes_first(self):
        _, summary = self.cluster_topics("--bags", "content")
        lines = summary.splitlines()
        self.assertLess(len(lines), 20)
        heads = [line.split(" ")[0] for line in lines if line[:1].strip()]
        self.assertEqual(heads,
                         ["read", "fields", "URLs", "clusters", "topics", "threshold", "measured", "took", "largest",
                          "next"])
        self.assertRegex(summary, r"largest +\d+  [a-z]+\.example: \w+")
        for command in ("kith clusters run --summary", "kith info run"):
            self.assertIn(command, summary)
            self.kith(*command.split()[1:])
        info, _ = self.kith("info", "run")
        self.assertRegex(info, r"largest +\d+  [a-z]+\.example: \w+")

    def test_related_pages_are_of_the_topic_and_sorted(self):
        self.cluster_topics()
        rows = self.rows("related", "run", "https://MUSIC.example:443/music/x/../1#top", "-n", "5", "--per-site", "0")
        self.assertEqual(len(rows), 5)
        similarities = [float(row["similarity"]) for row in rows]
        self.assertEqual(similarities, sorted(similarities, reverse=True))
        for row in rows:
            self.assertTrue(row["url"].startswith("https://music.example/"), row)
            self.assertTrue(row["title"].startswith("music "))

    def test_pairs_are_ordered_and_at_or_above_the_threshold(self):
        self.cluster_topics("--similarity", "0.3", "--bags", "content")
        rows = self.rows("pairs", "run")
        self.assertTrue(rows)
        seen = set()
        for row in rows:
            self.assertLess(row["url_a"], row["url_b"])
            self.assertGreaterEqual(float(row["similarity"]), 0.3)
            seen.add((row["url_a"], row["url_b"]))
        self.assertEqual(len(seen), len(rows))

    def test_bags_add_up_to_a_hundred(self):
        self.cluster_topics()
        for line in self.kith("bags", "run")[0].splitlines():
            bag = json.loads(line)
            if bag["terms"]:
                self.assertAlmostEqual(sum(bag["terms"].values()), 100, delta=0.01)
        url = "https://cooking.example/cooking/2"
        self.assertEqual(json.loads(self.kith("bags", "run", url)[0])["url"], url)

    def test_urls_that_were_only_linked_to_get_anchor_bags(self):
        pages = topic_pages()
        for page in pages[:6]:
            page["html"] += ' guitar melody <a href="https://elsewhere.example/">violin</a> piano'
        self.write("crawl.jsonl", jsonl(pages))
        self.kith("cluster", "crawl.jsonl", "-o", "run", "--urls", "all")
        bag = json.loads(self.kith("bags", "run", "https://elsewhere.example")[0])
        self.assertIn("violin", bag["terms"])

    def test_info_and_summary_report_the_measured_recall(self):
        _, summary = self.cluster_topics("--engine", "exact")
        self.assertIn("pairs recall 100.0 %, precision 100.0 %", summary)
        info, _ = self.kith("info", "run")
        for text in ("24 pages", "threshold", "engine", "measured on", "stage"):
            self.assertIn(text.split()[0], info)
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(report["crawl"]["pages"], 24)
        self.assertEqual(report["check"]["neighbour_recall"], 1)
        self.assertIn("match their checksums", self.kith("info", "run", "--verify")[1])

    def test_info_explains_the_choice_of_tables(self):
        _, summary = self.cluster_topics("--engine", "lsh", "--similarity", "0.3")
        self.assertNotIn("tables", summary)
        engine = json.loads(self.kith("info", "run", "--json")[0])["engine"]
        rows = engine["considered"]
        self.assertEqual([row["per_key"] for row in rows], list(range(1, len(rows) + 1)))
        chosen, = [row for row in rows if row["chosen"]]
        self.assertEqual(chosen["seconds"], min(row["seconds"] for row in rows))
        self.assertEqual((chosen["per_key"], chosen["tables"]),
                         (engine["per_key"], engine["tables"]))
        self.assertGreaterEqual(chosen["recall"], 0.9)
        info, _ = self.kith("info", "run")
        self.assertIn(f'{chosen["tables"]} tables of {chosen["per_key"]} minim', info)
        self.assertIn("exact checks", info)
        lines = [line.split() for line in info.splitlines() if line.endswith("cheapest")]
        self.assertEqual([line[:2] for line in lines],
                         [[str(chosen["per_key"]), str(chosen["tables"])]])

    def test_no_check_measures_nothing(self):
        _, summary = self.cluster_topics("--no-check")
        self.assertNotRegex(summary, r"(?m)^measured")


class Inputs(KithCase):
    def clusters_of(self, *inputs, stdin=None, run="run"):
        """Without the dates, which not all forms have."""
        self.kith("cluster", *inputs, "-o", run, "--bags", "content", stdin=stdin)
        return [{**row, "date": ""} for row in self.rows("clusters", run)]

    def test_every_form_of_a_crawl_gives_the_same_clusters(self):
        pages = topic_pages()
        records = b"".join(warc_record(p["url"], p["html"].encode()) for p in pages)
        forms = {
            "crawl.warc": records,
            "crawl.warc.gz": warc_gz(pages),
            "one-member.warc.gz": gzip.compress(records),
            "crawl.jsonl": jsonl(pages),
            "crawl.jsonl.gz": gzip.compress(jsonl(pages).encode()),
        }
        expected = None
        for name, content in forms.items():
            with self.subTest(name):
                self.write(name, content)
                found = self.clusters_of(name, run="run-" + name)
                expected = expected or found
                self.assertEqual(found, expected)
        self.assertEqual(self.clusters_of("-", stdin=warc_gz(pages), run="run-pipe"), expected)
        self.assertEqual(self.clusters_of("-", stdin=jsonl(pages).encode(), run="run-pipe2"),
                         expected)

    def test_several_inputs_and_folders_are_one_crawl(self):
        pages = topic_pages()
        self.write("one.jsonl", jsonl(pages))
        self.write("folder/a.jsonl", jsonl(pages[:9]))
        self.write("folder/deep/b.warc.gz", warc_gz(pages[9:15]))
        self.write("c.jsonl", jsonl(pages[15:]))
        self.assertEqual(self.clusters_of("folder", "c.jsonl", run="many"),
                         self.clusters_of("one.jsonl", run="one"))

    def test_a_folder_of_html(self):
        for page in topic_pages():
            self.write("site/" + page["url"].split("example/")[1] + ".html", page["html"])
        self.fails("cluster", "site", "-o", "run", code=2, says=["site", "--base-url"])
        self.kith("cluster", "site", "-o", "run", "--base-url", "https://example.org/docs/",
                  "--bags", "content")
        urls = [row["url"] for row in self.rows("clusters", "run")]
        self.assertEqual(len(urls), 24)
        self.assertIn("https://example.org/docs/music/3.html", urls)

    def test_the_first_capture_of_a_url_wins(self):
        pages = topic_pages()
        again = [dict(page, html="other words entirely") for page in pages]
        self.write("crawl.jsonl", jsonl(pages + again))
        self.write("once.jsonl", jsonl(pages))
        self.assertEqual(self.clusters_of("crawl.jsonl", run="a"),
                         self.clusters_of("once.jsonl", run="b"))
        report = json.loads(self.kith("info", "a", "--json")[0])
        self.assertIn(["duplicate", 24], report["crawl"]["skipped"])


class SameBytes(KithCase):
    def test_for_any_threads_and_memory(self):
        sample = os.path.join(os.environ["KITH_TEST_DATA"], "crawl", "sample.warc.gz")
        for engine in ("exact", "lsh"):
            files = []
            for threads, memory in (("1", "4G"), ("2", "64M"), ("5", "300M")):
                run = f"run-{engine}-{threads}"
                self.kith("cluster", sample, "-o", run, "--engine", engine, "--threads", threads,
                          "--memory", memory, "--no-check", "--similarity", "0.2")
                files.append(self.files_of(run))
            self.assertEqual(files[0], files[1])
            self.assertEqual(files[0], files[2])
            self.assertIn("clusters.kith", files[0])


class ProgressLine(KithCase):
    def test_is_drawn_on_a_terminal_and_nowhere_else(self):
        self.write("crawl.jsonl", jsonl(topic_pages(40)))
        try:
            master, slave = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(str(error))
        process = subprocess.Popen([KITH, "cluster", "crawl.jsonl", "-o", "run"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=slave,
                                   env={**os.environ, "TERM": "xterm", "NO_COLOR": ""})
        os.close(slave)
        drawn = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            drawn += piece
        os.close(master)
        self.assertEqual(process.wait(timeout=300), 0)
        text = drawn.decode()
        for stage in ("bags", "pairs", "cluster"):
            self.assertIn("\r\x1b[K" + stage, text)
        self.assertIn("%", text)
        summary = text.split("\x1b[K")[-1]  # it stands on a clean line
        self.assertTrue(summary.startswith("\x1b[1mread"), summary)
        _, piped = self.kith("cluster", "crawl.jsonl", "-o", "run2")
        self.assertNotIn("\x1b", piped)


class Edges(KithCase):
    def run_pages(self, pages, *options):
        self.write("crawl.jsonl", jsonl(pages))
        self.kith("cluster", "crawl.jsonl", "-o", "run", *options)
        return self.rows("clusters", "run")

    def test_small_and_odd_crawls(self):
        one = [{"url": "https://a.example/", "html": "<title>t</title>guitar melody"}]
        equal = [{"url": f"https://a.example/{i}", "html": "guitar melody harmony"} for i in range(9)]
        wordless = [{"url": f"https://a.example/{i}", "html": "<img src=x> 12 34"} for i in range(3)]
        one_word = [{"url": f"https://a.example/{i}", "html": "guitar"} for i in range(2)]
        for engine in ("exact", "lsh"):
            for name, pages, roles in (
                    ("one page", one, ["single"]),
                    ("equal pages", equal, ["center"] + 8 * ["member"]),
                    ("no words", wordless, 3 * ["single"]),
                    ("one word", one_word, ["center", "member"])):
                with self.subTest(name, engine=engine):
                    self.setUp()
                    rows = self.run_pages(pages, "--bags", "content", "--engine", engine, "--min-words", "1")
                    self.assertEqual([row["role"] for row in rows], roles)

    def test_pages_with_few_words_are_in_no_cluster(self):
        words = "guitar melody harmony piano violin".split()
        pages = [{"url": f"https://a.example/4/{i}", "html": " ".join(words[:i] + words[i + 1:])} for i in range(3)]
        pages += [{"url": f"https://a.example/5/{i}", "html": " ".join(words)} for i in range(3)]
        for engine in ("exact", "lsh"):
            for least, roles in (("5", 3 * ["single"] + ["center"] + 2 * ["member"]),
                                 ("1", ["center"] + 5 * ["member"])):
                with self.subTest(engine=engine, least=least):
                    self.setUp()
                    options = ["--bags", "content", "--max-df", "1", "--similarity", "0.2", "--engine", engine]
                    rows = self.run_pages(pages, *options, *(() if least == "5" else ("--min-words", least)))
                    found = [row["role"] for row in sorted(rows, key=lambda row: row["url"])]
                    self.assertEqual(found if least == "5" else sorted(found), roles)
                    few = 3 if least == "5" else 0
                    self.assertEqual(json.loads(self.kith("info", "run", "--json")[0])["clusters"]["few_words"], few)
                    says = "3 of them with fewer than 5 different words"
                    self.assertEqual(says in self.kith("info", "run")[0], few > 0)

    def test_a_crawl_of_short_pages_is_told_why_it_has_no_cluster(self):
        self.write("crawl.jsonl", jsonl([{"url": f"https://a.example/{i}", "html": text} for i, text in
                                          enumerate(("guitar melody", "guitar harmony", "melody harmony"))]))
        _, summary = self.kith("cluster", "crawl.jsonl", "-o", "run", "--bags", "content")
        self.assertRegex(summary, "warning .*--min-words")
        self.fails("cluster", "crawl.jsonl", "-o", "run2", "--min-words", "0", code=2, says=["--min-words"])

    def test_tabs_and_line_ends_in_titles_stay_in_their_field(self):
        pages = [{"url": f"https://a.example/{i}", "title": "a\tb\nc\\d", "text": "guitar melody"}
                 for i in range(3)]
        self.run_pages(pages, "--bags", "content")
        row = self.rows("related", "run", "https://a.example/1")[0]
        self.assertIn("\\t", row["title"])
        self.assertIn("\\n", row["title"])


if __name__ == "__main__":
    unittest.main()
