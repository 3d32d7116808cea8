"""--memory is obeyed where bags are clustered and pairs are listed."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from kith_case import KITH
from memory_case import BAGS, MEBIBYTE, MemoryCase


@unittest.skipIf(os.environ.get("KITH_SANITIZE"), "a sanitizer has its own memory")
class ClusterMemory(MemoryCase):
    """100,000 bags: 26 MB, and as much of signatures."""

    # So many that runs without a limit take more, and few enough for leaders and pairs to be cut.
    CLUSTER = 96
    PAIRS = 80
    LEAST = 64

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bags = cls.synthetic("bags", 100000)
        # For the exact engine, whose time grows faster than the bags.
        cls.fewer_bags = cls.synthetic("fewer", 60000)

    @classmethod
    def synthetic(cls, name, urls):
        bags = cls.for_all_tests().path(name)
        subprocess.run([BAGS, "--urls", str(urls), "-o", bags], check=True, stdout=subprocess.DEVNULL)
        return bags

    def cluster(self, run):
        return ("cluster", self.bags, "-o", run, "--engine", "lsh", "--similarity", "0.3", "--threads", "2")

    def test_the_limit_is_hard(self):
        greedy = (sys.executable, "-c", f"bytearray({64 * MEBIBYTE})")
        self.assertEqual(self.run_within(128, *greedy)[0], 0)
        self.assertNotEqual(self.run_within(48, *greedy)[0], 0)

    def test_what_the_machine_lacks_ends_with_a_message(self):
        command = (KITH, *self.cluster("run"))
        self.assertEqual(self.run_within(self.LEAST - 24, *command)[0], 1)
        self.assertRegex(self.error(), r"^kith: out of memory; --memory bounds [^\n]*\n$")
        # And the run goes on.
        self.assertEqual(self.run_within(None, *command)[0], 0, self.error())

    def test_cluster_and_pairs(self):
        self.obeys(self.CLUSTER, *self.cluster("within"))
        code, resident = self.run_within(None, KITH, *self.cluster("free"))
        self.assertEqual(code, 0)
        self.assertGreater(resident, self.CLUSTER * MEBIBYTE)
        names = sorted(name for name in os.listdir(self.path("free")) if name.endswith(".kith"))
        self.assertEqual(len(names), 10)
        for name in names:
            if name != "topics.kith" or os.path.exists(self.path("within/topics.kith")):
                self.assert_same(f"within/{name}", f"free/{name}")

        self.obeys(self.PAIRS, "pairs", "within", "--threads", "2")
        os.rename(self.path("out"), self.path("pairs"))
        self.assertGreater(os.path.getsize(self.path("pairs")), 10 * MEBIBYTE)
        code, resident = self.run_within(None, KITH, "pairs", "free", "--threads", "2")
        self.assertEqual(code, 0)
        self.assertGreater(resident, self.PAIRS * MEBIBYTE)
        self.assert_same("out", "pairs")

    def test_every_way_at_the_least(self):
        ways = {
            "exact, many threads": (self.fewer_bags, "--engine", "exact", "--threads", "8"),
            "exact, by mass, best": (self.bags, "--engine", "exact", "--order", "mass", "--assign", "best",
                                     "--neighbours", "0"),
            "tables, many threads": (self.bags, "--engine", "lsh", "--threads", "8", "--order", "degree"),
            "tables, long signatures": (self.bags, "--engine", "lsh", "--lanes", "1024", "--neighbours", "0"),
            "tables, a low threshold": (self.bags, "--engine", "lsh", "--similarity", "0.05", "--recall", "0.4",
                                        "--neighbours", "0"),
        }
        for way, options in ways.items():
            with self.subTest(way):
                command = ("cluster", *options)
                self.obeys(self.LEAST, *command, "-o", "within", hard=False)
                code, resident = self.run_within(None, KITH, *command, "-o", "free")
                self.assertEqual(code, 0, self.error())
                self.assertGreater(resident, self.LEAST * MEBIBYTE)
                for name in ("clusters.kith", *(() if "--neighbours" in options else ("neighbours.kith",))):
                    self.assert_same(f"within/{name}", f"free/{name}")
                for run in ("within", "free"):
                    shutil.rmtree(self.path(run))

    def test_pairs_of_the_exact_engine(self):
        self.kith("cluster", self.fewer_bags, "-o", "run", "--engine", "exact", "--similarity", "0.3",
                  "--neighbours", "0")
        self.obeys(self.LEAST, "pairs", "run")
        os.rename(self.path("out"), self.path("pairs"))
        self.assertEqual(self.run_within(None, KITH, "pairs", "run")[0], 0)
        self.assert_same("out", "pairs")

    def test_too_many_tables_are_refused(self):
        subprocess.run([BAGS, "--urls", "160000", "-o", self.path("more")], check=True, stdout=subprocess.DEVNULL)
        command = ("cluster", "more", "-o", "run", "--engine", "lsh", "--similarity", "0.1",
                   "--neighbours", "0", "--memory")
        self.assertEqual(self.run_within(None, KITH, *command, "64M")[0], 2)
        # What it names is enough, and the run goes on.
        least = re.search(r"^kith: 64 MiB of memory are too few for 160000 URLs in \d+ tables; "
                          r"--memory (\d+)M is the minimum\n$", self.error()).group(1)
        code, resident = self.run_within(None, KITH, *command, f"{least}M")
        self.assertEqual(code, 0, self.error())
        self.assertLessEqual(resident, int(least) * MEBIBYTE)


if __name__ == "__main__":
    unittest.main()
