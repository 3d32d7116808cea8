"""kith dedup reads documents that have no URL, and every capture of those that have."""

import gzip
import json
import unittest

from kith_case import KithCase, jsonl, topic_pages, warc_gz

TEXT = "nine old sailors mend their nets and sing of storms that broke the masts of ships"


class DedupInputsTest(KithCase):
    def kept(self, run):
        with open(self.path(f"{run}/keep.tsv"), encoding="utf-8") as file:
            return [tuple(line.split("\t")[:3]) for line in file.read().splitlines()[1:]]

    def test_names_of_json_lines(self):
        self.write("in.jsonl", "".join(json.dumps(document) + "\n" for document in [
            {"text": "one"}, {"id": 17, "text": "two"}, {"id": "c/3", "text": "three"},
            {"id": "d", "url": "https://a.example/", "text": "four"}, {"id": None, "text": "five"},
            {"id": "tab\tand\nline", "text": "six"}]) + "\n" + json.dumps({"text": "seven"}) + "\n")
        self.kith("dedup", "in.jsonl", "-o", "run")
        self.assertEqual(self.kept("run"), [
            ("in.jsonl:1", "in.jsonl", "0"), ("17", "in.jsonl", "1"), ("c/3", "in.jsonl", "2"),
            ("https://a.example/", "in.jsonl", "3"), ("in.jsonl:5", "in.jsonl", "4"),
            ("tab\\tand\\nline", "in.jsonl", "5"), ("in.jsonl:8", "in.jsonl", "7")])

    def test_folders_of_text_and_html(self):
        self.write("docs/a.txt", TEXT)
        self.write("docs/b/c.html", f"<title>c</title><p>{TEXT}")
        self.write("docs/d.TXT", "{\"text\": \"no JSON lines\"}")
        self.write("docs/e.md", TEXT)
        self.kith("dedup", "docs", "-o", "run")
        self.assertEqual(self.kept("run"), [("docs/a.txt", "docs/a.txt", "0"), ("docs/d.TXT", "docs/d.TXT", "0")])
        self.kith("dedup", "docs/a.txt", "docs/d.TXT", "-o", "files")
        self.assertEqual([row[0] for row in self.kept("files")], ["docs/a.txt", "docs/d.TXT"])
        self.kith("dedup", "docs", "-o", "based", "--base-url", "https://a.example/x")
        self.assertEqual([row[0] for row in self.kept("based")],
                         ["https://a.example/x/a.txt", "https://a.example/x/d.TXT"])

    def test_a_copy_without_any_page_is_told(self):
        self.write("a/page.txt", "some words that are here once more")
        self.kith("dedup", "a", "-o", "first")
        _, err = self.kith("dedup", "a", "-o", "second", "--against", "first", "--write", "copy")
        self.assertIn("no file: every page of the input was removed", err)

    def test_records_without_a_text(self):
        self.write("in.jsonl", json.dumps({"body": TEXT}) + "\n")
        self.assertIn("name one, as in --text-field body",
                      "".join(self.kith("dedup", "in.jsonl", "-o", "run", code=1)))

    def test_nothing_to_read(self):
        self.write("empty", "")
        self.fails("dedup", "empty", "-o", "run", says="empty is empty: there is nothing to read")
        self.write("folder/picture.png", "")
        self.fails("dedup", "folder", "-o", "run", says="no HTML or text (.txt)")

    def test_kith_cluster_reads_no_nameless_documents(self):
        self.write("docs/a.txt", TEXT)
        self.fails("cluster", "docs", "-o", "run", says="docs")
        self.write("docs/b.html", TEXT)
        self.fails("cluster", "docs", "-o", "run", says="holds HTML: give", code=2)

    def test_what_is_not_read_whole_is_kept(self):
        """Two documents that differ after --max-page, a third that ends there, and two equal ones."""
        start = " ".join(f"{TEXT} {a}{b}" for a in "abcdefghijklm" for b in "nopqrstuvwxyz")
        texts = [start + " their first end", start + " another end", start, TEXT, TEXT]
        self.write("in.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts))
        out, report = self.kith("dedup", "in.jsonl", "-o", "run", "--max-page", str(len(start)),
                                "--similarity", "0.5", "--write", "copy")
        self.assertEqual([row[2] for row in self.kept("run")], ["0", "1", "2", "3"])
        self.assertIn("2 documents were not read to the end", out + report)
        with open(self.path("copy"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["text"] for line in file], texts[:4])

    def test_every_capture_is_a_document(self):
        pages = topic_pages(2)
        self.write("crawl.warc.gz", warc_gz(pages + pages[:2]))
        self.kith("dedup", "crawl.warc.gz", "-o", "run", "--method", "exact")
        kept = self.kept("run")
        self.assertEqual(len(kept), len(pages))
        self.assertEqual([row[2] for row in kept], [str(i) for i in range(len(pages))])

    def test_the_same_documents_from_other_files(self):
        """Ids follow the input, so that lists but for the files are the same."""
        pages = topic_pages(20)
        self.write("a.jsonl.gz", gzip.compress(jsonl(pages).encode()))
        self.write("b.warc.gz", warc_gz(pages))
        self.kith("dedup", "a.jsonl.gz", "-o", "a", "--similarity", "0.5", "--width", "3")
        self.kith("dedup", "b.warc.gz", "-o", "b", "--similarity", "0.5", "--width", "3")
        places = {"date": "", "file": "", "offset": "", "record": "", "digest": ""}
        for name in ("groups.tsv", "pairs.tsv"):
            a, b = self.list(f"a/{name}"), self.list(f"b/{name}")
            self.assertEqual([{**row, **places} for row in a], [{**row, **places} for row in b])
        self.assertEqual([row[0] for row in self.kept("a")], [row[0] for row in self.kept("b")])

    def test_characters_for_unspaced_scripts(self):
        text = "敏捷的棕色狐狸跳过了懒狗九个老水手修补他们的渔网歌唱着折断桅杆的风暴"
        self.write("zh.jsonl", "".join(json.dumps({"text": t}) + "\n" for t in (text, text + "夜", text[::-1])))
        self.kith("dedup", "zh.jsonl", "-o", "run", "--shingles", "characters", "--width", "4")
        self.assertEqual([row[0] for row in self.kept("run")], ["zh.jsonl:1", "zh.jsonl:3"])


if __name__ == "__main__":
    unittest.main()
