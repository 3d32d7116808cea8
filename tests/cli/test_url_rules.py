"""--url-rules: spellings of a URL that are one page."""

import json
import unittest

from kith_case import KithCase, TOPICS, jsonl
from kith_server import Server


def text_of(topic, i):
    words = TOPICS[topic].split()
    return " ".join(words[(i + j) % len(words)] for j in range(9))


class UrlRules(KithCase):
    def urls(self, *options, name="a.jsonl"):
        out, err = self.kith("crawl", name, *options)
        return [line.split("\t")[0] for line in out.splitlines()[1:]], err

    def test_spellings_are_joined_and_counted(self):
        self.write("a.jsonl", jsonl([{"url": url, "text": "some words"} for url in (
            "http://a.test/~x?b=2&a=1", "http://a.test/%7Ex?a=1&b=2", "http://a.test/%7ex?b=2&a=1&utm_source=y",
            "http://a.test/%7ex?b=2&a=1&utm_source=y", "http://a.test/~x;jsessionid=3?a=1&b=2", "http://www.a.test/")]))
        self.assertEqual(len(self.urls()[0]), 5)
        urls, err = self.urls("--url-rules", "common")
        self.assertEqual(urls, ["http://a.test/~x?a=1&b=2", "http://www.a.test/"])
        self.assertIn("skipped     1 other capture of a URL, 3 under other spellings of URLs (--url-rules)", err)
        self.write("rules", "# mine\ncommon\nwww\nparameter b\n")
        self.assertEqual(self.urls("--url-rules", "rules")[0], ["http://a.test/~x?a=1", "http://a.test/"])
        out = json.loads(self.kith("doctor", "a.jsonl", "--url-rules", "common", "--json")[0])["inputs"][0]
        self.assertIn("3 captures under another spelling of a URL, by --url-rules", out["remarks"])

    def crawl(self, spell):
        pages = []
        for topic in TOPICS:
            for i in range(8):
                links = "".join(f'<a href="{j}/{spell(j)}">{text_of(topic, j)}</a>' for j in range(8) if j != i)
                url = f"http://{topic}.test/{'' if i == 0 else f'{i - 1}/'}{spell(i)}"
                html = f"<base href=/><title>{topic} {i}</title><p>{text_of(topic, i)}</p>{links}"
                pages.append({"url": url, "html": html})
        return pages

    def test_runs_do_not_depend_on_spelling(self):
        self.write("plain.jsonl", jsonl(self.crawl(lambda i: "")))
        self.write("odd.jsonl", jsonl(self.crawl(lambda i: ["", "?", "?utm_id=3", "?&gclid=x"][i % 4])))
        for threads in ("1", "3"):
            for name in ("plain", "odd"):
                self.kith("cluster", f"{name}.jsonl", "-o", name + threads, "--url-rules", "common", "--urls", "all",
                          "--no-check", "--threads", threads)
        runs = [self.files_of(name) for name in ("plain1", "odd1", "plain3", "odd3")]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])
        self.assertEqual(runs[0], runs[3])

    def test_links_are_relative_to_the_url_as_spelled(self):
        self.write("rules", "slash")
        self.write("a.jsonl", jsonl([
            {"url": "http://a.test/b/", "html": f"<p>{text_of('music', i)}</p><a href=c/>one two</a>"} for i in (0, 1)
        ] + [{"url": "http://a.test/b/c/", "html": f"<p>{text_of('music', 2)}</p><a href=../d>three</a>"}]))
        self.kith("cluster", "a.jsonl", "-o", "run", "--urls", "all", "--url-rules", "rules", "--min-df", "1",
                  "--max-df", "1")
        urls = {row["url"] for row in self.rows("clusters", "run")}
        self.assertEqual(urls, {"http://a.test/b", "http://a.test/b/c", "http://a.test/b/d"})

    def test_later_commands_take_any_spelling(self):
        self.write("a.jsonl", jsonl([{"url": f"http://{topic}.test/{i}?b=1&a=2", "text": text_of(topic, i)}
                                     for topic in TOPICS for i in range(8)]))
        self.kith("cluster", "a.jsonl", "-o", "run", "--url-rules", "common")
        plain = self.kith("related", "run", "http://music.test/1?a=2&b=1")[0]
        self.assertEqual(self.kith("related", "run", "http://music.test/1?b=1&utm_id=4&a=2")[0], plain)
        self.write("classes.tsv", "url\tclass\n" + "".join(f"http://music.test/{i}?b=1&a=2\todd\n" for i in range(8)))
        self.kith("cluster", "run", "-o", "within", "--within", "classes.tsv")
        self.assertEqual(json.loads(self.kith("info", "within", "--json")[0])["within"]["unknown"], 0)
        self.fails("cluster", "a.jsonl", "-o", "run", code=2, says="holds a run with --url-rules common instead of no")
        self.write("rules", "www")
        self.fails("cluster", "run", "-o", "other", "--url-rules", "rules", code=2,
                   says="its bags were made with --url-rules common")

    def test_redirects_and_canonical_urls_are_spelled_alike(self):
        html = "<link rel=canonical href='/b?utm_id=1&x'>"
        self.write("a.jsonl", jsonl([{"url": "http://a.test/a?y&", "html": html + text_of("music", 0)},
                                     {"url": "http://a.test/b?x", "html": html + text_of("music", 0)}] +
                                    [{"url": f"http://b.test/{i}", "text": text_of("music", i)} for i in range(8)]))
        self.kith("cluster", "a.jsonl", "-o", "run", "--url-rules", "common")
        self.assertEqual(json.loads(self.kith("info", "run", "--json")[0])["aliases"]["folded"], 1)
        self.assertEqual(self.kith("related", "run", "http://a.test/a?y")[0],
                         self.kith("related", "run", "http://a.test/b?x")[0])

    def test_routed_pages_are_spelled_as_in_the_run(self):
        self.write("a.jsonl", jsonl(self.crawl(lambda i: f"{i}")))
        self.kith("cluster", "a.jsonl", "-o", "run", "--url-rules", "common", "--no-check")
        self.kith("cluster", "a.jsonl", "-o", "plain", "--no-check")
        self.write("new.jsonl", jsonl([{"url": f"http://new.test/{page}", "text": text_of("music", 0)}
                                       for page in ("a?utm_id=1", "a", "www/b/", "www/b")]))
        self.write("rules", "slash\ntracking\n")
        for run, options, urls in (("run", [], ["a", "www/b/", "www/b"]),
                                   ("plain", [], ["a?utm_id=1", "a", "www/b/", "www/b"]),
                                   ("plain", ["--url-rules", "rules"], ["a", "www/b"])):
            out, err = self.kith("route", run, "new.jsonl", *options)
            self.assertEqual([line.split("\t")[0][16:] for line in out.splitlines()[1:]], urls)
            joined = 4 - len(urls)
            self.assertEqual(f"{joined} under " in err, joined > 0, err)

    def test_what_is_wrong(self):
        self.write("a.jsonl", jsonl([{"url": "http://a.test/", "text": "words"}]))
        self.fails("crawl", "a.jsonl", "--url-rules", "absent", code=2,
                   says="--url-rules: absent: is not 'common', and no file of rules")
        self.write("rules", "common\nwwww\n")
        self.fails("crawl", "a.jsonl", "--url-rules", "rules", code=2,
                   says="--url-rules wwww: is no rule; there are common, escapes, sessions")


