"""--memory is kept for vocabularies that do not fit it."""

import json
import multiprocessing
import os
import random
import shutil
import unittest

from kith_case import KITH, jsonl, warc_record
from memory_case import MEBIBYTE, MemoryCase


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class ManyWords(MemoryCase):
    """4 MB of text, 300,000 different words of which each third stands in two pages."""

    LIMIT = 64

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = random.Random(1)
        words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(300000)]
        pages = [{"url": f"http://a.example/{i}", "text": " ".join(words[i * 100:i * 100 + 135])} for i in range(3000)]
        cls.crawl = cls.for_all_tests().write("crawl.jsonl", jsonl(pages))

    def test_cluster_shard_and_merge(self):
        # Of so little memory there is none for topics.
        command = ("cluster", self.crawl, "--bags", "content", "--topics", "none", "--threads", "4", "-o")
        code, resident = self.run_within(None, KITH, *command, "free")
        self.assertEqual(code, 0, self.error())
        self.assertGreater(resident, self.LIMIT * MEBIBYTE)
        self.obeys(self.LIMIT, *command, "within", hard=False)
        self.obeys(self.LIMIT, *command, "shard", "--shard", "1/1", hard=False)
        self.obeys(self.LIMIT, "merge", "shard", "-o", "merged", "--threads", "4", hard=False)
        self.kith(*command, "free-shard", "--shard", "1/1")
        self.assert_same("shard/shard.kith", "free-shard/shard.kith")
        names = sorted(name for name in os.listdir(self.path("free")) if name.endswith(".kith"))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            self.assert_same(f"within/{name}", f"free/{name}")
            self.assert_same(f"merged/{name}", f"free/{name}")

    def test_the_report_has_the_peak_of_the_whole_run(self):
        code, resident = self.run_within(None, KITH, "cluster", self.crawl, "--bags", "content", "-o", "run",
                                         "--threads", "2", "--memory", f"{self.LIMIT}M")
        self.assertEqual(code, 0, self.error())
        with open(self.path("run/report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertGreaterEqual(report["peak_memory"], max(stage["peak_memory"] for stage in report["stages"]))
        # The process ends behind its report.
        self.assertLessEqual(resident - report["peak_memory"], MEBIBYTE)


def different_words(count):
    """Words of six letters."""
    rng = random.Random(1)
    text = bytearray(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=7 * count))
    text[6::7] = b" " * count
    return bytes(text)


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class LongLines(MemoryCase):
    """JSON lines, and pages, nearly as long as --max-page allows, whatever they are full of."""

    LIMIT = 64

    def line(self, **fields):
        return json.dumps({"url": "http://a.example/", **fields}) + "\n"

    def test_every_job(self):
        page = lambda html: warc_record("http://a.example/", html)
        long_url = lambda head, tail: page(head + b"\xe9" * 8_000_000 + tail)
        inputs = {"text.jsonl": lambda: self.line(text="whale " * 2_666_666),
                  "title.jsonl": lambda: self.line(title="whale " * 2_600_000, text="a b") * 3,
                  "links.jsonl": lambda: self.line(html="<a href=b>" * 1_600_000),
                  "urls.jsonl": lambda: self.line(html="".join(f"<a href={i}>" for i in range(1_000_000))),
                  "values.jsonl": lambda: self.line(x=[1] * 5_000_000, text="a b"),
                  "href.warc": lambda: long_url(b'<a href="/', b'">x</a>'),
                  "base.warc": lambda: long_url(b'<base href="/', b'">x'),
                  "refresh.warc": lambda: long_url(b'<meta http-equiv=refresh content="0;url=/', b'">x'),
                  "words.warc": lambda: page(different_words(1_150_000)),
                  "links.warc": lambda: page(b"<a href=b>" * 838_000)}
        for name, make in inputs.items():
            # In a process of its own: what this one holds would be counted as the program's.
            writer = multiprocessing.Process(target=lambda name=name, make=make: self.write(name, make()))
            writer.start()
            writer.join()
            for job in (("cluster",), ("cluster", "--bags", "content"), ("cluster", "--shard", "1/1"), ("dedup",)):
                with self.subTest(name, job=job):
                    # A line that is too long is no page, and a run of no page a failure; a shard may be empty.
                    has_run = name != "values.jsonl" or "--shard" in job
                    self.obeys(self.LIMIT, job[0], name, *job[1:], "-o", "run", "--threads", "2", hard=False,
                               expected=0 if has_run else 1)
                    shutil.rmtree(self.path("run"))

    def test_bad_bytes_in_a_long_line(self):
        with open(self.path("in.jsonl"), "wb") as out:
            out.write(b'{"url":"http://a.example/","text":"')
            for _ in range(160):
                out.write(b"\xff" * 100_000)
            out.write(b'"}\n')
        self.obeys(self.LIMIT, "cluster", "in.jsonl", "-o", "run", hard=False, expected=1)


if __name__ == "__main__":
    unittest.main()
