"""A run that is killed, fills the disk or finds a damaged file: the same command again comes to the same bytes."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages

CONTENT = ("--bags", "content", "--min-df", "1")
COMMANDS = {
    "exact": ("cluster", "crawl.jsonl", "-o", "run", *CONTENT),
    "lsh": ("cluster", "crawl.jsonl", "-o", "run", *CONTENT, "--engine", "lsh", "--lanes", "1024"),
    "bags of another run": ("cluster", "first", "-o", "run", "--engine", "lsh"),
    "clusters alone": ("cluster", "first", "-o", "run", "--engine", "lsh", "--neighbours", "0"),
}


def timeless(report):
    """A report without what the clock and the way to the result decide."""
    report = json.loads(report)
    for stage in report["stages"]:
        for key in ("seconds", "peak_memory", "reused", "damage"):
            del stage[key]
    return report


def all_files(folder):
    """Every file below a folder, byte for byte, but for the times in the report."""
    content = {}
    for place, folders, names in os.walk(folder):
        for name in folders:
            content[os.path.relpath(os.path.join(place, name), folder)] = "a folder"
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                content[os.path.relpath(path, folder)] = file.read()
    if "report.json" in content:
        content["report.json"] = timeless(content["report.json"])
    return content


class ResumeCase(KithCase):
    # In memory where that is possible: a run syncs some thirty files.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def setUp(self):
        super().setUp()
        self.write("crawl.jsonl", jsonl(topic_pages(per_topic=12)))
        self.kith("cluster", "crawl.jsonl", "-o", "first", *CONTENT)

    def assert_same(self, files, expected):
        self.assertEqual(sorted(files), sorted(expected))
        for name, content in expected.items():
            self.assertEqual(files[name], content, name)


class Killed(ResumeCase):
    KILLS = 100
    SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

    def interrupt(self, args, moment, how):
        """Starts the program and ends it after `moment` seconds. Whether it was still running."""
        process = subprocess.Popen([KITH, *args], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        time.sleep(moment)
        process.send_signal(how)
        _, err = process.communicate()
        self.assertIn(process.returncode, (0, -how), err)
        return process.returncode == -how

    def undisturbed(self, args):
        """What the command leaves, and the seconds that it takes."""
        start = time.monotonic()
        self.kith(*args)
        seconds = time.monotonic() - start
        files = all_files(self.path("run"))
        shutil.rmtree(self.path("run"))
        return files, seconds

    def test_at_random_moments(self):
        draw = random.Random(1)
        kills = 0
        wanted = {name: self.undisturbed(args) for name, args in COMMANDS.items()}
        while kills < self.KILLS:
            name = draw.choice(sorted(COMMANDS))
            args, (expected, seconds) = COMMANDS[name], wanted[name]
            # The runs that go on are killed as well, until one comes to its end.
            while self.interrupt(args, draw.uniform(0, seconds), draw.choice(self.SIGNALS)):
                kills += 1
            with self.subTest(name, kills=kills):
                self.assert_same(all_files(self.path("run")), expected)
            shutil.rmtree(self.path("run"))


class FullDisk(ResumeCase):
    """A file system of a few kilobytes, mounted where only the test and the program see it."""

    def setUp(self):
        super().setUp()
        self.mount = self.path("disk")
        os.mkdir(self.mount)
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        self.space = subprocess.Popen(["unshare", "--mount", *user, "sh", "-c", "echo ready; exec sleep 600"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.leave_space)
        self.enter = ["nsenter", "--mount", *(["--user", "--preserve-credentials"] if user else []),
                      "--target", str(self.space.pid), "sh", "-c", 'cd "$0" && exec "$@"', self.folder]
        if self.space.stdout.readline() != b"ready\n" or self.inside("mount", "-t", "tmpfs", "tmpfs", self.mount)[0]:
            self.skipTest("may not mount a tmpfs")
        self.inside("umount", self.mount)

    def leave_space(self):
        self.space.kill()
        self.space.communicate()

    def inside(self, *command):
        """Exit code and standard error of a command that sees the small disk."""
        result = subprocess.run([*self.enter, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return result.returncode, result.stderr.decode()

    def files_inside(self):
        """The files of the run on the small disk, by way of a copy."""
        copy = self.path("copy")
        self.assertEqual(self.inside("cp", "-r", "disk/run", copy), (0, ""))
        files = all_files(copy)
        shutil.rmtree(copy)
        return files

    def run_with(self, kilobytes, args):
        """Whether the disk was large enough. If it was not: a larger one, and the same command again."""
        self.assertEqual(self.inside("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", self.mount), (0, ""))
        code, err = self.inside(KITH, *args)
        if code == 0:
            self.inside("umount", self.mount)
            return None
        self.assertEqual((code, err.count("\n")), (1, 1), err)
        self.assertRegex(err, "^kith: cannot .* disk/run/.*: No space left on device; free some space or choose "
                              "another place, then run the same command again\n$")
        kept = {}
        if self.inside("test", "-e", "disk/run")[0] == 0:
            kept = self.files_inside()
            self.assertFalse([name for name in kept if name == "tmp" or name.endswith(".tmp")])
        self.assertEqual(self.inside("mount", "-o", "remount,size=64m", self.mount), (0, ""))
        code, err = self.inside(KITH, *args)
        self.assertEqual(code, 0, err)
        self.assert_same(self.files_inside(), self.expected)
        self.inside("umount", self.mount)
        return json.loads(kept["manifest.json"])["stages"] if "manifest.json" in kept else []

    def test_is_one_line_and_the_same_command_goes_on(self):
        args = ["disk/run" if arg == "run" else arg for arg in COMMANDS["lsh"]]
        os.mkdir(self.path("room"))
        os.rmdir(self.mount)
        os.symlink("room", self.mount)  # for once with room enough, under the same name
        self.kith(*args)
        self.expected = all_files(self.path("room/run"))
        os.unlink(self.mount)
        os.mkdir(self.mount)
        outcomes = []
        for kilobytes in range(8, 400, 12):
            kept = self.run_with(kilobytes, args)
            if kept is None:
                break
            outcomes.append(kept)
        self.assertIn([], outcomes)
        self.assertIn(["bags", "plan"], outcomes)
        self.assertIsNone(kept, "the disk was never large enough")


class Damaged(ResumeCase):
    def test_a_damaged_file_is_named_and_only_its_stage_is_run_again(self):
        for command, args in COMMANDS.items():
            self.kith(*args)
            expected = all_files(self.path("run"))
            for name, stage in (("bags.kith", "bags"), ("neighbours.kith", "pairs"), ("clusters.kith", "cluster")):
                if name not in expected:
                    continue
                with self.subTest(command, file=name):
                    damaged = bytearray(expected[name])
                    damaged[len(damaged) // 2] ^= 1
                    os.remove(self.path("run/" + name))
                    self.write("run/" + name, bytes(damaged))
                    _, err = self.kith(*args)
                    note = err.splitlines()[0]
                    self.assertRegex(note, f"^kith: run/{name}: .*; the {stage} stage is run again$")
                    rows = [line for line in err.splitlines() if "from an earlier run" in line or "made anew" in line]
                    self.assertEqual([row.split()[0] for row in rows if "made anew" in row], [stage])
                    self.assert_same(all_files(self.path("run")), expected)
            shutil.rmtree(self.path("run"))

    def test_verify_finds_a_sound_file_of_another_run(self):
        self.kith(*COMMANDS["exact"])
        self.kith("cluster", "first", "-o", "other", "--similarity", "0.9")
        shutil.copy(self.path("other/clusters.kith"), self.path("run/clusters.kith"))
        self.fails("info", "run", "--verify", says=["run/clusters.kith: is not the file that this run has made",
                                                    "the kith command that made it"])


if __name__ == "__main__":
    unittest.main()
