"""tools/labelled_collections.py: what it makes of small collections laid out like the public ones."""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "labelled_collections.py")


class LabelledCollections(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kith-collections-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, content):
        path = os.path.join(self.folder, "source", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode())

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, timeout=60)

    def convert(self, name, out="out"):
        result = self.run_tool(name, os.path.join(self.folder, "source"), "-o", os.path.join(self.folder, out))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def read(self, name, out="out"):
        path = os.path.join(self.folder, out, name)
        with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
            return file.read().decode()

    def labels(self, name):
        header, *rows = self.read(name + ".labels.tsv").splitlines()
        self.assertEqual(header, "url\tlabel")
        return [row.split("\t") for row in rows]

    def test_news(self):
        self.write("bbc/sport/001.txt", "A match\n\nThe team won.")
        self.write("bbc/tech/001.txt", "A phone\n\nIt rings.")
        printed = self.convert("bbc")
        self.assertIn("2 pages of 1 hosts", printed)
        pages = [json.loads(line) for line in self.read("bbc.jsonl.gz").splitlines()]
        self.assertEqual({page["title"]: page["text"].strip() for page in pages},
                         {"A match": "The team won.", "A phone": "It rings."})
        label_of = dict(self.labels("bbc"))
        self.assertEqual({page["title"]: label_of[page["url"]] for page in pages},
                         {"A match": "sport", "A phone": "tech"})
        for page in pages:  # the URL tells nothing
            self.assertNotRegex(page["url"], "sport|tech|001")

    def test_messages_keep_subject_and_body_alone(self):
        self.write("data/comp.graphics/38",
                   "From: a@b.example\nSubject: Lines\nNewsgroups: comp.graphics\n\nHow are they drawn?")
        self.convert("newsgroups")
        page = json.loads(self.read("newsgroups.jsonl.gz"))
        self.assertEqual((page["title"], page["text"]), ("Lines", "How are they drawn?"))
        self.assertEqual([label for _, label in self.labels("newsgroups")], ["comp/graphics"])

    def test_pages_of_universities_keep_their_urls(self):
        head = "Server: x\nContent-Type: text/html\n\n"
        self.write("bert/webkb/course/cornell/http:^^www.cs.cornell.edu^Info^", head + "<title>Course</title><p>text")
        self.write("bert/webkb/other/cornell/http:^^www.cs.cornell.edu^x.html", head + "<p>rest")
        self.convert("webkb")
        self.assertEqual(self.labels("webkb"), [["http://www.cs.cornell.edu/Info/", "course/cornell"]])
        self.assertEqual(self.read("webkb.warc.gz").count("WARC-Target-URI: http://www.cs.cornell.edu/"), 2)

    def test_a_wiki_has_its_links_where_they_are_named(self):
        graph = "data/wikispeedia_paths-and-graph/"
        self.write(graph + "links.tsv", "# source, target\nApple\tCider\nApple\tPear\n")
        self.write(graph + "categories.tsv", "# article, category\nApple\tsubject.Science.Biology\n")
        self.write("data/plaintext_articles/Apple.txt", "#copyright\n\nApple\n\nOf an apple cider is made.\n")
        self.convert("wikispeedia")
        page = self.read("wikispeedia.warc.gz")
        self.assertIn('Of an apple <a href="https://en.wikipedia.org/wiki/Cider">cider</a> is made.', page)
        self.assertIn('<li><a href="https://en.wikipedia.org/wiki/Pear">pear</a></li>', page)
        self.assertEqual(self.labels("wikispeedia"), [["https://en.wikipedia.org/wiki/Apple", "Science/Biology"]])

    def test_the_same_folder_gives_the_same_bytes(self):
        for i in range(5):
            self.write(f"bbc/sport/{i}.txt", f"Title {i}\n\nText")
        self.convert("bbc")
        self.convert("bbc", "again")
        for name in ("bbc.jsonl.gz", "bbc.labels.tsv"):
            self.assertEqual(self.read(name), self.read(name, "again"))

    def test_errors_and_help(self):
        os.makedirs(os.path.join(self.folder, "source"))
        result = self.run_tool("bbc", os.path.join(self.folder, "source"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("see --help for the source", result.stderr)
        printed = self.run_tool("--help").stdout
        for name in ("bbc", "newsgroups", "reuters", "wikispeedia", "webkb", "news-queries", "swde-books"):
            self.assertIn(name, printed)


if __name__ == "__main__":
    unittest.main()