class DedupUrlRules(KithCase):
    """Documents have the names that the input gives them; the rules say which are captures of one URL."""

    def kept(self, run):
        return [row["url"] for row in self.list(f"{run}/keep.tsv")]

    def dated(self, *urls):
        return [{"url": url, "text": text_of(list(TOPICS)[i], 0), "date": f"2020-01-0{i + 1}"}
                for i, url in enumerate(urls)]

    def test_captures_are_those_of_all_spellings(self):
        urls = ["http://a.test/?b&a&gclid=1", "http://a.test/?a&b"]
        self.write("a.jsonl", jsonl(self.dated(*urls) + [{"id": urls[0][:12] + "?", "text": "no url"}]))
        self.write("b.jsonl", jsonl(self.dated("http://a.test/?b&a&gclid=1")))
        for threads in ("1", "3"):
            for captures, own in (("first", urls[0]), ("last", urls[1])):
                run = captures + threads
                _, err = self.kith("dedup", "a.jsonl", "b.jsonl", "-o", run, "--captures", captures, "--url-rules",
                                   "common", "--threads", threads)
                self.assertEqual(self.kept(run)[0], own)
                self.assertEqual(len(self.kept(run)), 2)
                self.assertIn("1 other capture of a URL, 1 under another spelling of a URL (--url-rules)", err)
        self.assertEqual(self.files_of("first1"), self.files_of("first3"))
        self.kith("dedup", "a.jsonl", "b.jsonl", "-o", "plain", "--captures", "first")
        self.assertEqual(len(self.kept("plain")), 3)

    def test_all_captures_are_documents_whatever_their_spelling(self):
        self.write("a.jsonl", jsonl(self.dated("http://a.test/?utm_id=1", "http://a.test/")))
        self.kith("dedup", "a.jsonl", "-o", "plain")
        self.kith("dedup", "a.jsonl", "-o", "run", "--url-rules", "common")
        self.assertEqual(self.files_of("run"), self.files_of("plain"))
        self.fails("dedup", "a.jsonl", "-o", "idle", "--url-rules", "common", "--boilerplate", "keep", code=2,
                   says=["--url-rules: has no effect with --captures all, the default", "--captures first or last"])
        self.fails("dedup", "a.jsonl", "-o", "idle", "--unwrap", "--boilerplate", "keep", code=2, says="--unwrap: has")
        for options in (["--only", "a.jsonl"], ["--include", "host:a.test"]):
            self.kith("dedup", "a.jsonl", "-o", options[0], "--unwrap", "--boilerplate", "keep", *options)

    def test_in_links_count_for_all_spellings(self):
        text = text_of("music", 0)
        pages = [{"url": "http://a.test/1", "html": f"<p>{text}"}, {"url": "http://a.test/2?x&", "html": f"<p>{text}"}]
        links = "<p>{0}</p><a href='http://a.test/2?utm_id={0}&x'>it</a><a href='?gclid=1'>itself</a>"
        pages += [{"url": f"http://{i}.test/?utm_id=9", "html": links.format(i)} for i in range(3)]
        self.write("a.jsonl", jsonl(pages))
        for boilerplate in ("keep", "remove"):
            self.kith("dedup", "a.jsonl", "-o", boilerplate, "--keep", "inlinks", "--url-rules", "common", "--width",
                      "1", "--boilerplate", boilerplate)
            self.assertIn("http://a.test/2?x&", self.kept(boilerplate))
            self.assertNotIn("http://a.test/1", self.kept(boilerplate))
            documents = json.loads(self.kith("info", boilerplate, "--json")[0])["documents"]
            self.assertEqual((documents["links"], documents["linked"]), (3, 1))

    def test_templates_are_those_of_sites_by_the_rules(self):
        words = TOPICS["music"].split()
        menu = "".join(f"<li>an entry of {word} in the menu" for word in words[:6])
        texts = [" ".join(word + chr(97 + i) for word in words * 3) for i in range(14)]
        pages = [{"url": f"http://{'www.' * (i % 2)}a.test/{i}", "html": f"<ul>{menu}</ul><p>{text}"}
                 for i, text in enumerate(texts)]
        self.write("a.jsonl", jsonl(pages))
        self.write("rules", "www")
        for run, options, sites in (("plain", [], 0), ("run", ["--url-rules", "rules"], 1)):
            self.kith("dedup", "a.jsonl", "-o", run, *options)
            found = json.loads(self.kith("info", run, "--json")[0])["boilerplate"]["hosts"]
            self.assertEqual(found, sites)

    def test_written_records_are_those_of_the_input(self):
        replayed = "https://web.archive.org/web/2020id_/http://a.test/"
        lines = self.dated(replayed, "http://a.test/", "http://a.test/b")
        lines[2]["text"] = lines[1]["text"] = lines[0]["text"]
        self.write("a.jsonl", jsonl(lines))
        self.kith("dedup", "a.jsonl", "-o", "run", "--captures", "last", "--unwrap", "--write", "copy.jsonl")
        self.assertEqual(self.kept("run"), ["http://a.test/"])
        with open(self.path("copy.jsonl"), encoding="utf-8") as file:
            # What is no document is copied as it is.
            self.assertEqual(file.read(), jsonl(lines[:2]))

    def test_labels_may_spell_otherwise(self):
        self.write("a.jsonl", jsonl(self.dated("http://a.test/?b&utm_id=1", "http://a.test/c")))
        self.write("labels.tsv", "url\tlabel\nhttp://a.test/?b\tx\nhttp://a.test/c?\tx\n")
        self.kith("dedup", "a.jsonl", "-o", "run", "--url-rules", "common", "--captures", "first")
        labels = json.loads(self.kith("evaluate", "run", "labels.tsv", "--json")[0])["labels"]
        self.assertEqual(labels["missing"], 0)

    def test_other_rules_are_another_run(self):
        self.write("a.jsonl", jsonl(self.dated("http://a.test/")))
        self.kith("dedup", "a.jsonl", "-o", "run", "--url-rules", "common", "--captures", "first")
        self.fails("dedup", "a.jsonl", "-o", "run", "--captures", "first", code=2,
                   says="holds a run with --url-rules common instead of no")
        self.fails("dedup", "a.jsonl", "-o", "new", "--url-rules", "absent", code=2, says="--url-rules: absent: is not")


