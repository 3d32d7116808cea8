"""tools/evaluate_clusters.py on clusterings whose figures are known."""

import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "evaluate_clusters.py")


class EvaluateClustersTest(unittest.TestCase):
    def evaluate(self, clusters, labels, *options):
        """clusters: (cluster, url, role); labels: (url, package, topic). Returns the output."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.tsv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("url\tpackage\ttopic\tpath\n")
                file.writelines("\t".join(row) + "\tp\n" for row in labels)
            text = "cluster\turl\trole\tsimilarity\n" + "".join(
                "\t".join(row) + "\t1\n" for row in clusters)
            done = subprocess.run([sys.executable, TOOL, "-", path, *options], input=text,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

    def figures(self, output, section, level):
        lines = output[output.index(section):].splitlines()
        return next(line.split() for line in lines if line.startswith(level + " "))[1:]

    LABELS = [("u1", "a", "x/a"), ("u2", "a", "x/a"), ("u3", "b", "x/b"), ("u4", "b", "x/b")]

    def test_perfect(self):
        output = self.evaluate([("1", "u1", "center"), ("1", "u2", "member"),
                                ("2", "u3", "center"), ("2", "u4", "member")], self.LABELS)
        self.assertEqual(self.figures(output, "All labelled", "package"),
                         ["2", "1.000", "1.000", "1.000", "1.000"])
        self.assertIn("(0 of 2 are mixed)", output)

    def test_half_wrong(self):
        # Pairs together: u1u3, u2u4; alike: u1u2, u3u4; none agrees; expected 4/6.
        # ARI = (0 - 2/3) / (2 - 2/3) = -0.5.
        output = self.evaluate([("1", "u1", "center"), ("1", "u3", "member"),
                                ("2", "u2", "center"), ("2", "u4", "member")], self.LABELS,
                               "--level", "package")
        self.assertEqual(self.figures(output, "All labelled", "package"),
                         ["2", "0.500", "0.000", "0.000", "-0.500"])
        self.assertIn("(2 of 2 are mixed)", output)
        self.assertIn("cluster 1: 1 strangers: a 1, b 1", output)

    def test_singles_and_unlabelled(self):
        output = self.evaluate([("1", "u1", "center"), ("1", "u2", "member"), ("2", "u3", "single"),
                                ("3", "elsewhere", "single")], self.LABELS)
        self.assertIn("4 URLs, 1 of them without a label; 1 labelled URLs are in no cluster", output)
        self.assertIn("3 clusters, 1 of two and more; singles are 50.0% of the URLs", output)
        self.assertIn("All labelled URLs: 3 URLs", output)
        self.assertIn("Those in clusters of two and more: 2 URLs", output)

    def test_empty(self):
        self.assertIn("0 URLs", self.evaluate([], self.LABELS))


if __name__ == "__main__":
    unittest.main()
