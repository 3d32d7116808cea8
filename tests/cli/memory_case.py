"""--memory is obeyed: by the resident set, and under a limit that the kernel enforces.

Two measures, since neither alone is honest. The resident set (ru_maxrss of wait4) is what --memory promises; it counts
the pages of mapped files too, but the kernel enforces no limit on it. RLIMIT_DATA is enforced: an allocation beyond it
fails, and kith with it. It counts what only the program can give back (heap, anonymous maps, stacks) as soon as it is
reserved, and not the mapped files, which the kernel drops when memory is short. RLIMIT_AS would count files of any size
that are mapped and never resident. Under a cgroup kith would do as under RLIMIT_DATA: page cache is reclaimed before
anything fails.
"""

import filecmp
import os
import resource
import subprocess

from kith_case import KITH, KithCase

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]
MEBIBYTE = 1 << 20


class MemoryCase(KithCase):
    def run_within(self, mebibytes, *command):
        """Runs a command under a hard limit, or none: its exit code, and the most bytes that were resident.

        A process begins with the resident set of the one that started it: this one keeps no large files in memory."""
        def limit():
            if mebibytes:
                resource.setrlimit(resource.RLIMIT_DATA, (mebibytes * MEBIBYTE, mebibytes * MEBIBYTE))
            # A thread's stack counts as data, whatever the thread needs of it.
            resource.setrlimit(resource.RLIMIT_STACK, (MEBIBYTE, MEBIBYTE))

        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            process = subprocess.Popen(command, cwd=self.folder, stdout=out, stderr=err, preexec_fn=limit,
                                       env={**os.environ, "TMPDIR": self.folder})
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_maxrss * 1024

    def error(self):
        with open(self.path("err"), encoding="utf-8") as file:
            return file.read()

    def assert_same(self, a, b):
        self.assertTrue(filecmp.cmp(self.path(a), self.path(b), shallow=False), a)

    def obeys(self, mebibytes, *args, hard=True, expected=0):
        """With `hard` under a limit that the kernel enforces too: not for many threads, which reserve more than they
        touch."""
        code, resident = self.run_within(mebibytes if hard else None, KITH, *args, "--memory", f"{mebibytes}M")
        self.assertEqual(code, expected, self.error())
        self.assertLessEqual(resident, mebibytes * MEBIBYTE, f"kith {' '.join(args)}: {resident} bytes")
