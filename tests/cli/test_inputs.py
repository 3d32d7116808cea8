#!/usr/bin/python3
"""Which files of a folder are read, where a run may lie, and when an input is still the same."""

import json
import os
import shutil
import subprocess
import unittest

from kith_case import KithCase, jsonl, topic_pages, warc_gz


def documents(count, word="text"):
    return "".join(json.dumps({"url": f"http://e.com/{word}/{i}",
                               "text": f"{word} of the document number {i} {'abc ' * (i % 7)}"}) + "\n"
                   for i in range(count))


class OutputPlace(KithCase):
    def test_a_run_inside_of_an_input_folder_is_refused(self):
        self.write("in/a.jsonl", documents(3))
        os.makedirs(self.path("in/sub"))
        os.symlink("in/sub", self.path("link"))
        before = sorted(os.listdir(self.path("in")))
        for command in ("cluster", "dedup"):
            for place in ("in/run", "in/sub/run", "link/run", self.path("in") + "/../in/run/"):
                self.fails(command, "in", "-o", place, code=2,
                           says=["lies in in, which is an input: name a folder outside of it"])
            self.fails(command, "in/", "-o", "in/deep/er/run", code=2, says="lies in in/, which")
            self.fails(command, "in", "-o", "-", code=2, says="a run is a folder, not a stream")
        self.assertEqual(sorted(os.listdir(self.path("in"))), before)
        self.assertFalse(os.path.exists(self.path("-")))
        self.kith("dedup", "in/a.jsonl", "-o", "in-beside")

    def test_an_empty_name_is_no_input(self):
        for command in ("cluster", "dedup"):
            self.fails(command, "", "-o", "run", code=2, says="an INPUT is an empty name")
        self.fails("crawl", "", code=2, says="an INPUT is an empty name")


class Folders(KithCase):
    def left_out(self, run):
        out, _ = self.kith("info", run, "--json")
        return dict(json.loads(out)["crawl"]["left_out"])

    def test_what_is_left_out_is_counted(self):
        self.write("in/a.jsonl", documents(3))
        for i in range(5):
            self.write(f"in/html/{i}.html", f"<p>page {i}")
        self.write("in/notes.md", "no crawl")
        self.write("in/manifest.json", '{"name": "a web site", "start_url": "/"}')
        os.makedirs(self.path("elsewhere"))
        self.write("elsewhere/b.jsonl", documents(2, "other"))
        os.symlink("../elsewhere", self.path("in/folder"))
        os.symlink("nowhere", self.path("in/broken.jsonl"))
        os.mkfifo(self.path("in/pipe.jsonl"))
        wanted = {"other_file": 2, "page_file": 5, "linked_folder": 1, "broken_link": 1, "no_file": 1}
        _, err = self.kith("dedup", "in", "-o", "run")
        self.assertEqual(self.left_out("run"), wanted)
        self.assertIn("left out    2 files that are no crawl files by their names, 5 HTML or text "
                      "files beside crawl files, 1 folder behind a symbolic link, 1 link that leads "
                      "nowhere, 1 pipe, socket or device\n", err)
        _, err = self.kith("cluster", "in", "-o", "run-2", "--bags", "content")
        self.assertEqual(self.left_out("run-2"), wanted)
        _, err = self.kith("crawl", "in")
        self.assertIn("1 link that leads nowhere", err)

    def test_runs_and_lists_are_never_read(self):
        self.write("in/a.jsonl", documents(3))
        for command in ("dedup", "cluster"):
            self.kith(command, "in", "-o", "made")
            shutil.move(self.path("made"), self.path(f"in/{command}-run"))
        self.kith("dedup", "in", "-o", "lists", "--format", "jsonl")
        shutil.move(self.path("lists"), self.path("in/lists"))
        self.kith("dedup", "in", "-o", "run")
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual((report["crawl"]["files"], report["crawl"]["records"]), (1, 3))
        self.assertEqual(report["crawl"]["left_out"], [["run_folder", 3]])
        self.fails("dedup", "in/lists", "-o", "x", code=2, says="is a run directory of kith")
        self.fails("crawl", "in/lists/", code=2, says="is a run directory of kith")
        self.fails("dedup", "in/lists/keep.jsonl", "-o", "x", code=2,
                   says="is a list that kith has written")
        os.rename(self.path("in/lists/keep.jsonl"), self.path("keep.jsonl"))
        self.kith("dedup", "keep.jsonl", "-o", "y", code=1)  # nobody knows what this is


