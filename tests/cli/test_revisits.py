"""Revisit records: captures of a URL whose payload is that of another capture."""

import json
import unittest

from kith_case import KithCase, topic_pages
from test_dates import dated_record

DATE = "2020-01-01T00:00:00Z"


def revisit(url, of=None, head="HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"):
    lines = ["WARC-Type: revisit", f"WARC-Target-URI: {url}", "WARC-Date: 2021-01-01T00:00:00Z",
             "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
             "Content-Type: application/http; msgtype=response", f"Content-Length: {len(head)}"]
    lines += [f"WARC-Refers-To-Target-URI: {of}", f"WARC-Refers-To-Date: {DATE}"] if of else []
    return ("WARC/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n" + head + "\r\n\r\n").encode()


class RevisitsTest(KithCase):
    def setUp(self):
        super().setUp()
        self.pages = topic_pages()
        self.page = self.pages[0]["url"]
        self.crawl = b"".join(dated_record(page["url"], page["html"], DATE) for page in self.pages)

    def report(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def run_of(self, records, run="run", **kwargs):
        self.write(f"{run}.warc", records)
        self.kith("cluster", f"{run}.warc", "-o", run, **kwargs)
        crawl = self.report(run)["crawl"]
        return dict(crawl["skipped"]).get("revisit", 0), crawl["lost_revisits"]

    def related(self, run, url):
        return [row["url"] for row in self.rows("related", run, url)]

    def test_one_of_another_url_names_its_page(self):
        for run, records in (("before", revisit("http://other.test/b", self.page) + self.crawl),
                             ("behind", self.crawl + revisit("http://other.test/b", self.page, head=""))):
            self.assertEqual(self.run_of(records, run), (1, 0))
            self.assertEqual(self.related(run, "http://other.test/b"), self.related(run, self.page))
            self.assertEqual(self.report(run)["aliases"]["folded"], 1)
        self.assertEqual(self.files_of("before"), self.files_of("behind"))

    def test_one_of_the_same_url_is_another_capture(self):
        self.run_of(self.crawl, "plain")
        self.assertEqual(self.run_of(self.crawl + revisit(self.page) + revisit(self.page, self.page)), (2, 0))
        self.assertEqual(self.files_of("run"), self.files_of("plain"))

    def test_a_url_with_a_page_keeps_it(self):
        self.run_of(self.crawl, "plain")
        self.assertEqual(self.run_of(self.crawl + revisit(self.pages[1]["url"], self.page)), (1, 0))
        self.assertEqual(self.files_of("run"), self.files_of("plain"))

    def test_answers_that_are_no_pages_are_not_of_one_url(self):
        head = "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n"
        records = self.crawl + revisit("http://other.test/b", self.page, head=head)
        self.assertEqual(self.run_of(records), (1, 0))
        self.fails("related", "run", "http://other.test/b", says="does not know")

    def test_those_without_their_page_are_told(self):
        records = self.crawl + revisit("http://lost.test/") + revisit("http://lost.test/b", "http://lost.test/a")
        self.assertEqual(self.run_of(records + revisit(self.page)), (3, 2))
        said = "2 are of a page that the input does not have"
        self.assertIn(said, self.kith("info", "run")[0])
        self.assertIn("3 revisits", self.kith("info", "run")[0])

    def test_shards_know_the_pages_of_all(self):
        self.write("a.warc", self.crawl)
        self.write("b.warc", revisit("http://other.test/b", self.page) + revisit("http://lost.test/") +
                   revisit(self.page))
        self.kith("cluster", "a.warc", "b.warc", "-o", "whole")
        for part in (1, 2):
            self.kith("cluster", "a.warc", "b.warc", "--shard", f"{part}/2", "-o", f"part{part}")
        self.kith("merge", "part1", "part2", "-o", "merged")
        self.assertEqual(self.files_of("merged"), self.files_of("whole"))
        self.assertEqual(self.report("merged")["crawl"], self.report("whole")["crawl"])
        self.assertEqual(self.report("whole")["crawl"]["lost_revisits"], 1)

    def test_they_are_no_documents(self):
        self.write("a.warc", self.crawl + revisit(self.page) + revisit("http://other.test/b", self.page))
        self.kith("dedup", "a.warc", "-o", "run", "--write", "copy.warc", "--no-distinct-titles")
        self.assertEqual(dict(self.report("run")["crawl"]["skipped"]), {"revisit": 2})
        with open(self.path("copy.warc"), "rb") as copy:
            self.assertEqual(copy.read().count(b"WARC-Type: revisit"), 2)
        rows = [json.loads(line) for line in self.kith("crawl", "a.warc")[0].splitlines() if line.startswith("{")]
        self.assertNotIn("http://other.test/b", [row.get("url") for row in rows])


if __name__ == "__main__":
    unittest.main()
