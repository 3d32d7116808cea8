"""Collections and crawls that are made up: kith takes them, and finds in them what they promise."""

import csv
import json
import os
import subprocess
import sys
import unittest

from kith_case import KITH, KithCase

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]
CRAWL = os.environ["KITH_SYNTHETIC_CRAWL"]
STREAM = os.environ["KITH_CRAWL_STREAM"]
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")


class SyntheticCase(KithCase):
    def make(self, *command, code=0):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def crawl(self, name, *options):
        self.make(sys.executable, CRAWL, "-o", f"{name}.warc.gz", "--counts", f"{name}.json",
                  "--labels", f"{name}.tsv", *options)
        with open(self.path(f"{name}.json"), encoding="utf-8") as counts:
            return json.load(counts)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def info(self, run):
        return json.loads(self.kith("info", run, "--json")[0])


class SyntheticBags(SyntheticCase):
    def test_kith_goes_on_from_the_bags(self):
        self.make(BAGS, "--urls", "1000", "-o", "bags", "--truth", "truth.tsv")
        self.kith("cluster", "bags", "-o", "run")
        self.assertIn("match their checksums", self.kith("info", "run", "--verify")[1])
        report = self.info("run")
        self.assertEqual(report["bags"]["urls"], 1000)
        self.assertGreater(report["bags"]["duplicates"], 20)
        self.assertGreater(report["clusters"]["clusters"], 20)
        self.assertEqual(self.files_of("bags")["bags.kith"], self.files_of("run")["bags.kith"])

    def test_clusters_follow_the_topics(self):
        self.make(BAGS, "--urls", "1000", "-o", "bags", "--truth", "truth.tsv")
        self.kith("cluster", "bags", "-o", "run", "--similarity", "0.15")
        with open(self.path("truth.tsv"), encoding="utf-8", newline="") as truth:
            topic = {row["url"]: row["topic"].split("/")[0]
                     for row in csv.DictReader(truth, delimiter="\t")}
        members = {}
        for row in self.rows("clusters", "run"):
            members.setdefault(row["cluster"], []).append(topic[row["url"]])
        large = [topics for topics in members.values() if len(topics) > 1]
        pure = sum(max(map(topics.count, topics)) for topics in large)
        self.assertGreater(pure, 0.8 * sum(map(len, large)))

    def test_no_url_and_one(self):
        for urls in ["0", "1"]:
            self.make(BAGS, "--urls", urls, "-o", f"bags{urls}")
            self.kith("cluster", f"bags{urls}", "-o", f"run{urls}", code=1 if urls == "0" else 0)
            self.kith("info", f"run{urls}", "--verify")
            self.assertEqual(str(self.info(f"run{urls}")["bags"]["urls"]), urls)

    def test_bad_usage(self):
        for options in [["--urls", "60000000"], ["--copies", "2"], ["--words-per-bag", "x"]]:
            done = self.make(BAGS, "-o", "bags", *options, code=2)
            self.assertTrue(done.stderr or done.stdout)
            self.assertFalse(os.path.exists(self.path("bags")))


class SyntheticCrawl(SyntheticCase):
    def found(self, run, counts):
        """What `kith info` says of the things that were promised."""
        report = self.info(run)
        found = {part: {key: report[part][key] for key in values}
                 for part, values in counts.items()}
        found["crawl"]["skipped"] = dict(report["crawl"]["skipped"])
        return found

    def test_kith_finds_what_was_promised(self):
        counts = self.crawl("crawl", "--pages", "400", "--topics", "8", "--sites", "5",
                            "--redirects", "0.2", "--variants", "0.2", "--mirrors", "0.1",
                            "--recaptures", "0.1", "--gone", "0.1")
        self.assertGreater(min(counts["aliases"].values()), 40)
        self.kith("cluster", "crawl.warc.gz", "-o", "run")
        self.assertEqual(self.found("run", counts), counts)

    def test_mirrors_have_equal_bags(self):
        self.crawl("crawl", "--pages", "200", "--mirrors", "1", "--variants", "0")
        self.kith("cluster", "crawl.warc.gz", "-o", "run", "--bags", "content")
        self.assertEqual(self.info("run")["bags"]["duplicates"], 200)

    def test_labels_name_every_page_and_topics_stay_together(self):
        counts = self.crawl("crawl", "--pages", "400", "--topics", "8", "--sites", "5")
        self.kith("cluster", "crawl.warc.gz", "-o", "run", "--aliases", "fold")
        with open(self.path("crawl.tsv"), encoding="utf-8", newline="") as labels:
            topic = {row["url"]: row["topic"] for row in csv.DictReader(labels, delimiter="\t")}
        self.assertEqual(len(topic), counts["crawl"]["pages"])
        self.assertEqual(len(set(topic.values())), 8)
        members = {}
        for row in self.rows("clusters", "run"):
            if row["url"] in topic:
                members.setdefault(row["cluster"], []).append(topic[row["url"]])
        large = [topics for topics in members.values() if len(topics) > 1]
        pure = sum(max(map(topics.count, topics)) for topics in large)
        self.assertGreater(sum(map(len, large)), 200)
        self.assertGreater(pure, 0.9 * sum(map(len, large)))

    def test_the_same_seed_gives_the_same_bytes(self):
        self.crawl("a", "--pages", "60")
        self.crawl("b", "--pages", "60")
        self.crawl("c", "--pages", "60", "--seed", "2")
        self.assertEqual(self.bytes_of("a.warc.gz"), self.bytes_of("b.warc.gz"))
        self.assertEqual(self.bytes_of("a.tsv"), self.bytes_of("b.tsv"))
        self.assertNotEqual(self.bytes_of("a.warc.gz"), self.bytes_of("c.warc.gz"))

    def test_no_page_and_one(self):
        for pages in [0, 1]:
            counts = self.crawl("crawl", "--pages", str(pages))
            self.assertGreaterEqual(counts["crawl"]["pages"], pages)
            lines = self.kith("crawl", "crawl.warc.gz", code=0 if pages else 1)[0].splitlines()
            self.assertEqual(len(lines) - 1, counts["crawl"]["pages"])


