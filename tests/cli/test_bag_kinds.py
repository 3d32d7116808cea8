"""kith cluster --bags both|anchor|content, --urls, and what copies of a page have in common."""

import json
import unittest

from kith_case import KithCase, jsonl

MENU = "<p>home about contact"
APPLES = "orchard apples harvest cider barrels pressed autumn juicy crates ladders " * 3
STARS = "telescope galaxy nebula comet orbit eclipse meteor planets lenses mirrors"


def page(url, title, body):
    return {"url": url, "html": f"<title>{title}</title>{MENU}<p>{body}"}


# Two copies of one page; each is linked to with other words.
PAGES = [
    page("http://a.example/apples", "Apples", f"<p>{APPLES}"),
    page("http://b.example/apples-copy", "Apples", f"<p>{APPLES}"),
    page("http://a.example/links", "Links", "<a href=/apples>wooden basket</a> <p><a href=/seen>silver lantern</a>"
         "<p><a href=http://b.example/once>velvet curtain</a>"),
    page("http://b.example/links", "Links", "<a href=/apples-copy>golden bucket</a>"
         "<p><a href=http://a.example/seen>copper kettle</a>"),
    page("http://a.example/stars", "Stars", f"<p>{STARS}"),
    page("http://a.example/comet", "Stars", f"<p>{STARS}"),  # too short to be a copy
]


class BagKinds(KithCase):
    def bags(self, *options):
        self.write("crawl.jsonl", jsonl(PAGES))
        self.kith("cluster", "crawl.jsonl", "-o", "run", "--min-df", "1", "--max-df", "1", "--window", "0", *options)
        self.info = self.kith("info", "run")[0]
        rows = map(json.loads, self.kith("bags", "run")[0].splitlines())
        return {row["url"]: row["terms"] for row in rows}

    def report(self):
        return json.loads(self.kith("info", "run", "--json")[0])["bags"]

    def test_both_are_the_default_and_copies_share_what_links_say(self):
        bags = self.bags()
        words = set(bags["http://a.example/apples"])
        self.assertLessEqual({"orchard", "basket", "bucket", "wooden", "golden"}, words)
        self.assertEqual(bags["http://a.example/apples"], bags["http://b.example/apples-copy"])
        self.assertEqual((self.report()["copied"], self.report()["copies"]), (1, 2))
        self.assertIn("2 pages have their text in common with others (1 different text)", self.info)

    def test_stop_words_of_a_file(self):
        self.write("words.txt", b"\xef\xbb\xbfOrchard harvesting # not cider\r\n# nor\nLADDERS\n")
        words = set(self.bags("--stop-words", self.path("words.txt"))["http://a.example/apples"])
        self.assertFalse({"orchard", "harvest", "ladder"} & words)
        self.assertLessEqual({"cider", "barrel", "press", "basket"}, words)
        # The bags of a run keep theirs, and a run of shards is that of the whole.
        self.kith("cluster", "run", "-o", "again")
        self.write("few.txt", "cider")
        self.fails("cluster", "run", "-o", "other", "--stop-words", self.path("few.txt"), code=2, says="--stop-words")
        for part in ("1/2", "2/2"):
            self.kith("cluster", "crawl.jsonl", "-o", f"part{part[0]}", "--min-df", "1", "--max-df", "1",
                      "--window", "0", "--stop-words", self.path("words.txt"), "--shard", part)
        self.kith("merge", "part1", "part2", "-o", "whole")
        self.assertEqual(self.files_of("run")["terms.kith"], self.files_of("whole")["terms.kith"])

    def test_stop_words_that_cannot_be_read(self):
        self.write("crawl.jsonl", jsonl(PAGES))
        for content, says in ((b"", "has no words"), (b"# nothing\n", "has no words"), (b"caf\xe9", "UTF-8")):
            self.write("words.txt", content)
            self.fails("cluster", "crawl.jsonl", "-o", "run", "--stop-words", "words.txt", code=2, says=says)
        self.fails("cluster", "crawl.jsonl", "-o", "run", "--stop-words", ".", code=2, says="cannot be read")

    def test_the_share_of_the_content(self):
        for share in ("0.2", "0.7"):
            with self.subTest(share):
                self.setUp()
                bag = self.bags("--content-share", share)["http://a.example/apples"]
                text = {"orchard", "harvest", "cider", "barrel", "press", "autumn", "juici", "crate", "ladder",
                        "home", "contact"}
                # The word of the title is in both parts.
                content = sum(weight for word, weight in bag.items() if word in text)
                self.assertLess(content, 100 * float(share))
                self.assertGreater(content, 100 * float(share) * 0.8)

    def test_urls_that_were_only_seen(self):
        seen, once = "http://a.example/seen", "http://b.example/once"
        for scope, urls in (("seen", {seen}), ("all", {seen, once}), ("fetched", set())):
            for bags in ("both", "anchor"):
                with self.subTest(scope=scope, bags=bags):
                    self.setUp()
                    found = set(self.bags("--urls", scope, "--bags", bags))
                    self.assertEqual(found - {row["url"] for row in PAGES}, urls)
                    left_out = 2 - len(urls)
                    self.assertEqual(self.report()["left_out"], left_out)
                    self.assertEqual("only seen in links" in self.info, left_out > 0)

    def test_links_from_three_pages_of_one_host_are_enough(self):
        bodies = ["<a href=/x>garden</a> <a href=/y>river</a><a href=/y>stone</a> <a href=/y>castle</a>",
                  "<a href=/x>garden</a>", "<a href=/x>garden</a>"]
        self.write("crawl.jsonl", jsonl([page(f"http://a.example/{i}", "Page", body) for i, body in enumerate(bodies)]))
        self.kith("cluster", "crawl.jsonl", "-o", "run", "--min-df", "1", "--window", "0", "--urls", "seen")
        urls = [row["url"] for row in self.rows("clusters", "run")]
        self.assertIn("http://a.example/x", urls)
        self.assertNotIn("http://a.example/y", urls)  # three links of one page

    def test_the_number_of_words(self):
        bags = self.bags("--max-terms", "3")
        self.assertEqual(max(len(bag) for bag in bags.values()), 3)
        for bag in bags.values():
            if bag:
                self.assertAlmostEqual(sum(bag.values()), 100, delta=0.01)
        self.assertIn("words of bags with more than 3", self.info)

    def test_the_same_files_for_any_threads_and_shards(self):
        self.write("a.jsonl", jsonl(PAGES[:2]))
        self.write("b.jsonl", jsonl(PAGES[2:]))
        for threads in ("1", "3"):
            self.kith("cluster", "a.jsonl", "b.jsonl", "-o", "run" + threads, "--min-df", "1", "--threads", threads)
        for part in ("1", "2"):
            self.kith("cluster", "a.jsonl", "b.jsonl", "-o", "part" + part, "--min-df", "1", "--shard", part + "/2")
        self.kith("merge", "part1", "part2", "-o", "merged")
        self.assertEqual(self.files_of("run1"), self.files_of("run3"))
        self.assertEqual(self.files_of("run1"), self.files_of("merged"))

    def test_a_share_of_all_or_nothing_is_refused(self):
        self.write("crawl.jsonl", jsonl(PAGES))
        for share in ("0", "1"):
            self.fails("cluster", "crawl.jsonl", "-o", "run", "--content-share", share, code=2,
                       says=f"--content-share {share}: must be between 0 and 1")


if __name__ == "__main__":
    unittest.main()
