"""A kith dedup that is killed: the same command again comes to the same bytes."""

import os
import random
import signal
import subprocess
import time
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages


class DedupResumeTest(KithCase):
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def files(self, run):
        content = {}
        for name in os.listdir(self.path(run)):
            if name not in ("report.json", "manifest.json"):
                with open(self.path(f"{run}/{name}"), "rb") as file:
                    content[name] = file.read()
        return content

    def test_killed_at_any_moment(self):
        self.write("in.jsonl", jsonl(topic_pages(100)))
        command = ("dedup", "in.jsonl", "--similarity", "0.6", "--width", "3", "-o")
        started = time.monotonic()
        self.kith(*command, "whole")
        seconds = time.monotonic() - started
        expected = self.files("whole")
        self.assertIn("groups.tsv", expected)
        rng = random.Random(1)
        for attempt in range(8):
            run = f"run{attempt}"
            process = subprocess.Popen([KITH, *command, run], cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, seconds))
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.kith(*command, run)
            self.assertEqual(self.files(run), expected)


if __name__ == "__main__":
    unittest.main()
