"""kith crawl, and the flags that say how a crawl is read, here and in kith cluster."""

import gzip
import json
import os
import unittest

from kith_case import DATA, KithCase, jsonl, topic_pages, warc_gz


def record(kind, url, content_type, content):
    content = content if isinstance(content, bytes) else content.encode()
    return (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n").encode() + content + b"\r\n\r\n"


def response(url, body, status="200 OK", fields="Content-Type: text/html; charset=utf-8\r\n"):
    body = body if isinstance(body, bytes) else body.encode()
    return record("response", url, "application/http",
                  f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body)


def wat(url, title, links):
    """A WAT record of a page with these (href, text) links."""
    return record("metadata", url, "application/json", json.dumps({
        "Container": {}, "Envelope": {"Payload-Metadata": {"HTTP-Response-Metadata": {
            "Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html; charset=x"},
            "HTML-Metadata": {"Head": {"Title": title}, "Links": [
                {"path": "A@/href", "url": href, "text": text} for href, text in links]}}}}}))


GERMAN = ("Die Katze sitzt auf dem Dach und schaut den Vögeln zu, die über den Häusern fliegen. "
          "Am Abend kommt sie zurück in die Wohnung und schläft neben dem Ofen ein.")


class Rows(KithCase):
    def test_a_line_a_page_in_the_order_of_the_input(self):
        self.write("a.warc", response("HTTP://A.example:80/z/../1", f"<title>Katze</title>{GERMAN}<a href=/2>zwei</a>")
                   + response("http://a.example/2", "caf\xe9".encode("latin-1"),
                              fields="Content-Type: text/plain; charset=iso-8859-1\r\n")
                   + response("http://a.example/3", "<p>gone", status="404 Not Found")
                   + response("http://a.example/1", "<p>again")
                   + response("http://a.example/4", b"<p>\xcf\xf0\xe8",
                              fields="Content-Type: text/html; charset=cp1251\r\n")
                   + record("conversion", "http://a.example/5", "text/plain", "one two three"))
        self.assertEqual(self.kith("crawl", "a.warc")[0], "".join(line.replace(" ", "\t") + "\n" for line in (
            "url status type charset language words links",
            f"http://a.example/1 200 text/html UTF-8 de {len(GERMAN.replace('.', '').split()) + 2} 1",
            "http://a.example/2 200 text/plain windows-1252 en 1 0",
            "http://a.example/4 200 text/html windows-1251 ru 1 0",
            "http://a.example/5 0 text/plain UTF-8 en 3 0")))

    def test_jsonl_says_what_tsv_says(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        rows = self.rows("crawl", "crawl.jsonl")
        items = [json.loads(line) for line in self.kith("crawl", "crawl.jsonl", "--format", "jsonl")[0].splitlines()]
        self.assertEqual(rows, [{key: str(value) for key, value in item.items()} for item in items])
        self.assertEqual([row["url"] for row in rows], [page["url"] for page in topic_pages()])
        self.assertEqual(rows[0]["type"], "text/html")

    def test_the_rows_add_up_to_what_cluster_counts(self):
        sample = os.path.join(DATA, "crawl", "sample.warc.gz")
        rows = self.rows("crawl", sample)
        self.kith("cluster", sample, "-o", "run", "--no-check")
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(len(rows), report["crawl"]["pages"])
        self.assertEqual(sum(int(row["words"]) for row in rows), report["text"]["words"])
        self.assertEqual(sum(int(row["links"]) for row in rows), report["text"]["links"])

    def test_no_page_is_a_header(self):
        self.write("empty.warc", "")
        out, err = self.kith("crawl", "empty.warc", code=1)
        self.assertEqual(out, "url\tstatus\ttype\tcharset\tlanguage\twords\tlinks\n")
        self.assertIn("0 pages", err)

    def test_what_was_passed_over_is_told_on_standard_error(self):
        whole = warc_gz(topic_pages())
        self.write("cut.warc.gz", whole[:-40])
        _, err = self.kith("crawl", "cut.warc.gz")
        self.assertIn("1 damaged", err)
        self.assertRegex(err, r"cut\.warc\.gz:\d+: damaged: the file ends inside a gzip member")

    def test_folders_pipes_and_html(self):
        page = topic_pages()[0]
        self.write("site/a.html", page["html"])
        rows = self.rows("crawl", "site", "--base-url", "https://example.org")
        self.assertEqual([row["url"] for row in rows], ["https://example.org/a.html"])
        out, _ = self.kith("crawl", "-", stdin=warc_gz([page]))
        self.assertIn(page["url"], out)
        self.fails("crawl", "site", code=2, says="--base-url")
        self.fails("crawl", "absent", says="absent")


class ReadFlags(KithCase):
    """Each changes what kith crawl prints and what kith cluster keeps."""

    def files_with(self, name, *options):
        self.kith("cluster", "a.warc", "-o", name, "--bags", "content", "--min-df", "1", "--no-check", *options)
        return self.files_of(name)

    def test_status(self):
        self.write("a.warc", response("http://a/1", "<p>guitar")
                   + response("http://a/2", "<p>melody", status="203 Other")
                   + response("http://a/3", "<p>harmony", status="404 Not Found")
                   + response("http://a/4", "<p>moved", status="301 Moved",
                              fields="Location: /1\r\nContent-Type: text/html\r\n"))
        for flags, pages in ((["--status", "200"], "1"), (["--status", "200,203"], "12"), (["--status", "2xx"], "12"),
                             (["--status", "404"], "3"), (["--status", "any"], "1234"), ([], "1")):
            with self.subTest(flags):
                rows = self.rows("crawl", "a.warc", *flags)
                self.assertEqual("".join(row["url"][-1] for row in rows), pages)
                self.kith("cluster", "a.warc", "-o", "run" + "-".join(flags), *flags)
                report = json.loads(self.kith("info", "run" + "-".join(flags), "--json")[0])
                self.assertEqual(report["crawl"]["pages"], len(pages))
                self.assertEqual(report["crawl"]["redirects"], 0 if "4" in pages else 1)
                self.assertEqual(report["options"]["status"], flags[1] if flags else "200")
        for wrong in ("", "2000", "ok", "200,"):
            for command in (["crawl", "a.warc"], ["cluster", "a.warc", "-o", "new"]):
                self.fails(*command, "--status", wrong, code=2, says="--status")
        self.fails("cluster", "a.warc", "-o", "run", "--status", "any", code=2, says="status")

    def test_language(self):
        words = "<p>katzen katze häuser haus running runs"
        self.write("a.warc", response("http://a/1", words) + response("http://a/2", words + " more"))
        for flags, language in ((["--language", "de"], "de"), (["--language", "german"], "de"),
                                (["--language", "en-GB"], "en"), (["--language", "pl"], "other")):
            self.assertEqual({row["language"] for row in self.rows("crawl", "a.warc", *flags)}, {language})
        self.assertNotEqual(self.files_with("german", "--language", "de"),
                            self.files_with("english", "--language", "en"))
        bag = json.loads(self.kith("bags", "german", "http://a/1")[0])["terms"]
        self.assertIn("katz", bag)
        for command in (["crawl", "a.warc"], ["cluster", "a.warc", "-o", "new"]):
            self.fails(*command, "--language", "klingon", code=2, says=["--language", "klingon"])

    def test_max_page(self):
        self.write("a.warc", response("http://a/1", "<p>" + "guitar melody " * 1000))
        rows = self.rows("crawl", "a.warc", "--max-page", "1K")
        self.assertLess(int(rows[0]["words"]), 200)
        self.assertIn("1 page at 1 KiB", self.kith("crawl", "a.warc", "--max-page", "1K")[1])
        for wrong in ("1", "2G", "much"):
            self.fails("crawl", "a.warc", "--max-page", wrong, code=2, says="--max-page")

    def test_strict_fails_at_the_first_damage_and_leaves_nothing(self):
        whole = warc_gz(topic_pages())
        self.write("cut.warc.gz", whole[:-40])
        for threads in ("1", "4"):
            self.fails("cluster", "cut.warc.gz", "-o", "run", "--strict", "--threads", threads,
                       says=["cut.warc.gz:", "damaged", "--strict"])
            self.assertFalse(os.path.exists(self.path("run")))
        _, err = self.kith("crawl", "cut.warc.gz", "--strict", code=1)
        self.assertRegex(err, r"^kith: cut\.warc\.gz:\d+: damaged: [^\n]*\n$")
        self.write("whole.warc.gz", whole)
        self.kith("cluster", "whole.warc.gz", "-o", "run", "--strict")
        self.assertEqual(len(self.rows("crawl", "whole.warc.gz", "--strict")), 24)

    def test_damage_is_shown_by_info(self):
        files = [response("http://a/1", "<p>guitar"), b"garbage\r\n\r\n", response("mailto:a", "<p>"),
                 response("http://a/2", gzip.compress(b"<p>")[:-4] + b"none",
                          fields="Content-Type: text/html\r\nContent-Encoding: gzip\r\n")]
        self.write("a.warc", b"".join(files))
        self.kith("cluster", "a.warc", "-o", "run")
        info, _ = self.kith("info", "run")
        self.assertIn("skipped     1 without a usable URL, 2 damaged", info)
        self.assertIn(f"a.warc:{len(files[0])}: damaged: no record begins here\n", info)
        self.assertIn(f"a.warc:{sum(map(len, files[:2]))}: bad_url: no absolute http(s) URL: mailto:a\n", info)
        self.assertIn(f"a.warc:{sum(map(len, files[:3]))}: damaged: ", info)
        crawl = json.loads(self.kith("info", "run", "--json")[0])["crawl"]
        self.assertEqual(crawl["skipped"], [["bad_url", 1], ["damaged", 2]])
        self.assertEqual([(e["kind"], e["offset"]) for e in crawl["examples"]],
                         [("damaged", len(files[0])), ("bad_url", sum(map(len, files[:2]))),
                          ("damaged", sum(map(len, files[:3])))])


class CommonCrawl(KithCase):
    def test_wat_gives_anchor_bags_of_the_anchor_texts_alone(self):
        start = [("/guitar", "guitar melody"), ("http://b.example/", "telescope galaxy"), ("/void", "")]
        other = [("http://b.example/", "nebula"), ("http://a.example/guitar", "chord")]
        self.write("a.warc.wat", wat("http://a.example/", "Start", start) + wat("http://c.example/", "Other", other))
        rows = self.rows("crawl", "a.warc.wat")
        self.assertEqual([(row["url"], row["type"], row["words"], row["links"]) for row in rows],
                         [("http://a.example/", "text/html", "5", "3"), ("http://c.example/", "text/html", "3", "2")])
        self.kith("cluster", "a.warc.wat", "-o", "run", "--urls", "all", "--min-df", "1", "--max-df", "1", "--no-check")
        bags = {bag["url"]: set(bag["terms"]) for bag in map(json.loads, self.kith("bags", "run")[0].splitlines())}
        self.assertEqual(bags["http://a.example/guitar"], {"guitar", "melodi", "chord"})
        self.assertEqual(bags["http://b.example/"], {"telescop", "galaxi", "nebula"})
        self.assertEqual(bags["http://a.example/void"], set())
        self.assertEqual(bags["http://a.example/"], {"start"})

    def test_a_crawl_as_wat_has_the_links_of_the_crawl(self):
        html = [response(page["url"], page["html"]) for page in topic_pages()]
        self.write("a.warc", b"".join(html))
        self.write("a.wat", b"".join(wat(page["url"], "t", [("/music/0", "x")]) for page in topic_pages()))
        rows = self.rows("crawl", "a.warc", "a.wat")
        self.assertEqual(len(rows), 24)  # the first capture of each

    def test_wet_gives_content_bags(self):
        pages = topic_pages()
        self.write("a.wet.gz", b"".join(gzip.compress(record("conversion", page["url"], "text/plain", text))
                                        for page, text in zip(pages, ["guitar melody", "telescope galaxy"] * 12)))
        self.kith("cluster", "a.wet.gz", "-o", "run", "--bags", "content", "--max-df", "1",
                  "--min-words", "1")
        rows = self.rows("clusters", "run")
        self.assertEqual(len({row["cluster"] for row in rows}), 2)


if __name__ == "__main__":
    unittest.main()
