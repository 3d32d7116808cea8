"""kith classify, and kith cluster --within: classes, and clusters within classes."""

import json
import os
import random
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages

CONTENT = ("--bags", "content", "--min-df", "1", "--min-words", "1", "--boilerplate", "keep")


def topic_of(url):
    return url.split("/")[3]


def table(rows, header="url\tclass"):
    return "".join(line + "\n" for line in ([header] if header else []) + ["\t".join(row) for row in rows])


class Classes(KithCase):
    def setUp(self):
        super().setUp()
        self.pages = topic_pages()
        self.write("crawl.jsonl", jsonl(self.pages))
        self.kith("cluster", "crawl.jsonl", "-o", "run", *CONTENT, "--max-df", "1")
        self.urls = [page["url"] for page in self.pages]

    def labels(self, numbers="0123"):
        """A table of the pages of every topic with these numbers."""
        return table([(url, topic_of(url)) for url in self.urls if url[-1] in numbers])

    def info(self, run):
        return json.loads(self.kith("info", run, "--json")[0])


class ManyClasses(KithCase):
    def test_says_how_long_it_takes_before_it_takes_that_long(self):
        draw = random.Random(1)
        pages = [{"url": f"http://x.example/{number}", "text": " ".join(
            "".join(draw.choices("abcdefghij", k=6)) for _ in range(80))} for number in range(1500)]
        self.write("crawl.jsonl", jsonl(pages))
        self.kith("cluster", "crawl.jsonl", "-o", "run", *CONTENT, "--neighbours", "0", "--no-check")
        self.write("labels.tsv", table([(page["url"], str(number)) for number, page in enumerate(pages)]))
        process = subprocess.Popen([KITH, "classify", "run", "--train", "labels.tsv"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        note = process.stderr.readline().decode()
        process.kill()
        process.wait()
        process.stderr.close()
        self.assertIn("learning 1500 classes from 1500 examples takes about ", note)


class Classify(Classes):
    def test_learns_classes(self):
        self.write("labels.tsv", self.labels())
        out, err = self.kith("classify", "run", "--train", "labels.tsv")
        rows = [line.split("\t") for line in out.splitlines()]
        self.assertEqual(rows[0], ["url", "class", "confidence"])
        self.assertEqual({url: topic_of(url) for url in self.urls}, {row[0]: row[1] for row in rows[1:]})
        self.assertTrue(all(0 <= float(row[2]) <= 1 for row in rows[1:]))
        self.assertIn("12 of 3 classes", err)
        self.assertIn("24 of 24 URLs get a class", err)

    def test_writes_a_file_and_a_report(self):
        self.write("labels.tsv", self.labels())
        rows = self.kith("classify", "run", "--train", "labels.tsv")[0]
        text = self.kith("classify", "run", "--train", "labels.tsv", "-o", "classes.tsv")[0]
        self.assertIn("held back", text)
        with open(self.path("classes.tsv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), rows)
        report = json.loads(self.kith("classify", "run", "--train", "labels.tsv", "-o", "classes.tsv", "--json")[0])
        self.assertEqual((report["examples"], report["learnt"], report["urls"]), (12, 12, 24))
        self.assertEqual([one["class"] for one in report["classes"]], ["astronomy", "cooking", "music"])
        self.assertEqual(sum(one["pages"] for one in report["classes"]), report["classified"])
        self.assertGreaterEqual(report["sure_and_right"], 0.9 * report["sure"])
        self.fails("classify", "run", "--train", "labels.tsv", "--json", code=2, says="-o FILE")
        self.fails("classify", "run", "--train", "labels.tsv", "-o", "no/such/file", says="cannot write no/such/file")

    def test_json_lines(self):
        self.write("labels.tsv", self.labels())
        rows = self.kith("classify", "run", "--train", "labels.tsv", "--format", "jsonl")[0].splitlines()
        self.assertEqual({tuple(json.loads(row)) for row in rows}, {("url", "class", "confidence")})

    def test_is_the_same_for_any_threads_and_memory(self):
        self.write("labels.tsv", self.labels())
        first = self.kith("classify", "run", "--train", "labels.tsv", "--threads", "1")
        for more in (["--threads", "3"], ["--threads", "2", "--memory", "64M"]):
            self.assertEqual(self.kith("classify", "run", "--train", "labels.tsv", *more), first)

    def test_what_is_not_sure_has_no_class(self):
        # Two topics whose labels are drawn by lot cannot be told apart.
        rows = [(url, f"lot {i % 2}") for i, url in enumerate(self.urls) if url[-1] in "012345"]
        self.write("labels.tsv", table(rows))
        out, err = self.kith("classify", "run", "--train", "labels.tsv", "--accuracy", "1")
        found = {line.split("\t")[0]: line.split("\t")[1] for line in out.splitlines()[1:]}
        self.assertEqual({url: found[url] for url, _ in rows}, dict(rows))
        self.assertIn("", found.values())
        self.assertIn("not sure enough", err)

    def test_columns(self):
        rows = [(url, topic_of(url)) for url in self.urls if url[-1] in "0123"]
        self.write("label.tsv", table(rows, "url\tlabel"))
        self.write("other.tsv", table([(kind, url) for url, kind in rows], "topic\turl"))
        self.write("bare.tsv", table(rows, None))
        expected = self.kith("classify", "run", "--train", "label.tsv")[0]
        self.assertEqual(self.kith("classify", "run", "--train", "other.tsv", "--column", "topic")[0], expected)
        self.assertEqual(self.kith("classify", "run", "--train", "bare.tsv")[0], expected)
        self.fails("classify", "run", "--train", "other.tsv", code=2, says=["other.tsv:1", "no column 'class'"])
        self.fails("classify", "run", "--train", "label.tsv", "--column", "x", code=2, says="no column 'x'")

    def test_counts_and_names_what_the_run_does_not_have(self):
        self.write("labels.tsv", self.labels() + "https://elsewhere.example/\tmusic\nnonsense\tmusic\n\tmusic\n")
        err = self.kith("classify", "run", "--train", "labels.tsv")[1]
        self.assertIn("2 URLs not in the run, such as https://elsewhere.example/, nonsense", err)
        self.assertIn("1 row without a URL or a class", err)

    def test_bad_tables(self):
        music = self.urls[0]
        for name, content, says in (
                ("empty", "", "gives no page a class"),
                ("header", "url\tclass\n", "gives no page a class"),
                ("elsewhere", table([("https://elsewhere.example/", "a")]), "has none of the 1 URL"),
                ("one", table([(music, "a"), (self.urls[1], "a")]), "of the class 'a'"),
                ("two", table([(music, "a"), (self.urls[1], "b"), (music, "b")]),
                 ["two.tsv:4", music, "of class 'b' here and of class 'a'"]),
                ("long", "url\tclass\n" + "x" * (3 << 20), "more than 1 MiB")):
            self.write(f"{name}.tsv", content)
            self.fails("classify", "run", "--train", f"{name}.tsv", code=2, says=says)
        self.fails("classify", "run", "--train", "missing.tsv", says="missing.tsv")
        self.fails("classify", "run", "--train", "-", code=2, says="name a file")

    def test_a_class_of_one_page(self):
        self.write("labels.tsv", self.labels() + f"{self.urls[7]}\tits own\n")
        report = json.loads(self.kith("classify", "run", "--train", "labels.tsv", "-o", "out.tsv", "--json")[0])
        own = next(one for one in report["classes"] if one["class"] == "its own")
        self.assertEqual((own["examples"], own["sure"]), (1, 0))
        self.assertGreaterEqual(own["pages"], 1)

    def test_bad_options_and_runs(self):
        self.write("labels.tsv", self.labels())
        for accuracy in ("0", "1.5", "nan"):
            self.fails("classify", "run", "--train", "labels.tsv", "--accuracy", accuracy, code=2, says="--accuracy")
        self.fails("classify", "nowhere", "--train", "labels.tsv", says="nowhere")
        self.kith("dedup", "crawl.jsonl", "-o", "copies")
        self.fails("classify", "copies", "--train", "labels.tsv", code=2, says="run of 'kith dedup'")


class Within(Classes):
    def clusters(self, run):
        clusters = {}
        for row in self.rows("clusters", run):
            clusters.setdefault(row["cluster"], set()).add(row["url"])
        return sorted(map(sorted, clusters.values()))

    def parity(self):
        return {url: f"class {int(url[-1]) % 2}" for url in self.urls}

    def test_clusters_are_of_one_class(self):
        parity = self.parity()
        self.write("classes.tsv", table(parity.items()))
        for engine in ("exact", "lsh"):
            self.kith("cluster", "run", "-o", engine, "--within", "classes.tsv", "--engine", engine,
                      "--similarity", "0.2")
            for cluster in self.clusters(engine):
                self.assertEqual(len({parity[url] for url in cluster}), 1)
            self.assertTrue(any(len(cluster) > 1 for cluster in self.clusters(engine)))
            within = self.info(engine)["within"]
            self.assertEqual((within["classes"], within["largest"], within["without"]), (2, 12, 0))
        self.assertGreater(self.info("exact")["check"]["cut_pairs"], 0)
        self.assertIn("are cut", self.kith("info", "exact")[0])

    def test_a_crawl_within_classes_is_its_run_within_classes(self):
        self.write("classes.tsv", table(self.parity().items()))
        self.kith("cluster", "crawl.jsonl", "-o", "read", *CONTENT, "--max-df", "1", "--within", "classes.tsv")
        self.kith("cluster", "run", "-o", "again", "--within", "classes.tsv", "--threads", "3", "--memory", "100M")
        self.assertEqual(self.files_of("again"), self.files_of("read"))

    def test_without_a_class_is_a_class(self):
        self.write("classes.tsv", table([(url, "even") for url in self.urls if int(url[-1]) % 2 == 0]))
        self.kith("cluster", "run", "-o", "some", "--within", "classes.tsv", "--similarity", "0.2")
        self.write("all.tsv", table(self.parity().items()))
        self.kith("cluster", "run", "-o", "all", "--within", "all.tsv", "--similarity", "0.2")
        self.assertEqual(self.clusters("some"), self.clusters("all"))
        self.assertEqual(self.info("some")["within"]["without"], 12)

    def test_one_class_of_all_changes_no_cluster(self):
        self.write("classes.tsv", table([(url, "x") for url in self.urls]))
        self.kith("cluster", "run", "-o", "one", "--within", "classes.tsv", "--similarity", "0.2")
        self.kith("cluster", "run", "-o", "plain", "--similarity", "0.2")
        self.assertEqual(self.clusters("one"), self.clusters("plain"))

    def test_a_class_of_one_page_is_alone(self):
        self.write("classes.tsv", table([(self.urls[0], "its own")]))
        text = self.kith("cluster", "run", "-o", "one", "--within", "classes.tsv")[1]
        self.assertIn([self.urls[0]], self.clusters("one"))
        self.assertIn("1 of one", text)

    def test_related_pages_are_of_all_classes(self):
        self.write("classes.tsv", table([(url, url) for url in self.urls]))
        self.kith("cluster", "run", "-o", "alone", "--within", "classes.tsv", "--similarity", "0.2",
                  "--engine", "exact")
        self.kith("cluster", "run", "-o", "plain", "--similarity", "0.2", "--engine", "exact")
        self.assertTrue(all(len(cluster) == 1 for cluster in self.clusters("alone")))
        self.assertEqual([row["url"] for row in self.rows("related", "alone", self.urls[3])],
                         [row["url"] for row in self.rows("related", "plain", self.urls[3])])

    def test_another_table_is_another_run(self):
        rows = list(self.parity().items())
        self.write("classes.tsv", table(rows))
        self.write("same.tsv", table(rows))
        self.write("other.tsv", table(rows[1:]))
        self.kith("cluster", "run", "-o", "out", "--within", "classes.tsv")
        before = self.files_of("out")
        self.kith("cluster", "run", "-o", "out", "--within", "same.tsv")
        self.assertEqual(self.files_of("out"), before)
        for other in (["--within", "other.tsv"], []):
            self.fails("cluster", "run", "-o", "out", *other, code=2, says="out: holds a run with")

    def test_the_table_of_classify_is_one(self):
        self.write("labels.tsv", self.labels())
        self.kith("classify", "run", "--train", "labels.tsv", "-o", "classes.tsv")
        text = self.kith("cluster", "run", "-o", "out", "--within", "classes.tsv")[1]
        self.assertIn("within      3 classes of up to 8 URLs; 0 URLs without a class", text)

    def test_bad_tables_leave_nothing(self):
        for name, content, says in (
                ("empty", "", "gives no page a class"),
                ("elsewhere", table([("https://elsewhere.example/", "a")]), "has none of the 1 URL"),
                ("two", table([(self.urls[0], "a"), (self.urls[0], "b")]), "two.tsv:3")):
            self.write(f"{name}.tsv", content)
            self.fails("cluster", "run", "-o", "new", "--within", f"{name}.tsv", code=2, says=says)
            self.assertFalse(os.path.exists(self.path("new")))
        self.write("columns.tsv", "page\tclass\n")
        for name, says in (("empty", "gives no page a class"), ("columns", "columns.tsv:1: names no column 'url'")):
            self.fails("cluster", "crawl.jsonl", "-o", "new", "--within", f"{name}.tsv", code=2, says=says)
            self.assertFalse(os.path.exists(self.path("new")))
        self.fails("cluster", "run", "-o", "new", "--within", "missing.tsv", says="missing.tsv")
        self.assertFalse(os.path.exists(self.path("new")))
        self.fails("cluster", "run", "-o", "new", "--within", "-", code=2, says="name a file")
        self.write("classes.tsv", table(self.parity().items()))
        self.fails("cluster", "crawl.jsonl", "-o", "new", "--shard", "1/2", "--within", "classes.tsv", code=2,
                   says="a shard is not clustered")
        self.fails("paper", "run", "-o", "new", "--within", "classes.tsv", code=2, says="no option --within")


if __name__ == "__main__":
    unittest.main()
