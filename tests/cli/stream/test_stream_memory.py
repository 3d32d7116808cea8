"""kith stream keeps to --memory also where pages have any number of pairs, and when it is opened again."""

import os
import random
import subprocess
import time
import unittest

from kith_case import KITH, jsonl
from memory_case import MemoryCase

MEBIBYTES = 128


def alike(n):
    """Pages that are alike: each makes a pair with every page before."""
    for number in range(n):
        yield {"url": f"http://x.example/{number}", "text": "one two three four five six seven", "time": 1}


def short(n):
    draw = random.Random(1)
    for number in range(n):
        yield {"url": f"http://site.example/{number}", "text": f"{draw.getrandbits(40):x} {number}", "time": 1}


@unittest.skipIf(os.environ["KITH_SANITIZE"], "a sanitizer has its own memory")
class StreamMemory(MemoryCase):
    def write_pages(self, name, pages):
        with open(self.path(name), "w", encoding="utf-8") as file:
            for page in pages:
                file.write(jsonl([page]))

    def lines_of(self, name):
        with open(self.path(name), "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))

    def kill_when(self, is_time, *args):
        process = subprocess.Popen([KITH, *args], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not is_time():
            time.sleep(0.01)
        process.kill()
        process.wait()

    def test_pairs_and_those_of_a_stream_that_was_killed(self):
        self.write_pages("pages.jsonl", alike(2500))
        pairs = 2500 * 2499 // 2
        command = ("stream", "state", "pages.jsonl", "-o", "rows.tsv", "--pairs")
        self.obeys(MEBIBYTES, *command)
        self.assertEqual(self.lines_of("rows.tsv"), pairs + 1)
        # Killed in the middle: what it has told is not kept to be told again, and the rest is told in parts.
        again = ("stream", "killed", "pages.jsonl", "-o", "killed.tsv", "--pairs")
        half = os.path.getsize(self.path("rows.tsv")) // 2
        rows = self.path("killed.tsv")
        self.kill_when(lambda: os.path.exists(rows) and os.path.getsize(rows) > half, *again, "--durable", "none",
                       "--memory", f"{MEBIBYTES}M")
        self.obeys(MEBIBYTES, *again)
        self.assert_same("rows.tsv", "killed.tsv")

    def test_a_stream_is_opened_in_the_memory_in_which_it_ran(self):
        self.write_pages("pages.jsonl", short(350_000))
        command = ("stream", "state", "pages.jsonl", "-o", "rows.tsv", "--by", "fingerprint", "--format", "jsonl",
                   "--themes", "0")
        log = self.path("state/stream.1.log")
        self.kill_when(lambda: os.path.exists(log) and os.path.getsize(log) > 28 << 20, *command, "--durable", "none",
                       "--memory", f"{MEBIBYTES}M")
        self.assertGreater(os.path.getsize(log), 20 << 20)
        # No row has arrived: all are made again.
        os.truncate(self.path("rows.tsv"), 0)
        self.obeys(MEBIBYTES, *command)
        self.assertEqual(self.lines_of("rows.tsv"), 350_000)

    def test_features_of_a_snapshot_are_not_all_in_memory(self):
        draw = random.Random(3)
        words = [f"{draw.getrandbits(40):x}" for _ in range(20_000)]
        text = lambda: " ".join(draw.choices(words, k=3000))
        self.write_pages("pages.jsonl", ({"url": f"http://x.example/{number}", "text": text(), "time": 1}
                                         for number in range(5000)))
        self.obeys(MEBIBYTES, "stream", "state", "pages.jsonl", "-o", "rows.tsv")
        self.assertGreater(os.path.getsize(self.path("state/stream.kith")), 110 << 20)
        self.obeys(MEBIBYTES, "stream", "state", "pages.jsonl", "-o", "rows.tsv")


if __name__ == "__main__":
    unittest.main()
