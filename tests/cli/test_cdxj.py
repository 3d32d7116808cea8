#!/usr/bin/python3
"""kith crawl --format cdxj: an index by which each page is found in its file."""

import gzip
import json
import os
import unittest

from kith_case import KithCase, jsonl, topic_pages, warc_gz, warc_record

PAGES = topic_pages(4)
URLS = [page["url"] for page in PAGES]
RECORDS = [warc_record(page["url"], page["html"].encode()) for page in PAGES]
REQUEST = warc_record("https://music.example/", b"x", kind="request")


class Cdxj(KithCase):
    def index(self, *inputs):
        """The rows, as key, timestamp and fields."""
        lines = self.kith("crawl", *inputs, "--format", "cdxj")[0].splitlines()
        return [(key, time, json.loads(fields)) for key, time, fields in (line.split(" ", 2) for line in lines)]

    def test_a_page_is_where_the_index_says(self):
        packed = b"".join(gzip.compress(record) for pair in zip([REQUEST] * len(RECORDS), RECORDS) for record in pair)
        files = {"a.warc": REQUEST.join([b"", *RECORDS, b""]), "b.warc.gz": packed, "c.warc.gz": warc_gz(PAGES),
                 "padded.warc.gz": warc_gz(PAGES) + 512 * b"\0"}
        for name, content in files.items():
            self.write(name, content)
            rows = self.index(name)
            self.assertEqual([fields["url"] for _, _, fields in rows], URLS)
            for (_, time, fields), record in zip(rows, RECORDS):
                self.assertEqual(list(fields), ["url", "mime", "status", "length", "offset", "filename"])
                self.assertEqual((time, fields["mime"], fields["status"], fields["filename"]),
                                 ("20200101000000", "text/html", "200", name))
                begin = int(fields["offset"])
                found = content[begin:begin + int(fields["length"])]
                if name.endswith(".gz"):
                    found = gzip.decompress(found)
                self.assertEqual(found.rstrip(b"\r\n"), record.rstrip(b"\r\n"))

    def test_the_key_is_in_the_order_of_hosts(self):
        self.write("crawl.warc.gz", warc_gz(PAGES))
        keys = [key for key, _, _ in self.index("crawl.warc.gz")]
        self.assertEqual(keys[0], "example,music)/music/0")
        self.assertEqual(len(set(keys)), len(PAGES))

    def test_only_reads_it(self):
        self.write("some.warc.gz", warc_gz(PAGES[3:6]))
        self.write("all.warc.gz", warc_gz(PAGES))
        self.kith("crawl", "some.warc.gz", "--format", "cdxj", "-o", "index.cdxj")
        out, err = self.kith("crawl", "all.warc.gz", "--only", "index.cdxj")
        self.assertEqual([line.split("\t")[0] for line in out.splitlines()[1:]], URLS[3:6])
        self.assertIn("only        3 of 3 named URLs found\n", err)

    def test_the_url_is_spelled_as_in_the_record_and_digests_as_in_indexes(self):
        record = warc_record("HTTP://WWW.Example.org:80/A/../B/?b=2&a=1#top", b"<p>some words of a page</p>")
        record = record.replace(b"WARC-Date", b"WARC-Payload-Digest: sha1:ABC\r\nWARC-Date")
        self.write("a.warc", record)
        (key, _, fields), = self.index("a.warc")
        self.assertEqual(key, "org,example)/b?a=1&b=2")
        self.assertEqual(fields["url"], "HTTP://WWW.Example.org:80/A/../B/?b=2&a=1#top")
        self.assertEqual(fields["digest"], "ABC")
        self.write("b.warc", record.replace(b"sha1:ABC", b"md5:ABC"))
        self.assertEqual(self.index("b.warc")[0][2]["digest"], "md5:ABC")

    def test_of_several_captures_the_first_is_in_it(self):
        self.write("twice.warc", RECORDS[0] + RECORDS[1] + RECORDS[0])
        self.assertEqual([fields["offset"] for _, _, fields in self.index("twice.warc")], ["0", str(len(RECORDS[0]))])

    def test_a_page_that_ends_early_is_there(self):
        self.write("cut.warc", (RECORDS[0] + RECORDS[1])[:-40])
        rows = self.index("cut.warc")
        self.assertEqual(int(rows[1][2]["length"]), len(RECORDS[1]) - 40)

    def test_what_has_no_place_of_its_own(self):
        self.write("pages.jsonl", jsonl(PAGES))
        self.write("whole.warc.gz", gzip.compress(b"".join(RECORDS)))
        for name in ("pages.jsonl", "whole.warc.gz"):
            self.fails("crawl", name, "--format", "cdxj", "-o", "index", code=2,
                       says=f"{name}: an index is of WARC and ARC files")
            self.assertFalse(os.path.exists(self.path("index")))
        self.fails("crawl", "pages.jsonl", "--format", "cdxj", "--boilerplate", code=2,
                   says="--format cdxj: is of pages")

    def test_a_file_without_places_costs_the_others_nothing(self):
        self.write("a.warc", RECORDS[0])
        self.write("b.jsonl", jsonl(PAGES))
        self.write("index", "old")
        _, err = self.kith("crawl", "a.warc", "b.jsonl", "--format", "cdxj", "-o", "index")
        self.assertIn(f"left out: {len(PAGES) - 1} pages; the first: b.jsonl: an index is of WARC and ARC files", err)
        with open(self.path("index"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1)
        self.write("index", "old")
        self.fails("crawl", "b.jsonl", "--format", "cdxj", "-o", "index", code=2, says="b.jsonl")
        with open(self.path("index"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_pages_without_a_date_are_counted(self):
        undated = RECORDS[1].replace(b"WARC-Date: 2020-01-01T00:00:00Z", b"WARC-Date: some day")
        self.write("a.warc", RECORDS[0] + undated + RECORDS[2])
        out, err = self.kith("crawl", "a.warc", "--format", "cdxj")
        self.assertEqual(len(out.splitlines()), 2)
        self.assertIn("left out: 1 page without a date", err)


if __name__ == "__main__":
    unittest.main()
