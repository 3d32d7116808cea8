"""--memory is obeyed where pages and documents are read."""

import gzip
import json
import os
import random
import subprocess
import sys
import unittest

from kith_case import KITH, jsonl, warc_gz, warc_record
from memory_case import MEBIBYTE, MemoryCase


def random_words(rng):
    return ["".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(2, 9))) for _ in range(20000)]


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class CrawlMemory(MemoryCase):
    """17,000 pages, read by so many threads that they would take more than they may."""

    LIMIT = 64

    def test_crawl_shards_and_merge(self):
        crawl = self.path("crawl.warc.gz")
        subprocess.run([sys.executable, os.environ["KITH_SYNTHETIC_CRAWL"], "--pages", "16000", "-o", crawl],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        command = ("cluster", crawl, "--threads", "8", "-o")
        self.obeys(self.LIMIT, *command, "within", hard=False)
        code, resident = self.run_within(None, KITH, *command, "free")
        self.assertEqual(code, 0, self.error())
        self.assertGreater(resident, self.LIMIT * MEBIBYTE)
        for shard in ("1", "2"):
            self.obeys(self.LIMIT, *command, "shard" + shard, "--shard", f"{shard}/2", hard=False)
        self.obeys(self.LIMIT, "merge", "shard1", "shard2", "-o", "merged", "--threads", "8", hard=False)
        names = sorted(name for name in os.listdir(self.path("free")) if name.endswith(".kith"))
        self.assertGreaterEqual(len(names), 6)
        for name in names:
            for run in ("within", "merged"):
                if name == "topics.kith" and not os.path.exists(self.path(f"{run}/{name}")):
                    continue  # their graph does not fit the limit
                self.assert_same(f"{run}/{name}", f"free/{name}")


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class LargePages(MemoryCase):
    """130 MB of pages that are nearly as large as --max-page allows, of words and links."""

    LIMIT = 64  # the minimum for pages of 8 MB

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.crawl = cls.for_all_tests().path("crawl.warc.gz")
        rng = random.Random(1)
        words = random_words(rng)
        text = [f'<a href="https://b.example/{i % 1000}">{" ".join(rng.choices(words, k=50))}</a>'
                for i in range(24000)]
        with open(cls.crawl, "wb") as file:
            for i in range(16):
                body = f"<p>{i} {' '.join(text)}".encode()[:8 * MEBIBYTE - 1000]
                file.write(gzip.compress(warc_record(f"https://a{i}.example/", body), 1))

    def test_every_kind_of_bags(self):
        for kind in ("anchor", "content"):
            with self.subTest(kind):
                urls = ("--urls", "all") if kind == "anchor" else ()
                command = ("cluster", self.crawl, "--bags", kind, *urls, "--threads", "2", "-o")
                self.obeys(self.LIMIT, *command, kind, hard=False)
                self.assertEqual(len(self.rows("clusters", kind)), 1016 if kind == "anchor" else 16)
                shards = [f"{kind}-shard{shard}" for shard in (1, 2)]
                for shard, name in enumerate(shards, 1):
                    self.obeys(self.LIMIT, *command, name, "--shard", f"{shard}/2", hard=False)
                self.obeys(self.LIMIT, "merge", *shards, "-o", kind + "-merged", "--threads", "2", hard=False)
                for name in ("bags.kith", "clusters.kith", "neighbours.kith"):
                    self.assert_same(f"{kind}-merged/{name}", f"{kind}/{name}")


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class DedupMemory(MemoryCase):
    """30 MB of text in documents of all sizes, half of them near-duplicates, and some of 8 MB."""

    LIMIT = 64  # the minimum for pages of 8 MB

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls.for_all_tests()
        rng = random.Random(1)
        words = random_words(rng)
        cls.documents = case.path("documents.jsonl")
        with open(cls.documents, "w", encoding="utf-8") as file:
            def put(text, field="text"):
                file.write(json.dumps({"id": file.tell(), field: text}) + "\n")
            for i in range(3000):
                text = rng.choices(words, k=rng.choice((20, 200, 2000)))
                put(" ".join(text))
                text[rng.randrange(len(text))] = "changed"
                put(" ".join(text))
        large = " ".join(rng.choices(words, k=9 * MEBIBYTE // 7))[:8 * MEBIBYTE - 3]
        cls.large_lines = case.write("lines.jsonl", jsonl([{"text": large}, {"html": "<p>" + large}] * 2))
        page = {"url": "https://a.example/", "html": "<p>" + large}
        cls.large_records = case.write("records.warc.gz", warc_gz([page] * 4))

    def test_dedup(self):
        inputs = (self.large_records, self.documents)
        self.obeys(self.LIMIT, "dedup", *inputs, "-o", "within", "--threads", "2")
        code, resident = self.run_within(None, KITH, "dedup", *inputs, "-o", "free", "--threads", "2")
        self.assertEqual(code, 0, self.error())
        self.assertGreater(resident, self.LIMIT * MEBIBYTE)
        self.assert_same_runs("within", "free")

    def test_large_lines(self):
        # Of a line the parser of JSON reserves several times its size, and touches little of it: no hard limit.
        for run, options in (("within", ("--memory", f"{self.LIMIT}M")), ("free", ())):
            code, resident = self.run_within(None, KITH, "dedup", self.large_lines, "-o", run, "--threads", "2",
                                             *options)
            self.assertEqual(code, 0, self.error())
            if options:
                self.assertLessEqual(resident, self.LIMIT * MEBIBYTE)
        self.assert_same_runs("within", "free")

    def test_words_of_one_letter(self):
        # A page of 8 MB has 4 million of them, whose shingles take 32 MB; those of its characters take twice as much.
        letters = self.write_letters()
        for name, least, options in (("words", 64, ()), ("bag", 64, ("--bag",)),
                                     ("characters", 96, ("--shingles", "characters"))):
            with self.subTest(name):
                self.obeys(least, "dedup", letters, "-o", name, "--threads", "2", *options, hard=False)
                self.assertEqual(len(self.list(f"{name}/keep.tsv")), 1)
                self.kith("dedup", letters, "-o", name + "-free", "--threads", "2", *options)
                self.assert_same_runs(name, name + "-free")
        self.fails("dedup", letters, "-o", "refused", "--shingles", "characters", "--memory", "95M", code=2,
                   says="give --memory 96M")

    def write_letters(self):
        text = " ".join(random.Random(2).choices("abcdefghijklmnopqrstuvwxyz", k=4 * MEBIBYTE))[:8 * MEBIBYTE - 1000]
        pages = [{"url": f"https://a{i}.example/", "html": f"<p>{i} {text[i:]}"} for i in range(2)]
        return self.write("letters.warc.gz", warc_gz(pages))

    def assert_same_runs(self, a, b):
        names = sorted(name for name in os.listdir(self.path(a)) if name.endswith((".kith", ".tsv")))
        self.assertEqual(len(names), 10)
        for name in names:
            self.assert_same(f"{a}/{name}", f"{b}/{name}")

    def test_too_little_is_refused(self):
        small = self.write("small.jsonl", '{"text": "a b c d e f"}\n')
        self.fails("dedup", small, "-o", "run", "--memory", "63M", code=2, says="at least 64M")
        self.fails("dedup", small, "-o", "run", "--memory", "128M", "--max-page", "32M", code=2,
                   says=("128 MiB of memory are too few for pages of up to 33554432 bytes", "--memory 184M",
                         "--max-page"))
        self.assertFalse(os.path.exists(self.path("run")))
        page = self.write("page.jsonl", '{"url": "https://a.example/", "html": "a page"}\n')
        for shard in ((), ("--shard", "1/2")):
            self.fails("cluster", page, "-o", "run", "--memory", "128M", "--max-page", "32M", *shard, code=2,
                       says=("128 MiB of memory are too few for pages of up to 33554432 bytes", "--memory 184M"))
        self.kith("dedup", small, "-o", "run", "--memory", "184M", "--max-page", "32M")


if __name__ == "__main__":
    unittest.main()
