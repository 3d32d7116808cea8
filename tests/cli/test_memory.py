"""--memory is obeyed: by the resident set, and under a limit that the kernel enforces.

Two measures, since neither alone is honest. The resident set (ru_maxrss of wait4) is what --memory promises; it counts the
pages of mapped files too, but the kernel enforces no limit on it. RLIMIT_DATA is enforced: an allocation beyond it fails,
and kith with it. It counts what only the program can give back (heap, anonymous maps, stacks) as soon as it is reserved,
and not the mapped files, which the kernel drops when memory is short. RLIMIT_AS would count files of any size that are
mapped and never resident. Under a cgroup kith would do as under RLIMIT_DATA: page cache is reclaimed before anything fails.
"""

import filecmp
import gzip
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import unittest

from kith_case import KITH, KithCase, jsonl, warc_gz, warc_record

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]
MEBIBYTE = 1 << 20


def random_words(rng):
    return ["".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(2, 9))) for _ in range(20000)]


class MemoryCase(KithCase):
    def run_within(self, mebibytes, *command):
        """Runs a command under a hard limit, or none: its exit code, and the most bytes that were resident.

        A process begins with the resident set of the one that started it: this one keeps no large files in memory."""
        def limit():
            if mebibytes:
                resource.setrlimit(resource.RLIMIT_DATA, (mebibytes * MEBIBYTE, mebibytes * MEBIBYTE))
            # A thread's stack counts as data, whatever the thread needs of it.
            resource.setrlimit(resource.RLIMIT_STACK, (MEBIBYTE, MEBIBYTE))

        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            process = subprocess.Popen(command, cwd=self.folder, stdout=out, stderr=err, preexec_fn=limit,
                                       env={**os.environ, "TMPDIR": self.folder})
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_maxrss * 1024

    def error(self):
        with open(self.path("err"), encoding="utf-8") as file:
            return file.read()

    def assert_same(self, a, b):
        self.assertTrue(filecmp.cmp(self.path(a), self.path(b), shallow=False), a)

    def obeys(self, mebibytes, *args, hard=True):
        """With `hard` under a limit that the kernel enforces too: not for many threads, which reserve more than they touch."""
        code, resident = self.run_within(mebibytes if hard else None, KITH, *args, "--memory", f"{mebibytes}M")
        self.assertEqual(code, 0, self.error())
        self.assertLessEqual(resident, mebibytes * MEBIBYTE, f"kith {' '.join(args)}: {resident} bytes")


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class ClusterMemory(MemoryCase):
    """100,000 bags: 26 MB, and as much of signatures."""

    # So many that runs without a limit take more, and few enough for leaders and pairs to be cut.
    CLUSTER = 96
    PAIRS = 80
    LEAST = 64

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bags = cls.synthetic("bags", 100000)
        # For the exact engine, whose time grows faster than the bags.
        cls.fewer_bags = cls.synthetic("fewer", 60000)

    @classmethod
    def synthetic(cls, name, urls):
        bags = cls.for_all_tests().path(name)
        subprocess.run([BAGS, "--urls", str(urls), "-o", bags], check=True, stdout=subprocess.DEVNULL)
        return bags

    def cluster(self, run):
        return ("cluster", self.bags, "-o", run, "--engine", "lsh", "--similarity", "0.3", "--threads", "2")

    def test_the_limit_is_hard(self):
        greedy = (sys.executable, "-c", f"bytearray({64 * MEBIBYTE})")
        self.assertEqual(self.run_within(128, *greedy)[0], 0)
        self.assertNotEqual(self.run_within(48, *greedy)[0], 0)

    def test_what_the_machine_lacks_ends_with_a_message(self):
        command = (KITH, *self.cluster("run"))
        self.assertEqual(self.run_within(self.LEAST - 24, *command)[0], 1)
        self.assertRegex(self.error(), r"^kith: out of memory; --memory bounds [^\n]*\n$")
        # And the run goes on.
        self.assertEqual(self.run_within(None, *command)[0], 0, self.error())

    def test_cluster_and_pairs(self):
        self.obeys(self.CLUSTER, *self.cluster("within"))
        code, resident = self.run_within(None, KITH, *self.cluster("free"))
        self.assertEqual(code, 0)
        self.assertGreater(resident, self.CLUSTER * MEBIBYTE)
        names = sorted(name for name in os.listdir(self.path("free")) if name.endswith(".kith"))
        self.assertEqual(len(names), 9)
        for name in names:
            if name != "topics.kith" or os.path.exists(self.path("within/topics.kith")):
                self.assert_same(f"within/{name}", f"free/{name}")

        self.obeys(self.PAIRS, "pairs", "within", "--threads", "2")
        os.rename(self.path("out"), self.path("pairs"))
        self.assertGreater(os.path.getsize(self.path("pairs")), 10 * MEBIBYTE)
        code, resident = self.run_within(None, KITH, "pairs", "free", "--threads", "2")
        self.assertEqual(code, 0)
        self.assertGreater(resident, self.PAIRS * MEBIBYTE)
        self.assert_same("out", "pairs")

    def test_every_way_at_the_least(self):
        ways = {
            "exact, many threads": (self.fewer_bags, "--engine", "exact", "--threads", "8"),
            "exact, by mass, best": (self.bags, "--engine", "exact", "--order", "mass", "--assign", "best", "--neighbours", "0"),
            "tables, many threads": (self.bags, "--engine", "lsh", "--threads", "8", "--order", "degree"),
            "tables, long signatures": (self.bags, "--engine", "lsh", "--lanes", "1024", "--neighbours", "0"),
            "tables, a low threshold": (self.bags, "--engine", "lsh", "--similarity", "0.05", "--recall", "0.4", "--neighbours", "0"),
        }
        for way, options in ways.items():
            with self.subTest(way):
                command = ("cluster", *options)
                self.obeys(self.LEAST, *command, "-o", "within", hard=False)
                code, resident = self.run_within(None, KITH, *command, "-o", "free")
                self.assertEqual(code, 0, self.error())
                self.assertGreater(resident, self.LEAST * MEBIBYTE)
                for name in ("clusters.kith", *(() if "--neighbours" in options else ("neighbours.kith",))):
                    self.assert_same(f"within/{name}", f"free/{name}")
                for run in ("within", "free"):
                    shutil.rmtree(self.path(run))

    def test_pairs_of_the_exact_engine(self):
        self.kith("cluster", self.fewer_bags, "-o", "run", "--engine", "exact", "--similarity", "0.3", "--neighbours", "0")
        self.obeys(self.LEAST, "pairs", "run")
        os.rename(self.path("out"), self.path("pairs"))
        self.assertEqual(self.run_within(None, KITH, "pairs", "run")[0], 0)
        self.assert_same("out", "pairs")

    def test_too_many_tables_are_refused(self):
        subprocess.run([BAGS, "--urls", "160000", "-o", self.path("more")], check=True, stdout=subprocess.DEVNULL)
        command = ("cluster", "more", "-o", "run", "--engine", "lsh", "--similarity", "0.1", "--neighbours", "0", "--memory")
        self.assertEqual(self.run_within(None, KITH, *command, "64M")[0], 2)
        # What it names is enough, and the run goes on.
        least = re.search(r"^kith: 64 MiB of memory are too few for 160000 URLs in \d+ tables; --memory (\d+)M is the minimum\n$",
                          self.error()).group(1)
        code, resident = self.run_within(None, KITH, *command, f"{least}M")
        self.assertEqual(code, 0, self.error())
        self.assertLessEqual(resident, int(least) * MEBIBYTE)


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
        text = [f'<a href="https://b.example/{i % 1000}">{" ".join(rng.choices(words, k=50))}</a>' for i in range(24000)]
        with open(cls.crawl, "wb") as file:
            for i in range(16):
                body = f"<p>{i} {' '.join(text)}".encode()[:8 * MEBIBYTE - 1000]
                file.write(gzip.compress(warc_record(f"https://a{i}.example/", body), 1))

    def test_every_kind_of_bags(self):
        for kind in ("anchor", "content"):
            with self.subTest(kind):
                command = ("cluster", self.crawl, "--bags", kind, "--threads", "2", "-o")
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
            code, resident = self.run_within(None, KITH, "dedup", self.large_lines, "-o", run, "--threads", "2", *options)
            self.assertEqual(code, 0, self.error())
            if options:
                self.assertLessEqual(resident, self.LIMIT * MEBIBYTE)
        self.assert_same_runs("within", "free")

    def test_words_of_one_letter(self):
        # A page of 8 MB has 4 million of them, whose shingles take 32 MB; those of its characters take twice as much.
        letters = self.write_letters()
        for name, least, options in (("words", 64, ()), ("bag", 64, ("--bag",)), ("characters", 96, ("--shingles", "characters"))):
            with self.subTest(name):
                self.obeys(least, "dedup", letters, "-o", name, "--threads", "2", *options, hard=False)
                self.assertEqual(len(self.list(f"{name}/keep.tsv")), 1)
                self.kith("dedup", letters, "-o", name + "-free", "--threads", "2", *options)
                self.assert_same_runs(name, name + "-free")
        self.fails("dedup", letters, "-o", "refused", "--shingles", "characters", "--memory", "95M", code=2, says="give --memory 96M")

    def write_letters(self):
        text = " ".join(random.Random(2).choices("abcdefghijklmnopqrstuvwxyz", k=4 * MEBIBYTE))[:8 * MEBIBYTE - 1000]
        pages = [{"url": f"https://a{i}.example/", "html": f"<p>{i} {text[i:]}"} for i in range(2)]
        return self.write("letters.warc.gz", warc_gz(pages))

    def assert_same_runs(self, a, b):
        names = sorted(name for name in os.listdir(self.path(a)) if name.endswith((".kith", ".tsv")))
        self.assertEqual(len(names), 9)
        for name in names:
            self.assert_same(f"{a}/{name}", f"{b}/{name}")

    def test_too_little_is_refused(self):
        small = self.write("small.jsonl", '{"text": "a b c d e f"}\n')
        self.fails("dedup", small, "-o", "run", "--memory", "63M", code=2, says="at least 64M")
        self.fails("dedup", small, "-o", "run", "--memory", "128M", "--max-page", "32M", code=2,
                   says=("128 MiB of memory are too few for pages of up to 33554432 bytes", "--memory 184M", "--max-page"))
        self.assertFalse(os.path.exists(self.path("run")))
        page = self.write("page.jsonl", '{"url": "https://a.example/", "html": "a page"}\n')
        for shard in ((), ("--shard", "1/2")):
            self.fails("cluster", page, "-o", "run", "--memory", "128M", "--max-page", "32M", *shard, code=2,
                       says=("128 MiB of memory are too few for pages of up to 33554432 bytes", "--memory 184M"))
        self.kith("dedup", small, "-o", "run", "--memory", "184M", "--max-page", "32M")


if __name__ == "__main__":
    unittest.main()