class StreamUrlRules(KithCase):
    def test_a_page_that_comes_under_another_spelling_is_an_update(self):
        replayed = "http://archive.test/20200102030405/http://a.test/b"
        lines = [{"url": url, "text": text_of("music", 0), "time": i}
                 for i, url in enumerate(["http://a.test/b?utm_id=1", "http://a.test/b", replayed, "http://c.test/"])]
        out, err = self.kith("stream", "one", "--url-rules", "common", "--unwrap", stdin=jsonl(lines).encode())
        self.assertEqual([line.split("\t")[0] for line in out.splitlines()[1:]],
                         ["http://a.test/b"] * 3 + ["http://c.test/"])
        self.assertIn("url rules         2 pages under other spellings of their URLs (--url-rules)", err)
        self.assertIn("2 documents", err)
        out, err = self.kith("stream", "one", "--url-rules", "common", "--unwrap",
                             stdin=jsonl([{"url": replayed + "?gclid=2", "deleted": True, "time": 9}]).encode())
        self.assertIn("http://a.test/b", out)
        self.assertIn("1 document ", err)
        out, err = self.kith("stream", "plain", stdin=jsonl(lines).encode())
        self.assertIn("4 documents", err)
        self.assertNotIn("url rules", err)

    def test_a_stream_keeps_its_rules(self):
        line = jsonl([{"url": "http://a.test/?b", "text": text_of("music", 0)}])
        self.kith("stream", "one", "--url-rules", "common", stdin=line.encode())
        self.write("rules", "www")
        for options in ([], ["--url-rules", "rules"], ["--unwrap"]):
            self.fails("stream", "one", *options, stdin=line.encode(), code=2, says="another --url-rules")
        with Server(self.folder, "--stream", "one") as server:
            body = jsonl([{"url": "http://a.test/?utm_id=3&b", "text": text_of("music", 1)}]).encode()
            status, answer, _ = server.request("/api/documents", "POST", body)
            self.assertEqual(status, 200)
            self.assertEqual([row["document"] for row in json.loads(answer)["decisions"]], ["http://a.test/?b"])
            server.process.terminate()
            server.process.wait()
        self.assertEqual([row["url"] for row in self.rows("clusters", "one")], ["http://a.test/?b"])


if __name__ == "__main__":
    unittest.main()
