"""`kith evaluate --json` beside scikit-learn, and beside the definitions of what that lacks.

Real runs of a small crawl, with labels of several kinds: random ones, noisy names of the clusters,
trees, several labels a page. Without scikit-learn its part is skipped.
"""

import collections
import itertools
import json
import random
import unittest

from kith_case import KithCase, jsonl

try:
    from sklearn import metrics
except ImportError:
    metrics = None


def pages(rng, sites=6, per_site=12):
    """Pages of topics that cross sites; words of a topic, and noise."""
    found = []
    for site, number in itertools.product(range(sites), range(per_site)):
        topic = rng.randrange(9)
        words = [f"{'abcdefghi'[topic]}{'klmnopqrst'[rng.randrange(10)]}word" for _ in range(25)]
        words += [f"noise{'uvwxyz'[rng.randrange(6)]}{'klmnopqrst'[rng.randrange(10)]}" for _ in range(8)]
        found.append({"url": f"https://site{site}.example/{number}", "html": " ".join(words)})
    return found


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Labelling:
    """Labels by URL, and what a run says of these URLs."""

    def __init__(self, rows):
        self.labels = collections.defaultdict(list)
        for url, label in rows:
            self.labels[url].append(label)

    def cut(self, depth):
        """By URL: its labels cut at a depth, the first one first."""
        return {url: ["/".join(label.split("/")[:depth]) for label in labels]
                for url, labels in self.labels.items()}


