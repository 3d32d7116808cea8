"""Threads that the system does not start: every job goes on with those it has, says so, and comes to the same bytes."""

import os
import resource
import subprocess
import unittest

from kith_case import DATA, KITH, KithCase, jsonl, topic_pages

SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")
SANITIZED = bool(os.environ.get("KITH_SANITIZE"))


class FewThreads(KithCase):
    def kith_within(self, limit, most, *args):
        """Runs the program within a limit; returns what it says on standard error."""
        done = subprocess.run([KITH, *args], cwd=self.folder, capture_output=True, text=True, check=False, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(limit, (most, most)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def assert_warned(self, said):
        self.assertEqual(said.count("the system starts no more"), 1, said)
        self.assertRegex(said, r"goes on with \d+ of 800 threads")

    @unittest.skipIf(SANITIZED, "a sanitizer reserves address space of its own")
    def test_address_space(self):
        for command in ("cluster", "dedup"):
            said = self.kith_within(resource.RLIMIT_AS, 2 << 30, command, SAMPLE, "-o", f"few-{command}",
                                    "--threads", "800", "--memory", "256M")
            self.assert_warned(said)
            self.kith(command, SAMPLE, "-o", f"many-{command}", "--memory", "256M")
            self.assertEqual(self.files_of(f"few-{command}"), self.files_of(f"many-{command}"))

    @unittest.skipIf(SANITIZED, "a sanitizer reserves address space of its own")
    def test_commands_that_write_no_run(self):
        self.write("pages.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "pages.jsonl", "-o", "run")
        self.assert_warned(self.kith_within(resource.RLIMIT_AS, 2 << 30, "route", "run", "pages.jsonl",
                                            "--threads", "800"))

    @unittest.skipIf(os.geteuid() == 0, "root may have any number of processes")
    def test_processes(self):
        said = self.kith_within(resource.RLIMIT_NPROC, 1, "cluster", SAMPLE, "-o", "few", "--threads", "800")
        self.assert_warned(said)

    def test_all_threads_say_nothing(self):
        self.assertNotIn("threads", self.kith("dedup", SAMPLE, "-o", "many", "--threads", "3")[1])


if __name__ == "__main__":
    unittest.main()
