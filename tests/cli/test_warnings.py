#!/usr/bin/python3
"""What the program says when a result is empty, an option does nothing, or a user stops it."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages, warc_gz, warc_record


class Warnings(KithCase):
    def warning(self, *args):
        _, err = self.kith("cluster", *args)
        found = re.findall(r"^warning +(.*)$", err, re.M)
        self.assertEqual(len(found), 1, err)
        self.assertIn("kith info", err.splitlines()[-1])
        return found[0]

    def test_nothing_to_cluster(self):
        self.write("stop.jsonl", jsonl([{"url": f"https://a.example/{i}", "text": "the and of the"}
                                        for i in range(3)]))
        self.assertIn("no URL has a word that counts; --bags anchor,",
                      self.warning("stop.jsonl", "-o", "3", "--bags", "content"))
        words = "guitar melody oven butter comet orbit".split()
        self.write("unlike.jsonl", jsonl([{"url": f"https://{word}.example/", "text": f"{word} {word}s"}
                                          for word in words]))
        self.assertIn("warning", self.kith("cluster", "unlike.jsonl", "-o", "4", "--bags", "content",
                                           "--similarity", "0.9")[1])
        self.write("alike.jsonl", jsonl(topic_pages()))
        _, err = self.kith("cluster", "alike.jsonl", "-o", "5", "--bags", "content")
        self.assertNotIn("warning", err)
        self.assertRegex(err, r"clusters    \d+ clusters with \d+ URLs in all; \d+ URLs? in no cluster")

    def test_nothing_was_read(self):
        """A failure that says what was seen; the run keeps its report."""
        self.write("alike.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "alike.jsonl", "-o", "run")
        self.write("empty.jsonl", "")
        page = warc_record("https://a.example/", b"<p>guitar chord").replace(b"200 OK", b"404 No")
        self.write("other.warc", page)
        for number, command in enumerate((["cluster", "INPUT", "-o", "OUT"], ["paper", "INPUT", "-o", "OUT"],
                                          ["dedup", "INPUT", "-o", "OUT"], ["crawl", "INPUT"],
                                          ["crawl", "INPUT", "--boilerplate"], ["route", "run", "INPUT"],
                                          ["stream", "OUT", "INPUT"])):
            for name, records, why in (("empty.jsonl", "0 records", "the input has no page"),
                                       ("other.warc", "1 record",
                                        "the input has no page; what it has was skipped, see above")):
                with self.subTest((command, name)):
                    places = {"INPUT": name, "OUT": f"{name}-{number}"}
                    _, err = self.kith(*(places.get(word, word) for word in command), code=1)
                    self.assertIn(f"kith: nothing was read: {why}\n", err)
                    self.assertRegex(err, rf"read +0 pages .* from {records} in 1 file\n")
        for run in ("empty.jsonl-0", "empty.jsonl-2"):
            self.assertIn("nothing to c", self.kith("info", run)[0])
        # A part of a crawl may be empty, and so may an hour of a stream.
        self.kith("cluster", "alike.jsonl", "--shard", "2/2", "-o", "part-2")
        self.kith("stream", "state", stdin=b"")
        self.kith("stream", "state", stdin=b"no page\n", code=1)

    def test_nothing_to_compare(self):
        self.write("fields.jsonl", jsonl([{"url": "https://a.example/", "body": "guitar chord"}]))
        _, err = self.kith("dedup", "fields.jsonl", "-o", "2", code=1)
        self.assertIn("its rows have the fields url, body, of which none is read as text", err)

    def test_an_empty_shard(self):
        self.write("one.jsonl", jsonl(topic_pages()))
        _, err = self.kith("cluster", "one.jsonl", "--shard", "2/4", "-o", "part-2")
        self.assertIn("warning     this shard is empty: shards are made of whole files, of which there "
                      "are fewer than 4\n", err)
        _, err = self.kith("cluster", "one.jsonl", "--shard", "1/4", "-o", "part-1")
        self.assertNotIn("warning", err)
        self.kith("cluster", "one.jsonl", "-o", "run", "--bags", "content")
        _, err = self.kith("cluster", "run", "--shard", "1/2", "-o", "signatures")
        self.assertNotIn("warning", err)

    def test_singular_and_plural(self):
        self.write("one.jsonl", jsonl(topic_pages()[:1]))
        _, err = self.kith("crawl", "one.jsonl")
        self.assertRegex(err, r"read        1 page \(.*\) from 1 record in 1 file\n")
        self.write("two.jsonl", jsonl(topic_pages()[:2]))
        _, err = self.kith("crawl", "two.jsonl", "one.jsonl")
        self.assertRegex(err, r"read        2 pages \(.*\) from 3 records in 2 files\n")
        _, err = self.kith("dedup", "one.jsonl", "-o", "run")
        self.assertIn("kept        1 document\n", err)

    def test_options_that_ask_for_too_much(self):
        self.write("alike.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "alike.jsonl", "-o", "run//", "--bags", "content", "--neighbours", "3")
        url = "https://music.example/music/0"
        out, err = self.kith("related", "run", url, "-n", "40")
        self.assertEqual(out, self.kith("related", "run", url, "-n", "3")[0])
        self.assertEqual(len(out.splitlines()), 4)
        self.assertIn("keeps 3 neighbours and 10 pages of other sites a URL, fewer than -n 40; "
                      "'kith cluster run -o OTHER --neighbours 40'", err)
        self.assertNotIn("kith:", self.kith("related", "run", url, "-n", "3")[1])

    def test_a_temporary_folder_is_missed_only_where_it_is_needed(self):
        self.write("alike.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "alike.jsonl", "-o", "run", "--bags", "content")
        there = self.kith("pairs", "run")[0]
        result = subprocess.run([KITH, "pairs", "run"], cwd=self.folder, stdout=subprocess.PIPE,
                                env={**os.environ, "TMPDIR": "/nonexistent"}, timeout=60)
        self.assertEqual((result.returncode, result.stdout.decode()), (0, there))

    def test_very_many_pairs_are_announced(self):
        page = '{"url":"http://a.example/%d","text":"guitar chord melody"}\n'
        self.write("alike.jsonl", "".join(page % i for i in range(15000)))
        self.kith("cluster", "alike.jsonl", "-o", "run", "--bags", "content", "--max-df", "1",
                  "--no-check")
        line = f"{KITH} pairs run | head -n 3"
        result = subprocess.run(["bash", "-c", line], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=120)
        self.assertIn(b"the run has 112,492,500 similar pairs: as many lines follow; 'kith cluster run",
                      result.stderr)

    def test_json_that_is_none_is_named_in_plain_words(self):
        lines = {"[1,2]": "no JSON object", '{"url": "http://a.b/", "text": "x"': "",
                 '{"url":"http://a.b/","text":"a"} x': "",
                 '{"url":"http://a.b/c","text":"\\x41"}': "a string with a wrong escape",
                 '{"url":"http://a.b/': "a string without an end"}
        for line, problem in lines.items():
            self.write("bad.jsonl", '{"url":"http://a.b/1","text":"good"}\n' + line + "\n")
            _, err = self.kith("crawl", "bad.jsonl")
            self.assertIn("line 2: " + problem, err)
            self.assertNotIn("JSON element", err)

    def test_files_that_may_not_grow_are_like_a_full_disk(self):
        self.write("alike.jsonl", jsonl(topic_pages()))
        line = f"ulimit -f 1; {KITH} cluster alike.jsonl -o run --bags content"
        result = subprocess.run(["bash", "-c", line], cwd=self.folder, stderr=subprocess.PIPE,
                                timeout=60, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"File too large", result.stderr)


class Stops(KithCase):
    """A signal that ends a command: one line, the signal's exit code, and the run goes on."""

    def stopped(self, how, wait_for, *args):
        """Feeds the command from a pipe, so that it is still at work when the signal comes."""
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([KITH, *args], cwd=self.folder, stderr=subprocess.PIPE)
        try:
            with open(self.path("pipe"), "wb") as pipe:
                pipe.write(b'{"url":"https://a.example/","text":"guitar"}\n')
                pipe.flush()
                deadline = time.monotonic() + 60
                while not os.path.exists(self.path(wait_for)) and time.monotonic() < deadline:
                    time.sleep(0.01)
                process.send_signal(how)
                _, err = process.communicate(timeout=60)
        finally:
            process.kill()
            os.remove(self.path("pipe"))
        self.assertEqual(process.returncode, -how)
        return err.decode()

    def test_a_stopped_command_says_that_it_can_go_on(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for job in ("cluster", "dedup"):
                err = self.stopped(how, f"{how}-{job}/manifest.json", job, "pipe", "-o", f"{how}-{job}")
                self.assertEqual(err, "kith: stopped; no stage is finished yet, and the same command "
                                      "begins anew\n")

    def test_the_stage_that_is_finished_is_named(self):
        self.write("alike.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "alike.jsonl", "-o", "whole", "--bags", "content")
        # As soon as the manifest names the bags; a run may be over before it is looked at.
        for _ in range(20):
            process = subprocess.Popen([KITH, "cluster", "alike.jsonl", "-o", "run", "--bags", "content"],
                                       cwd=self.folder, stderr=subprocess.PIPE)
            manifest = {}
            while process.poll() is None and "bags" not in manifest.get("stages", []):
                try:
                    with open(self.path("run/manifest.json"), encoding="utf-8") as file:
                        manifest = json.load(file)
                except (OSError, ValueError):
                    pass
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            if process.returncode == -signal.SIGINT and b"behind the stage '" in err:
                break
            subprocess.run(["rm", "-r", self.path("run")], check=True)
        else:
            self.skipTest("the machine was too slow to stop the run between two stages")
        self.assertRegex(err, rb"^kith: stopped; the same command goes on behind the stage '\w+'\n$")
        self.kith("cluster", "alike.jsonl", "-o", "run", "--bags", "content")
        self.assertEqual(self.files_of("run"), self.files_of("whole"))


if __name__ == "__main__":
    unittest.main()
