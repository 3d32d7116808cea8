"""kith cluster --aliases fold: URLs that name another one in their place."""

import json
import shutil
import unittest

from kith_case import KithCase


def response(url, body="", status="200 OK", fields="Content-Type: text/html; charset=utf-8\r\n"):
    http = f"HTTP/1.1 {status}\r\n{fields}\r\n{body}".encode()
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n").encode() + http + b"\r\n\r\n"


def redirect(url, location):
    return response(url, status="301 Moved Permanently", fields=f"Location: {location}\r\n")


CRAWL = b"".join([
    redirect("http://a.example/moved", "/press"),
    redirect("http://a.example/twice", "moved"),
    redirect("http://a.example/circle", "/circle2"),
    redirect("http://a.example/circle2", "/circle"),
    response("http://a.example/print?page=press",
             "<title>Printer version</title><link rel=canonical href=/press>"
             "<p>orchard cider press <a href=/moved>wooden cider press</a>"),
    response("http://a.example/press", "<title>Press</title><p>orchard cider press <a href=/twice>crunchy apples</a>"),
    response("http://a.example/old",
             "<title>Pumpkins</title><meta http-equiv=refresh content='0; url=/new'><p>moved away"),
    response("http://a.example/slow", "<meta http-equiv=refresh content='60; url=/new'><p>stays a minute"),
    response("http://a.example/links",
             "<title>Links</title><a href=/old>harvest calendar</a> <a href=/circle>roundabout</a>"),
])


