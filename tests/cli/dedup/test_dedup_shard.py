"""kith dedup --shard I/N and kith merge: runs in parts equal the run on the whole."""

import json
import os
import random
import shutil
import unittest

from kith_case import KithCase, jsonl, warc_gz

LISTS = ["groups.tsv", "pairs.tsv", "keep.tsv"]


def made_pages(files=5, pages=30):
    """Sites with a menu of their own, near and equal copies across files, links, an empty page and a long one."""
    rng = random.Random(11)
    words = ["".join(rng.choices("abcdeilmnorstu", k=6)) for _ in range(300)]
    texts = [" ".join(rng.choice(words) for _ in range(60)) for _ in range(pages)]
    parts = []
    for file in range(files):
        part = []
        for page in range(pages):
            site = page % 3
            menu = "".join(f"<li><a href='/m{i}'>entry {i} of site {site}</a>" for i in range(9))
            text = rng.choice(texts) + (" " + rng.choice(words) if rng.random() < 0.4 else "")
            link = f"https://site{(page + 1) % 3}.example/{rng.randrange(files)}/{rng.randrange(pages)}"
            part.append({"url": f"https://site{site}.example/{file}/{page}",
                         "html": f"<title>Page {page}</title><ul>{menu}</ul><p>{text} <a href='{link}'>more</a>"})
        parts.append(part)
    parts[1].append({"url": "https://site0.example/empty", "html": "<ul></ul>"})
    parts[2].append({"url": "https://site0.example/long", "html": "<p>" + "long text " * 400})
    parts[3].append(parts[0][4])
    return parts


class Shards(KithCase):
    def write_input(self):
        parts = made_pages()
        for i, part in enumerate(parts[:-1]):
            self.write(f"in/{i}.jsonl", jsonl(part) + ("{damaged\n" if i % 2 else ""))
        self.write("in/last.warc.gz", warc_gz(parts[-1]))
        self.write("in/none.jsonl", "")

    def run_shards(self, count, *options, inputs=("in",)):
        names = [f"part-{i}-of-{count}" for i in range(1, count + 1)]
        for i, name in enumerate(names, 1):
            self.kith("dedup", *inputs, "--shard", f"{i}/{count}", "-o", name, *options)
        return names

    def lists_of(self, run):
        return {name: self.read(f"{run}/{name}") for name in LISTS}

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def report(self, run):
        report = json.loads(self.kith("info", run, "--json")[0])
        del report["options"]["output"], report["stages"], report["threads"], report["peak_memory"]
        return report

    def remove_runs(self):
        for run in os.listdir(self.path(".")):
            if run != "in":
                shutil.rmtree(self.path(run))

    def check(self, counts, *options, inputs=("in",)):
        """Merges of so many shards equal the whole."""
        self.kith("dedup", *inputs, "-o", "whole", *options)
        whole, lists, report = self.files_of("whole"), self.lists_of("whole"), self.report("whole")
        for count in counts:
            shards = self.run_shards(count, *options, inputs=inputs)
            merged = f"merged-{count}"
            self.kith("merge", *reversed(shards), "-o", merged)
            self.assertEqual(sorted(self.files_of(merged)), sorted(whole))
            for name, content in self.files_of(merged).items():
                self.assertTrue(content == whole[name], f"{name} of {count} shards")
            self.assertEqual(self.lists_of(merged), lists)
            self.assertEqual(self.report(merged), report)
        return report


