"""What is said where: --quiet, --verbose, --log, NO_COLOR, help topics."""

import os
import pty
import re
import signal
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages

LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (begin|note|detail|summary|error|end) +(\S.*)")


class Messages(KithCase):
    def setUp(self):
        super().setUp()
        self.write("crawl.jsonl", jsonl(topic_pages()))

    def log(self, name="log"):
        """(kind, text) of every line."""
        with open(self.path(name), encoding="utf-8") as file:
            lines = [LOG_LINE.fullmatch(line) for line in file.read().splitlines()]
        self.assertNotIn(None, lines)
        return [line.groups() for line in lines]

    def test_quiet_leaves_errors_only(self):
        for before, after in ((["-q"], []), ([], ["-q"]), (["--quiet"], []), ([], ["--quiet"])):
            self.assertEqual(self.kith(*before, "cluster", "crawl.jsonl", "-o", "run", *after), ("", ""))
        self.fails("cluster", "absent", "-o", "other", "--quiet", says="absent")
        out, err = self.kith("related", "run", "http://music.example/music/1", "--quiet")
        self.assertIn("similarity", out)
        self.assertEqual(err, "")

    def test_verbose_names_stages_and_what_the_command_took(self):
        _, plain = self.kith("cluster", "crawl.jsonl", "-o", "plain")
        _, err = self.kith("cluster", "crawl.jsonl", "-o", "run", "--verbose")
        for stage in ("bags", "plan", "cluster", "topics", "check"):
            self.assertRegex(err, rf"(?m)^kith: stage '{stage}' is finished after [0-9.]+ s$")
            self.assertNotIn(f"stage '{stage}'", plain)
        took = r"kith: done in [0-9.]+ s, with [0-9.]+ MiB of memory at most\n$"
        self.assertRegex(err, took)
        self.assertRegex(self.kith("clusters", "run", "-v")[1], "^" + took)
        self.assertRegex(self.kith("clusters", "absent", "-v", code=1)[1], "failed in")

    def test_a_log_has_all_of_it_whatever_is_printed(self):
        self.kith("cluster", "crawl.jsonl", "-o", "a run", "--quiet", "--log", "log")
        lines = self.log()
        self.assertRegex(lines[0][1], r"^kith \d.*: kith cluster crawl.jsonl -o 'a run' --quiet --log log$")
        self.assertEqual(lines[0][0], "begin")
        self.assertTrue(any(kind == "detail" and "'cluster'" in text for kind, text in lines))
        self.assertTrue(any(kind == "summary" and text.startswith("clusters") for kind, text in lines))
        self.assertEqual(lines[-1], ("end", "exit code 0"))
        # Appended to.
        self.fails("--log", "log", "clusters", "absent", says="absent")
        self.assertEqual(self.log()[:len(lines)], lines)
        kinds = [kind for kind, _ in self.log()[len(lines):]]
        self.assertEqual(kinds, ["begin", "error", "detail", "end"])
        self.assertEqual(self.log()[-1], ("end", "exit code 1"))

    def test_foreign_text_in_a_log_is_escaped(self):
        self.kith("clusters", "a\x1b[2J\nrun", "--log", "log", code=1)
        self.assertIn("'a\\x1B[2J\\nrun'", self.log()[0][1])

    def test_a_log_that_cannot_be_written(self):
        self.fails("cluster", "crawl.jsonl", "-o", "run", "--log", "absent/log",
                   says="--log absent/log: cannot be written: No such file or directory")
        self.assertFalse(os.path.exists(self.path("run")))
        if os.path.exists("/dev/full"):
            self.fails("cluster", "crawl.jsonl", "-o", "run", "-q", "--log", "/dev/full",
                       says="--log /dev/full: cannot be written: No space left on device")

    def test_a_stopped_command_says_so_in_its_log(self):
        with subprocess.Popen([KITH, "cluster", "-", "-o", "run", "--log", "log"], cwd=self.folder,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE) as command:
            while not os.path.exists(self.path("run/tmp")):
                self.assertIsNone(command.poll())
            command.send_signal(signal.SIGTERM)
            _, err = command.communicate()
        self.assertEqual(command.returncode, -signal.SIGTERM)
        with open(self.path("log"), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines()[-1] + "\n", err.decode())

    def test_quiet_and_verbose_exclude_each_other(self):
        for args in (["-q", "info", "run", "-v"], ["info", "run", "-v", "-q"]):
            self.fails(*args, code=2, says="--quiet and --verbose: leave one of them out")


class Terminal(KithCase):
    def on_a_terminal(self, *args, **environment):
        """What a command writes to standard error where that is a terminal."""
        ours, its = pty.openpty()
        clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        with subprocess.Popen([KITH, *args], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=its,
                              env={**clean, "TERM": "xterm", **environment}) as command:
            os.close(its)
            text = b""
            while True:
                try:
                    text += os.read(ours, 1 << 16)
                except OSError:  # the other end is closed
                    break
        os.close(ours)
        return text.decode(), command.returncode

    def test_colours_are_for_terminals_that_want_them(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        red = "\x1b[1;31mkith:\x1b[0m "
        for environment, is_coloured in (({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False),
                                         ({"TERM": "dumb"}, False)):
            with self.subTest(environment):
                said, code = self.on_a_terminal("info", "absent", **environment)
                self.assertEqual(code, 1)
                self.assertTrue(said.startswith(red if is_coloured else "kith: absent"), said)
                run = "-".join(["run", *environment, *environment.values()])
                said, code = self.on_a_terminal("cluster", "crawl.jsonl", "-o", run, **environment)
                self.assertEqual(code, 0)
                self.assertEqual("\x1b[1mclusters" in said, is_coloured)
                # Progress is no colour, but nothing for a dumb terminal.
                self.assertEqual("\x1b[K" in said, environment.get("TERM") != "dumb")
        self.assertEqual(self.on_a_terminal("cluster", "crawl.jsonl", "-o", "quiet", "-q"), ("", 0))
        self.assertNotIn("\x1b", self.kith("info", "absent", code=1)[1])


class Topics(KithCase):
    def test_help_of_topics_and_commands(self):
        listed, _ = self.kith("help", "--help")
        for topic in ("inputs", "runs", "memory", "messages", "environment"):
            out, _ = self.kith("help", topic)
            self.assertGreater(len(out), 100)
            self.assertIn(f"\n  {topic} ", listed)
            self.assertLessEqual(max(map(len, out.splitlines())), 100)
        self.assertEqual(self.kith("help", "kith"), self.kith("--help"))

    def test_unknown_topics(self):
        self.fails("help", "memoyr", code=2, says="there is no topic 'memoyr'; did you mean memory?")
        self.fails("help", "qqqq", code=2, says="there is no topic 'qqqq' ('kith help --help' lists them)")
        self.fails("help", "cluster", "more", code=2, says="help: does not take 'more'")
        self.fails("help", "--man", "memory", code=2, says="a section of kith.1")


if __name__ == "__main__":
    unittest.main()