class EvaluateTwin(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = KithCase.for_all_tests()
        cls.case.write("pages.jsonl", jsonl(pages(random.Random(7))))
        cls.case.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--min-df", "1",
                      "--related", "plain")
        cls.cluster, cls.size = {}, collections.Counter()
        for row in cls.case.rows("clusters", "run"):
            cls.cluster[row["url"]] = row["cluster"]
            cls.size[row["cluster"]] += 1
        answers = lambda url, *options: [(row["url"], float(row["similarity"])) for row in
                                         cls.case.rows("related", "run", url, "-n", "20", *options)]
        cls.related = {url: answers(url, "--per-site", "0") for url in cls.cluster}
        cls.elsewhere = {url: answers(url, "--other-sites") for url in cls.cluster}

    def setUp(self):
        self.folder = self.case.folder

    def labellings(self):
        rng = random.Random(11)
        urls = sorted(self.cluster)
        some = rng.sample(urls, len(urls) * 3 // 4)
        random_tree = lambda: "/".join(rng.choice("abc") for _ in range(rng.randint(1, 4)))
        yield [(url, rng.choice("abcdef")) for url in urls]
        yield [(url, self.cluster[url]) for url in urls]
        yield [(url, self.cluster[url] if rng.random() < 0.7 else rng.choice("abc")) for url in some]
        yield [(url, url.replace("/", "_")) for url in some]
        yield [(url, "one") for url in some]
        yield [(url, random_tree()) for url in some]
        yield [(rng.choice(some), random_tree()) for _ in range(3 * len(some))]

    def each_level(self):
        """(labels by URL, level as kith says, whole report, Labelling) of all labellings."""
        for rows in self.labellings():
            self.write("labels.tsv", "url\tlabel\n" + "".join(f"{u}\t{l}\n" for u, l in rows))
            report = json.loads(self.kith("evaluate", "run", "labels.tsv", "--json")[0])
            labelling = Labelling(rows)
            deepest = max(label.count("/") + 1 for _, label in rows)
            self.assertEqual(len(report["levels"]), deepest)
            for level in report["levels"]:
                yield labelling.cut(level["depth"]), level, report, labelling

    def parts(self, labels, level):
        """(URLs, agreement) of both parts of a level."""
        urls = sorted(labels)
        yield urls, level["all"]
        yield [url for url in urls if self.size[self.cluster[url]] > 1], level["clustered"]

    @unittest.skipIf(metrics is None, "scikit-learn is not installed")
    def test_partitions_as_scikit_learn_says(self):
        for labels, level, _, _ in self.each_level():
            for urls, found in self.parts(labels, level):
                true = [labels[url][0] for url in urls]
                clusters = [self.cluster[url] for url in urls]
                self.assertAlmostEqual(found["ari"], metrics.adjusted_rand_score(true, clusters), 9)
                self.assertAlmostEqual(
                    found["nmi"], metrics.normalized_mutual_info_score(true, clusters), 9)
                # One page a label and a cluster: 0 / 0, which scikit-learn resolves by rounding.
                if len(set(true)) < len(true) or len(set(clusters)) < len(clusters):
                    self.assertAlmostEqual(
                        found["ami"], metrics.adjusted_mutual_info_score(true, clusters), 9)
                (_, merged), (split, agreed) = metrics.cluster.pair_confusion_matrix(true, clusters)
                if agreed + merged:
                    self.assertAlmostEqual(found["pair_precision"], agreed / (agreed + merged), 12)
                if agreed + split:
                    self.assertAlmostEqual(found["pair_recall"], agreed / (agreed + split), 12)

    def test_purity(self):
        for labels, level, _, _ in self.each_level():
            for urls, found in self.parts(labels, level):
                both = collections.Counter((self.cluster[url], labels[url][0]) for url in urls)
                best = collections.Counter()
                for (cluster, _), count in both.items():
                    best[cluster] = max(best[cluster], count)
                self.assertAlmostEqual(found["purity"], sum(best.values()) / len(urls), 12)

    def test_bcubed_by_its_definition(self):
        for labels, level, _, _ in self.each_level():
            for urls, found in self.parts(labels, level):
                precision, recall = [], []
                for url in urls:
                    shared = {other: len(set(labels[url]) & set(labels[other])) for other in urls}
                    same = [other for other in urls if self.cluster[other] == self.cluster[url]]
                    precision.append(mean(min(1, shared[other]) for other in same))
                    recall.append(mean((self.cluster[other] == self.cluster[url]) / count
                                       for other, count in shared.items() if count))
                self.assertAlmostEqual(found["bcubed_precision"], mean(precision), 12)
                self.assertAlmostEqual(found["bcubed_recall"], mean(recall), 12)

    def lists(self, labels, elsewhere):
        """By URL: its labelled neighbours, perhaps those on other hosts."""
        for url in labels:
            found = self.elsewhere[url] if elsewhere else self.related[url]
            yield url, [other for other, _ in found if other in labels]

    def test_precision_of_related_pages(self):
        for labels, level, _, _ in self.each_level():
            for key, elsewhere in [("neighbours", False), ("other_hosts", True)]:
                right = [[bool(set(labels[url]) & set(labels[other])) for other in others]
                         for url, others in self.lists(labels, elsewhere)]
                with_some = [entries for entries in right if entries]
                self.assertEqual(level[key]["pages"], len(with_some))
                self.assertEqual(level[key]["without"], len(right) - len(with_some))
                for at in level[key]["at"]:
                    self.assertEqual(at["full"], sum(len(e) >= at["k"] for e in with_some))
                    self.assertAlmostEqual(at["precision"], mean(mean(e[:at["k"]]) for e in with_some), 12)

    @staticmethod
    def distance(labels, others):
        """The least familial distance; infinity where only the root is common."""
        found = [float("inf")]
        for a, b in itertools.product(labels, others):
            a, b = a.split("/"), b.split("/")
            common = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            if common:
                found.append(len(a) - common)
        return min(found)

    def test_familial_order(self):
        for _, level, report, labelling in self.each_level():
            if level["depth"] > 1:
                continue
            far = {"sibling": 1, "cousin": 2, "unrelated": float("inf")}
            agree, disagree, tied = (collections.Counter() for _ in range(3))
            for url, labels in labelling.labels.items():
                ranked = [(similarity, self.distance(labels, labelling.labels[other]))
                          for other, similarity in self.related[url] if other in labelling.labels]
                for (s, d), (t, e) in itertools.combinations(ranked, 2):
                    if d == e:
                        continue
                    near, farther = min(d, e), max(d, e)
                    # Six decimals are printed, and more compared.
                    counts = tied if s == t else agree if (s > t) == (d < e) else disagree
                    for key in ["all"] + [k for k, v in far.items() if near == 0 and farther == v]:
                        counts[key] += 1
            for key, found in report["order"].items():
                more = (found["agree"] - agree[key], found["disagree"] - disagree[key])
                self.assertGreaterEqual(min(more), 0, key)
                self.assertLessEqual(sum(more), tied[key], key)
                self.assertLess(tied[key], 5 + (found["agree"] + found["disagree"]) / 10, key)


if __name__ == "__main__":
    unittest.main()
