"""kith stream on a folder that is damaged, or is an older copy: what is there stays there."""

import os
import shutil
import signal
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl
from test_stream import made_pages


class StreamDamage(KithCase):
    def setUp(self):
        super().setUp()
        self.pages = made_pages(300)
        self.kith("stream", "whole", "-o", "whole.tsv", stdin=jsonl(self.pages).encode())
        self.killed("state", "rows.tsv")

    def killed(self, state, rows):
        """A stream that was killed after all of its rows were written: the log has all pages."""
        process = subprocess.Popen([KITH, "stream", state, "-o", rows, "--durable", "none"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(jsonl(self.pages).encode())
        process.stdin.flush()
        whole = os.path.getsize(self.path("whole.tsv"))
        while not os.path.exists(self.path(rows)) or os.path.getsize(self.path(rows)) < whole:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()

    def everything(self):
        content = {}
        for name in ("rows.tsv", *(f"state/{name}" for name in os.listdir(self.path("state")))):
            with open(self.path(name), "rb") as file:
                content[name] = file.read()
        return content

    def flip(self, at):
        log = self.path("state/stream.1.log")
        with open(log, "r+b") as file:
            at = int(at * os.path.getsize(log))
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 4]))

    def test_a_flipped_bit_is_refused_and_nothing_is_touched(self):
        self.flip(0.5)
        before = self.everything()
        for args in (("-o", "rows.tsv"), ()):
            self.fails("stream", "state", *args, says=("stream.1.log is damaged at byte", "pages or more", "--repair"),
                       stdin=b"")
            self.assertEqual(self.everything(), before)
        self.fails("serve", "--stream", "state", "--port", "0", says="damaged at byte")
        self.assertEqual(self.everything(), before)

    def test_repair_says_what_is_lost_and_only_then_loses_it(self):
        self.flip(0.5)
        before = self.everything()
        out, err = self.kith("stream", "state", "--repair", "-o", "rows.tsv")
        self.assertEqual(out, "")
        self.assertIn("the damaged end of the log is dropped: ", err)
        self.assertIn(" rows of rows.tsv, whose pages are gone, are taken from it", err)
        rows = self.everything()["rows.tsv"]
        self.assertTrue(before["rows.tsv"].startswith(rows))
        # The pages that are gone come again.
        at = rows.count(b"\n") - 1
        self.assertGreater(at, 50)
        self.assertIn(f"going on behind {self.pages[at - 1]['url']}", err)
        self.kith("stream", "state", "-o", "rows.tsv", stdin=jsonl(self.pages[at:]).encode())
        with open(self.path("whole.tsv"), "rb") as whole:
            self.assertEqual(self.everything()["rows.tsv"], whole.read())
        self.assertIn("nothing is damaged", self.kith("stream", "state", "--repair")[1])

    def test_rows_of_a_repaired_stream_stay_where_it_was_repaired_without_them(self):
        self.flip(0.5)
        before = self.everything()["rows.tsv"]
        self.kith("stream", "state", "--repair", "-o", "other.tsv")
        self.fails("stream", "state", "-o", "rows.tsv", code=2, says="more than the stream knows of", stdin=b"")
        self.assertEqual(self.everything()["rows.tsv"], before)

    def test_a_missing_log_is_damage(self):
        os.remove(self.path("state/stream.1.log"))
        before = self.everything()
        for args in (("-o", "rows.tsv"), ()):
            self.fails("stream", "state", *args, says=("stream.1.log is missing", "--repair"), stdin=b"")
            self.assertEqual(self.everything(), before)
        _, err = self.kith("stream", "state", "--repair", "-o", "rows.tsv")
        self.assertIn("300 rows of rows.tsv", err)

    def test_a_torn_end_is_none(self):
        log = self.path("state/stream.1.log")
        os.truncate(log, os.path.getsize(log) // 2)
        _, err = self.kith("stream", "state", "-o", "rows.tsv", stdin=b"")
        self.assertIn("the log ended in the middle of a record, which is gone", err)
        at = self.everything()["rows.tsv"].count(b"\n") - 1
        self.kith("stream", "state", "-o", "rows.tsv", stdin=jsonl(self.pages[at:]).encode())
        with open(self.path("whole.tsv"), "rb") as whole:
            self.assertEqual(self.everything()["rows.tsv"], whole.read())

    def test_an_older_copy_of_the_folder_takes_no_rows(self):
        shutil.copytree(self.path("state"), self.path("copy"))
        self.kith("stream", "state", "-o", "rows.tsv", stdin=jsonl(made_pages(50, seed=2)).encode())
        before = self.everything()["rows.tsv"]
        shutil.rmtree(self.path("state"))
        os.rename(self.path("copy"), self.path("state"))
        self.fails("stream", "state", "-o", "rows.tsv", code=2, says="older copy", stdin=b"")
        self.assertEqual(self.everything()["rows.tsv"], before)


if __name__ == "__main__":
    unittest.main()
