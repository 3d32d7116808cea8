"""kith info --verify: any change of any file of a run is noticed, and what is wrong is named."""

import os
import re
import signal
import subprocess
import time
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages


class Verify(KithCase):
    JOBS = ("cluster", "dedup")

    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", jsonl(topic_pages()))
        for job in self.JOBS:
            self.kith(job, "pages.jsonl", "-o", job)

    def test_a_changed_digit_of_the_manifest(self):
        for job in self.JOBS:
            path = self.path(job + "/manifest.json")
            with open(path, encoding="utf-8") as file:
                sound = file.read()
            digits = [found.start() for found in re.finditer(r"[0-9](?=[0-9a-f]*\")", sound)]
            for at in digits[::7]:
                self.write(path, sound[:at] + str((int(sound[at]) + 1) % 10) + sound[at + 1:])
                err = self.kith("info", job, "--verify", code=1)[1]
                self.assertIn(job + "/manifest.json", err)
            self.write(path, sound)
            self.kith("info", job, "--verify")

    def test_a_report_that_is_missing_or_damaged(self):
        for job in self.JOBS:
            path = self.path(job + "/report.json")
            with open(path, encoding="utf-8") as file:
                sound = file.read()
            for damage in (sound.replace("1", "2", 1), "{}", sound[:-20]):
                self.write(path, damage)
                self.fails("info", job, "--verify", says=job + "/report.json: is damaged")
            os.remove(path)
            self.fails("info", job, "--verify", says=job + "/report.json: is missing")


class LostFile(KithCase):
    def test_the_signal_of_a_lost_page_ends_with_a_message(self):
        """What a mapping raises whose file was cut off, sent by hand: at the right moment nobody can."""
        command = subprocess.Popen([KITH, "cluster", "-", "-o", "run", "--log", "log"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(self.path("run")):
            time.sleep(0.01)
        command.send_signal(signal.SIGBUS)
        _, err = command.communicate()
        self.assertEqual(command.returncode, 1)
        self.assertIn(b"kith: a file that was being read has been cut off", err)
        with open(self.path("log"), encoding="utf-8") as log:
            self.assertIn("has been cut off", log.read())


if __name__ == "__main__":
    unittest.main()
