#!/usr/bin/python3
"""Runs that are limited to the URLs of a list (--only), and URLs of web archives (--unwrap)."""

import gzip
import json
import unittest

from kith_case import KithCase, jsonl, topic_pages, warc_gz

PAGES = topic_pages(4)
URLS = [page["url"] for page in PAGES]
CDX_HEAD = " CDX N b a m s k r M S V g\n"


def cdxj(url):
    return "x,y)/ 20200102030405 " + json.dumps({"url": url, "mime": "text/html", "status": "200"}) + "\n"


class Only(KithCase):
    def setUp(self):
        super().setUp()
        self.write("crawl.jsonl", jsonl(PAGES))
        self.write("crawl.warc.gz", warc_gz(PAGES))

    def urls(self, *words):
        out, err = self.kith("crawl", *words)
        return [line.split("\t")[0] for line in out.splitlines()[1:]], err

    def test_lists_of_all_kinds(self):
        some = URLS[2:5]
        spelled = [some[0].replace("https://", "HTTPS://"), some[1] + "#top", some[2]]
        lists = {
            "lines": "\n".join(spelled) + "\n\n",
            "windows": "\r\n".join(some),
            "table": "URL\tstatus\n" + "".join(f"{url}\t200\n" for url in some),
            "jsonl": "".join(json.dumps({"status": 200, "url": url}) + "\n" for url in some),
            "cdxj": "!OpenWayback-CDXJ 1.0\n" + "".join(cdxj(url) for url in [*some, "dns:x.test"]),
            "cdx": CDX_HEAD + "".join(f"x,y)/ 2020 {url} text/html 200 A - - 1 2 a.warc\n" for url in some),
        }
        for name, text in lists.items():
            self.write(name, text)
            found, err = self.urls("crawl.jsonl", "--only", name)
            self.assertEqual(found, some, name)
            self.assertIn("only        3 of 3 named URLs found\n", err)
            self.assertIn(f"{len(URLS) - 3} left out by a filter or a list", err)
        self.write("packed.gz", gzip.compress(lists["cdxj"].encode()))
        self.assertEqual(self.urls("crawl.jsonl", "--only", "packed.gz")[0], some)

    def test_urls_that_are_not_there_are_counted(self):
        self.write("list", "\n".join([URLS[0], URLS[0], "https://not.there/", URLS[1]]))
        found, err = self.urls("crawl.jsonl", "--only", "list")
        self.assertEqual(found, URLS[:2])
        self.assertIn("only        2 of 3 named URLs found\n", err)
        for job in ("cluster", "dedup"):
            self.kith(job, "crawl.warc.gz", "crawl.jsonl", "-o", job, "--only", "list")
            counts = json.loads(self.kith("info", job, "--json")[0])["crawl"]
            self.assertEqual((counts["named"], counts["found"]), (3, 2), job)
        self.write("none", "https://not.there/\n")
        _, err = self.kith("crawl", "crawl.jsonl", "--only", "none", code=1)
        self.assertIn("only        0 of 1 named URL found\n", err)

    def test_what_is_no_list_is_said(self):
        self.write("words", URLS[0] + "\nno url here\n")
        self.fails("crawl", "crawl.jsonl", "--only", "words", code=2,
                   says="words: line 2 names no http or https URL: no url here")
        self.write("ftp", "ftp://x.test/\n")
        self.fails("crawl", "crawl.jsonl", "--only", "ftp", code=2, says="ftp: line 1 names no http")
        self.fails("crawl", "crawl.jsonl", "--only", "absent", says="cannot open absent")
        self.write("cut.gz", gzip.compress("\n".join(URLS * 100).encode())[:-20])
        self.fails("crawl", "crawl.jsonl", "--only", "cut.gz", says="cut.gz: the file ends inside a gzip")

    def test_another_list_is_another_run(self):
        self.write("list", "\n".join(URLS[:6]))
        self.kith("dedup", "crawl.jsonl", "-o", "run", "--only", "list")
        self.kith("dedup", "crawl.jsonl", "-o", "run", "--only", "list")
        self.write("list", "\n".join(URLS[:7]))
        self.fails("dedup", "crawl.jsonl", "-o", "run", "--only", "list", code=2,
                   says="list had")

    def test_shares_and_threads(self):
        self.write("list", "\n".join(URLS[3:9]))
        self.write("in/a.jsonl", jsonl(PAGES[:6]))
        self.write("in/b.jsonl", jsonl(PAGES[6:]))
        for i in (1, 2):
            self.kith("cluster", "in", "--only", "list", "--shard", f"{i}/2", "-o", f"s{i}", "--bags", "content")
        self.kith("merge", "s1", "s2", "-o", "merged")
        counts = json.loads(self.kith("info", "merged", "--json")[0])["crawl"]
        self.assertEqual((counts["named"], counts["found"], counts["pages"]), (6, 6, 6))


ARCHIVE = "https://web.archive.org/web/20200102030405"


class Unwrap(KithCase):
    def test_pages_and_links(self):
        pages = [{"url": f"{ARCHIVE}id_/http://x.test/{name}",
                  "html": f"<p>some words of page {name}. <a href='/web/2020/http://x.test/{other}'>one</a> "
                          f"<a href='{other}'>two</a>"} for name, other in (("a", "b"), ("b", "a"))]
        self.write("crawl.jsonl", jsonl(pages))
        self.write("list", "http://x.test/a\n")
        for words, urls in ((["--unwrap"], ["http://x.test/a", "http://x.test/b"]),
                            (["--unwrap", "--only", "list"], ["http://x.test/a"]),
                            (["--unwrap", "--url-rules", "common"], ["http://x.test/a", "http://x.test/b"]),
                            ([], [page["url"] for page in pages])):
            out, _ = self.kith("crawl", "crawl.jsonl", *words)
            self.assertEqual([line.split("\t")[0] for line in out.splitlines()[1:]], urls, words)
        for words, count in (([], 4), (["--unwrap"], 2)):
            self.kith("cluster", "crawl.jsonl", "-o", f"run{count}", "--urls", "all", *words)
            report = json.loads(self.kith("info", f"run{count}", "--json")[0])
            self.assertEqual(report["bags"]["urls"], count)


if __name__ == "__main__":
    unittest.main()
