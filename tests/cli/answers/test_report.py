"""kith report: the report of a run as one file."""

import hashlib
import base64
import html.parser
import json
import os
import re
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)>"


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, and what stands in scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] in ("script", "style") and data.strip():
            self.texts.append((self.elements[-1], data))


def has_page():
    """Whether the program was built with the web page."""
    case = KithCase()
    case.setUp()
    try:
        case.write("pages.jsonl", jsonl(topic_pages(2)))
        case.kith("dedup", "pages.jsonl", "-o", "run")
        result = subprocess.run([KITH, "report", "run", "--html", "x.html"], cwd=case.folder, capture_output=True,
                                check=False)
        return result.returncode == 0
    finally:
        case.doCleanups()


HAS_PAGE = has_page()


class Report(KithCase):
    def setUp(self):
        super().setUp()
        hostile = {"url": HOSTILE, "text": "two documents of one name and one text"}
        self.write("pages.jsonl", jsonl([*topic_pages(), hostile, hostile]) + "{broken\n")

    def make(self, kind, name="run"):
        self.kith(kind, "pages.jsonl", "-o", name)
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    @unittest.skipIf(HAS_PAGE, "the program has the web page")
    def test_without_the_page_it_says_what_is_needed(self):
        self.make("cluster")
        self.fails("report", "run", "--html", "report.html", code=2, says="built without the web page")
        self.assertFalse(os.path.exists(self.path("report.html")))

    @unittest.skipUnless(HAS_PAGE, "the program has no web page")
    def test_the_file_has_all_it_needs(self):
        for kind in ("cluster", "dedup"):
            self.make(kind, kind)
            self.kith("report", kind, "--html", f"{kind}.html")
            page = Elements(self.read(f"{kind}.html"))
            policy, = [attributes["content"] for tag, attributes in page.elements
                       if attributes.get("http-equiv") == "Content-Security-Policy"]
            self.assertTrue(policy.startswith("default-src 'none'"))
            texts = {(tag, attributes.get("type")): text for (tag, attributes), text in page.texts}
            self.assertEqual(set(texts), {("style", None), ("script", None), ("script", "application/json")})
            for tag in ("style", "script"):
                digest = base64.b64encode(hashlib.sha256(texts[tag, None].encode()).digest()).decode()
                self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
            for tag, attributes in page.elements:
                self.assertNotIn("src", attributes, tag)
                self.assertIn(attributes.get("href", "data:,"), ("data:,",), tag)
            content = json.loads(texts["script", "application/json"])
            self.assertEqual((content["kind"], content["name"]), (kind, kind))
            report = json.loads(self.kith("info", kind, "--json")[0])
            self.assertEqual(content["report"], report)
            self.assertIn("distributions", content)

    @unittest.skipUnless(HAS_PAGE, "the program has no web page")
    def test_texts_of_strangers_stay_in_their_element(self):
        self.make("dedup", "run <b>")
        self.kith("report", "run <b>", "--html", "report.html")
        text = self.read("report.html")
        self.assertIn("run \\u003cb>", text)
        self.assertIn("\\u003c/script>\\u003cscript>alert(1)", text)
        self.assertNotIn("<script>alert", text)
        self.assertNotIn("<b>", text)
        self.assertEqual(len(re.findall("</script>", text)), 2)

    @unittest.skipUnless(HAS_PAGE, "the program has no web page")
    def test_a_file_is_replaced_but_for_those_of_the_run(self):
        self.make("dedup")
        self.write("report.html", "old")
        self.kith("report", "run", "--html", "report.html")
        self.assertIn("<!doctype html>", self.read("report.html"))
        self.kith("report", "run", "--html", "run/report.html")
        before = self.read("run/report.json")
        self.fails("report", "run", "--html", "run/report.json", code=2, says="would replace a file of the run")
        self.assertEqual(self.read("run/report.json"), before)
        self.kith("info", "run", "--verify")

    @unittest.skipUnless(HAS_PAGE, "the program has no web page")
    def test_errors(self):
        self.make("cluster")
        self.fails("report", "nowhere", "--html", "r.html", says="nowhere")
        self.fails("report", "run", "--html", "no/folder/r.html", says="no/folder/r.html")
        self.fails("report", "run", code=2, says="--html")
        self.assertIn("kith report run --html", self.kith("report", "--help")[0])


if __name__ == "__main__":
    unittest.main()
