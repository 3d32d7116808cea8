"""kith stream: decisions as pages come, bad input, files read once, kills, and what it keeps."""

import gzip
import json
import os
import random
import select
import signal
import subprocess
import time
import unittest

from kith_case import DATA, KITH, KithCase, dictionaries, jsonl, topic_pages

SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")
TEXT = "the quick brown fox jumps over the lazy dog and runs away into the deep dark forest"


def made_pages(n, families=20, words=60, seed=1):
    """Pages of some families: those of a family differ in a few words."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(draw.choices(letters, k=7)) for _ in range(5000)]
    texts = [draw.choices(vocabulary, k=words) for _ in range(families)]
    pages = []
    for number in range(n):
        text = list(draw.choice(texts))
        for _ in range(draw.choice((0, 0, 1, 1, 6))):
            text[draw.randrange(words)] = draw.choice(vocabulary)
        pages.append({"url": f"https://site.example/{number}", "text": " ".join(text)})
    return pages


def html_pages(warc):
    """The HTML of the pages of a WARC file, as texts."""
    with gzip.open(warc) as file:
        while line := file.readline():
            head = {}
            while line.strip():
                name, _, value = line.partition(b":")
                head[name.lower()] = value.strip()
                line = file.readline()
            body = file.read(int(head.get(b"content-length", 0)))
            if head.get(b"warc-type") == b"response":
                yield body.partition(b"\r\n\r\n")[2].decode(errors="replace")


def leaders_of(rows, role):
    """The leader of each page of a list of clusters; those in no cluster lead themselves."""
    leaders = {row["cluster"]: row["url"] for row in rows if row["role"] == role}
    return {row["url"]: leaders.get(row["cluster"], row["url"]) for row in rows}


class Stream(KithCase):
    def roles(self, *args, stdin=None):
        out, err = self.kith("stream", *args, stdin=stdin)
        rows = dictionaries(out) if out else []
        return [(row["document"], int(row["cluster"]), row["role"]) for row in rows], err

    def test_roles(self):
        pages = [
            {"url": "http://a.example/", "text": TEXT},
            {"url": "http://b.example/", "text": TEXT.upper()},
            {"url": "http://c.example/", "text": TEXT + " again"},
            {"url": "http://d.example/", "text": "something else that nobody has said before now"},
            {"url": "HTTP://A.example:80/#top", "text": TEXT},
            {"url": "http://b.example/", "text": "something else that nobody has said before now"},
            {"url": "http://a.example/", "deleted": True},
            {"url": "http://x.example/", "deleted": True},
        ]
        lines = jsonl(pages).encode()
        rows, err = self.roles("state", "--themes", "5", stdin=lines)
        self.assertEqual(rows, [
            ("http://a.example/", 1, "leader"), ("http://b.example/", 1, "duplicate"),
            ("http://c.example/", 1, "member"), ("http://d.example/", 2, "leader"),
            ("http://a.example/", 1, "duplicate"), ("http://b.example/", 2, "updated"),
            ("http://c.example/", 1, "moved"), ("http://a.example/", 1, "deleted"),
            ("http://x.example/", 0, "deleted")])
        self.assertIn("3 documents in 2 clusters", err)
        out, err = self.kith("stream", "state", "--format", "jsonl",
                             stdin=jsonl([{"url": "http://e.example/", "text": TEXT}]).encode())
        self.assertIn("going on behind http://x.example/", err)
        row = json.loads(out)
        self.assertEqual((row["leader"], row["size"], row["cluster"], row["role"]),
                         ("http://c.example/", 2, 1, "member"))
        self.assertEqual(len(row["theme"]), 5)
        self.assertLess(set(row["theme"]), set(TEXT.split()))

    def test_every_line_is_answered_at_once(self):
        process = subprocess.Popen([KITH, "stream", "state"], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            for number in range(3):
                process.stdin.write(jsonl([{"id": number, "text": "a"}]).encode())
                process.stdin.flush()
                answer = b""
                while not answer.endswith(f"{number}\t1\t".encode()) and answer.count(b"\n") < 1 + (number == 0):
                    self.assertTrue(select.select([process.stdout], [], [], 60)[0], "no answer")
                    answer += os.read(process.stdout.fileno(), 65536)
                self.assertIn(f"{number}\t1\t{'duplicate' if number else 'leader'}\t1.000000\n", answer.decode())
        finally:
            process.stdin.close()
            process.stdout.close()
            self.assertEqual(process.wait(), 0)

    BAD = (b'{"url": "http://a.example/", "text": "one two three", "time": 1000}\n'
           b'{"url": "http://b.example/"\n'
           b'{"text": "no name"}\n'
           b'{"url": "http://c.example/"}\n'
           b'{"url": "http://d.example/", "text": "4", "time": "yesterday"}\n'
           b'{"url": "http://e.example/", "text": "' + b"long " * 1000 + b'"}\n'
           b'{"url": "http://f.example/", "text": "four five six", "time": 900}\n')

    def test_bad_lines_are_named_and_passed_over(self):
        rows, err = self.roles("state", "--max-page", "1K", "--shingles", "characters", stdin=self.BAD.replace(
            b"long " * 1000, b"long " * 300000))
        self.assertEqual([row[0] for row in rows], ["http://a.example/", "http://f.example/"])
        for text in ("line 2:", "line 3: neither a URL nor an id", "line 4: no text",
                     "line 5: a \"time\"", "line 6: longer",
                     "skipped     5 damaged", "clock             1 ", "the first is http://f.example/\n"):
            self.assertIn(text, err)
        self.assertEqual(self.roles("cut", "--max-page", "1K", stdin=self.BAD)[0][1][0], "http://e.example/")

    def test_strict_ends_at_the_first_bad_line(self):
        lines = self.BAD.splitlines(keepends=True)
        for number, text in ((1, "line 2:"), (2, "line 2: neither a URL"), (3, "line 2: no text"),
                             (4, "line 2: a \"time\""), (5, "line 2: longer"),
                             (6, "http://f.example/: its time is before")):
            bad = lines[number].replace(b"long " * 1000, b"long " * 300000)
            good = jsonl([{"url": "http://g.example/", "text": "five six seven", "time": 2000}]).encode()
            arguments = (f"strict{number}", "--strict", "--max-page", "1K")
            out, err = self.kith("stream", *arguments, stdin=lines[0] + bad + good, code=1)
            self.assertEqual([row["document"] for row in dictionaries(out)], ["http://a.example/"])
            self.assertIn(text, err)
            self.assertEqual(err.count("\n"), 1)
            # What was decided stays decided.
            self.assertIn("going on behind http://a.example/", self.kith("stream", *arguments, stdin=good)[1])

    @unittest.skipIf(os.environ["KITH_SANITIZE"], "a sanitizer has its own memory")
    def test_a_line_of_any_length_takes_no_memory(self):
        process = subprocess.Popen([KITH, "stream", "state", "--memory", "128M"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b'{"url": "http://a.example/", "text": "one"}\n{"url": "http://b.example/", "text": "')
        for _ in range(300):
            process.stdin.write(b"x" * 1_000_000)
        process.stdin.write(b'"}\n{"url": "http://c.example/", "text": "two"}\n')
        process.stdin.close()
        out, err = process.stdout.read().decode(), process.stderr.read().decode()
        process.stdout.close()
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([row["document"] for row in dictionaries(out)], ["http://a.example/", "http://c.example/"])
        self.assertIn("line 2: longer than twice the limit of a page", err)
        self.assertLess(usage.ru_maxrss, 128 << 10)

    def test_times_decide(self):
        def page(number, when):
            return {"url": f"http://{number}.example/", "text": TEXT, "time": when}
        day = "2026-11-2{}T12:00:00Z"
        lines = jsonl([page(1, day.format(1)), page(2, day.format(2)), page(3, day.format(5))]).encode()
        clusters = lambda *args: [row[1] for row in self.roles(*args, stdin=lines)[0]]
        self.assertEqual(clusters("a"), [1, 1, 1])
        self.assertEqual(clusters("b", "--forget-after", "2d"), [1, 1, 2])
        self.assertEqual(clusters("c", "--forget-after", "12h"), [1, 2, 3])
        self.assertEqual(clusters("d", "--half-life", "5d"), [1, 1, 2])
        self.assertEqual(clusters("e", "--forget-after", "3p"), [1, 1, 1])
        out, _ = self.kith("stream", "f", "--pairs", "--half-life", "5d", stdin=lines)
        self.assertEqual([(row["earlier"], row["later"]) for row in dictionaries(out)],
                         [("http://1.example/", "http://2.example/")])

    def test_a_real_crawl_twice_is_all_duplicates(self):
        first, _ = self.roles("state", SAMPLE)
        self.assertGreater(len({row[1] for row in first}), 20)
        again, err = self.roles("state", SAMPLE)
        self.assertEqual(again, [])
        self.assertIn("read before", err)
        with open(SAMPLE, "rb") as file:
            second, _ = self.roles("state", "-", stdin=file.read())
        self.assertEqual({row[2] for row in second}, {"duplicate"})
        self.assertEqual([row[0] for row in second], [row[0] for row in first])

    def test_copies_under_other_hosts_go_where_their_originals_are(self):
        uri = b"\r\nWARC-Target-URI: https://"
        with gzip.open(SAMPLE) as file:
            self.write("copies.warc", file.read().replace(uri, uri + b"copy."))
        for by in ("shingles", "simhash", "fingerprint"):
            with self.subTest(by):
                options = ["--by", by, *([] if by == "fingerprint" else ["--assign", "first"])]
                first, _ = self.roles(by, SAMPLE, *options)
                copies, _ = self.roles(by, "copies.warc", *options)
                self.assertEqual([(page.replace("copy.", "", 1), cluster) for page, cluster, _ in copies],
                                 [(page, cluster) for page, cluster, _ in first])
                self.assertTrue(all(role in ("duplicate", "member") for _, _, role in copies))

    def test_first_is_center_in_the_order_of_arrival(self):
        self.write("pages.jsonl", jsonl(made_pages(400)))
        out, _ = self.kith("stream", "state", "pages.jsonl", "--assign", "first", "--recall", "0.9999",
                           "--max-tables", "64", "--format", "jsonl")
        leaders = {row["document"]: row["leader"] for row in map(json.loads, out.splitlines())}
        self.kith("dedup", "pages.jsonl", "-o", "run", "--recall", "0.9999", "--no-check")
        kept, removed = {}, {}
        for row in self.list("run/groups.tsv"):
            (kept if row["role"] == "kept" else removed)[row["url"]] = row["group"]
        center = {group: url for url, group in kept.items()}
        of_dedup = {page: center[group] for page, group in {**kept, **removed}.items()}
        self.assertGreater(len(removed), 100)
        self.assertEqual({page: leader for page, leader in leaders.items() if page in of_dedup}, of_dedup)
        self.assertTrue(all(page == leader for page, leader in leaders.items() if page not in of_dedup))

    def test_kills_lose_and_repeat_nothing(self):
        self.write("pages.jsonl", jsonl(made_pages(6000)))
        arguments = ["pages.jsonl", "--by", "simhash", "--durable", "none"]
        begin = time.monotonic()
        self.kith("stream", "whole", *arguments, "-o", "whole.tsv")
        seconds = time.monotonic() - begin
        draw = random.Random(3)
        killed = 0
        for _ in range(60):
            process = subprocess.Popen([KITH, "stream", "state", *arguments, "-o", "rows.tsv"],
                                       cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, seconds * 0.8))
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
            if killed >= 12:
                break
        self.assertGreater(killed, 3)
        self.kith("stream", "state", *arguments, "-o", "rows.tsv")
        with open(self.path("whole.tsv"), "rb") as whole, open(self.path("rows.tsv"), "rb") as rows:
            self.assertEqual(whole.read(), rows.read())
        # A row that was cut, and one that never reached the file.
        size = os.path.getsize(self.path("rows.tsv"))
        os.truncate(self.path("rows.tsv"), size - 3)
        _, err = self.kith("stream", "state", *arguments, "-o", "rows.tsv", code=2)
        self.assertIn("1 of the answers up to the last snapshot are missing", err)

    def started(self, arguments, was_begun):
        """A stream that reads a pipe, and the name of the last page that it has, which it says before it reads."""
        process = subprocess.Popen([KITH, "stream", "state", "-o", "rows.tsv", *arguments], cwd=self.folder,
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        last = None
        while was_begun and last is None:
            line = process.stderr.readline().decode()
            self.assertTrue(line, "it ended at once")
            if "going on behind" in line:
                last = line.split("going on behind ")[1].split(", the last page")[0]
        return process, last

    def wait_for_rows(self, count):
        """Until the file has so many rows: what was sent is decided on."""
        for _ in range(6000):
            if os.path.exists(self.path("rows.tsv")):
                with open(self.path("rows.tsv"), "rb") as file:
                    if file.read().count(b"\n") > count:
                        return
            time.sleep(0.01)
        self.fail("no answer")

    def test_cut_in_fifty_places_the_rows_are_those_of_one_run(self):
        pages = made_pages(2000)
        lines = [jsonl([page]).encode() for page in pages]
        behind = {page["url"]: number + 1 for number, page in enumerate(pages)}
        arguments = ["--forget-after", "300p", "--most-leaders", "40", "--durable", "none"]
        self.kith("stream", "whole", "-o", "whole.tsv", *arguments, stdin=b"".join(lines))
        draw = random.Random(7)
        # Where a process is killed: so many lines were sent, the last of them perhaps in part.
        places = sorted(draw.sample(range(1, len(lines)), 12 if os.environ["KITH_SANITIZE"] else 50))
        was_begun = False
        resumed = 0
        for place in places:
            process, last = self.started(arguments, was_begun)
            resumed += last is not None
            at = behind[last] if last else 0
            part = lines[place][:draw.randrange(len(lines[place]))]
            process.stdin.write(b"".join(lines[at:place]) + part)
            process.stdin.flush()
            # Killed anywhere on its way, or, so that there is a way, when it has decided on all that is whole.
            if draw.random() < 0.6 or not was_begun:
                self.wait_for_rows(place)
                was_begun = True
            else:
                time.sleep(draw.uniform(0, 0.02))
            process.kill()
            self.assertEqual(process.wait(), -signal.SIGKILL)
            process.stdin.close()
            process.stderr.close()
        process, last = self.started(arguments, True)
        process.stdin.write(b"".join(lines[behind[last]:]))
        process.stdin.close()
        process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(resumed, len(places) - 1)
        with open(self.path("whole.tsv"), "rb") as whole, open(self.path("rows.tsv"), "rb") as rows:
            self.assertEqual(whole.read(), rows.read())

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_rows_that_standard_output_could_not_take_come_again(self):
        self.write("pages.jsonl", jsonl(made_pages(300)))
        with open("/dev/full", "wb") as full:
            result = subprocess.run([KITH, "stream", "state", "pages.jsonl"], cwd=self.folder, stdout=full,
                                    stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"kith: cannot write standard output: No space left on device", result.stderr)
        self.assertEqual(self.kith("stream", "state", "pages.jsonl")[0], self.kith("stream", "whole", "pages.jsonl")[0])
        self.fails("stream", "other", "pages.jsonl", "-o", "/dev/full", code=2, says="--output /dev/full: is no file")

    def test_rows_of_something_else_are_left_alone(self):
        self.write("pages.jsonl", jsonl(made_pages(5)))
        self.kith("stream", "one", "pages.jsonl", "-o", "rows.tsv")
        self.kith("stream", "two", "pages.jsonl", "-o", "rows.jsonl", "--format", "jsonl")
        for name, format_, message in (("rows.tsv", "tsv", "the stream is new"),
                                       ("rows.jsonl", "jsonl", "the stream is new"),
                                       ("rows.jsonl", "tsv", "other columns"),
                                       ("pages.jsonl", "jsonl", "other columns")):
            with self.subTest(name=name, format=format_), open(self.path(name), "rb") as file:
                before = file.read()
                _, err = self.kith("stream", f"new-{format_}", "pages.jsonl", "-o", name, "--format", format_, code=2)
                self.assertIn(message, err)
                file.seek(0)
                self.assertEqual(file.read(), before)

    def test_bags_by_the_words_of_a_run(self):
        pages = topic_pages()
        self.write("pages.jsonl", jsonl(pages))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--boilerplate", "keep", "--max-df", "1")
        bags = ("--by", "bags", "--dictionary", "run", "--assign", "first", "--recall", "0.999")
        rows, _ = self.roles("state", "pages.jsonl", *bags)
        sites = {}
        for page, cluster, _ in rows:
            sites.setdefault(cluster, set()).add(page.split("/")[2])
        self.assertTrue(all(len(of) == 1 for of in sites.values()), sites)
        self.assertLess(len(sites), 7)
        # The similarities are those of the bags of the run.
        related = self.rows("related", "run", pages[0]["url"], "-n", "7", "--per-site", "0")
        expected = {row["url"]: row["similarity"] for row in related}
        found = {row["url"]: row["similarity"] for row in self.rows("related", "state", pages[0]["url"], "-n", "99")}
        common = set(found) & set(expected)
        self.assertGreater(len(common), 2)
        self.assertEqual({url: found[url] for url in common}, {url: expected[url] for url in common})
        self.kith("stream", "state", *bags, stdin=b"")
        self.write("other.jsonl", jsonl(pages[:-4]))
        self.kith("cluster", "other.jsonl", "-o", "other", "--bags", "content", "--boilerplate", "keep",
                  "--max-df", "1")
        self.fails("stream", "state", "--by", "bags", "--dictionary", "other", "--assign", "first", "--recall", "0.999",
                   code=2, says="another --dictionary", stdin=b"")
        self.fails("stream", "state", "--by", "bags", "--assign", "first", "--recall", "0.999",
                   code=2, says="another --dictionary", stdin=b"")

    def test_first_by_bags_is_center_by_the_exact_engine(self):
        """kith cluster scans in the order of URLs: the numbers of the pages are their URLs."""
        crawls = {"made": [page["text"] for page in made_pages(300, families=12)],
                  "real": list(html_pages(SAMPLE))}
        for name, contents in crawls.items():
            with self.subTest(crawl=name):
                self.write(f"{name}.jsonl", jsonl(
                    [{"url": f"https://pages.example/{at:05}", "text" if name == "made" else "html": content}
                     for at, content in enumerate(contents)]))
                self.kith("cluster", f"{name}.jsonl", "-o", f"{name}-run", "--bags", "content", "--boilerplate", "keep",
                          "--similarity", "0.3", "--engine", "exact", "--order", "url", "--min-words", "1",
                          "--neighbours", "0", "--no-check")
                self.kith("stream", f"{name}-state", f"{name}.jsonl", "--by", "bags", "--dictionary", f"{name}-run",
                          "--similarity", "0.3", "--assign", "first", "--recall", "0.999999", "--max-tables", "1024")
                expected = leaders_of(self.rows("clusters", f"{name}-run"), "center")
                found = leaders_of(self.rows("clusters", f"{name}-state"), "leader")
                self.assertGreater(sum(page != leader for page, leader in expected.items()), 100)
                self.assertGreater(len(set(expected.values())), 10)
                self.assertEqual(found, expected)

    def test_weights_are_learnt(self):
        """Pages of two topics that share many words: these count for little once they are known to be common."""
        draw = random.Random(5)
        common = [f"common{chr(97 + at)}" for at in range(12)]
        topics = [[f"{name}{chr(97 + at)}" for at in range(20)] for name in ("sea", "sky")]
        pages = [{"url": f"http://{at}.example/", "text": " ".join(common + draw.sample(topics[at % 2], 12))}
                 for at in range(600)]
        self.write("pages.jsonl", jsonl(pages))
        bags = ("--by", "bags", "--similarity", "0.3", "--recall", "0.999")
        rows, _ = self.roles("whole", "pages.jsonl", *bags)
        topics_of = {}
        for at, (_, cluster, _) in enumerate(rows):
            topics_of.setdefault(cluster, set()).add((at % 2, at < 256))
        self.assertEqual(len(topics_of[1]), 3, "joined before anything was known, and of one topic afterwards")
        self.assertEqual({topic for topic, is_early in topics_of[2] if not is_early}, {1})
        info = self.kith("info", "whole")[0]
        self.assertIn("weights that are learnt", info)
        # In three runs, the second of which begins and ends within an epoch.
        parts = []
        for begin, end in ((0, 300), (300, 400), (400, 600)):
            parts += self.roles("parts", *bags, stdin=jsonl(pages[begin:end]).encode())[0]
        self.assertEqual(parts, rows)

    def test_a_mean_leads(self):
        """Every page has all words of the page before but one: a mean follows them further than the first page."""
        words = "".join(chr(97 + at // 26) + chr(97 + at % 26) * 2 + " " for at in range(300)).split()
        pages = [{"url": f"http://{at:03}.example/", "text": " ".join(words[at:at + 40])} for at in range(200)]
        self.write("pages.jsonl", jsonl(pages))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--boilerplate", "keep", "--min-df", "1")
        bags = ("--by", "bags", "--dictionary", "run", "--assign", "first")
        first, _ = self.roles("first", "pages.jsonl", *bags)
        mean, _ = self.roles("mean", "pages.jsonl", *bags, "--leader", "mean")
        self.assertGreater(first[-1][1], mean[-1][1])
        # The state goes on as it would have gone.
        self.write("half.jsonl", jsonl(pages[:90]))
        begun, _ = self.roles("state", "half.jsonl", *bags, "--leader", "mean")
        rest, _ = self.roles("state", *bags, "--leader", "mean", stdin=jsonl(pages[90:]).encode())
        self.assertEqual(begun + rest, mean)
        self.fails("stream", "mean", *bags, code=2, says="another --leader", stdin=b"")
        self.fails("stream", "none", "--leader", "mean", code=2,
                   says="--leader: has no effect with --by shingles, the default", stdin=b"")
        self.fails("stream", "none", *bags[:4], "--leader", "mean", "--pairs", code=2, says="--leader", stdin=b"")

    def test_what_it_keeps_can_be_read(self):
        pages = [{"url": f"http://{number}.example/", "text": text} for number, text in
                 enumerate((TEXT, "something else that nobody has said before now", TEXT + " again"))]
        self.kith("stream", "state", "--themes", "5", stdin=jsonl(pages).encode())
        rows = [tuple(row.values()) for row in self.rows("clusters", "state")]
        self.assertEqual([row[:3] for row in rows], [
            ("1", "http://0.example/", "leader"), ("1", "http://2.example/", "member"),
            ("2", "http://1.example/", "leader")])
        self.assertEqual(self.rows("clusters", "state", "--summary"),
                         [{"cluster": "1", "size": "2", "leader": "http://0.example/",
                           "theme": "brown, dark, deep, dog, forest"}])
        self.assertEqual(self.rows("related", "state", "http://0.example:80/#a"),
                         [{"url": "http://2.example/", "similarity": rows[1][3]}])
        info = json.loads(self.kith("info", "state", "--json")[0])
        self.assertEqual((info["documents"], info["clusters"], info["rows"]), (3, 2, 3))
        self.assertIn("last page", self.kith("info", "state", "--verify")[0])
        self.fails("related", "state", "http://x.example/", says="does not know http://x.example/")
        self.fails("related", "state", "http://0.example/", "--why", code=2, says="--why")
        self.fails("pairs", "state", code=2, says="is a stream")

    def test_themes_of_every_kind_of_stream(self):
        pages = topic_pages()
        self.write("pages.jsonl", jsonl(pages))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--boilerplate", "keep", "--max-df", "1")
        kinds = (["--by", "shingles", "--width", "1", "--similarity", "0.3"], ["--by", "simhash", "--distance", "7"],
                 ["--by", "fingerprint", "--bits", "16"], ["--by", "bags", "--dictionary", "run"])
        for number, kind in enumerate(kinds):
            lines = jsonl(pages + [{**page, "url": page["url"] + "?copy"} for page in pages]).encode()
            out, _ = self.kith("stream", f"s{number}", *kind, "--themes", "2", "--format", "jsonl", stdin=lines)
            rows = [json.loads(line) for line in out.splitlines()]
            for row in rows:
                self.assertLessEqual(len(row["theme"]), 0 if row["size"] == 1 else 2)
            self.assertTrue(all(row["theme"] for row in rows[len(pages):]))
            last = {row["cluster"]: row for row in rows}
            summary = self.rows("clusters", f"s{number}", "--summary")
            self.assertEqual({row["theme"] != "" for row in summary}, {True})
            # A later page changes what the stream says, but the last row was printed behind the last page.
            row = rows[-1]
            self.assertEqual([of["theme"] for of in summary if int(of["cluster"]) == row["cluster"]],
                             [", ".join(last[row["cluster"]]["theme"])])
        out, _ = self.kith("stream", "none", "--themes", "0", "--format", "jsonl", stdin=jsonl(pages).encode())
        self.assertEqual({len(json.loads(line)["theme"]) for line in out.splitlines()}, {0})
        self.fails("stream", "none", "--themes", "5", code=2, says="another --themes", stdin=b"")
        # Without --themes they are kept where rows show them, and later as before.
        for folder, rounds in (("json", (("--format", "jsonl"), ())), ("tsv", ((), ("--format", "jsonl")))):
            for number, format in enumerate(rounds):
                lines = jsonl([{**page, "url": f"{page['url']}?{number}"} for page in pages]).encode()
                out, _ = self.kith("stream", folder, *format, stdin=lines)
            themes = {row["theme"] for row in self.rows("clusters", folder, "--summary")}
            self.assertEqual("" in themes, folder == "tsv")

    def test_usage(self):
        for arguments, says in (
                (["--distance", "3"],
                 "--distance: has no effect with --by shingles, the default; it is for --by simhash"),
                (["--by", "fingerprint", "--similarity", "0.9"], "--similarity: has no effect with"),
                (["--by", "fingerprint", "--half-life", "1h"], "--half-life: has no effect with"),
                (["--half-life", "soon"], "--half-life soon"),
                (["--forget-after", "0p"], "--forget-after 0p"),
                (["--pairs", "--assign", "first"], "--assign"),
                (["--pairs", "--themes", "3"], "--themes"),
                (["--themes", "17"], "--themes 17"),
                (["--similarity-of", "containment", "--lanes", "64"], "--lanes"),
                (["--by", "simhash", "--distance", "9"], "--distance 9"),
                (["--lanes", "100"], "--lanes 100: must be a multiple of 16"),
                (["--memory", "1M"], "--memory")):
            self.fails("stream", "state", *arguments, code=2, says=says, stdin=b"")
        self.kith("stream", "state", stdin=b"")
        self.fails("stream", "state", "--similarity", "0.7", code=2, says="another --similarity", stdin=b"")
        with open(self.path("state/stream.kith"), "r+b") as file:
            file.seek(70)
            file.write(b"\xff\xff")
        self.fails("stream", "state", code=1, says="stream.kith", stdin=b"")


if __name__ == "__main__":
    unittest.main()