class EqualTheWhole(Shards):
    def setUp(self):
        super().setUp()
        self.write_input()

    def test_without_boilerplate(self):
        report = self.check(range(1, 9))
        self.assertEqual(report["options"]["boilerplate"], "remove")
        self.assertGreater(report["boilerplate"]["left_out"], 1000)
        self.assertGreater(report["groups"]["removed"], 50)
        self.assertEqual(dict(report["crawl"]["skipped"])["damaged"], 2)

    def test_whole_texts(self):
        report = self.check((1, 2, 4), "--boilerplate", "keep", "--max-page", "2K")
        self.assertEqual((report["documents"]["empty"], report["documents"]["cut"]), (1, 1))

    def test_kept_by_in_links(self):
        for boilerplate in ("keep", "remove"):
            report = self.check((2, 3), "--keep", "inlinks", "--boilerplate", boilerplate)
            self.assertGreater(report["documents"]["linked"], 30)
            self.remove_runs()

    def test_without_common_shingles(self):
        report = self.check((3,), "--max-documents", "40", "--boilerplate", "keep")
        self.assertGreater(report["documents"]["common_shingles"], 0)

    def test_other_methods(self):
        for i, options in enumerate((["--method", "simhash"], ["--method", "containment", "--similarity", "0.9"],
                                     ["--method", "exact"], ["--shingles", "characters", "--width", "9"])):
            with self.subTest(options=options):
                self.check((3,), *options)
                self.remove_runs()

    def test_texts_without_urls(self):
        for i in range(3):
            self.write(f"texts/{i}.txt", f"the same text of many words in two files {i % 2}")
        self.check((2,), inputs=("texts",))


class Captures(Shards):
    """Of a URL several captures, in several files and by several spellings, with dates and without."""

    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        parts = made_pages(pages=20)
        pages = [page for part in parts for page in part]
        for part in parts:
            for page in rng.sample(pages, 30):
                spelled = page["url"] + rng.choice(["", "?", "?utm_id=1", "?gclid=2", "#top"])
                part.append({"url": spelled, "html": page["html"] + rng.choice(["", "<p>some words more"])})
            texts = [rng.choice(["", "a text without a URL of its own"]) for _ in range(3)]
            part += [{"id": f"no URL {i}", "text": text} for i, text in enumerate(texts)]
            rng.shuffle(part)
            for page in part:
                if rng.random() < 0.8:
                    page["date"] = f"2020-01-{rng.randrange(1, 29):02}"
        for i, part in enumerate(parts):
            self.write(f"in/{i}.jsonl", jsonl(part) + ("{damaged\n" if i % 2 else ""))

    def test_are_chosen_among_all_shards(self):
        for captures in ("first", "last"):
            for boilerplate in ("keep", "remove"):
                for more in ([], ["--url-rules", "common"]):
                    with self.subTest(captures=captures, boilerplate=boilerplate, more=more):
                        options = ["--captures", captures, "--boilerplate", boilerplate, "--max-page", "2K", *more]
                        report = self.check((2, 3, 5), *options, "--keep", "inlinks")
                        skipped = dict(report["crawl"]["skipped"])
                        self.assertGreater(skipped["duplicate"], 20)
                        self.assertEqual("joined" in skipped, bool(more))
                        self.assertGreater(report["documents"]["linked"], 10)
                        self.remove_runs()

    def test_counts_of_what_is_cut_and_empty(self):
        self.write("in/a.jsonl", jsonl([{"url": "http://a.test/", "text": "words " * 900, "date": "2020-01-02"},
                                        {"url": "http://b.test/", "text": "", "date": "2020-01-02"}]))
        self.write("in/b.jsonl", jsonl([{"url": "http://a.test/", "text": "", "date": "2020-01-01"},
                                        {"url": "http://b.test/", "text": "words " * 900, "date": "2020-01-01"}]))
        for captures in ("first", "last"):
            report = self.check((2, 7), "--captures", captures, "--max-page", "2K", "--boilerplate", "keep")
            self.assertEqual(report["documents"]["cut"], report["crawl"]["cut_pages"])
            self.assertGreater(report["documents"]["cut"], 0)
            self.assertGreater(report["documents"]["empty"], 0)
            self.remove_runs()

    def test_a_copy_has_the_others_as_they_are(self):
        options = ["--captures", "last"]
        self.kith("dedup", "in", "-o", "whole", "--write", "whole-copy", *options)
        self.kith("merge", *self.run_shards(2, *options), "-o", "run", "--write", "copy")
        for name in os.listdir(self.path("whole-copy")):
            self.assertEqual(self.read("copy/" + name), self.read("whole-copy/" + name))

    def test_want_the_same_captures_and_sound_files(self):
        one, two = self.run_shards(2, "--captures", "first", "--boilerplate", "keep")
        self.kith("dedup", "in", "--shard", "2/2", "-o", "other", "--boilerplate", "keep", "--captures", "last")
        self.fails("merge", one, "other", "-o", "run", code=2,
                   says="it has --captures last instead of --captures first")
        for threads in ("1", "3"):
            self.kith("dedup", "in", "--shard", "2/2", "-o", "part" + threads, "--captures", "first", "--boilerplate",
                      "keep", "--threads", threads)
            self.assertEqual(self.files_of("part" + threads), self.files_of(two))
        path = self.path(two + "/shard_captures.kith")
        sound = self.read(path)
        self.write(path, sound[:-1])
        self.fails("merge", one, two, "-o", "run", code=1, says="part-2-of-2/shard_captures.kith")
        shutil.copy(self.path(one + "/shard_captures.kith"), path)
        self.fails("merge", one, two, "-o", "run", code=1, says="shard_captures.kith: is not the file")

    def test_that_do_not_fit_the_memory_are_an_error(self):
        self.write("many.jsonl", jsonl([{"url": f"http://a.test/{i}", "text": "x"} for i in range(400_000)]))
        self.kith("dedup", "many.jsonl", "--shard", "1/1", "-o", "part", "--captures", "last", "--boilerplate", "keep")
        self.fails("merge", "part", "-o", "run", "--memory", "64M", code=2, says=["--memory", "pages"])


