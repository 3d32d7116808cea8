"""kith evaluate: a run beside labels."""

import json
import random
import unittest

from kith_case import KithCase, TOPICS, jsonl, topic_pages

PER_TOPIC = 8


def tsv(rows, header=("url", "label")):
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


def word(number):
    return "".join(chr(ord("a") + digit) for digit in (number // 676, number // 26 % 26, number % 26))


def text_with(first, changed=0, words=200):
    """Words that no text with another `first` has; the last `changed` are other ones."""
    numbers = [first * 500 + i for i in range(words - changed)]
    numbers += [first * 500 + 300 + i for i in range(changed)]
    return " ".join(word(number) for number in numbers)


class EvaluateClusters(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = KithCase.for_all_tests()
        cls.pages = topic_pages(PER_TOPIC)
        cls.case.write("pages.jsonl", jsonl(cls.pages))
        cls.case.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content")
        cls.case.kith("cluster", "pages.jsonl", "-o", "none", "--bags", "content", "--neighbours", "0")
        cls.run_clusters = cls.case.rows("clusters", "run")
        cls.topics = [(page["url"], page["url"].split("/")[3]) for page in cls.pages]

    def setUp(self):
        self.folder = self.case.folder

    def evaluate(self, rows, *options, header=("url", "label"), run="run"):
        self.write("labels.tsv", tsv(rows, header))
        return json.loads(self.kith("evaluate", run, "labels.tsv", "--json", *options)[0])

    def test_topics_are_the_clusters(self):
        found = self.evaluate(self.topics)
        self.assertEqual(found["job"], "cluster")
        self.assertEqual(found["labels"]["rows"], len(self.topics))
        self.assertEqual(found["labels"]["labels"], len(TOPICS))
        self.assertEqual(found["labels"]["missing"], 0)
        self.assertEqual(found["labels"]["labelled"], len(self.topics))
        self.assertEqual(len(found["levels"]), 1)
        level = found["levels"][0]
        self.assertEqual(level["depth"], 1)
        self.assertEqual(level["all"]["pages"], len(self.topics))
        self.assertEqual(level["all"]["purity"], 1)
        self.assertEqual(level["all"]["bcubed_precision"], 1)
        self.assertEqual([at["k"] for at in level["neighbours"]["at"]], [1, 5, 10, 20])
        self.assertEqual(level["neighbours"]["at"][0]["precision"], 1)
        # A topic has a host of its own, so whatever is on another host is wrong.
        self.assertIn(level["other_hosts"]["at"][0]["precision"], (0, None))

    def test_labels_of_clusters_are_perfect(self):
        found = self.evaluate([(row["url"], row["cluster"]) for row in self.run_clusters])
        for part in ("all", "clustered"):
            agreement = found["levels"][0][part]
            for key in ("ari", "nmi", "ami", "purity", "pair_precision", "pair_recall",
                        "bcubed_precision", "bcubed_recall", "bcubed_f1"):
                self.assertAlmostEqual(agreement[key], 1, 12, key)
        alone = sum(row["role"] == "single" for row in self.run_clusters)
        self.assertEqual(found["alone"], alone)
        self.assertEqual(found["levels"][0]["clustered"]["pages"], len(self.run_clusters) - alone)

    def test_missing_and_unlabelled_pages_are_counted(self):
        rows = [*self.topics[:5], ("https://elsewhere.example/", "music"), ("no url", "music"),
                ("", "music"), (self.topics[5][0], "")]
        found = self.evaluate(rows)
        self.assertEqual(found["labels"]["rows"], 9)
        self.assertEqual(found["labels"]["skipped_rows"], 2)
        self.assertEqual(found["labels"]["urls"], 7)
        self.assertEqual(found["labels"]["missing"], 2)
        self.assertEqual(found["labels"]["labelled"], 5)
        self.assertEqual(found["labels"]["pages"], len(self.topics))
        text = self.kith("evaluate", "run", "labels.tsv")[0]
        self.assertIn("labels      7 pages of labels.tsv, 2 of them not in the run", text)
        self.assertIn("2 rows without a page or a label, left out", text)
        self.assertIn(f"pages       {len(self.topics)} in the run, 5 of them with a label", text)

    def test_levels(self):
        found = self.evaluate([(url, f"all/{topic}") for url, topic in self.topics])
        top, whole = found["levels"]
        self.assertEqual((top["depth"], whole["depth"]), (1, 2))
        self.assertEqual(top["all"]["labels"], 1)
        self.assertEqual(whole["all"]["labels"], len(TOPICS))
        self.assertEqual(top["all"]["purity"], 1)
        for at in top["neighbours"]["at"]:
            self.assertEqual(at["precision"], 1)

    def test_columns_make_levels(self):
        rows = [(topic, "x", url) for url, topic in self.topics]
        found = self.evaluate(rows, "--column", "kind,topic", header=("topic", "kind", "url"))
        self.assertEqual([level["all"]["labels"] for level in found["levels"]], [1, len(TOPICS)])
        self.assertEqual(found["columns"], ["kind", "topic"])

    def test_several_labels(self):
        # Every page of music is of cooking, too: so no neighbour among these is wrong.
        rows = [*self.topics, *[(url, "cooking") for url, topic in self.topics if topic == "music"]]
        found = self.evaluate(rows)
        self.assertEqual(found["labels"]["several"], PER_TOPIC)
        level = found["levels"][0]
        self.assertEqual(level["all"]["labels"], len(TOPICS))  # first labels
        self.assertEqual(level["all"]["bcubed_precision"], 1)
        text = self.kith("evaluate", "run", "labels.tsv")[0]
        self.assertIn(f"{PER_TOPIC} with several labels", text)

    def test_order_by_familial_distance(self):
        rows = [(url, f"{topic}/{'even' if int(url.rsplit('/', 1)[1]) % 2 == 0 else 'odd'}")
                for url, topic in self.topics]
        order = self.evaluate(rows)["order"]
        self.assertEqual(list(order), ["all", "sibling", "cousin", "unrelated"])
        self.assertGreater(order["sibling"]["agree"] + order["sibling"]["disagree"], 0)
        self.assertIsNone(order["cousin"]["gamma"])
        self.assertIn("the same class, a sibling class", self.kith("evaluate", "run", "labels.tsv")[0])

    def test_row_order_matters_for_first_labels_only(self):
        rows = list(self.topics)
        before = self.evaluate(rows)
        random.Random(1).shuffle(rows)
        after = self.evaluate(rows)
        self.assertEqual(before["levels"][0]["neighbours"], after["levels"][0]["neighbours"])
        self.assertAlmostEqual(before["levels"][0]["all"]["ami"], after["levels"][0]["all"]["ami"], 12)

    def test_standard_input_and_spellings(self):
        rows = [(url.replace("https://", "HTTPS://").replace(".example/", ".EXAMPLE:443/"), topic)
                for url, topic in self.topics]
        text = self.kith("evaluate", "run", "-", stdin=tsv(rows).encode())[0]
        self.assertIn("pages of standard input, 0 of them not in the run", text)

    def test_run_without_related_pages(self):
        found = self.evaluate(self.topics, run="none")
        self.assertEqual(found["neighbours"], 0)
        self.assertNotIn("order", found)
        self.assertNotIn("neighbours", found["levels"][0])
        self.assertIn("the run keeps none", self.kith("evaluate", "none", "labels.tsv")[0])

    def test_failures(self):
        self.write("labels.tsv", tsv(self.topics))
        self.write("other.tsv", tsv([("https://elsewhere.example/", "x")]))
        self.write("topics.tsv", tsv(self.topics, ("url", "topic")))
        self.write("empty.tsv", "")
        self.fails("evaluate", "run", "topics.tsv", code=2,
                   says=["topics.tsv", "names no column 'label'", "url, topic", "--column"])
        self.fails("evaluate", "run", "labels.tsv", "--column", "x", code=2, says="no column 'x'")
        self.fails("evaluate", "run", "empty.tsv", code=2, says="empty.tsv: is empty")
        self.fails("evaluate", "run", code=2, says="LABELS")
        self.fails("evaluate", "run", "missing.tsv", code=1, says="missing.tsv")
        self.fails("evaluate", "nowhere", "labels.tsv", code=1, says="nowhere")
        self.fails("evaluate", "run", "other.tsv", code=1, says="none of the 1 pages")
        self.write("header.tsv", "url\tlabel\n")
        self.fails("evaluate", "run", "header.tsv", code=1, says="labels no page")

    def test_foreign_text_is_escaped(self):
        self.write("bad.tsv", b"url\t\x1b[31m\n")
        self.fails("evaluate", "run", "bad.tsv", code=2, says="\\x1B[31m")


class EvaluateDedup(KithCase):
    COUNT = 20

    def setUp(self):
        super().setUp()
        # Of every text "old/i" there is a version "new/i": equal, nearly so, or less.
        pages, self.labels = [], []
        for i in range(self.COUNT):
            for version, changed in [("old", 0), ("new", (0, 8, 40)[i % 3])]:
                pages.append({"url": f"https://{version}.example/{i}", "html": text_with(i, changed)})
                self.labels.append((pages[-1]["url"], f"text {i}"))
        random.Random(1).shuffle(pages)
        self.write("pages.jsonl", jsonl(pages))

    def evaluate(self, rows, run="run"):
        self.write("labels.tsv", tsv(rows))
        return json.loads(self.kith("evaluate", run, "labels.tsv", "--json")[0])

    def test_all_is_found(self):
        self.kith("dedup", "pages.jsonl", "-o", "run", "--similarity", "0.5", "--recall", "0.9999")
        found = self.evaluate(self.labels)
        self.assertEqual(found["job"], "dedup")
        for pairs in ("verified", "grouped"):
            self.assertEqual(found[pairs], {"found": 20, "correct": 20, "truth": 20, "precision": 1,
                                            "recall": 1})
        self.assertEqual(found["groups"]["ari"], 1)
        self.assertEqual(found["alone"], 0)
        text = self.kith("evaluate", "run", "labels.tsv")[0]
        self.assertIn("groups      precision 1.000, recall 1.000, ARI 1.000", text)

    def test_less_similar_ones_are_not_found(self):
        # 40 words of 200 changed: a resemblance of 156 / 236 = 0.66; 6 of the 20 texts.
        self.kith("dedup", "pages.jsonl", "-o", "run", "--similarity", "0.8", "--recall", "0.9999")
        found = self.evaluate([*self.labels, ("https://gone.example/", "x")])
        self.assertEqual(found["verified"]["recall"], 0.7)
        self.assertEqual(found["grouped"]["precision"], 1)
        self.assertEqual(found["alone"], 12)
        self.assertEqual(found["labels"]["missing"], 1)

    def test_wrong_pairs_lower_the_precision(self):
        self.kith("dedup", "pages.jsonl", "-o", "run", "--similarity", "0.5", "--recall", "0.9999")
        labels = [(url, url if url.endswith("/0") else label) for url, label in self.labels]
        found = self.evaluate(labels)
        self.assertEqual(found["verified"], {"found": 20, "correct": 19, "truth": 19,
                                             "precision": 0.95, "recall": 1})
        # Two labels a document: one of them is shared.
        several = [*labels, ("https://old.example/0", "both"), ("https://new.example/0", "both")]
        self.assertEqual(self.evaluate(several)["grouped"]["precision"], 1)

    def test_equal_documents_and_ids(self):
        pages = [{"id": f"d{i}", "html": text_with(i % 2)} for i in range(8)]
        self.write("ids.jsonl", jsonl(pages))
        self.kith("dedup", "ids.jsonl", "-o", "run")
        rows = [(f"d{i}", "even" if i % 2 == 0 else "odd") for i in range(8)]
        self.write("labels.tsv", tsv(rows, ("id", "label")))
        found = json.loads(self.kith("evaluate", "run", "labels.tsv", "--json")[0])
        # All pairs of four equal ones, though pairs.tsv has only those with the first.
        self.assertEqual(found["verified"]["found"], 12)
        self.assertEqual(found["verified"]["recall"], 1)

    def test_families_listed_by_centers(self):
        # One template, more pages than a bucket compares one by one.
        rng = random.Random(2)
        base = [word(i) for i in range(300)]
        pages = []
        for i in range(700):
            words = list(base)
            words[rng.randrange(300)] = word(1000 + i)
            pages.append({"url": f"https://shop.example/{i}", "html": " ".join(words)})
        self.write("family.jsonl", jsonl(pages))
        rows = [(page["url"], "one") for page in pages]
        for option in ("centers", "all"):
            self.kith("dedup", "family.jsonl", "-o", option, "--list-pairs", option)
            found = self.evaluate(rows, option)
            self.assertEqual(found["grouped"]["precision"], 1)
            with open(self.path(f"{option}/pairs.tsv"), encoding="utf-8") as file:
                self.assertEqual(found["verified"]["found"], sum(1 for _ in file) - 1)

    def test_failures(self):
        self.kith("dedup", "pages.jsonl", "-o", "run")
        self.write("other.tsv", tsv([("https://gone.example/", "x")]))
        self.fails("evaluate", "run", "other.tsv", code=1, says="none of the 1 pages")
        self.fails("evaluate", "run", "pages.jsonl", code=2, says="names no column")


if __name__ == "__main__":
    unittest.main()
