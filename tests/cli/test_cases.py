"""The cases of tests/data/cases: small inputs from reports, each with what kith must print of it."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CASES = Path(os.environ["KITH_TEST_DATA"]) / "cases"
KITH = Path(os.environ["KITH"]).resolve()
OWN_FILES = ("run", "expected", "status")


def run_case(folder):
    """The exit status and the standard output and error of a case, run in a copy of its folder."""
    with tempfile.TemporaryDirectory(prefix="kith-case-") as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(*OWN_FILES))
        environment = {**os.environ, "PATH": f"{KITH.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        return subprocess.run(["bash", folder / "run"], cwd=copy, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)


def text_of(path, default):
    return path.read_text(encoding="utf-8") if path.exists() else default


class Cases(unittest.TestCase):
    maxDiff = None

    def test_each_prints_what_is_expected(self):
        wanted = re.compile(os.environ.get("KITH_CASES", ""))
        folders = sorted(run.parent for run in CASES.glob("*/run") if wanted.search(run.parent.name))
        self.assertTrue(folders)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(run_case, folders))
        for folder, result in zip(folders, results):
            with self.subTest(folder.name):
                if os.environ.get("KITH_CASES_WRITE"):
                    (folder / "expected").write_text(result.stdout, encoding="utf-8")
                self.assertEqual(result.stdout, text_of(folder / "expected", ""), result.stderr)
                self.assertEqual(result.returncode, int(text_of(folder / "status", "0")), result.stderr)


if __name__ == "__main__":
    unittest.main()