class Identity(KithCase):
    """The same command again, after something was done to its input."""

    def setUp(self):
        super().setUp()
        self.write("in/a.jsonl", documents(30))
        self.write("in/sub/b.jsonl", documents(20, "other"))
        self.write("in/c.warc.gz", warc_gz(topic_pages(2)))

    def accepts(self, *command):
        before = self.files_of("run")
        self.kith(*command, "-o", "run")
        self.assertEqual(self.files_of("run"), before)
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertTrue(all(stage["reused"] for stage in report["stages"]))

    def refuses(self, *command, says):
        self.fails(*command, "-o", "run", code=2,
                   says=["run: holds a run with other inputs: " + says,
                         "name another folder, or remove this one"])

    def test_respelled_touched_and_moved_inputs_are_the_same(self):
        for job in (["cluster", "--bags", "content"], ["dedup"]):
            self.kith(*job, "in", "-o", "run")
            self.accepts(*job, "./in/")
            self.accepts(*job, self.path("in"))
            self.accepts(*job, "in/../in/sub/..")
            for name in ("in/a.jsonl", "in/c.warc.gz"):
                os.utime(self.path(name), (1, 1))
            self.accepts(*job, "in")
            self.write("in/notes.txt", "read by nobody")
            self.write("in/sub/page.html", "<p>likewise")
            self.accepts(*job, "in")
            shutil.copytree(self.path("in"), self.path("copy"))
            self.accepts(*job, "copy")
            shutil.rmtree(self.path("copy"))
            shutil.rmtree(self.path("run"))

    def test_a_refusal_names_the_input_and_the_difference(self):
        job = ("dedup", "in")
        self.kith(*job, "-o", "run")
        text = documents(30)
        self.write("in/a.jsonl", text + "\n")
        self.refuses(*job, says=f"a.jsonl had {len(text)} bytes and has {len(text) + 1};")
        self.write("in/a.jsonl", text.replace("number 3 ", "number 4 "))
        self.refuses(*job, says="a.jsonl has other content, of the same size;")
        self.write("in/a.jsonl", text)
        self.accepts(*job)
        self.write("in/sub/d.jsonl", text)
        self.refuses(*job, says="sub/d.jsonl was not among them;")
        os.remove(self.path("in/sub/d.jsonl"))
        os.rename(self.path("in/sub/b.jsonl"), self.path("in/sub/z.jsonl"))
        self.refuses(*job, says="sub/z.jsonl was not among them;")
        os.remove(self.path("in/sub/z.jsonl"))
        self.refuses(*job, says="sub/b.jsonl was among them;")
        self.refuses("dedup", "in/c.warc.gz", "in/a.jsonl", says="sub/b.jsonl was among them;")

    def test_an_order_and_many_files_are_told_apart(self):
        self.kith("dedup", "in/a.jsonl", "in/c.warc.gz", "-o", "run")
        self.refuses("dedup", "in/c.warc.gz", "in/a.jsonl", says="they had another order;")
        shutil.rmtree(self.path("run"))
        for i in range(1001):
            self.write(f"many/{i}.txt", f"the text of document {i}")
        self.kith("dedup", "many", "-o", "run")
        self.accepts("dedup", "./many")
        with open(self.path("run/manifest.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["identity"]["inputs"]), 1)
        self.write("many/7.txt", "the text of document 8")
        self.refuses("dedup", "many", says="a name or the content among the 1001 files of")
        self.write("many/more.txt", "more")
        self.refuses("dedup", "many", says="they were 1001 files of")

    def test_a_large_file_is_known_by_its_head_its_tail_and_blocks_between(self):
        line = documents(1)
        self.write("big.jsonl", line * ((3 << 20) // len(line)))
        self.kith("dedup", "big.jsonl", "-o", "run")
        size = os.path.getsize(self.path("big.jsonl"))
        for offset in (0, size - 1, (size - (16 << 10)) // 15 * 7):
            with open(self.path("big.jsonl"), "r+b") as file:
                file.seek(offset)
                byte = file.read(1)
                file.seek(offset)
                file.write(b"#")
                file.flush()
                self.refuses("dedup", "big.jsonl", says="big.jsonl has other content, of the same")
                file.seek(offset)
                file.write(byte)
        self.accepts("dedup", "big.jsonl")
        os.remove(self.path("big.jsonl"))
        self.fails("dedup", "big.jsonl", "-o", "run", says="cannot open big.jsonl: No such file or directory")

    def test_a_missing_file_of_markup_is_named_too(self):
        self.write("page.jsonl", json.dumps({"url": "http://a.example/", "html": "<p>one two three four five"}))
        self.kith("dedup", "page.jsonl", "-o", "run")
        os.remove(self.path("page.jsonl"))
        self.fails("dedup", "page.jsonl", "-o", "run", says="cannot open page.jsonl: No such file or directory")

    def test_a_pipe_cannot_be_compared(self):
        os.mkfifo(self.path("pipe"))
        for _ in range(2):
            writer = subprocess.Popen(["bash", "-c", "timeout 20 cat in/a.jsonl > pipe"],
                                      cwd=self.folder)
            if not os.path.exists(self.path("run")):
                self.kith("dedup", "pipe", "-o", "run")
            else:
                self.fails("dedup", "pipe", "-o", "run", code=2, says="made from a pipe")
                with open(self.path("pipe"), "rb") as pipe:
                    pipe.read()
            writer.wait()

    def test_a_run_of_an_earlier_version_is_told_so(self):
        self.kith("dedup", "in", "-o", "run")
        with open(self.path("run/manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["identity"]["inputs"] = ["in:0123456789abcdef"]
        self.write("run/manifest.json", json.dumps(manifest))
        self.fails("dedup", "in", "-o", "run", code=2,
                   says="run: holds a run with inputs that an earlier version of kith knew")


if __name__ == "__main__":
    unittest.main()
