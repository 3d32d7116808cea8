"""kith pairs beyond memory: the same bytes for any memory and threads, and no temporary file left, whatever ends it."""

import os
import signal
import subprocess
import time
import unittest

from kith_case import DATA, KITH, KithCase

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]
ENGINES = ("exact", "lsh")
LITTLE = ("--memory", "64M")


class Pairs(KithCase):
    """Few topics of many pages: a million pairs, which 64 MiB have no room to sort."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls.for_all_tests()
        cls.made = case.folder
        subprocess.run([BAGS, "--urls", "30000", "--topics", "40", "--families", "0.9", "-o",
                        case.path("bags")], check=True,
                       stdout=subprocess.DEVNULL)
        for engine in ENGINES:
            case.kith("cluster", "bags", "-o", engine, "--engine", engine, "--similarity", "0.3", "--no-check",
                      "--neighbours", "0")

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("room"))
        for engine in ENGINES:
            os.symlink(os.path.join(self.made, engine), self.path(engine))

    def environment(self, room="room"):
        return {**os.environ, "TMPDIR": self.path(room)}

    def output_of(self, run, *options):
        done = subprocess.run([KITH, "pairs", run, *options], cwd=self.folder, env=self.environment(),
                              capture_output=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(os.listdir(self.path("room")), [])
        return done.stdout

    def start(self, run, *options, **more):
        process = subprocess.Popen([KITH, "pairs", run, *options], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment(), **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process

    def temporary_files(self):
        return [os.path.join(place, name) for place, _, names in os.walk(self.path("room")) for name in names]

    def wait_for_lines(self, process):
        """Reads the first lines; the pipe is then full, and the program waits for its reader."""
        lines = [process.stdout.readline() for _ in range(10)]
        self.assertTrue(all(line.count(b"\t") == 2 for line in lines))
        return lines

    def test_any_memory_and_threads_give_the_same_bytes(self):
        for engine in ENGINES:
            with self.subTest(engine):
                expected = self.output_of(engine)
                self.assertGreater(expected.count(b"\n"), 500_000)
                for options in ([*LITTLE, "--threads", "1"], [*LITTLE, "--threads", "3"], ["--memory", "100M"]):
                    self.assertTrue(self.output_of(engine, *options) == expected, options)

    def test_a_little_memory_makes_many_runs(self):
        process = self.start("lsh", *LITTLE)
        self.wait_for_lines(process)
        self.assertGreaterEqual(len(self.temporary_files()), 3)

    def test_much_memory_makes_no_file(self):
        process = self.start("lsh", "--memory", "2G")
        self.wait_for_lines(process)
        self.assertEqual(self.temporary_files(), [])

    def test_ends_quietly_when_its_reader_has_enough(self):
        for engine in ENGINES:
            with self.subTest(engine):
                process = self.start(engine, *LITTLE)
                self.wait_for_lines(process)
                closed = time.monotonic()
                process.stdout.close()
                self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)
                self.assertLess(time.monotonic() - closed, 5)
                self.assertEqual(process.stderr.read(), b"")
                self.assertEqual(os.listdir(self.path("room")), [])

    def test_signals_leave_nothing_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process = self.start("lsh", *LITTLE)
                self.wait_for_lines(process)
                self.assertTrue(self.temporary_files())
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), -number)
                self.assertEqual(os.listdir(self.path("room")), [])

    def test_a_signal_while_it_looks_for_pairs(self):
        process = self.start("lsh", *LITTLE)
        while len(self.temporary_files()) < 1 and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), -signal.SIGINT)
        self.assertEqual(os.listdir(self.path("room")), [])

    def test_without_tmpdir_the_run_directory_is_the_place(self):
        environment = {key: value for key, value in os.environ.items() if key != "TMPDIR"}
        process = subprocess.Popen([KITH, "pairs", "lsh", *LITTLE], cwd=self.folder, stdout=subprocess.PIPE,
                                   env=environment)
        self.wait_for_lines(process)
        self.assertTrue([name for name in os.listdir(self.path("lsh")) if name.startswith("kith-pairs-")])
        process.stdout.close()
        process.wait(timeout=60)
        self.assertFalse([name for name in os.listdir(self.path("lsh")) if name.startswith("kith-pairs-")])

    def test_errors_are_one_line_and_leave_nothing(self):
        for options, code, says in ((["--memory", "1M"], 2, "--memory"), (["--memory", "lots"], 2, "--memory"),
                                    (["--threads", "5000"], 2, "--threads")):
            self.fails("pairs", "lsh", *options, code=code, says=says)
        done = subprocess.run([KITH, "pairs", "lsh", *LITTLE], cwd=self.folder, env=self.environment("absent"),
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (1, b"", 1))
        self.assertIn(b"TMPDIR", done.stderr)


class PairsOfOtherRuns(KithCase):
    def test_every_engine_on_a_crawl(self):
        sample = os.path.join(DATA, "crawl", "sample.warc.gz")
        for run, command in (("exact", ["cluster", "--engine", "exact"]), ("lsh", ["cluster", "--engine", "lsh"]),
                             ("paper", ["paper"])):
            with self.subTest(run):
                self.kith(*command, sample, "-o", run, "--similarity", "0.2", "--no-check")
                expected = self.kith("pairs", run)[0]
                self.assertGreater(expected.count("\n"), 200)
                self.assertEqual(self.kith("pairs", run, *LITTLE, "--threads", "3")[0], expected)


if __name__ == "__main__":
    unittest.main()
