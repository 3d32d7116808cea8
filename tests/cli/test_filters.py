"""--include and --exclude: which pages are read, and what is said of the others."""

import json
import unittest

from kith_case import KithCase, jsonl, topic_pages

GERMAN = "Der Wald ist im Herbst bunt, und die Wege sind von Blättern bedeckt, wenn der Wind durch die Bäume geht. "
ENGLISH = "The forest is colourful in autumn, and the paths are covered with leaves when the wind goes through it. "


def page(url, text):
    return {"url": url, "text": text}


class Filters(KithCase):
    def setUp(self):
        super().setUp()
        self.write("a.jsonl", jsonl([
            page("http://a.test/1", GERMAN * 2), page("http://www.a.test/tag/2", GERMAN * 3),
            page("http://b.test/3", ENGLISH * 20), page("http://c.test/4", ENGLISH)]))

    def urls(self, *options):
        out, err = self.kith("crawl", "a.jsonl", *options)
        return [line.split("\t")[0].removeprefix("http://") for line in out.splitlines()[1:]], err

    def test_each_field(self):
        for options, left in ((["--include", "host:a.test"], ["a.test/1"]),
                              (["--include", "domain:a.test"], ["a.test/1", "www.a.test/tag/2"]),
                              (["--include", "url:/[34]$"], ["b.test/3", "c.test/4"]),
                              (["--exclude", "url:/tag/"], ["a.test/1", "b.test/3", "c.test/4"]),
                              (["--include", "language:de"], ["a.test/1", "www.a.test/tag/2"]),
                              (["--include", "size:1k.."], ["b.test/3"]),
                              (["--exclude", "type:text/plain", "--include", "host:a.test"], []),
                              (["--include", "host:a.test", "--include=host:b.test", "--exclude", "language:en"],
                               ["a.test/1"])):
            with self.subTest(options):
                if not left:
                    err = self.kith("crawl", "a.jsonl", *options, code=1)[1]
                    self.assertIn("nothing was read: the input has no page; what it has was skipped", err)
                    continue
                urls, err = self.urls(*options)
                self.assertEqual(urls, left)
                self.assertIn(f"skipped     {4 - len(left)} left out by a filter or a list", err)

    def test_the_first_capture_that_matches_counts(self):
        self.write("a.jsonl", jsonl([page("http://a.test/1", GERMAN), page("http://a.test/1", ENGLISH)]))
        self.assertEqual(self.kith("crawl", "a.jsonl", "--include", "language:en")[0].split("\t")[-3], "en")

    def test_they_are_options_of_a_run(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run", "--include", "domain:example", "--exclude", "url:/1$")
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(report["options"]["include"], ["domain:example"])
        self.assertEqual(report["options"]["exclude"], ["url:/1$"])
        self.assertGreater(dict(map(tuple, report["crawl"]["skipped"]))["filtered"], 0)
        self.fails("cluster", "crawl.jsonl", "-o", "run", "--include", "domain:test", code=2, says="--exclude")
        self.fails("cluster", "run", "-o", "other", "--include", "domain:test", code=2,
                   says="its bags were made with --include")

    def test_threads_and_batches_do_not_matter(self):
        self.write("many.jsonl", jsonl([page(f"http://h{i % 7}.test/{i}", (GERMAN if i % 3 else ENGLISH) * 5)
                                        for i in range(3000)]))
        options = ["--include", "language:de", "--exclude", "host:h3.test"]
        for threads in ("1", "4"):
            self.kith("cluster", "many.jsonl", "-o", threads, "--no-check", "--threads", threads, *options)
        self.assertEqual(self.files_of("1"), self.files_of("4"))

    def test_dedup_keeps_them_in_its_copy(self):
        self.kith("dedup", "a.jsonl", "-o", "run", "--include", "language:en", "--write", "copy.jsonl")
        self.assertEqual(len(self.list("run/keep.tsv")), 2)
        self.assertEqual(self.kith("crawl", "copy.jsonl"), self.kith("crawl", "a.jsonl"))

    def test_what_is_wrong_is_named_with_its_option(self):
        for option in ("--include", "--exclude"):
            self.fails("crawl", "a.jsonl", option, "a.test", code=2,
                       says=[f"{option} a.test: must be FIELD:VALUE", "host, domain, url"])
            self.fails("crawl", "a.jsonl", option, "url:[", code=2,
                       says=f"{option} url:[: is no regular expression of RE2: missing ]")


if __name__ == "__main__":
    unittest.main()