class ShardDirectories(Shards):
    def setUp(self):
        super().setUp()
        self.write_input()

    def test_do_not_depend_on_threads_and_memory(self):
        for boilerplate in ("keep", "remove"):
            for name, more in (("a", ["--threads", "1"]), ("b", ["--threads", "3", "--memory", "200M"])):
                self.kith("dedup", "in", "--shard", "1/2", "-o", name + boilerplate, "--boilerplate", boilerplate,
                          "--keep", "inlinks", *more)
            self.assertEqual(self.files_of("a" + boilerplate), self.files_of("b" + boilerplate))
        self.assertEqual(list(self.files_of("aremove")), ["shard_links.kith", "shard_texts.kith"])

    def test_read_only_their_share(self):
        inputs = [f"in/{name}" for name in sorted(os.listdir(self.path("in")))]
        first = self.run_shards(2, "--boilerplate", "keep", inputs=inputs)[0]
        before = self.files_of(first)
        shutil.rmtree(self.path(first))
        for name in inputs[1::2]:
            os.remove(self.path(name))
        self.kith("dedup", *inputs, "--shard", "1/2", "-o", first, "--boilerplate", "keep")
        self.assertEqual(self.files_of(first), before)

    def test_want_to_be_told_of_boilerplate_where_the_first_files_are_missing(self):
        inputs = [f"in/{name}" for name in sorted(os.listdir(self.path("in")))]
        os.remove(self.path(inputs[0]))
        self.fails("dedup", *inputs, "--shard", "2/2", "-o", "part", says=[inputs[0], "remove or keep"])
        self.kith("dedup", *inputs, "--shard", "2/2", "-o", "part", "--boilerplate", "remove")

    def test_are_no_runs_and_say_so(self):
        _, err = self.kith("dedup", "in", "--shard", "2/4", "-o", "part")
        self.assertIn("shard       2 of 4; 'kith merge' makes a run of all of them", err)
        for command in (["info", "part"], ["dedup", "in", "--against", "part", "-o", "run"]):
            self.fails(*command, code=2, says=["part: is shard 2 of 4, not a run", "'kith merge DIR... -o RUN'"])

    def test_go_on_like_runs(self):
        self.kith("dedup", "in", "--shard", "1/2", "-o", "part")
        sound = self.files_of("part")
        with open(self.path("part/shard_texts.kith"), "r+b") as file:
            file.seek(150)
            file.write(b"damage")
        _, err = self.kith("dedup", "in", "--shard", "1/2", "-o", "part")
        self.assertIn("the shard stage is run again", err)
        self.assertEqual(self.files_of("part"), sound)
        self.fails("dedup", "in", "--shard", "2/2", "-o", "part", code=2,
                   says="part: holds a run with --shard 1/2 instead of --shard 2/2")

    def test_flags_that_are_no_shard(self):
        self.fails("dedup", "in", "--shard", "3/2", "-o", "part", code=2, says="--shard 3/2")
        self.fails("dedup", "-", "--shard", "1/2", "-o", "part", code=2, stdin=b"", says="cannot be divided")
        self.fails("dedup", "in", "--shard", "1/2", "-o", "part", "--write", "copy", code=2,
                   says=["--write copy", "merge of the shards"])
        self.assertFalse(os.path.exists(self.path("part")))


