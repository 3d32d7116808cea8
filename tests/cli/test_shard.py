"""kith cluster --shard I/N and kith merge: runs in parts equal the run on the whole."""

import gzip
import json
import os
import random
import shutil
import unittest

from kith_case import DATA, KithCase, jsonl, topic_pages, warc_gz, warc_record


def redirect(url, location):
    http = f"HTTP/1.1 301 Moved Permanently\r\nLocation: {location}\r\n\r\n".encode()
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n").encode() + http + b"\r\n\r\n"


def later_capture(page):
    """Another capture of the URL, whose words, title and links must leave no trace when it comes later."""
    return {"url": page["url"],
            "html": "<title>A later look</title><link rel=canonical href=/elsewhere>"
                    "<p>unheard vocabulary ORCHARDS orchards"
                    "<a href='https://only.example/here'>only here</a> <a href='/music/1'>melody rhythm</a>"}


def made_crawl():
    """Files that overlap: URLs captured in several of them, aliases and redirects across files, links to URLs
    that only other files hold, files without pages, damage, and words in several forms."""
    rng = random.Random(7)
    pages = topic_pages()
    rng.shuffle(pages)
    for i, page in enumerate(pages):
        forms = ["Orchard", "orchards", "orchard", "recipes", "recipe"][i % 5]
        page["html"] += f"<p>{forms} {forms.upper()} <a href='https://linked.example/{i % 6}'>{forms} basket</a>"
        page["html"] += f"<a href='{pages[(i * 5) % len(pages)]['url']}'>another site {forms}</a>"
        page["html"] += " <a href='mailto:x'>mail</a>"
        if i % 7 == 3:
            page["html"] += f"<link rel=canonical href='{pages[i - 1]['url']}'>"
        if i % 7 == 5:
            page["html"] += "<meta http-equiv=refresh content='0; url=/fresh'>"
    parts = [pages[i::4] for i in range(4)]
    for i, page in enumerate(pages[::3]):
        parts[(i * 3 + 1) % 4].insert(i % 5, later_capture(page))
    parts[2].append({"url": "nowhere", "html": "<p>no URL at all"})
    warc = redirect("https://music.example/old", "/music/2") + redirect("https://linked.example/0", "/5")
    warc += b"".join(warc_record(page["url"], page["html"].encode()) for page in parts[3])
    return {
        "crawl/a.jsonl": jsonl(parts[0]).encode(),
        "crawl/b.warc.gz": warc_gz(parts[1])[:-40],
        "crawl/c.jsonl": (jsonl(parts[2]) + "{damaged\n" * 12).encode(),
        "crawl/d.warc": warc + redirect(pages[0]["url"], "/again"),
        "crawl/e.jsonl": b"",
        "crawl/f.jsonl": (jsonl(pages[:6]) + "{damaged too\n" * 3).encode(),
        "crawl/g.jsonl": jsonl([later_capture(page) for page in pages[3:9]]).encode(),
    }


class Shards(KithCase):
    def write_crawl(self, files):
        for name, content in files.items():
            self.write(name, content)

    def run_shards(self, count, *options, inputs=("crawl",), command="cluster"):
        names = [f"part-{i}-of-{count}" for i in range(1, count + 1)]
        for i, name in enumerate(names, 1):
            self.kith(command, *inputs, "--shard", f"{i}/{count}", "-o", name, *options)
        return names

    def report(self, run):
        report = json.loads(self.kith("info", run, "--json")[0])
        del report["options"]["output"], report["options"]["threads"], report["bags"]["fragment_bytes"]
        del report["stages"], report["threads"], report["steps"], report["peak_memory"]
        # The estimates of the two engines follow the clock of the machine.
        report["engine"].pop("exact_seconds"), report["engine"].pop("lsh_seconds"), report["engine"].pop("reason")
        return report

    def check(self, counts, *options, inputs=("crawl",), command="cluster"):
        """Merges of so many shards equal the whole."""
        self.kith(command, *inputs, "-o", "whole", *options)
        whole, report = self.files_of("whole"), self.report("whole")
        for count in counts:
            shards = self.run_shards(count, *options, inputs=inputs, command=command)
            self.kith("merge", *reversed(shards), "-o", f"merged-{count}")
            merged = self.files_of(f"merged-{count}")
            self.assertEqual(sorted(merged), sorted(whole))
            for name, content in whole.items():
                self.assertTrue(merged[name] == content, f"{name} of {count} shards")
            self.assertEqual(self.report(f"merged-{count}"), report)
        return report


