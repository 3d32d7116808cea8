"""--format csv, csv-bom, tsv and jsonl hold the same rows, and -o FILE writes what standard output gets."""

import csv
import io
import json
import os
import random
import unittest

from kith_case import KithCase, jsonl

HARD = 'He said "no", then, left;\ttab'


def pages():
    """Pages of two topics, with words of the topic and titles that must be quoted."""
    rng = random.Random(5)
    return [{"url": f"https://{topic}.example/{i}", "title": HARD if i == 3 else f"page, {i}",
             "text": " ".join(rng.sample([f"{topic}{letter}word" for letter in "abcdefghijklmnopqrstuvwx"], 12))}
            for topic in ("music", "sailing") for i in range(60)]


LISTS = {
    "clusters": ("clusters", "run"),
    "summary": ("clusters", "run", "--summary"),
    "related": ("related", "run", "https://music.example/3", "--why"),
    "pairs": ("pairs", "run"),
    "topics": ("topics", "run"),
    "crawl": ("crawl", "pages.jsonl"),
    "route": ("route", "run", "pages.jsonl"),
}


class Formats(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = KithCase.for_all_tests()
        cls.case.write("pages.jsonl", jsonl(pages()))
        cls.case.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content")

    def setUp(self):
        self.folder = self.case.folder

    def out(self, *args):
        return self.kith(*args)[0]

    @staticmethod
    def as_text(value):
        """A value of JSON as the tables have it."""
        if isinstance(value, list):
            return ", ".join(value)
        if isinstance(value, bool):
            return str(value).lower()
        return f"{value:.6f}" if isinstance(value, float) else str(value)

    def test_every_list_has_the_same_rows(self):
        for name, command in LISTS.items():
            with self.subTest(name):
                rows = [json.loads(line) for line in self.out(*command, "--format", "jsonl").splitlines()]
                text = self.out(*command, "--format", "csv")
                found = list(csv.DictReader(io.StringIO(text, newline="")))
                self.assertGreater(len(rows), 0)
                self.assertEqual(list(found[0]), list(rows[0]))
                expected = [{key: self.as_text(value).replace("\t", "\\t") for key, value in row.items()}
                            for row in rows]
                self.assertEqual(found, expected)
                self.assertEqual(self.out(*command, "--format", "csv-bom"), "\ufeff" + text)

    def test_a_row_is_a_line(self):
        lines = self.out("clusters", "run", "--format", "csv").splitlines()
        self.assertEqual(len(lines), 1 + len(pages()))
        self.assertEqual(sum('"He said ""no"", then, left;' in line for line in lines), 2)

    def test_output_has_what_standard_output_gets(self):
        for name, command in LISTS.items():
            for form in ("tsv", "csv-bom", "jsonl"):
                with self.subTest(name, form=form):
                    expected = self.out(*command, "--format", form)
                    self.assertEqual(self.out(*command, "--format", form, "-o", "rows"), "")
                    with open(self.path("rows"), encoding="utf-8", newline="") as file:
                        self.assertEqual(file.read(), expected)
        text = self.out("topics", "run")
        self.kith("topics", "run", "-o", "rows")
        with open(self.path("rows"), encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_tables_are_made_by_the_package(self):
        for form in ("parquet", "arrow"):
            for command in LISTS.values():
                with self.subTest(form, command=command):
                    self.write("kept", "mine")
                    self.fails(*command, "--format", form, "-o", "kept", code=2,
                               says=f"--format {form}: this program makes no such files, the 'kith' of the Python")
                    with open(self.path("kept"), encoding="utf-8") as file:
                        self.assertEqual(file.read(), "mine")
            self.fails("dedup", "pages.jsonl", "-o", "none", "--format", form, code=2, says="pip install")
            self.assertFalse(os.path.exists(self.path("none")))
        self.fails("stream", "pages.jsonl", "--format", "parquet", code=2, says="is not one of tsv, csv")

    def test_output_that_cannot_be_written(self):
        self.fails("clusters", "run", "-o", "nowhere/rows", says="nowhere/rows")
        self.fails("clusters", "run", "-o", "run/manifest.json", code=2, says="run/manifest.json")
        self.kith("info", "run")
        self.write("kept", "mine")
        for command in (("crawl", "missing.warc"), ("crawl", "missing.warc", "--boilerplate"),
                        ("route", "run", "missing.warc"), ("related", "run", "https://nowhere.example/"),
                        ("topics", "run", "--under", "9.9"), ("clusters", "nothing")):
            with self.subTest(command):
                self.fails(*command, "-o", "kept")
                with open(self.path("kept"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), "mine")

    def test_lists_of_dedup(self):
        self.write("twice.jsonl", jsonl(pages() + [{**page, "url": page["url"] + "/copy"} for page in pages()]))
        for form, extension in (("csv", "csv"), ("csv-bom", "csv"), ("tsv", "tsv")):
            self.kith("dedup", "twice.jsonl", "-o", "copies", "--format", form)
            with open(self.path(f"copies/groups.{extension}"), encoding="utf-8", newline="") as file:
                text = file.read()
            self.assertEqual(text.startswith("\ufeff"), form == "csv-bom")
            rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff")), delimiter="\t" if form == "tsv" else ","))
            self.assertEqual({row["role"] for row in rows}, {"kept", "removed"})
            names = os.listdir(self.path("copies"))
            self.assertEqual("groups.csv" in names, form != "tsv")
            self.kith("info", "copies", "--verify")


if __name__ == "__main__":
    unittest.main()