class Aliases(KithCase):
    def bags(self, *options):
        self.write("crawl.warc", CRAWL)
        window = [] if "content" in options else ["--window", "0"]
        self.kith("cluster", "crawl.warc", "-o", "run", "--min-df", "1", *window, *options)
        bags = [json.loads(line) for line in self.kith("bags", "run")[0].splitlines()]
        report = json.loads(self.kith("info", "run", "--json")[0])
        return {bag["url"]: set(bag["terms"]) for bag in bags}, report["aliases"]

    def test_are_counted_and_left_alone_unless_asked(self):
        bags, aliases = self.bags("--bags", "anchor", "--urls", "all")
        self.assertIn("http://a.example/print?page=press", bags)
        self.assertIn("http://a.example/old", bags)
        self.assertEqual({kind: aliases[kind] for kind in ("canonical", "refresh", "redirect", "folded")},
                         {"canonical": 1, "refresh": 1, "redirect": 4, "folded": 0})
        self.assertIn("6 URLs name another URL in their place (1 by a canonical link, 1 by a refresh, "
                      "4 by a redirect); --aliases fold would fold them", self.kith("info", "run")[0])

    def test_are_folded_into_their_targets(self):
        bags, aliases = self.bags("--bags", "anchor", "--urls", "all", "--aliases", "fold")
        self.assertEqual(set(bags),
                         {"http://a.example/" + name for name in ("press", "new", "slow", "links", "circle")})
        # Its own title, and what links to its aliases say; not the title of its printer version.
        self.assertEqual(bags["http://a.example/press"], {"press", "cider", "wooden", "crunchi", "appl"})
        # Never fetched: the page that refreshes to it speaks for it.
        self.assertEqual(bags["http://a.example/new"], {"pumpkin", "harvest", "calendar"})
        self.assertEqual((aliases["folded"], aliases["targets"], aliases["largest"], aliases["largest_target"]),
                         (4, 2, 3, "http://a.example/press"))
        self.assertIn("; 4 folded into 2, the most (3) into http://a.example/press", self.kith("info", "run")[0])

    def test_are_folded_with_both_kinds_of_bags_unless_told_not_to(self):
        folded, aliases = self.bags()
        self.assertEqual(aliases["folded"], 4)
        self.assertNotIn("http://a.example/old", folded)
        self.assertEqual(folded["http://a.example/press"], {"press", "orchard", "cider", "wooden", "crunchi", "appl"})
        shutil.rmtree(self.path("run"))
        plain, aliases = self.bags("--aliases", "keep")
        self.assertEqual(aliases["folded"], 0)
        self.assertIn("http://a.example/old", plain)
        self.assertIn("--aliases fold would fold them", self.kith("info", "run")[0])

    def test_own_words_count_once(self):
        bags, _ = self.bags("--aliases", "fold", "--bags", "content")
        self.assertEqual(bags["http://a.example/press"], {"press", "orchard", "cider", "crunchi", "appl"})

    def test_are_found_by_their_names(self):
        self.bags()
        for alias, target in (("moved", "press"), ("twice", "press"), ("print?page=press", "press"), ("old", "new")):
            alias, target = "http://a.example/" + alias, "http://a.example/" + target
            out, err = self.kith("related", "run", alias)
            self.assertIn(f"it is folded into {target}", err)
            self.assertEqual(out, self.kith("related", "run", target)[0])
            self.assertEqual(self.kith("bags", "run", alias)[0], self.kith("bags", "run", target)[0])
        self.write("labels.tsv", "url\tlabel\nhttp://a.example/old\ta\nhttp://a.example/moved\ta\n"
                                 "http://a.example/links\tb\n")
        self.assertIn(" 0 of them not in the run", self.kith("evaluate", "run", "labels.tsv")[0])
        self.fails("related", "run", "http://a.example/absent", says="does not know")
        self.kith("info", "run", "--verify")

    def test_classes_of_aliases_are_those_of_their_targets(self):
        self.bags("--min-words", "1")
        self.write("classes.tsv", "url\tclass\nhttp://a.example/moved\ta\nhttp://a.example/old\tb\n")
        self.kith("cluster", "run", "-o", "within", "--within", "classes.tsv", "--min-words", "1")
        within = json.loads(self.kith("info", "within", "--json")[0])["within"]
        self.assertEqual((within["rows"], within["unknown"], within["classes"]), (2, 0, 2))
        self.write("classes.tsv", "url\tclass\nhttp://a.example/moved\ta\nhttp://a.example/press\tb\n")
        self.fails("cluster", "run", "-o", "both", "--within", "classes.tsv", code=2,
                   says="http://a.example/press is of class 'b' here and of class 'a' in an earlier row")

    def test_examples_may_be_aliases(self):
        self.bags("--min-words", "1")
        self.write("train.tsv", "url\tclass\nhttp://a.example/twice\ta\nhttp://a.example/old\tb\n")
        out, err = self.kith("classify", "run", "--train", "train.tsv")
        rows = {row.split("\t")[0]: row.split("\t")[1] for row in out.splitlines()[1:]}
        self.assertEqual(rows["http://a.example/press"], "a", err)

    def test_many_pages_of_a_host_in_one_are_told(self):
        story = "<link rel=canonical href=/story><p>the orchard press makes cider of crunchy apples"
        pages = [response(f"http://a.example/story?print={i}", story) for i in range(6)]
        pages += [response("http://a.example/story", story)]
        pages += [response(f"http://a.example/{i}", f"<p>{'abcdefghijklmnopqrst'[i] * 3} quince medlar")
                  for i in range(20)]
        for host, others in (("a.example", 0), ("b.example", 100)):
            more = [response(f"http://a.example/more/{i}", f"<p>plum damson {chr(97 + i % 26)}{chr(97 + i // 26)}")
                    for i in range(others)]
            self.write(f"{host}.warc", b"".join([*pages, *more]).replace(b"a.example", host.encode()))
            self.kith("cluster", f"{host}.warc", "-o", host, "--min-df", "1")
        told = "6 pages into http://a.example/story, whose host has 27 with them"
        self.assertIn(told, self.kith("info", "a.example")[0])
        self.assertNotIn("whose host has", self.kith("info", "b.example")[0])
        _, summary = self.kith("cluster", "a.example.warc", "-o", "again", "--min-df", "1")
        self.assertIn(told, summary)

    def test_the_same_files_for_any_number_of_threads(self):
        self.write("crawl.warc", CRAWL)
        for threads in ("1", "3"):
            self.kith("cluster", "crawl.warc", "-o", "run" + threads, "--aliases", "fold", "--min-df", "1",
                      "--threads", threads)
        self.assertEqual(self.files_of("run1"), self.files_of("run3"))


if __name__ == "__main__":
    unittest.main()
