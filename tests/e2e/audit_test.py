#!/usr/bin/python3
"""The precision and recall of `kith audit` that docs/algorithms/audit.md promises, on made crawls."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")


class AuditFamilies(unittest.TestCase):
    def test_both_halves(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(BENCH, "audit_pages.py"), "-o", folder], check=True,
                           stdout=subprocess.DEVNULL)
            for half in ("tune", "measure"):
                out = subprocess.run([sys.executable, os.path.join(BENCH, "audit.py"), "--show",
                                      "--kith", os.environ["KITH"], os.path.join(folder, half + ".warc.gz"),
                                      os.path.join(folder, half + ".tsv")],
                                     check=True, capture_output=True, text=True).stdout
                precision, recall = (float(re.search(name + r" +([\d.]+)", out)[1]) for name in ("precision", "recall"))
                self.assertGreaterEqual(precision, .95, out)
                self.assertGreaterEqual(recall, .80, out)


if __name__ == "__main__":
    unittest.main()
