"""Time is linear in the input, whatever it holds: counted in instructions, so that the load of the machine does not
matter."""

import os
import re
import shutil
import subprocess
import unittest

import hostile
from kith_case import KITH, KithCase

MAX_FOR_TWICE = 2.6  # times the instructions; 2 is exactly linear
NOISE = 1_000_000    # instructions: tables that grow by doubling

CRAWL = ["crawl", "IN"]
CLUSTER = ["cluster", "IN", "-o", "run", "--threads", "1", "--memory", "128M"]
ALIASES = [*CLUSTER, "--aliases", "fold"]
CONTENT = [*CLUSTER, "--bags", "content"]
DEDUP = ["dedup", "IN", "-o", "run", "--threads", "1", "--memory", "128M"]
PASSAGES = [*DEDUP, "--unit", "span", "--min-tokens", "4", "--sentences", "--passages", "first"]
LINES = [*DEDUP, "--unit", "paragraph"]
COMPARE = ["compare", "IN", "IN2"]
STREAM = ["stream", "RUN", "IN", "--durable", "none", "--memory", "128M"]
STREAM_OF_BAGS = [*STREAM, "--by", "bags"]
STREAM_OF_MEANS = [*STREAM_OF_BAGS, "--leader", "mean"]

# What is run on what, and the smaller n. Two generators share a run, which takes its time to start,
# where both cost about the same: one that is quadratic still makes three times the instructions.
CASES = [
    (CRAWL, {hostile.heads_without_end: 8_000, hostile.heads_of_invalid_length: 5_000}),
    (CRAWL, {hostile.lengths_that_are_wrong: 1_000, hostile.lengths_over_the_end: 1_000}),
    (CRAWL, {hostile.tiny_members: 200}),
    (CRAWL, {hostile.tiny_chunks: 40_000, hostile.attributes: 40_000}),
    (CRAWL, {hostile.markup: 20_000}),
    (CRAWL, {hostile.json_lines: 20_000}),
    (CONTENT, {hostile.words: 10_000, hostile.colliding_words: 4_000}),
    (DEDUP, {hostile.words: 6_000}),
    (DEDUP, {hostile.documents_of_one_shingle: 300}),
    (PASSAGES, {hostile.texts_with_passages: 6_000}),
    (LINES, {hostile.words: 6_000, hostile.texts_with_passages: 6_000}),
    (CLUSTER, {hostile.long_base: 8_000, hostile.dotted_links: 5_000}),
    (CLUSTER, {hostile.long_urls: 20_000, hostile.captures_of_one_url: 2_000}),
    (ALIASES, {hostile.chain_of_aliases: 1_500, hostile.ring_of_canonicals: 700}),
    (STREAM, {hostile.leaders_that_go: 2_000}),
    (STREAM, {hostile.template_below_the_threshold: 1_200}),
    (STREAM_OF_BAGS, {hostile.leaders_that_go: 1_500}),
    (STREAM_OF_MEANS, {hostile.leaders_that_go: 1_500}),
    (COMPARE, {hostile.repeated_text: 3_000, hostile.alternating_text: 3_000}),
]


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "valgrind does not run what is sanitized")
@unittest.skipUnless(shutil.which("valgrind"), "needs valgrind, which counts instructions")
class LinearTime(KithCase):
    def count(self, *command):
        # Of valgrind's tools this one counts every byte of a copy or a search that is one instruction.
        result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                 "--vex-guest-chase=no", "--vex-iropt-level=1", *command],
                                cwd=self.folder, capture_output=True, timeout=300)
        log = result.stderr.decode(errors="replace")
        self.assertIn(result.returncode, (0, 1), log)  # 1: of nothing but damage nothing is read
        return int(re.search(r"Collected : (\d+)", log).group(1))

    def instructions(self, command, content):
        shutil.rmtree(self.path("run"), ignore_errors=True)
        self.write("in", content)
        self.write("in2", content[:-1])
        args = [self.path(arg.lower()) if arg in ("IN", "IN2", "RUN") else arg for arg in command]
        return self.count(KITH, *args)

    def assert_linear(self, once, twice):
        self.assertLess(twice, MAX_FOR_TWICE * max(once, 0) + NOISE)

    def test_what_is_quadratic_is_found(self):
        program = "$n = shift; for $i (1 .. $n) { for $j (1 .. $n) { $sum += $j } }"
        once, twice = (self.count("perl", "-e", program, str(n)) - self.count("perl", "-e", program, "0")
                       for n in (200, 400))
        self.assertGreater(once, NOISE)
        with self.assertRaises(AssertionError):
            self.assert_linear(once, twice)

    def test_twice_the_input_takes_twice_the_instructions(self):
        idle = {}
        for command, generators in CASES:
            names = ", ".join(make.__name__ for make in generators)
            with self.subTest(names, command=command[0]):
                if command[0] not in idle:
                    idle[command[0]] = self.instructions(command, hostile.json_lines(1))
                once, twice = (self.instructions(command, b"".join(make(n * times) for make, n in generators.items()))
                               - idle[command[0]] for times in (1, 2))
                if os.environ.get("KITH_SHOW_COUNTS"):
                    print(f"{command[0]:8}{names:54}{once:14,}{twice:14,}{twice / max(once, 1):6.2f}", flush=True)
                self.assert_linear(once, twice)


if __name__ == "__main__":
    unittest.main()
