"""kith doctor: what an input is, without a run."""

import json
import os
import unittest

from kith_case import DATA, KithCase, jsonl, topic_pages, warc_gz, warc_record


class Doctor(KithCase):
    def look(self, *args, code=0):
        return json.loads(self.kith("doctor", *args, "--json", code=code)[0])["inputs"]

    def test_says_what_is_in_a_file(self):
        self.write("crawl.warc.gz", warc_gz(topic_pages()))
        out, err = self.kith("doctor", "crawl.warc.gz")
        self.assertEqual(err, "")
        for text in ("files       WARC, gzip (1)", "read        24 pages", "status      200 (24)",
                     "type        text/html (24)",
                     "hosts       astronomy.example (8), cooking.example (8), music.example (8)",
                     "  https://music.example/music/0\n    music guitar\n    guitar chord melody"):
            self.assertIn(text, out)
        self.assertEqual(os.listdir(self.folder), ["crawl.warc.gz"])
        found, = self.look("crawl.warc.gz")
        self.assertEqual((found["pages"], found["problem"], found["is_whole"]), (24, "", True))
        self.assertEqual(found["bytes"], found["bytes_read"])
        self.assertEqual([page["url"] for page in found["samples"]],
                         [f"https://music.example/music/{i}" for i in range(3)])

    def test_names_every_format(self):
        page = topic_pages()[0]
        self.write("a.jsonl", jsonl([page]))
        self.write("a.csv", "url,text\nhttps://a.example/,some words of a text\n")
        self.write("a.warc", warc_record(page["url"], page["html"].encode()))
        self.write("html/a.html", page["html"])
        for name, form in (("a.jsonl", "JSON lines"), ("a.csv", "CSV"), ("a.warc", "WARC"), ("html", "HTML")):
            self.assertEqual(self.look(name)[0]["formats"], [{"name": form, "count": 1}], name)

    def test_says_from_when_pages_are(self):
        pages = topic_pages()[:4]
        for page, date in zip(pages, ("2021-05-06", "2019-01-02T03:04:05Z", "", "2020-01-01")):
            page["date"] = date
        self.write("a.jsonl", jsonl(pages))
        found, = self.look("a.jsonl")
        self.assertEqual((found["dated"], found["first_date"], found["last_date"]),
                         (3, "2019-01-02T03:04:05Z", "2021-05-06T00:00:00Z"))
        self.assertIn("dates       2019-01-02T03:04:05Z to 2021-05-06T00:00:00Z (3 pages)\n",
                      self.kith("doctor", "a.jsonl")[0])
        self.write("b.jsonl", jsonl(topic_pages()[:1]))
        self.assertEqual(self.look("b.jsonl")[0]["dated"], 0)
        self.assertNotIn("dates", self.kith("doctor", "b.jsonl")[0])

    def test_says_what_is_odd(self):
        self.write("odd.jsonl", '{"url":"x","text":"one"}\n{"url":"http://a.test/","text":"one two"}\n{"url":\n'
                                '{"url":"http://a.test/","text":"one two"}\n{"url":"http://b.test/","text":"three"}\n')
        found, = self.look("odd.jsonl")
        self.assertEqual(found["remarks"][:3], [
            "1 damaged record passed over; the first: odd.jsonl:67: line 3: no valid JSON",
            "1 record without a usable URL, which only 'kith dedup' reads; the first: odd.jsonl:0: no absolute http(s) "
            "URL: x", "1 other capture of a URL: one of them counts"])
        self.assertIn("2 pages of fewer than 5 words", found["remarks"])
        self.assertIn("no page has a title", found["remarks"])

    def test_an_input_with_a_problem_is_exit_code_1(self):
        self.write("a.png", b"\x89PNG\r\n\x1a\n\0")
        self.write("crawl.warc.gz", warc_gz(topic_pages()))
        self.write("none.jsonl", '{"url":"http://a.test/"}\n')
        out, err = self.kith("doctor", "a.png", "crawl.warc.gz", "absent", code=1)
        self.assertIn("problem     a.png is a PNG image: kith reads text only", out)
        self.assertIn("read        24 pages", out)
        self.assertIn("problem     cannot open absent: No such file or directory", out)
        self.assertEqual(err, "kith: a.png is a PNG image: kith reads text only; recognize it, e.g. with tesseract, "
                              "and give it as JSON lines with url and text\n")
        _, err = self.kith("doctor", "none.jsonl", code=1)
        self.assertEqual(err, "kith: none.jsonl: nothing to read: there is no page\n")

    def test_a_folder_of_html_needs_no_url_to_be_looked_at(self):
        self.write("site/a.html", "<title>A page</title><p>with some words to read")
        found, = self.look("site")
        self.assertEqual(found["remarks"],
                         ["site holds HTML: give --base-url, the URL that its files were fetched from"])
        self.assertEqual(found["samples"][0]["title"], "A page")
        found, = self.look("site", "--base-url", "http://a.test")
        self.assertEqual(found["samples"][0]["url"], "http://a.test/a.html")

    def test_reads_a_sample(self):
        self.write("big.jsonl", jsonl([{"url": f"http://a.test/{i}", "text": "some words of it " * 500}
                                       for i in range(1000)]))
        found, = self.look("big.jsonl", "--sample", "1M")
        self.assertFalse(found["is_whole"])
        self.assertLess(found["pages"], 500)
        self.assertEqual(sum(one["count"] for one in found["statuses"]), found["pages"])
        self.assertIn("the rest was not looked at: --sample says how much is read", found["remarks"])
        with open(self.path("big.jsonl"), "rb") as file:
            piped = json.loads(self.kith("doctor", "-", "--json", stdin=file.read())[0])["inputs"][0]
        self.assertEqual((piped["pages"], piped["is_whole"], piped["formats"]), (1000, True, []))

    def test_filters_and_options_count(self):
        sample = os.path.join(DATA, "crawl", "sample.warc.gz")
        all_pages = self.look(sample)[0]["pages"]
        found, = self.look(sample, "--include", "url:/[a-m][^/]*$")
        self.assertLess(found["pages"], all_pages)
        left_out = all_pages - found["pages"]
        self.assertIn(f"{left_out} pages left out by a filter or a list", found["remarks"])


if __name__ == "__main__":
    unittest.main()
