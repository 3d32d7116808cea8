"""kith dedup --keep inlinks: of a group the page to which most other pages link."""

import json
import os
import unittest

from kith_case import KithCase, jsonl, warc_gz

TEXT = "nine old sailors mend their nets and sing of storms that broke the masts of ships"


def page(url, *links, text=""):
    return {"url": url, "html": f"<p>{text}</p>" + "".join(f'<a href="{link}"></a>' for link in links)}


PAGES = [
    page("https://a.example/copy", "https://b.example/1", text=TEXT),
    page("https://a.example/self", "#", "self", "/self?", "/self", text=TEXT),
    # Spelled otherwise; linked to by two pages.
    page("HTTPS://A.example:443/x/../popular", text=TEXT),
    page("https://a.example/second", text=TEXT),
    # One page linking three times counts once, its second capture neither.
    page("https://b.example/1", *["https://a.example/second"] * 3, text="one"),
    page("https://b.example/1", "https://a.example/second", "https://a.example/popular#top", text="one two"),
    page("https://b.example/2", "//a.example/popular", text="another one"),
]


class DedupInlinksTest(KithCase):
    def kept(self, run):
        with open(self.path(f"{run}/keep.tsv"), encoding="utf-8") as file:
            return [line.split("\t")[0] for line in file.read().splitlines()[1:]]

    def test_keeps_what_most_pages_link_to(self):
        self.write("in.jsonl", jsonl(PAGES))
        self.kith("dedup", "in.jsonl", "-o", "run", "--keep", "inlinks")
        self.assertEqual(self.kept("run"), [page["url"] for page in PAGES[2:3] + PAGES[4:]])
        # b.example/1 is linked to as well, by the copy: both of its captures.
        self.assertIn("in-links    4 documents have some, of 6 links to other URLs", self.kith("info", "run")[0])
        self.write("in.warc.gz", warc_gz(PAGES))
        self.kith("dedup", "in.warc.gz", "-o", "warc", "--keep", "inlinks", "--order", "degree", "--threads", "1")
        self.assertEqual(self.kept("warc"), self.kept("run"))
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual((report["documents"]["links"], report["documents"]["linked"]), (6, 4))

    def test_the_first_of_equally_many(self):
        self.write("in.jsonl", jsonl(PAGES[:4] + PAGES[4:5]))
        self.kith("dedup", "in.jsonl", "-o", "run", "--keep", "inlinks")
        self.assertEqual(self.kept("run")[0], "https://a.example/second")
        self.write("none.jsonl", jsonl(PAGES[:4]))
        self.kith("dedup", "none.jsonl", "-o", "none", "--keep", "inlinks")
        self.assertEqual(self.kept("none"), ["https://a.example/copy"])

    def test_an_input_without_links(self):
        for name, documents in (("text", [{"url": "https://a.example/", "text": TEXT}]),
                                ("nameless", [{"id": 1, "html": f'<p>{TEXT}<a href="https://a.example/"></a>'}])):
            self.write(f"{name}.jsonl", jsonl(documents))
            self.fails("dedup", f"{name}.jsonl", "-o", name, "--keep", "inlinks", code=2,
                       says=["--keep inlinks", "no document", "--keep first"])
            self.assertFalse(os.path.exists(self.path(name)))


if __name__ == "__main__":
    unittest.main()
