"""A run that is killed: the same command again comes to the same bytes, and leaves nothing else."""

import itertools
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

from kith_case import KITH
from resume_case import COMMANDS, ResumeCase, all_files, finished_stages, temporary_files


class Killed(ResumeCase):
    SLOW = bool(os.environ.get("KITH_SANITIZE") or os.environ.get("KITH_EMULATED"))
    # Some files are there for milliseconds only: a busy machine may need more than one round to meet them.
    ROUNDS = 1 if SLOW else 5
    TO_MEET = {"bags", "plan", "sketch", "documents", "tmp/digests", "tmp/fragments-", "tmp/nearest-",
               "tmp/pairs.survivors."}
    KILLS = 3 if SLOW else 12  # of every command, by SIGKILL; other signals come on top
    SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

    def setUp(self):
        super().setUp()
        self.inputs = all_files(self.folder)
        self.kills = 0
        self.met = set()  # by the kills: the last stages that were finished, and temporary files

    def undisturbed(self, args):
        """What the command leaves, and the seconds of processors that it takes."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.kith(*args)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        files = all_files(self.path("run"))
        shutil.rmtree(self.path("run"))
        return files, seconds

    def interrupt(self, args, moment, how):
        """Starts the program and ends it when it has used `moment` seconds. Whether it was still running.

        Seconds of processors, which do not depend on what else the machine is busy with."""
        process = subprocess.Popen([KITH, *args], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        clock = ~process.pid << 3 | 2  # clock_getcpuclockid()
        while process.poll() is None and time.clock_gettime(clock) < moment:
            time.sleep(0.0005)
        process.send_signal(how)
        _, err = process.communicate()
        self.assertIn(process.returncode, (0, -how), err)
        if process.returncode == -signal.SIGKILL:
            self.kills += 1
            files = all_files(self.path("run"))
            self.met.update(temporary_files(files), finished_stages(files)[-1:])
        return process.returncode == -how

    def kill_often(self, args, draw):
        """Kills runs until there were enough kills, and compares what each of the runs leaves in the end."""
        expected, seconds = self.undisturbed(args)
        enough = self.kills + self.KILLS
        # Multiples of the golden ratio, as fractions of 1, spread over it, however many there are.
        shares = itertools.count(draw.random(), 0.618034)
        while self.kills < enough:
            moment = next(shares) % 1 * seconds
            # A few of the runs that go on are interrupted as well.
            for how in (signal.SIGKILL, *draw.choices(self.SIGNALS, k=draw.randrange(4))):
                if not self.interrupt(args, moment, how):
                    break
                moment = draw.uniform(0, seconds)
            self.kith(*args)
            self.assert_same(all_files(self.path("run")), expected)
            shutil.rmtree(self.path("run"))

    def test_at_random_moments(self):
        for seed in range(self.ROUNDS):
            for name, command in COMMANDS.items():
                with self.subTest(name):
                    self.kill_often((*command, "-o", "run"), random.Random(f"{seed} {name}"))
            if self.TO_MEET <= self.met:
                break
        self.assert_same(all_files(self.folder), self.inputs)
        if not self.SLOW:
            self.assertGreater(self.kills, 100)
            # Or the moments are not spread over the runs, or these have memory enough.
            self.assertLessEqual(self.TO_MEET, self.met)


if __name__ == "__main__":
    unittest.main()