class Merge(Shards):
    def setUp(self):
        super().setUp()
        self.write_input()
        self.shards = self.run_shards(3)

    def merge_fails(self, *shards, code=2, says=()):
        self.fails("merge", *shards, "-o", "run", code=code, says=says)
        self.assertFalse(os.path.exists(self.path("run")))

    def test_wants_all_shards_of_one_command(self):
        one, two, three = self.shards
        self.merge_fails(one, three, says="of the 3 shards these are missing: 2")
        self.merge_fails(one, two, three, two, says="both are shard 2 of 3")
        self.kith("dedup", "in", "--shard", "2/3", "-o", "other", "--width", "4")
        self.merge_fails(one, "other", three, says="it has --width 4 instead of --width 5")
        self.kith("dedup", "in", "--shard", "2/3", "-o", "kept", "--boilerplate", "keep")
        self.merge_fails(one, "kept", three, says="it has --boilerplate keep instead of --boilerplate remove")
        self.kith("dedup", "in", "-o", "whole")
        self.merge_fails("whole", says="whole: is a run, not a shard")

    def test_wants_shards_of_one_job(self):
        self.kith("cluster", "in", "--shard", "2/3", "-o", "other")
        self.merge_fails(self.shards[0], "other", self.shards[2],
                         says="other: holds no run of 'kith dedup' but one of 'kith cluster'")

    def test_wants_shards_of_the_same_files(self):
        self.write("in/z.jsonl", jsonl(made_pages()[0][:3]))
        shutil.rmtree(self.path(self.shards[1]))
        self.kith("dedup", "in", "--shard", "2/3", "-o", self.shards[1])
        self.merge_fails(*self.shards, says="its inputs are other files")

    def test_names_a_damaged_file(self):
        path = self.shards[1] + "/shard_texts.kith"
        sound = self.read(path)
        for size in (len(sound) // 2, len(sound) - 1, 0):
            self.write(path, sound[:size])
            self.merge_fails(*self.shards, code=1, says="part-2-of-3/shard_texts.kith")
        shutil.copy(self.path(self.shards[0] + "/shard_texts.kith"), self.path(path))
        self.merge_fails(*self.shards, code=1, says="part-2-of-3/shard_texts.kith: is not the file")

    def test_goes_on_and_knows_other_shards(self):
        one, two, three = self.shards
        self.kith("merge", one, two, three, "-o", "run")
        files = self.files_of("run")
        self.kith("merge", three, one, two, "-o", "run")
        self.assertEqual(self.files_of("run"), files)
        self.fails("merge", *self.run_shards(2), "-o", "run", code=2,
                   says="run: holds a run with other inputs: other shards")

    def test_writes_the_copy(self):
        self.kith("dedup", "in", "-o", "whole", "--write", "whole-copy")
        self.kith("merge", *self.shards, "-o", "run", "--write", "copy")
        names = sorted(os.listdir(self.path("whole-copy")))
        self.assertEqual(sorted(os.listdir(self.path("copy"))), names)
        for name in names:
            self.assertEqual(self.read("copy/" + name), self.read("whole-copy/" + name))
        self.kith("cluster", "in", "--shard", "1/1", "-o", "clusters")
        self.fails("merge", "clusters", "-o", "other", "--write", "copy", code=2, says="--write copy")

    def test_removes_what_earlier_runs_have(self):
        self.kith("dedup", "in/0.jsonl", "-o", "earlier", "--boilerplate", "keep")
        options = ["--boilerplate", "keep", "--against", "earlier"]
        self.check((2,), *options)
        self.assertGreater(self.report("merged-2")["against"]["removed"], 10)


if __name__ == "__main__":
    unittest.main()