class EqualTheWhole(Shards):
    def test_anchor_bags_exact_engine(self):
        self.write_crawl(made_crawl())
        report = self.check(range(1, 6), "--min-df", "1", "--engine", "exact")
        self.assertGreater(dict(report["crawl"]["skipped"])["duplicate"], 10)
        self.assertEqual(len(report["crawl"]["examples"]), 11)

    def test_content_bags_lsh_engine(self):
        self.write_crawl(made_crawl())
        self.check((2, 3), "--bags", "content", "--engine", "lsh", "--order", "inlinks", "--similarity", "0.3")

    def test_aliases(self):
        self.write_crawl(made_crawl())
        report = self.check((2, 4, 5), "--aliases", "fold", "--min-df", "1", "--window", "2")
        self.assertGreater(report["aliases"]["folded"], 5)
        self.assertEqual(report["aliases"]["redirect"], 3)

    def test_external_links_and_another_weighting(self):
        self.write_crawl(made_crawl())
        self.check((3,), "--links", "external", "--weighting", "nmdf", "--order", "url", "--language", "en")

    def test_the_pipeline_of_the_paper(self):
        self.write_crawl(made_crawl())
        self.check((3,), command="paper")

    def test_cut_pages(self):
        self.write_crawl(made_crawl())
        for name in ("a", "g"):
            page = {"url": "https://long.example/", "html": f"<p>{name} word " * 500}
            self.write(f"crawl/{name}.jsonl", jsonl([page]))
        report = self.check((2, 3), "--max-page", "1K", "--min-df", "1")
        self.assertEqual(report["crawl"]["cut_pages"], 1)

    def test_the_sample_crawl(self):
        with gzip.open(os.path.join(DATA, "crawl", "sample.warc.gz")) as file:
            records = [b"WARC/1.0\r\n" + record for record in file.read().split(b"\r\n\r\nWARC/1.0\r\n")]
        for i in range(5):
            # Every file shares its last 40 records with the next one.
            part = records[i * len(records) // 5:(i + 1) * len(records) // 5 + 40]
            self.write(f"crawl/{i}.warc", b"".join(record + b"\r\n\r\n" for record in part))
        report = self.check((2, 3), "--threads", "3")
        self.assertGreater(dict(report["crawl"]["skipped"])["duplicate"], 100)
        self.assertGreater(report["crawl"]["pages"], 300)

    def test_a_folder_of_html(self):
        for i, page in enumerate(topic_pages(5)):
            self.write(f"crawl/{i // 4}/{i}.html", page["html"])
        self.check((4,), "--base-url", "https://site.example", "--bags", "content", "--min-df", "1")

    def test_more_shards_than_files(self):
        self.write("crawl/one.jsonl", jsonl(topic_pages(4)))
        self.check((3,), "--min-df", "1")

    def test_a_file_named_twice(self):
        self.write("a.jsonl", jsonl(topic_pages(4)) + "{damaged\n" * 3)
        self.check((2, 3), "--min-df", "1", inputs=("a.jsonl", "a.jsonl", "a.jsonl"))


class ShardDirectories(Shards):
    def setUp(self):
        super().setUp()
        self.write_crawl(made_crawl())

    def test_do_not_depend_on_threads(self):
        for threads in ("1", "3"):
            self.kith("cluster", "crawl", "--shard", "1/2", "-o", "threads-" + threads, "--threads", threads,
                      "--aliases", "fold")
        self.assertEqual(self.files_of("threads-1"), self.files_of("threads-3"))
        self.assertEqual(list(self.files_of("threads-1")), ["shard.kith"])

    def test_read_only_their_share(self):
        shutil.copytree(self.path("crawl"), self.path("whole-crawl"))
        inputs = [f"crawl/{name}" for name in sorted(os.listdir(self.path("crawl")))]
        first = self.run_shards(2, inputs=inputs)[0]
        before = self.files_of(first)
        shutil.rmtree(self.path(first))
        for name in inputs[1::2]:
            os.remove(self.path(name))
        self.kith("cluster", *inputs, "--shard", "1/2", "-o", first)
        self.assertEqual(self.files_of(first), before)

    def test_are_no_runs_and_say_so(self):
        _, err = self.kith("cluster", "crawl", "--shard", "2/4", "-o", "part")
        self.assertIn("shard       2 of 4; 'kith merge' makes a run of all of them", err)
        for command in (["clusters", "part"], ["info", "part"], ["related", "part", "https://music.example/"],
                        ["cluster", "part", "-o", "run"]):
            self.fails(*command, code=2, says=["part: is shard 2 of 4, not a run", "'kith merge DIR... -o RUN'"])

    def test_go_on_like_runs(self):
        self.kith("cluster", "crawl", "--shard", "1/2", "-o", "part")
        before = os.stat(self.path("part/shard.kith")).st_mtime_ns
        self.kith("cluster", "crawl", "--shard", "1/2", "-o", "part")
        self.assertEqual(os.stat(self.path("part/shard.kith")).st_mtime_ns, before)
        sound = self.files_of("part")
        with open(self.path("part/shard.kith"), "r+b") as file:
            file.seek(150)
            file.write(b"damage")
        _, err = self.kith("cluster", "crawl", "--shard", "1/2", "-o", "part")
        self.assertIn("the shard stage is run again", err)
        self.assertEqual(self.files_of("part"), sound)
        self.fails("cluster", "crawl", "--shard", "2/2", "-o", "part", code=2,
                   says="part: holds a run with --shard 1/2 instead of --shard 2/2")

    def test_flags_that_are_no_shard(self):
        for text in ("0/2", "3/2", "1/10001"):
            self.fails("cluster", "crawl", "--shard", text, "-o", "part", code=2,
                       says=[f"--shard {text}", "1 <= I <= N <= 10000"])
        for text in ("2", "1/", "/2", "a/b", "1/2/3", "-1/2", "1/0", " 1/2"):
            self.fails("cluster", "crawl", f"--shard={text}", "-o", "part", code=2, says=f"--shard {text}: must be I/N")
        self.fails("cluster", "-", "--shard", "1/2", "-o", "part", code=2, stdin=b"",
                   says="standard input cannot be divided")
        self.assertFalse(os.path.exists(self.path("part")))

    def test_an_error_leaves_nothing(self):
        self.fails("cluster", "crawl", "--shard", "1/2", "-o", "part", "--strict", says="damaged")
        self.assertFalse(os.path.exists(self.path("part")))


class Signatures(Shards):
    """--shard of a run: its bags are there, the signatures are made in parts."""
    OPTIONS = ["--engine", "lsh", "--similarity", "0.3", "--lanes", "64", "--seed", "5"]

    def setUp(self):
        super().setUp()
        self.write_crawl(made_crawl())
        self.kith("cluster", "crawl", "-o", "bags", "--min-df", "1")

    def test_equal_those_of_the_whole(self):
        report = self.check((1, 3, 5), *self.OPTIONS, inputs=("bags",))
        self.assertEqual(report["options"]["inputs"], ["bags"])
        self.assertEqual(list(self.files_of("part-2-of-3")), ["shard_signatures.kith"])

    def test_are_left_aside_by_the_exact_engine(self):
        self.check((2,), "--engine", "exact", inputs=("bags",))

    def test_are_no_runs_and_say_so(self):
        self.kith("cluster", "bags", "--shard", "2/4", "-o", "part")
        self.fails("clusters", "part", code=2, says="part: is shard 2 of 4, not a run")
        self.fails("cluster", "part", "-o", "run", code=2, says="part: is shard 2 of 4, not a run")

    def test_want_the_run_they_were_made_of(self):
        shards = self.run_shards(2, *self.OPTIONS, inputs=("bags",))
        shutil.rmtree(self.path("bags"))
        self.fails("merge", *shards, "-o", "run", says="bags: is no run directory")
        self.kith("cluster", "crawl", "-o", "bags", "--min-df", "2")
        self.fails("merge", *shards, "-o", "run", code=2, says="bags: its bags were made with --min-df 2;")
        shutil.rmtree(self.path("bags"))
        self.write("crawl/a.jsonl", jsonl(topic_pages(9)))
        self.kith("cluster", "crawl", "-o", "bags", "--min-df", "1")
        self.fails("merge", *shards, "-o", "other",
                   says="part-1-of-2/shard_signatures.kith: is damaged, or of other bags")

    def test_name_a_damaged_file(self):
        shards = self.run_shards(2, *self.OPTIONS, inputs=("bags",))
        with open(self.path("part-2-of-2/shard_signatures.kith"), "r+b") as file:
            file.seek(200)
            file.write(b"damage")
        self.fails("merge", *shards, "-o", "run", says="part-2-of-2/shard_signatures.kith")
        shutil.copy(self.path("part-1-of-2/shard_signatures.kith"), self.path("part-2-of-2/shard_signatures.kith"))
        self.fails("merge", *shards, "-o", "again", says="part-2-of-2/shard_signatures.kith: is not the file that")


class Merge(Shards):
    def setUp(self):
        super().setUp()
        self.write_crawl(made_crawl())
        self.shards = self.run_shards(3)

    def merge_fails(self, *shards, code=2, says=()):
        self.fails("merge", *shards, "-o", "run", code=code, says=says)
        self.assertFalse(os.path.exists(self.path("run")))

    def test_wants_all_shards_once(self):
        one, two, three = self.shards
        self.merge_fails(one, three, says="of the 3 shards these are missing: 2")
        self.merge_fails(two, says="these are missing: 1, 3")
        self.merge_fails(one, two, three, two,
                         says=["part-2-of-3: cannot be merged with part-2-of-3", "both are shard 2 of 3"])
        other = self.run_shards(2)[0]
        self.merge_fails(other, two, three, says="it is one of 3 shards, not of 2")

    def test_wants_shards_of_one_command(self):
        one, two, three = self.shards
        self.kith("cluster", "crawl", "--shard", "2/3", "-o", "other", "--window", "3")
        self.merge_fails(one, "other", three,
                         says=["other: cannot be merged with part-1-of-3", "it has --window 3 instead of --window 16"])
        self.kith("cluster", "crawl/a.jsonl", "crawl/b.warc.gz", "--shard", "2/3", "-o", "fewer")
        self.merge_fails(one, "fewer", three, says="its inputs are crawl/a.jsonl crawl/b.warc.gz instead of crawl")

    def test_wants_shards_of_the_same_files(self):
        self.write("crawl/h.jsonl", jsonl(topic_pages(1)))
        shutil.rmtree(self.path(self.shards[1]))
        self.kith("cluster", "crawl", "--shard", "2/3", "-o", self.shards[1])
        self.merge_fails(*self.shards, says="its inputs are other files")

    def test_wants_shards(self):
        self.kith("cluster", "crawl", "-o", "whole")
        self.merge_fails("whole", says="whole: is a run, not a shard")
        self.merge_fails("crawl", code=1, says="crawl: is no shard")
        self.merge_fails("missing", code=1, says="missing: is no shard")

    def test_names_a_damaged_file(self):
        path = self.path(self.shards[1] + "/shard.kith")
        with open(path, "rb") as file:
            sound = file.read()
        for place in range(20, len(sound) - 24, len(sound) // 9):
            damaged = bytearray(sound)
            damaged[place] ^= 0x10
            self.write(path, bytes(damaged))
            # A byte between two sections is nobody's.
            try:
                self.merge_fails(*self.shards, code=1, says="part-2-of-3/shard.kith")
            except AssertionError:
                self.assertTrue(sound[place] == 0)
                shutil.rmtree(self.path("run"))
        self.write(path, sound[:1000])
        self.merge_fails(*self.shards, code=1, says="part-2-of-3/shard.kith")

    def test_a_file_of_another_shard_is_found(self):
        shutil.copy(self.path(self.shards[0] + "/shard.kith"), self.path(self.shards[1] + "/shard.kith"))
        self.merge_fails(*self.shards, code=1, says="part-2-of-3/shard.kith: is not the file that this run has made")

    def test_goes_on_and_knows_other_shards(self):
        one, two, three = self.shards
        self.kith("merge", one, two, three, "-o", "run")
        files = self.files_of("run")
        self.kith("merge", three, one, two, "-o", "run")
        self.assertEqual(self.files_of("run"), files)
        self.fails("merge", *self.run_shards(2), "-o", "run", code=2,
                   says="run: holds a run with other inputs: other shards")

    def test_gives_bags_to_other_runs(self):
        self.kith("merge", *self.shards, "-o", "run")
        self.kith("cluster", "run", "-o", "again", "--similarity", "0.5")
        self.kith("cluster", "crawl", "-o", "whole", "--similarity", "0.5")
        self.assertEqual(self.files_of("again"), self.files_of("whole"))

    def test_usage(self):
        self.kith("merge", code=2)
        self.kith("merge", *self.shards, code=2)
        self.fails("merge", *self.shards, "-o", "run", "--memory", "1M", code=2, says="--memory")
        out, _ = self.kith("merge", "--help")
        self.assertIn("--shard 1/2", out)


if __name__ == "__main__":
    unittest.main()
