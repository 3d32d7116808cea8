"""--url-rules: spellings of a URL that are one page."""

import json
import unittest

from kith_case import KithCase, TOPICS, jsonl


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

    def test_what_is_wrong(self):
        self.write("a.jsonl", jsonl([{"url": "http://a.test/", "text": "words"}]))
        self.fails("crawl", "a.jsonl", "--url-rules", "absent", code=2,
                   says="--url-rules: absent: is not 'common', and no file of rules")
        self.write("rules", "common\nwwww\n")
        self.fails("crawl", "a.jsonl", "--url-rules", "rules", code=2,
                   says="--url-rules wwww: is no rule; there are common, escapes, sessions")


if __name__ == "__main__":
    unittest.main()
