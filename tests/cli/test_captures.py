"""Which of several captures of a URL counts: the first or the last by date, in any order of files."""

import itertools
import json
import unittest

from kith_case import KithCase, jsonl, topic_pages
from test_dates import dated_record

FIRST, MIDDLE, LAST = "2020-01-01T00:00:00Z", "2020-06-01T00:00:00Z", "2021-01-01T00:00:00Z"


class CapturesTest(KithCase):
    def setUp(self):
        super().setUp()
        # Three captures of every page, of which two are about something else.
        self.pages = topic_pages()
        self.captures = {FIRST: self.pages, MIDDLE: self.changed("tractor harvest barn field"),
                         LAST: self.changed("sailor harbour anchor deck")}
        for name, (date, pages) in zip("abc", self.captures.items()):
            self.write(f"{name}.warc", self.warc(pages, date))

    def changed(self, words):
        return [{"url": page["url"], "html": f"<title>{words} {i % 3}</title>{page['html']}<p>{words} {words}"}
                for i, page in enumerate(self.pages)]

    def warc(self, pages, date):
        return b"".join(dated_record(page["url"], page["html"], date) for page in pages)

    def skipped(self, run):
        report = json.loads(self.kith("info", run, "--json")[0])
        return dict(report["crawl"]["skipped"])

    def test_it_is_the_first_or_the_last_by_date_in_any_order_of_files(self):
        for captures, date in (("first", FIRST), ("last", LAST)):
            self.write("alone.warc", self.warc(self.captures[date], date))
            self.kith("cluster", "alone.warc", "-o", f"alone-{captures}")
            alone = self.files_of(f"alone-{captures}")
            for order in itertools.permutations(["a.warc", "b.warc", "c.warc"]):
                run = f"{captures}-{order[0][0]}{order[1][0]}"
                self.kith("cluster", *order, "-o", run, "--captures", captures, "--threads", "2")
                self.assertEqual(self.files_of(run), alone, run)
                self.assertEqual(self.skipped(run), {"duplicate": 2 * len(self.pages)})
                dates = {row["date"] for row in self.rows("clusters", run)}
                self.assertEqual(dates, {date})

    def test_first_is_what_a_run_takes_unless_it_is_told(self):
        self.kith("cluster", "c.warc", "a.warc", "-o", "run")
        self.assertEqual({row["date"] for row in self.rows("clusters", "run")}, {FIRST})
        self.kith("cluster", "c.warc", "a.warc", "-o", "first", "--captures", "first")
        self.assertEqual(self.files_of("first"), self.files_of("run"))
        self.kith("paper", "c.warc", "a.warc", "-o", "paper", "--captures", "last")
        self.assertEqual({row["date"] for row in self.rows("clusters", "paper") if row["fetched"] == "true"}, {LAST})

    def test_damage_is_no_capture(self):
        damaged = self.warc(self.captures[FIRST], FIRST).replace(b"200 OK\r\n", b"200 OK\r\nContent-Encoding: br\r\n")
        self.write("damaged.warc", damaged.replace(b"<title>", b"\xff\xfe\xfd\xfc\xfb"))
        self.kith("cluster", "damaged.warc", "c.warc", "b.warc", "-o", "run")
        self.assertEqual({row["date"] for row in self.rows("clusters", "run")}, {MIDDLE})

    def test_shards_choose_among_all(self):
        for captures in ("first", "last"):
            for order in (["c.warc", "a.warc", "b.warc"], ["b.warc", "c.warc", "a.warc"]):
                name = captures + order[0][0]
                self.kith("cluster", *order, "-o", name, "--captures", captures)
                parts = [f"{name}-{part}" for part in (1, 2)]
                for number, part in enumerate(parts, 1):
                    self.kith("cluster", *order, "-o", part, "--captures", captures, "--shard", f"{number}/2")
                self.kith("merge", *parts, "-o", f"{name}-merged")
                self.assertEqual(self.files_of(f"{name}-merged"), self.files_of(name))
                self.assertEqual(self.skipped(f"{name}-merged"), self.skipped(name))

    def test_dedup_compares_all_or_those_chosen(self):
        inputs = ["b.warc", "c.warc", "a.warc"]
        self.kith("dedup", *inputs, "-o", "all")
        self.assertEqual(len(self.list("all/keep.tsv")) +
                         sum(row["role"] == "removed" for row in self.list("all/groups.tsv")), 3 * len(self.pages))
        for captures, file in (("first", "a.warc"), ("last", "c.warc")):
            for boilerplate in ("keep", "remove"):
                options = ["--boilerplate", boilerplate]
                self.kith("dedup", file, "-o", f"{captures}-alone-{boilerplate}", *options)
                run = f"{captures}-{boilerplate}"
                self.kith("dedup", *inputs, "-o", run, "--captures", captures, "--threads", "2", *options)
                keep = self.list(f"{run}/keep.tsv")
                self.assertEqual(keep, self.list(f"{captures}-alone-{boilerplate}/keep.tsv"))
                self.assertEqual(self.skipped(run), {"duplicate": 2 * len(self.pages)})

    def test_documents_without_a_url_are_all_read(self):
        lines = [{"id": "same", "text": f"a document that has the words number {i}", "date": f"2020-01-0{9 - i}"}
                 for i in range(3)]
        lines += [{"url": "http://a.test/", "text": f"a page of the number {i}", "date": f"2020-01-0{9 - i}"}
                  for i in range(3)]
        self.write("a.jsonl", jsonl(lines))
        self.kith("dedup", "a.jsonl", "-o", "run", "--captures", "first")
        self.assertEqual([row["record"] for row in self.list("run/keep.tsv")], ["0", "1", "2", "5"])

    def test_without_dates_the_first_in_the_input_counts(self):
        self.write("a.jsonl", jsonl(self.pages))
        self.write("b.jsonl", jsonl(self.captures[LAST]))
        self.kith("cluster", "a.jsonl", "-o", "alone")
        for captures in ("first", "last"):
            self.kith("cluster", "a.jsonl", "b.jsonl", "-o", captures, "--captures", captures)
            self.assertEqual(self.files_of(captures), self.files_of("alone"))

    def test_a_pipe_is_read_once(self):
        bytes_of = b"".join(self.warc(self.captures[date], date) for date in (LAST, FIRST))
        self.kith("cluster", "-", "-o", "run", stdin=bytes_of)
        self.assertEqual({row["date"] for row in self.rows("clusters", "run")}, {LAST})
        says = ["captures", "pipe", "file"]
        self.fails("cluster", "-", "-o", "last", "--captures", "last", stdin=bytes_of, code=2, says=says)
        self.fails("dedup", "-", "-o", "last", "--captures", "first", stdin=bytes_of, code=2, says=says)

    def test_clusters_have_no_captures_of_a_page(self):
        for command in ("cluster", "paper"):
            self.fails(command, "a.warc", "-o", "run", "--captures", "all", code=2,
                       says=["--captures all: a URL is one page in clusters; --captures first or last chooses",
                             "'kith dedup' compares all captures"])
            self.assertIn("--captures first|last", self.kith(command, "--help", "all")[0])

    def test_bags_of_another_run_have_their_captures(self):
        self.kith("cluster", "a.warc", "b.warc", "-o", "run", "--captures", "last")
        self.kith("cluster", "run", "-o", "finer", "--similarity", "0.5")
        self.assertEqual({row["date"] for row in self.rows("clusters", "finer")}, {MIDDLE})
        self.kith("cluster", "a.warc", "b.warc", "-o", "other")
        self.fails("cluster", "other", "-o", "finest", "--captures", "last", code=2, says="captures")


if __name__ == "__main__":
    unittest.main()
