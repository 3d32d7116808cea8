"""kith dedup --boilerplate remove, beside the run on texts from which the template blocks were taken by maps."""

import collections
import json
import os
import random
import re
import threading
import unittest
from pathlib import Path

from kith_case import KithCase

LETTERS = "abcdefghijklmnoprstuvw"


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


def word(rng):
    return "".join(rng.choices(LETTERS, k=5))


def site(rng, host, folders, count):
    """Pages of a site with a menu, of which every third is nearly the one before; a line is a block."""
    menu = [" ".join(word(rng) for _ in range(12)) for _ in range(3)]
    pages, body = [], []
    for i in range(count):
        if i % 3 == 0:
            body = [" ".join(word(rng) for _ in range(15)) for _ in range(3)]
        else:
            body = [*body[:-1], f"{body[-1]} {word(rng)}"]
        text = [menu[0], *body, *menu[1:]] if i != 5 else menu  # one page of nothing else
        pages.append({"url": f"https://{host}/{rng.choice(folders)}{i}", "text": "\n".join(text)})
    return pages


def sites_of(url):
    """Host and first folders."""
    parts = url.split("/")[2:-1]
    return {"/".join(parts[:depth]) for depth in range(1, min(len(parts), 4) + 1)}


def without_templates(documents):
    """Yields documents and whether they are nothing but template, by the definition, for sites of at most 128 pages:
    all of them are the sample."""
    pages, blocks, seen = collections.Counter(), collections.defaultdict(collections.Counter), set()
    for document in documents:
        if "url" not in document or document["url"] in seen:
            continue
        seen.add(document["url"])
        for name in sites_of(document["url"]):
            pages[name] += 1
            blocks[name].update(set(document["text"].split("\n")))
    for document in documents:
        names = [name for name in sites_of(document.get("url", "")) if pages[name] >= 8]
        rest = [block for block in document["text"].split("\n")
                if not any(blocks[name][block] >= max(3, -(-pages[name] // 5)) for name in names)]
        yield dict(document, text="\n".join(rest or document["text"].split("\n"))), not rest


class Boilerplate(KithCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        documents = (site(rng, "a.example", ["", "guide/", "guide/deep/er/still/", "api/"], 60)
                     + site(rng, "b.example", ["x/"], 9) + site(rng, "small.example", [""], 7))
        documents += documents[3:6] * 4  # captured again and again, and yet no template
        documents += [{"id": f"note{i}", "text": documents[0]["text"]} for i in range(2)]
        rng.shuffle(documents)
        self.write("in.jsonl", lines(documents))
        rest = list(without_templates(documents))
        self.write("rest.jsonl", lines(document for document, _ in rest))
        self.kept_whole = sum(is_whole for _, is_whole in rest)

    def lists(self, run):
        found = {}
        for name in ("groups", "pairs", "keep"):
            with open(self.path(f"{run}/{name}.tsv"), encoding="utf-8") as file:
                found[name] = file.read().replace("\trest.jsonl\t", "\tin.jsonl\t")
            if name == "groups":  # where in the file a document is differs
                found[name] = re.sub(r"(\tin\.jsonl|\t-)\t\d+\t", r"\1\t\t", found[name])
        return found

    def report(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def test_is_what_is_found_without_the_template_blocks(self):
        options = ("--similarity", "0.5", "--recall", "0.9999")
        for shingles in ((), ("--shingles", "characters", "--width", "9"), ("--raw",)):
            with self.subTest(shingles):
                self.setUp()
                self.kith("dedup", "in.jsonl", "-o", "run", "--boilerplate", "remove", *options, *shingles)
                self.kith("dedup", "rest.jsonl", "-o", "rest", *options, *shingles)
                self.assertEqual(self.lists("run"), self.lists("rest"))
                self.kith("dedup", "in.jsonl", "-o", "kept", *options, *shingles)
                self.assertNotEqual(self.lists("run"), self.lists("kept"))
                counts = self.report("run")["boilerplate"]
                self.assertEqual(counts["hosts"], 2)
                self.assertEqual(counts["kept_whole"], self.kept_whole)
                self.assertGreater(counts["left_out"], 0)
                self.assertEqual(self.report("kept")["boilerplate"]["words"], 0)

    def test_same_bytes_for_any_threads_and_memory(self):
        files = []
        for threads, memory in (("1", "4G"), ("2", "150M"), ("5", "1G")):
            self.kith("dedup", "in.jsonl", "-o", threads, "--boilerplate", "remove", "--threads", threads,
                      "--memory", memory)
            files.append((self.files_of(threads), self.lists(threads)))
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])
        info, _ = self.kith("info", "1")
        self.assertRegex(info, r"boilerplate +[\d.]+ % of the words left out")
        self.assertIn("match their checksums", self.kith("info", "1", "--verify")[1])

    def test_standard_input_is_read_once(self):
        self.kith("dedup", "in.jsonl", "-o", "run", "--boilerplate", "remove")
        self.kith("dedup", "-", "-o", "piped", "--boilerplate", "remove",
                  stdin=Path(self.path("in.jsonl")).read_bytes())
        lists = {name: text.replace("\t-\t", "\tin.jsonl\t") for name, text in self.lists("piped").items()}
        self.assertEqual(self.lists("run"), lists)

    def test_is_the_default_of_markup_alone(self):
        pages = [json.loads(line) for line in Path(self.path("in.jsonl")).read_text(encoding="utf-8").splitlines()]
        markup = lines({"url": page["url"], "html": "".join(f"<p>{block}</p>" for block in page["text"].split("\n"))}
                       for page in pages if "url" in page)
        self.write("markup.jsonl", markup)
        self.write("note.jsonl", lines([{"id": "note", "text": "plain text first"}]))
        for name, inputs, stdin, options, chosen in (
                ("markup", ["markup.jsonl"], None, (), "remove"),
                ("mixed", ["note.jsonl", "markup.jsonl"], None, (), "remove"),
                ("text", ["in.jsonl"], None, (), "keep"),
                ("piped", ["-"], markup.encode(), (), "keep"),
                ("equal", ["markup.jsonl"], None, ("--similarity", "1"), "keep"),
                ("exact", ["markup.jsonl"], None, ("--method", "exact"), "keep")):
            with self.subTest(name):
                self.kith("dedup", *inputs, "-o", name, *options, stdin=stdin)
                report = self.report(name)
                self.assertEqual(report["options"]["boilerplate"], chosen)
                self.assertEqual(report["boilerplate"]["left_out"] > 0, chosen == "remove")
        os.mkfifo(self.path("pipe"))
        writer = threading.Thread(target=Path(self.path("pipe")).write_text, args=(markup,))
        writer.start()
        self.kith("dedup", "pipe", "-o", "of-pipe")  # all of it, though it cannot be read again
        writer.join()
        self.assertEqual(self.report("of-pipe")["options"]["boilerplate"], "keep")
        self.assertEqual(self.report("of-pipe")["documents"], self.report("piped")["documents"])

    def test_bad_use_is_told(self):
        self.fails("dedup", "in.jsonl", "-o", "run", "--boilerplate", "remove", "--method", "exact", code=2,
                   says=["--boilerplate remove", "--similarity 1"])
        self.kith("dedup", "in.jsonl", "-o", "early")
        self.fails("dedup", "in.jsonl", "-o", "late", "--against", "early", "--boilerplate", "remove", code=2,
                   says=["--boilerplate keep", "--boilerplate remove"])
        self.fails("dedup", "in.jsonl", "-o", "early", "--boilerplate", "remove", code=2, says="boilerplate")


if __name__ == "__main__":
    unittest.main()