class StreamedCrawl(SyntheticCase):
    """What bench/synthetic_crawl.cc writes."""

    def stream(self, *options, code=0):
        done = subprocess.run([STREAM, *options], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_kith_finds_in_a_pipe_what_was_counted(self):
        crawl = self.stream("--pages", "300", "--words", "100", "--redirects", "0.2", "--counts", "counts.json")
        with open(self.path("counts.json"), encoding="utf-8") as file:
            counts = json.load(file)
        self.assertGreater(counts["crawl"]["redirects"], 20)
        self.kith("cluster", "-", "-o", "run", stdin=crawl)
        report = self.info("run")
        for part, values in counts.items():
            self.assertEqual({key: report[part][key] for key in values}, values)
        skipped = {"other_record": 1, "status": counts["crawl"]["redirects"]}
        self.assertEqual(dict(report["crawl"]["skipped"]), skipped)

    def test_shards_make_the_run_on_the_whole(self):
        whole = self.write("whole.warc", self.stream("--pages", "200", "--words", "100"))
        for shard in "12":
            self.write(f"crawl/part-{shard}.warc",
                       self.stream("--pages", "200", "--words", "100", "--shard", f"{shard}/2"))
        self.kith("cluster", whole, "-o", "whole")
        for shard in "12":
            self.kith("cluster", "crawl", "--shard", f"{shard}/2", "-o", f"shard-{shard}")
        self.kith("merge", "shard-1", "shard-2", "-o", "merged")
        self.assertEqual(self.files_of("merged"), self.files_of("whole"))

    def test_duplicates_are_found(self):
        crawl = self.stream("--pages", "400", "--words", "100", "--duplicates", "0.2", "--near-duplicates", "0",
                            "--families", "0")
        self.kith("dedup", "-", "-o", "run", stdin=crawl)
        equal = self.info("run")["pairs"]["duplicates"]
        self.assertGreater(equal, 40)
        self.assertLess(equal, 120)

    @unittest.skipIf(os.environ.get("KITH_SANITIZE") or os.environ.get("KITH_EMULATED"),
                     "sanitizers and emulators map more memory than is used")
    def test_the_bench_of_scale_measures_and_judges(self):
        def rows(memory, code):
            done = self.make(sys.executable, os.path.join(BENCH, "scale.py"), "--kith", KITH, "--crawl", STREAM,
                             "--place", self.folder, "--pages", "200", "--jobs", "dedup", "--memory", memory, code=code)
            return list(csv.DictReader(done.stdout.splitlines(), delimiter="\t"))

        held = rows("128M", 0)
        self.assertEqual([row["ended"] for row in held], ["well", "well"])
        self.assertEqual(held[0]["bound"], "none")
        for row in held:
            self.assertTrue(4 < int(row["peak_MiB"]) < 128 and int(row["disk_MB"]) > 0, row)
        self.assertEqual([row["ended"] for row in rows("16M", 1)], ["status 2", "status 2"])  # less than kith accepts

    def test_the_bench_of_crashes_kills_and_compares(self):
        done = self.make(sys.executable, os.path.join(BENCH, "crash.py"), "--kith", KITH, "--crawl", STREAM, "--place",
                         self.folder, "--pages", "60", "--kills", "4", "--full-disks", "0", "--jobs", "shards,pairs")
        rows = list(csv.DictReader(done.stdout.splitlines(), delimiter="\t"))
        self.assertEqual([(row["what"], row["job"], row["runs"], row["wrong"]) for row in rows],
                         [("kill", "shards", "2", "0"), ("kill", "pairs", "2", "0")])
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_usage(self):
        for options in [["--pages", "200000000"], ["--shard", "3/2"], ["--shard", "0/2"], ["--shard", "x"],
                        ["--words", "0"]]:
            self.assertEqual(self.stream(*options, code=2), b"")


if __name__ == "__main__":
    unittest.main()
