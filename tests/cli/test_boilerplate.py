"""--boilerplate: what stands on many pages of a site is left out of bags, and nothing else."""

import json
import random
import unittest

from kith_case import KithCase, jsonl, warc_gz

MENU = "<ul><li>Search gadgets</li><li>Imprint <a href='/privacy'>privacy</a></li></ul>"
WORDS = ["".join(pair) for pair in zip("b c d f g h k l m n p r s t v w".split() * 9,
                                       [a + b + c for a in "aeiou" for b in "lmnrst" for c in ("ak", "ot", "un")] * 2)]


def site_pages(host, count, words, rng):
    return [{"url": f"https://{host}/{i}",
             "html": f"<title>page {i}</title>{MENU}<p>{' '.join(rng.choices(words, k=20))}</p>"
                     f"<p>{rng.choice(words)} <a href='/{(i + 1) % count}'>{rng.choice(words)}</a></p>"}
            for i in range(count)]


class Boilerplate(KithCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(3)
        self.crawl = self.write("crawl.jsonl", jsonl(site_pages("a.example", 30, WORDS, rng)
                                                     + site_pages("b.example", 12, WORDS, rng)
                                                     + site_pages("small.example", 3, WORDS, rng)))

    def bags(self, run):
        out, _ = self.kith("bags", run)
        return {bag["url"]: bag["terms"] for bag in map(json.loads, out.splitlines())}

    def cluster(self, run, *options):
        return self.kith("cluster", self.crawl, "-o", run, "--max-df", "1", "--bags", "content", "--language", "en",
                         *options)

    def test_content_bags_lose_the_menu_and_nothing_else(self):
        self.cluster("removed")
        self.cluster("kept", "--boilerplate", "keep")
        removed, kept = self.bags("removed"), self.bags("kept")
        self.assertEqual(len(removed), 45)
        for url, bag in kept.items():
            self.assertLessEqual({"search", "gadget", "imprint"}, set(bag), url)
            if "small" not in url:  # where only what is mostly links goes
                self.assertEqual(set(bag) - set(removed[url]),
                                 {"search", "gadget", "imprint", "privaci"} & set(bag), url)

    def test_small_sites_lose_blocks_of_links(self):
        pages = [{"url": f"https://small.example/{i}",
                  "html": f"<p><a href=/x>gadgets imprint</a> more</p><p>orchard {i} <a href=/y>cider</a> apples"}
                 for i in range(3)]
        self.crawl = self.write("crawl.jsonl", jsonl(pages))
        self.cluster("run", "--min-df", "1")
        for bag in self.bags("run").values():
            self.assertEqual(set(bag), {"orchard", "cider", "appl"})

    def test_anchor_texts_and_titles_stay(self):
        head = "<title>Handbook</title><ul><li>Search gadgets</li></ul><p><a href='/target'>cider</a></p>"
        pages = [{"url": f"https://a.example/{i}", "html": f"{head}<p>{WORDS[i]}"} for i in range(20)]
        self.crawl = self.write("crawl.jsonl", jsonl(pages))
        for mode, menu in (("remove", set()), ("keep", {"search", "gadget"})):
            self.kith("cluster", self.crawl, "-o", mode, "--bags", "anchor", "--min-df", "1", "--max-df", "1",
                      "--boilerplate", mode, "--language", "en", "--urls", "all")
            bags = self.bags(mode)
            self.assertEqual(set(bags["https://a.example/target"]) & {"cider", "search", "gadget"}, {"cider"} | menu)
            self.assertEqual(set(bags["https://a.example/3"]), {"handbook"})

    def test_a_page_of_nothing_else_keeps_its_words(self):
        pages = [{"url": f"https://a.example/{i}", "html": f"{MENU}<p>{' '.join(WORDS[i:i + 9])}"} for i in range(9)]
        self.crawl = self.write("crawl.jsonl", jsonl(pages + [{"url": "https://a.example/menu", "html": MENU}]))
        self.cluster("run", "--min-df", "1")
        bags = self.bags("run")
        self.assertIn("gadget", bags["https://a.example/menu"])
        self.assertNotIn("gadget", bags["https://a.example/1"])
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(report["boilerplate"]["kept_whole"], 1)

    def test_what_only_copies_share_is_content(self):
        story = "".join(f"<p>{' '.join(WORDS[i:i + 20])}" for i in (0, 30, 60))
        pages = [{"url": f"https://a.example/{i}", "html": story} for i in range(6)]
        pages += [{"url": f"https://a.example/own{i}", "html": f"<p>{' '.join(WORDS[i:i + 9])}"} for i in range(6)]
        self.crawl = self.write("crawl.jsonl", jsonl(pages))
        self.cluster("run", "--min-df", "1")
        self.assertGreater(len(self.bags("run")["https://a.example/0"]), 30)

    def test_info_says_what_was_left_out(self):
        self.cluster("run")
        out, _ = self.kith("info", "run")
        self.assertRegex(out,
                         r"boilerplate +\d+\.\d % of the words left out \(\d+ of [\d,]+\); 2 hosts with a template")
        self.assertRegex(out, r"a\.example +\d+\.\d %")
        report = json.loads(self.kith("info", "run", "--json")[0])["boilerplate"]
        self.assertEqual([host["host"] for host in report["most"]], ["a.example", "b.example"])
        self.assertEqual(report["most"][0]["left_out"], 30 * 4)
        self.assertEqual(report["hosts"], 2)

    def test_same_bytes_for_any_threads_memory_and_shards(self):
        self.cluster("one", "--threads", "1")
        self.cluster("many", "--threads", "5", "--memory", "64M")
        for name in ("bags", "terms", "clusters"):
            self.assert_same(f"one/{name}.kith", f"many/{name}.kith")
        crawl = self.path("crawl.jsonl")
        with open(crawl, encoding="utf-8") as file:
            lines = file.readlines()
        for part in range(3):
            self.write(f"files/{part}.jsonl", "".join(lines[part::3]))
        self.crawl = self.path("files")
        self.cluster("whole")
        for shard in ("1", "2"):
            self.cluster("shard" + shard, "--shard", f"{shard}/2")
        self.kith("merge", "shard1", "shard2", "-o", "merged")
        for name in ("bags", "terms", "clusters"):
            self.assert_same(f"whole/{name}.kith", f"merged/{name}.kith")
        self.kith("cluster", self.crawl, "-o", "keeps", "--max-df", "1", "--bags", "content", "--shard", "2/2",
                  "--language", "en", "--boilerplate", "keep")
        self.fails("merge", "shard1", "keeps", "-o", "no", code=2,
                   says="it has --boilerplate keep instead of --boilerplate remove")

    def test_crawl_prints_template_blocks(self):
        rows = self.rows("crawl", self.crawl, "--boilerplate")
        self.assertEqual([(row["host"], row["pages"], row["of"], row["words"]) for row in rows],
                         [(host, pages, pages, "2") for host, pages in (("a.example", "30"), ("b.example", "12"))
                          for _ in range(2)])
        self.assertEqual({row["text"] for row in rows}, {"Search gadgets", "Imprint privacy"})
        out, _ = self.kith("crawl", self.crawl, "--boilerplate", "--host", "b.example", "--format", "jsonl")
        self.assertEqual([json.loads(line)["pages"] for line in out.splitlines()], [12, 12])
        out, err = self.kith("crawl", self.crawl, "--boilerplate", "--host", "c.example")
        self.assertEqual(out, "host\tpages\tof\twords\ttext\n")
        self.assertIn("no page of c.example has a template block", err)
        self.fails("crawl", "-", "--boilerplate", code=2, says="is read several times")
        self.fails("crawl", self.crawl, "--host", "b.example", code=2, says="--boilerplate")

    def assert_same(self, a, b):
        with open(self.path(a), "rb") as x, open(self.path(b), "rb") as y:
            self.assertEqual(x.read(), y.read(), a)

    def test_a_run_as_input_keeps_its_words(self):
        self.cluster("kept", "--boilerplate", "keep")
        self.kith("cluster", "kept", "-o", "again", "--similarity", "0.4")
        self.assertEqual(json.loads(self.kith("info", "again", "--json")[0])["options"]["boilerplate"], "keep")
        self.cluster("removed")
        self.fails("cluster", "removed", "-o", "other", "--boilerplate", "keep", code=2,
                   says="removed: its bags were made with --boilerplate remove")
        self.kith("paper", "removed", "-o", "paper")
        report = json.loads(self.kith("info", "paper", "--json")[0])
        self.assertEqual(report["options"]["boilerplate"], "remove")
        self.assertEqual(report["boilerplate"]["hosts"], 2)
        self.kith("paper", self.crawl, "-o", "paper-crawl")
        self.assertEqual(json.loads(self.kith("info", "paper-crawl", "--json")[0])["options"]["boilerplate"], "keep")

    def test_plain_text_and_warc(self):
        rng = random.Random(4)
        text = lambda: "Search gadgets\n" + " ".join(rng.choices(WORDS, k=9))
        lines = [{"id": str(i), "url": f"https://t.example/{i}", "text": text()} for i in range(9)]
        self.crawl = self.write("text.jsonl", jsonl(lines))
        self.cluster("text", "--min-df", "1")
        for bag in self.bags("text").values():
            self.assertNotIn("gadget", bag)
        self.crawl = self.write("crawl.warc.gz", warc_gz(site_pages("a.example", 9, WORDS, rng)))
        self.cluster("warc")
        for bag in self.bags("warc").values():
            self.assertNotIn("gadget", bag)


if __name__ == "__main__":
    unittest.main()
