"""A tool of tools/ that checks a tree of files."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")


class TreeCase(unittest.TestCase):
    tool = ""  # its name in tools/

    def check(self, files):
        """Runs the tool over a tree of {path: text}; returns (exit status, offending lines)."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", self.tool), "--root", root],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout.splitlines()[:-1]
