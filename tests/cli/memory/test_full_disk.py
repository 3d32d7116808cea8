"""A run that fills the disk ends with one clear line; with more room the same command goes on to the same bytes."""

import os
import shutil
import subprocess
import unittest

from kith_case import KITH, jsonl
from resume_case import COMMANDS, ResumeCase, all_files, finished_stages, temporary_files
from stream.test_stream import made_pages


class FullDisk(ResumeCase):
    """A file system of a few kilobytes, mounted where only the test and the program see it."""

    def setUp(self):
        super().setUp()
        self.mount = self.path("disk")
        os.mkdir(self.mount)
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        self.space = subprocess.Popen(["unshare", "--mount", *user, "sh", "-c", "echo ready; exec cat"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.leave_space)
        self.enter = ["nsenter", "--mount", *(["--user", "--preserve-credentials"] if user else []),
                      "--target", str(self.space.pid), "sh", "-c", 'cd "$0" && exec "$@"', self.folder]
        if self.space.stdout.readline() != b"ready\n" or self.inside("mount", "-t", "tmpfs", "tmpfs", self.mount)[0]:
            self.skipTest("may not mount a tmpfs")
        self.inside("umount", self.mount)

    def leave_space(self):
        self.space.communicate()  # it ends with its input

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

    def undisturbed(self, args):
        """What the command leaves where there is room enough, under the same name."""
        os.rmdir(self.mount)
        os.makedirs(self.path("room"))
        os.symlink("room", self.mount)
        self.kith(*args)
        files = all_files(self.path("room/run"))
        os.unlink(self.mount)
        shutil.rmtree(self.path("room"))
        os.mkdir(self.mount)
        return files

    def run_on(self, kilobytes, args, expected):
        """Whether a disk of that size is too small for the command. If so it goes on on a larger one."""
        self.assertEqual(self.inside("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", self.mount), (0, ""))
        try:
            code, err = self.inside(KITH, *args)
            if code == 0:
                return False
            self.assertEqual((code, err.count("\n")), (1, 1), err)
            self.assertRegex(err, "^kith: cannot .* disk/run/.*: No space left on device; free some space or choose "
                                  "another place, then run the same command again\n$")
            kept = self.files_inside() if self.inside("test", "-e", "disk/run")[0] == 0 else {}
            self.assertEqual(temporary_files(kept), set())
            finished = finished_stages(kept)
            self.assertEqual(bool(finished), bool(kept))  # without a stage it is as if there was no run
            self.kept.update(finished[-1:] or ["nothing"])
            self.assertEqual(self.inside("mount", "-o", "remount,size=1g", self.mount), (0, ""))
            self.assertEqual(self.inside(KITH, *args)[0], 0)
            self.assert_same(self.files_inside(), expected)
            return True
        finally:
            self.inside("umount", self.mount)

    def test_is_one_line_and_the_same_command_goes_on(self):
        self.kept = set()  # the last stages that were finished before a disk was full
        for name, command in COMMANDS.items():
            args = (*command, "-o", "disk/run")
            expected = self.undisturbed(args)
            for kilobytes in (2 ** i for i in range(3, 20)):
                with self.subTest(name, kilobytes=kilobytes):
                    if not self.run_on(kilobytes, args, expected):
                        break
            else:
                self.fail(f"{name}: the disk was never large enough")
        self.assertLessEqual({"nothing", "plan", "sketch", "documents", "groups"}, self.kept)

    def stream_on(self, kilobytes, args, expected):
        """Whether a disk of that size is too small for a stream. If so it goes on on a larger one."""
        self.assertEqual(self.inside("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", self.mount), (0, ""))
        try:
            code, err = self.inside(KITH, *args)
            if code == 0:
                return False
            self.assertEqual(code, 1, err)
            self.assertRegex(err, "(^|\\n)kith: cannot .* disk/.*: No space left on device[^\\n]*\\n$")
            self.assertEqual(self.inside("mount", "-o", "remount,size=1g", self.mount), (0, ""))
            code, err = self.inside(KITH, *args)
            self.assertEqual(code, 0, err)
            self.assertEqual(self.inside("cmp", "disk/rows.tsv", expected), (0, ""))
            self.assertEqual(self.inside("test", "-e", "disk/state/stream.kith.tmp")[0], 1)
            return True
        finally:
            self.inside("umount", self.mount)

    def test_a_stream_loses_no_row_and_repeats_none(self):
        self.write("pages.jsonl", jsonl(made_pages(3000)))
        self.kith("stream", "whole", "pages.jsonl", "-o", "whole.tsv", "--by", "simhash")
        args = ("stream", "disk/state", "pages.jsonl", "-o", "disk/rows.tsv", "--by", "simhash")
        too_small = 0
        for kilobytes in range(4, 4000, 56):
            with self.subTest(kilobytes=kilobytes):
                if not self.stream_on(kilobytes, args, "whole.tsv"):
                    break
            too_small += 1
        else:
            self.fail("the disk was never large enough")
        self.assertGreater(too_small, 10)


if __name__ == "__main__":
    unittest.main()
