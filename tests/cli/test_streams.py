#!/usr/bin/python3
"""Standard streams that are full or closed: an error at most, never an abort, never a broken run."""

import os
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages


class Streams(KithCase):
    def setUp(self):
        super().setUp()
        self.write("crawl.jsonl", jsonl(topic_pages(2)))
        self.kith("cluster", "crawl.jsonl", "-o", "run", "--bags", "content")

    def shell(self, line, code):
        result = subprocess.run(["bash", "-c", line], cwd=self.folder, env={**os.environ, "K": KITH},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, code, (line, result.stderr))
        return result

    def test_what_standard_error_cannot_take_is_lost_and_nothing_else(self):
        for stream in ("2>/dev/full", "2>&-"):
            self.shell(f"$K clusters nonexistent {stream}", 1)
            self.shell(f"$K clustr {stream}", 2)
            self.assertEqual(self.shell(f"$K clusters run {stream}", 0).stdout,
                             self.shell("$K clusters run", 0).stdout)
            self.shell(f"$K cluster crawl.jsonl -o again --bags content {stream}", 0)
            self.assertEqual(self.files_of("again"), self.files_of("run"))
            self.shell(f"rm -r again; $K dedup crawl.jsonl -o list {stream}; rm -r list", 0)

    def test_standard_output_that_cannot_be_written_is_an_error(self):
        for command in ("clusters run", "info run", "info run --json", "crawl crawl.jsonl", "--help",
                        "--version", "tune"):
            for stream in (">/dev/full", ">&-"):
                result = self.shell(f"$K {command} {stream}", 1)
                self.assertIn(b"kith: cannot write standard output: ", result.stderr)
                self.shell(f"$K {command} {stream} 2>&-", 1)

    def test_no_file_of_a_run_takes_the_place_of_a_closed_stream(self):
        self.shell("$K cluster crawl.jsonl -o closed --bags content <&- >&- 2>&-", 0)
        self.assertEqual(self.files_of("closed"), self.files_of("run"))
        self.kith("info", "closed", "--verify")
        self.shell("$K crawl - <&-", 1)


if __name__ == "__main__":
    unittest.main()
