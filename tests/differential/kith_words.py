"""What kith reads: the words of every page, and the report of the crawl."""

import json
import os
import shutil
import subprocess

TIMEOUT = 120
# All words of a page with their counts, but for stop words: no stemmer is of Zulu.
OPTIONS = """--bags content --boilerplate keep --min-df 1 --max-df 1 --max-terms 0 --min-words 1
    --weighting tf --language zu --neighbours 0 --topics none --no-check --engine exact
    --memory 512M --threads 1 --quiet""".split()


KEPT_CONTROLS = b"\t\n\x0b\x0c\r\b\x1b"


def is_text(payload):
    """As docs/formats/inputs.md has it: others are passed over as binary."""
    header = payload[:1445]
    controls = sum(byte < 32 and byte not in KEPT_CONTROLS for byte in header)
    return controls * 50 <= len(header)


class Refused(Exception):
    """An error that kith has reported, by an exit code that is documented."""


class Kith:
    def __init__(self, program, folder):
        self.program = program
        self.run = os.path.join(folder, "run")

    def call(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, timeout=TIMEOUT)

    def read(self, paths):
        """The words of the pages by URL, and the report of the crawl. Refused, TimeoutExpired, or
        RuntimeError when kith ends as it is not documented to."""
        shutil.rmtree(self.run, ignore_errors=True)
        result = self.call("cluster", *paths, "-o", self.run, *OPTIONS)
        if result.returncode in (1, 2):
            raise Refused(result.stderr.decode())
        if result.returncode != 0:
            raise RuntimeError(f"kith ended with {result.returncode}: {result.stderr.decode()}")
        with open(os.path.join(self.run, "report.json"), encoding="utf-8") as file:
            report = json.load(file)["crawl"]
        bags = map(json.loads, self.call("bags", self.run).stdout.splitlines())
        return {bag["url"]: set(bag["terms"]) for bag in bags}, report
