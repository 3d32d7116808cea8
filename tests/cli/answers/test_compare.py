"""kith compare: numbers, the diff, JSON, the page, and what is refused."""

import html.parser
import json
import os
import unittest

from kith_case import KithCase, jsonl, topic_pages

A = "The quick brown fox jumps over the lazy dog, and nobody knows why it did so at all.\n"
B = "The quick brown fox jumps over the lazy cat, and nobody knows why it did so at all.\n"
HOSTILE = ("</div><script>alert('x')</script> &amp; \"quoted\" <img src=x onerror=alert(1)> "
           "\x1b[31mred\x1b[0m \xc2\x9bevil words that stand in both of the two texts")


class Page(html.parser.HTMLParser):
    """The elements of a page, their texts, ids and links."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.attributes, self.parts = set(), [], [], set(), {}
        self._open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(attrs)
        if "href" in attrs:
            self.links.append(attrs["href"])
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self._open.append(attrs.get("id"))

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        if self._open and self._open[-1]:
            self.parts[self._open[-1]] = self.parts.get(self._open[-1], "") + data


class Compare(KithCase):
    def diff(self, *args):
        """The lines of the diff, without the line that explains the signs."""
        out, _ = self.kith("compare", *args)
        return out.split("the reverse\n")[1].splitlines()

    def test_two_texts(self):
        self.write("a.txt", A)
        self.write("b.txt", B)
        out, err = self.kith("compare", "a.txt", "b.txt")
        self.assertEqual(err, "")
        # 18 words, 14 shingles of 5; one word is in five of them.
        self.assertRegex(out, r"resemblance +0\.473684 +9 of 19")
        self.assertRegex(out, r"containment of A in B +0\.642857 +9 of 14")
        self.assertRegex(out, r"SimHash distance +\d+ bits")
        for sketch in ("128 lanes", "128 bins", "1-bit", "8-bit", "super-shingles", "MIN_s",
                       "MOD_m", "SimHash of words"):
            self.assertIn(sketch, out)
        self.assertEqual(self.diff("a.txt", "b.txt"),
                         ["= The quick brown fox jumps over the lazy", "- dog,", "+ cat,",
                          "= and nobody knows why it did so at all."])

    def test_columns_are_aligned(self):
        self.write("a.txt", A)
        self.write("b.txt", B)
        lines = self.kith("compare", "a.txt", "b.txt")[0].splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("estimator"))
        column = lines[head].index("95 % bounds")
        for line in lines[head + 1:head + 18]:
            self.assertRegex(line[column:], r"^[01]\.\d{4} to [01]\.\d{4} ")

    def test_equal_and_different_documents_exit_with_zero(self):
        self.write("a.txt", A)
        self.write("c.txt", "Nothing here is the same as anywhere else.")
        self.assertEqual(self.diff("a.txt", "a.txt", "--diff", "full"), ["= " + A.strip()])
        self.assertEqual([line[0] for line in self.diff("a.txt", "c.txt")], ["-", "+"])
        self.assertRegex(self.kith("compare", "a.txt", "c.txt")[0], r"resemblance +0\.000000")

    def test_long_passages_lose_their_middle(self):
        text = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(500))
        self.write("a.txt", text)
        brief = self.diff("a.txt", "a.txt")
        self.assertEqual(len(brief), 1)
        self.assertLess(len(brief[0]), 200)
        self.assertIn("[... 500 words in all ...]", brief[0])
        self.assertEqual(self.diff("a.txt", "a.txt", "--diff", "full"), ["= " + text])
        out, _ = self.kith("compare", "a.txt", "a.txt", "--diff", "none")
        self.assertNotIn("worda", out)

    def test_what_was_moved(self):
        tail = "this passage stands at the end of one and at the front of the other"
        self.write("a.txt", A + tail)
        self.write("b.txt", tail + " " + A)
        self.assertEqual(sorted(line[0] for line in self.diff("a.txt", "b.txt")), ["<", "=", ">"])

    def test_standard_input(self):
        self.write("b.txt", B)
        for args in (["-", "b.txt"], ["b.txt", "-"]):
            out, _ = self.kith("compare", *args, "--json", stdin=A.encode())
            self.assertAlmostEqual(json.loads(out)["resemblance"], 9 / 19)

    def test_html_is_cleaned(self):
        self.write("a.txt", A)
        self.write("b.html", f"<html><head><title>Not text</title></head><p>{A}")
        out = json.loads(self.kith("compare", "a.txt", "b.html", "--json")[0])
        self.assertEqual(out["resemblance"], 1)
        self.assertTrue(out["b"]["html"])
        out = json.loads(self.kith("compare", "a.txt", "b.html", "--json", "--input", "text")[0])
        self.assertLess(out["resemblance"], 1)

    def test_json(self):
        self.write("a.txt", A)
        self.write("b.txt", B)
        out, _ = self.kith("compare", "a.txt", "b.txt", "--json", "--width", "3", "--bag")
        self.assertEqual(out.count("\n"), 1)
        result = json.loads(out)
        self.assertEqual(result["options"]["width"], 3)
        self.assertEqual("".join(p.get("text_a", "") for p in result["passages"]), A)
        self.assertEqual("".join(p.get("text_b", "") for p in result["passages"]), B)
        for row in result["estimates"]:
            self.assertLessEqual(row["lower"], row["estimate"])
            self.assertLessEqual(row["estimate"], row["upper"])

    def test_raw_and_characters(self):
        self.write("a.txt", "Hello,  World 42")
        self.write("b.txt", "hello world")
        resemblance = lambda *flags: json.loads(
            self.kith("compare", "a.txt", "b.txt", "--json", "--width", "2", *flags)[0])["resemblance"]
        self.assertEqual(resemblance(), 0.5)
        self.assertEqual(resemblance("--numbers", "drop"), 1)
        self.assertEqual(resemblance("--raw"), 0)
        self.assertEqual(resemblance("--shingles", "characters", "--numbers", "drop"), 1)
        self.assertLess(resemblance("--shingles", "characters", "--raw"), 1)

    def test_the_page_is_whole_and_inert(self):
        self.write("a <b>.txt", A + HOSTILE)
        self.write("b.txt", HOSTILE + " and more " + A)
        self.kith("compare", "a <b>.txt", "b.txt", "--html", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertFalse(page.tags & {"script", "img", "link", "iframe"})
        self.assertFalse({name for name in page.attributes if name.startswith("on")} | ({"src"} & page.attributes))
        self.assertIn("&lt;script&gt;", text)
        self.assertIn("A: a &lt;b&gt;.txt", text)
        self.assertNotIn("\x1b", text)
        self.assertGreater(len(page.links), 0)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for link in page.links:
            self.assertTrue(link.startswith("#"))
            self.assertIn(link[1:], page.ids)
        shown = lambda side: "".join(text for name, text in page.parts.items() if name[0] == side)
        self.assertEqual(shown("a"), (A + HOSTILE).replace("\x1b", "\ufffd"))

    def test_a_terminal_gets_no_orders(self):
        self.write("a.txt", HOSTILE)
        self.write("b.txt", "something else")
        out, _ = self.kith("compare", "a.txt", "b.txt", "--diff", "full")
        self.assertNotIn("\x1b", out)
        self.assertNotIn("\x9b", out)

    def test_urls_of_a_run(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run", "--bags", "content")
        a, b = "https://music.example/music/0", "https://music.example/music/1"
        out, _ = self.kith("compare", "--run", "run", a, b)
        self.assertIn("no texts", out)
        result = json.loads(self.kith("compare", "--run", "run", a, b, "--json")[0])
        related = {row["url"]: float(row["similarity"])
                   for row in self.rows("related", "run", a, "-n", "20", "--per-site", "0")}
        self.assertAlmostEqual(result["bag_similarity"], related[b], places=6)
        self.assertAlmostEqual(sum(term["a"] for term in result["terms"]), 100, places=6)
        same = json.loads(self.kith("compare", "--run", "run", a, a, "--json")[0])
        self.assertEqual(same["bag_similarity"], 1)

    def test_documents_of_a_dedup_run(self):
        self.write("a.txt", A)
        self.write("b.txt", B)
        for flags in ([], ["--width", "3", "--bag"]):
            self.kith("dedup", "a.txt", "b.txt", "-o", "run" + "".join(flags), *flags)
            run = "run" + "".join(flags)
            texts = json.loads(self.kith("compare", "a.txt", "b.txt", "--json", *flags)[0])
            found = json.loads(self.kith("compare", "--run", run, "a.txt", "b.txt", "--json")[0])
            for key in ("common", "resemblance", "containment_of_a", "containment_of_b", "options",
                        "simhash_of_shingles"):
                self.assertEqual(found[key], texts[key], key)
            self.assertEqual(found["estimates"],
                             [row for row in texts["estimates"] if row["of"] != "word_cosine"])
        out, _ = self.kith("compare", "--run", "run", "a.txt", "b.txt")
        self.assertIn("containment of A in B", out)
        self.fails("compare", "--run", "run", "a.txt", "c.txt", says="no document named c.txt")
        self.fails("compare", "--run", "run", "a.txt", "b.txt", "--width", "3", code=2, says="--width")


class Refused(KithCase):
    def setUp(self):
        super().setUp()
        self.write("a.txt", A)

    def test_documents(self):
        self.write("binary", b"\x00\x01\x02")
        self.write("crawl.warc", b"WARC/1.0\r\nWARC-Type: response\r\n\r\n")
        self.write("packed.gz", b"\x1f\x8b\x08\x00")
        self.write("empty.txt", "")
        self.write("blank.html", "<title>Only a title</title>")
        os.mkdir(self.path("folder"))
        for name, word in (("absent.txt", "absent.txt"), ("binary", "binary"),
                           ("crawl.warc", "WARC"), ("packed.gz", "gzip"),
                           ("empty.txt", "no words"), ("blank.html", "no text"),
                           ("folder", "folder")):
            with self.subTest(name):
                self.fails("compare", "a.txt", name, says=[name, word])
                self.fails("compare", name, "a.txt", says=[name, word])

    def test_usage(self):
        self.fails("compare", "-", "-", code=2, says="standard input", stdin=b"text")
        self.fails("compare", "a.txt", "https://a.example/", code=2, says="--run")
        self.fails("compare", "a.txt", "a.txt", "--width", "0", code=2, says="--width")
        self.fails("compare", "a.txt", "a.txt", "--lanes", "100", code=2, says="--lanes")
        self.fails("compare", "a.txt", "a.txt", "--confidence", "1", code=2, says="--confidence")
        self.fails("compare", "a.txt", "a.txt", "--html", "a.txt", code=2, says="a.txt")
        self.fails("compare", "a.txt", "a.txt", "--html", "absent/x.html", says="absent/x.html")
        self.kith("compare", "a.txt", code=2)
        with open(self.path("a.txt")) as file:
            self.assertEqual(file.read(), A)

    def test_runs(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        url = "https://music.example/music/0"
        self.fails("compare", "--run", "run", url, "https://nowhere.example/", says="nowhere")
        self.fails("compare", "--run", "run", url, "a.txt", code=2, says="a.txt")
        for flag in ("--bag", "--raw"):
            self.fails("compare", "--run", "run", url, url, flag, code=2, says=f"{flag}: has no effect with --run run")
        self.fails("compare", "--run", "absent", url, url, says="absent")


if __name__ == "__main__":
    unittest.main()
