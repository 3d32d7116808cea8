"""--memory is obeyed by kith paper, as test_memory.py has it of the other engines."""

import json
import os
import subprocess
import unittest

from kith_case import KITH
from memory_case import BAGS, MEBIBYTE, MemoryCase


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class PaperMemory(MemoryCase):
    """120,000 bags: 31 MB, and 38 MB of signatures by the paper."""

    # So few that the one-byte signatures, 9 MB, are cut into blocks.
    LIMIT = 64

    def report(self, run):
        with open(self.path(run + "/report.json"), "rb") as file:
            return json.load(file)

    def test_every_stage_and_step(self):
        subprocess.run([BAGS, "--urls", "120000", "-o", self.path("bags")], check=True, stdout=subprocess.DEVNULL)
        command = ("paper", "bags", "-o")
        self.obeys(self.LIMIT, *command, "within", "--threads", "2")
        code, resident = self.run_within(None, KITH, *command, "free", "--threads", "2")
        self.assertEqual(code, 0, self.error())
        self.assertGreater(resident, self.LIMIT * MEBIBYTE)

        within, free = self.report("within"), self.report("free")
        for stage in within["stages"] + within["steps"]:
            self.assertLessEqual(stage["peak_memory"], self.LIMIT * MEBIBYTE, stage["stage"])
        self.assertGreater(within["pairs"].pop("blocks"), 2)
        self.assertEqual(free["pairs"].pop("blocks"), 1)
        self.assertEqual(within["pairs"], free["pairs"])
        names = sorted(name for name in os.listdir(self.path("free")) if name.endswith(".kith"))
        self.assertEqual(len(names), 7)
        for name in names:
            self.assert_same(f"within/{name}", f"free/{name}")


if __name__ == "__main__":
    unittest.main()
