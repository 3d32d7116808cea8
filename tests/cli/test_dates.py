"""When pages were captured: from archives and JSON lines to lists, in runs of cluster and dedup."""

import json
import unittest

from kith_case import KithCase, jsonl, topic_pages

DATES = ["2019-12-31T23:59:59Z", "2020-02-29T12:00:00Z", "2020-02-01T00:00:00.250Z"]


def dated_record(url, body, date, kind="response", fields=()):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
    lines = [f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", *fields]
    lines += [f"WARC-Date: {date}"] if date else []
    lines += ["Content-Type: application/http; msgtype=response", f"Content-Length: {len(http)}"]
    return "WARC/1.1\r\n".encode() + "\r\n".join(lines).encode() + b"\r\n\r\n" + http + b"\r\n\r\n"


def date_of(number):
    return DATES[number % 4] if number % 4 < 3 else ""


class DatesTest(KithCase):
    def setUp(self):
        super().setUp()
        self.pages = topic_pages()
        self.dates = {page["url"]: date_of(i) for i, page in enumerate(self.pages)}
        self.write("a.warc", b"".join(
            dated_record(page["url"], page["html"], self.dates[page["url"]]) for page in self.pages))

    def report_of(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def test_lists_have_them(self):
        self.kith("cluster", "a.warc", "-o", "run", "--threads", "2")
        rows = self.rows("clusters", "run")
        self.assertEqual({row["url"]: row["date"] for row in rows}, self.dates)
        url = self.pages[0]["url"]
        related = self.rows("related", "run", url)
        self.assertTrue(related)
        for row in related:
            self.assertEqual(row["date"], self.dates[row["url"]])
        row = json.loads(self.kith("related", "run", url, "-n", "1", "--format", "jsonl")[0])
        self.assertEqual(row["date"], self.dates[row["url"]])

    def test_months_are_counted(self):
        self.kith("cluster", "a.warc", "-o", "run")
        self.assertEqual(self.report_of("run")["crawl"]["months"], [["2019-12", 6], ["2020-02", 12]])
        info = self.kith("info", "run")[0]
        self.assertRegex(info, r"Pages by month of capture\n  2019-12 +6  #{25}\n  2020-02 +12  #{50}\n")
        self.kith("dedup", "a.warc", "-o", "dedup")
        self.assertEqual(self.report_of("dedup")["crawl"]["months"], [["2019-12", 6], ["2020-02", 12]])
        self.assertIn("Pages by month of capture", self.kith("info", "dedup")[0])

    def test_many_months_are_counted_by_year(self):
        lines = [{"url": f"http://a.test/{i}", "text": f"word{i}", "date": f"{2000 + i // 12}-{i % 12 + 1:02}-01"}
                 for i in range(37)]
        self.write("a.jsonl", jsonl(lines))
        self.kith("dedup", "a.jsonl", "-o", "dedup")
        self.assertEqual(len(self.report_of("dedup")["crawl"]["months"]), 37)
        info = self.kith("info", "dedup")[0]
        self.assertIn("Pages by year of capture\n", info)
        self.assertRegex(info, r"  2003 +1  #{5}\n")

    def test_a_run_without_dates_has_no_file_of_them(self):
        self.write("b.jsonl", jsonl(self.pages))
        self.kith("cluster", "b.jsonl", "-o", "run")
        self.assertNotIn("times.kith", self.files_of("run"))
        self.assertEqual({row["date"] for row in self.rows("clusters", "run")}, {""})
        self.assertNotIn("of capture", self.kith("info", "run")[0])

    def test_other_runs_take_them_over(self):
        self.kith("cluster", "a.warc", "-o", "run")
        self.kith("cluster", "run", "-o", "finer", "--similarity", "0.5")
        rows = self.rows("clusters", "finer")
        self.assertEqual({row["url"]: row["date"] for row in rows}, self.dates)
        self.write("b.warc", dated_record("http://b.test/", "<p>guitar chord melody rhythm", DATES[0]))
        self.kith("cluster", "a.warc", "b.warc", "-o", "whole")
        for part in ("1", "2"):
            self.kith("cluster", "a.warc", "b.warc", "--shard", f"{part}/2", "-o", f"part{part}")
        self.kith("merge", "part1", "part2", "-o", "merged")
        self.assertIn("times.kith", self.files_of("whole"))
        self.assertEqual(self.files_of("merged"), self.files_of("whole"))
        self.assertEqual(self.report_of("merged")["crawl"], self.report_of("whole")["crawl"])

    def test_damage_is_noticed(self):
        self.kith("cluster", "a.warc", "-o", "run")
        with open(self.path("run/times.kith"), "r+b") as file:
            file.seek(80)
            byte = file.read(1)
            file.seek(80)
            file.write(bytes([byte[0] ^ 1]))
        self.fails("clusters", "run", says="times.kith", code=1)
        self.fails("info", "run", "--verify", says="times.kith", code=1)

    def test_json_lines_have_several_names_for_them(self):
        fields = [{"date": "2020-02-29T12:00:00Z"}, {"timestamp": 1582977600}, {"warc_date": "20200229120000"},
                  {"time": "2020-02-29 12:00"}, {"timestamp": 1582977600000}, {"date": None, "time": 1582977600.0},
                  {"date": "2020-02-29T13:00:00+01:00", "time": "2019-01-01"}, {"date": "soon"}, {"date": [1]}]
        self.write("a.jsonl", jsonl({"id": i, "text": "one text that is there several times", **of}
                                    for i, of in enumerate(fields)))
        self.kith("dedup", "a.jsonl", "-o", "dedup")
        rows = self.list("dedup/groups.tsv")
        self.assertEqual([row["date"] for row in rows], ["2020-02-29T12:00:00Z"] * 7 + [""] * 2)

    def test_groups_name_the_place_of_each_capture(self):
        text = "<p>a page that is there in three captures, with some more words to compare</p>"
        digest = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
        records = [dated_record("http://a.test/", text, date, fields=[f"WARC-Payload-Digest: {digest}"])
                   for date in DATES[:2]]
        records.append(dated_record("http://a.test/", text, DATES[2]))
        self.write("in/a.warc", records[0] + records[1])
        self.write("in/b.warc", dated_record("http://b.test/", "<p>something else", DATES[0]) + records[2])
        for boilerplate in ("keep", "remove"):
            run = f"dedup-{boilerplate}"
            self.kith("dedup", "in", "-o", run, "--boilerplate", boilerplate)
            rows = self.list(f"{run}/groups.tsv")
            self.assertEqual([row["date"] for row in rows], DATES)
            self.assertEqual([row["file"] for row in rows], ["in/a.warc", "in/a.warc", "in/b.warc"])
            self.assertEqual([row["record"] for row in rows], ["0", "1", "1"])
            self.assertEqual([row["digest"] for row in rows], [digest, digest, ""])
            for row in rows:
                with open(self.path(row["file"]), "rb") as file:
                    file.seek(int(row["offset"]))
                    self.assertIn(f"WARC-Date: {row['date']}\r\n".encode(), file.read(300))

    def test_heads_of_arc_have_them(self):
        def record(url, fields, body):
            return f"{url} {fields} {len(body)}\n{body}\n"
        body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>equal words of some captures here"
        version = "filedesc://a.arc 0.0.0.0 20200101000000 text/plain 20\n1 0 InternetArchive\n\n"
        heads = ["10.0.0.1 20200229120000 text/html", "None 20200229120000 text/html",
                 "20200229120000 10.0.0.1 text/html", "10.0.0.1 2020022912 text/html",
                 "10.0.0.1 2020-02-29T12:00:00Z text/html", "10.0.0.1 20200229120000xx text/html",
                 "10.0.0.1 4f3b21aa text/html"]
        self.write("a.arc", version + "".join(record(f"http://a.test/{i}", head, body) for i, head in enumerate(heads)))
        self.kith("dedup", "a.arc", "-o", "dedup", "--boilerplate", "keep")
        self.assertEqual([row["date"] for row in self.list("dedup/groups.tsv")], ["2020-02-29T12:00:00Z"] * 6 + [""])


if __name__ == "__main__":
    unittest.main()
