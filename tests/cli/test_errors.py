"""Bad input and bad usage: one clear line, the right exit code, nothing half-written."""

import json
import os
import signal
import subprocess
import time
import unittest

from kith_case import KITH, KithCase, jsonl, topic_pages, warc_gz


class BadInput(KithCase):
    def assert_nothing_left(self, run="run"):
        self.assertFalse(os.path.exists(self.path(run)))

    def test_a_missing_file(self):
        self.fails("cluster", "absent.warc.gz", "-o", "run", says="absent.warc.gz")
        self.assert_nothing_left()

    def test_not_a_crawl(self):
        self.write("notes.warc", "dear diary, " * 100)
        self.fails("cluster", "notes.warc", "-o", "run", says="notes.warc")
        self.assert_nothing_left()

    def test_an_empty_folder(self):
        os.mkdir(self.path("empty"))
        self.fails("cluster", "empty", "-o", "run", says="empty")
        self.assert_nothing_left()

    def test_a_cut_file_keeps_the_pages_before_the_cut(self):
        whole = warc_gz(topic_pages())
        self.write("cut.warc.gz", whole[:-40])
        _, err = self.kith("cluster", "cut.warc.gz", "-o", "run")
        report = json.loads(self.kith("info", "run", "--json")[0])
        self.assertEqual(report["crawl"]["pages"], 24)
        self.assertIn(["damaged", 1], report["crawl"]["skipped"])
        self.assertIn("1 damaged", err)
        self.assertIn("cut.warc.gz", self.kith("info", "run")[0])

    @unittest.skipIf(os.geteuid() == 0 and not os.path.isdir("/proc/self"), "needs /proc")
    def test_an_unwritable_directory(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.fails("cluster", "crawl.jsonl", "-o", "/proc/self/run", says="/proc/self/run")

    def test_a_folder_with_other_things_in_it(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.write("run/letter.txt", "mine")
        self.fails("cluster", "crawl.jsonl", "-o", "run", code=2, says="run")
        self.assertEqual(os.listdir(self.path("run")), ["letter.txt"])

    def test_a_folder_in_which_another_kith_is_at_work(self):
        self.write("pages.jsonl", jsonl(topic_pages()))
        for command in ("cluster", "dedup"):
            with self.subTest(command), subprocess.Popen(
                    [KITH, command, "-", "-o", "run-" + command], cwd=self.folder, stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
                # It waits for its input with the folder made.
                while not os.path.exists(self.path(f"run-{command}/tmp")):
                    self.assertIsNone(first.poll())
                    time.sleep(0.01)
                self.fails(command, "pages.jsonl", "-o", "run-" + command, code=2,
                           says=("run-" + command, "another kith is at work in it"))
                first.communicate(jsonl(topic_pages()).encode())
                self.assertEqual(first.returncode, 0)
                self.kith("info", "run-" + command, "--verify")

    def test_a_run_of_other_options(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        before = self.files_of("run")
        self.fails("cluster", "crawl.jsonl", "-o", "run", "--window", "4", code=2,
                   says=["run", "--window 16 instead of --window 4"])
        self.assertEqual(self.files_of("run"), before)

    def test_differences_are_told_as_they_would_be_typed(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.write("words.txt", "guitar")
        self.write("classes.tsv", "url\tclass\nhttps://music.example/music/1\tmusic\n")
        self.kith("cluster", "crawl.jsonl", "-o", "cluster")
        self.kith("dedup", "crawl.jsonl", "-o", "dedup")
        self.kith("stream", "state", "crawl.jsonl")
        for command, words, says in (
                ("cluster", ["--aliases", "keep"], "--aliases fold instead of --aliases keep"),
                ("cluster", ["--strict"], "no --strict instead of --strict"),
                ("cluster", ["--similarity", "0.3"], "--similarity auto instead of --similarity 0.3"),
                ("cluster", ["--language", "de"], "no --language instead of --language de"),
                ("cluster", ["--stop-words", "words.txt"], "no --stop-words instead of --stop-words"),
                ("cluster", ["--within", "classes.tsv"], "no --within instead of --within"),
                ("cluster", ["--shard", "1/2"], "no --shard instead of --shard 1/2"),
                ("dedup", ["--bag"], "no --bag instead of --bag"),
                ("dedup", ["--raw"], "no --raw instead of --raw"),
                ("dedup", ["--no-verify"], "no --no-verify instead of --no-verify"),
                ("dedup", ["--no-distinct-titles"], "no --no-distinct-titles instead of --no-distinct-titles"),
                ("dedup", ["--method", "simhash"], "--method minhash instead of --method simhash")):
            with self.subTest((command, words)):
                self.fails(command, "crawl.jsonl", "-o", command, *words, code=2,
                           says=f"{command}: holds a run with {says}; name another folder")
        self.fails("paper", "crawl.jsonl", "-o", "cluster", code=2,
                   says="cluster: holds a run with --engine auto instead of kith paper;")
        self.fails("stream", "state", "crawl.jsonl", "--bag", code=2, says="state is a stream with no --bag;")
        self.fails("cluster", "cluster", "-o", "other", "--aliases", "keep", code=2,
                   says="cluster: its bags were made with --aliases fold;")

    def test_a_missing_input_is_told_whatever_the_run_is(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        for command in ("cluster", "dedup", "paper"):
            for run in ("run-" + command, "new"):
                if run != "new":
                    self.kith(command, "crawl.jsonl", "-o", run)
                self.fails(command, "absent", "-o", run, says="kith: cannot open absent: No such file or directory\n")

    def test_files_of_options_that_are_not_there(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        for command in (["cluster", "crawl.jsonl", "-o", "new", "--within", "absent"],
                        ["cluster", "crawl.jsonl", "-o", "new", "--stop-words", "absent"],
                        ["paper", "crawl.jsonl", "-o", "new", "--stop-words", "absent"],
                        ["classify", "run", "--train", "absent"], ["evaluate", "run", "absent"],
                        ["serve", "--stream", "state", "--token-file", "absent"]):
            with self.subTest(command):
                self.fails(*command, says="kith: cannot open absent: No such file or directory\n")

    def test_what_is_made_replaces_nothing_that_is_read(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        self.kith("cluster", "crawl.jsonl", "-o", "part", "--shard", "1/1")
        self.write("folder/crawl.jsonl", jsonl(topic_pages()))
        table = "url\tclass\n" + "".join(f"https://{topic}.example/{topic}/{i}\t{topic}\n"
                                         for topic in ("music", "cooking") for i in (1, 2))
        self.write("table.tsv", table)
        before = self.files_of("run")
        for command, says in ((["cluster", "run", "-o", "run/"], "run/: is the input; name another folder"),
                              (["paper", "run", "-o", "run"], "run: is the input"),
                              (["cluster", "crawl.jsonl", "-o", "crawl.jsonl"], "crawl.jsonl: is the input"),
                              (["dedup", "folder", "-o", "folder"], "folder: is the input"),
                              (["merge", "part", "-o", "part"], "part: is the input"),
                              (["stream", "folder", "folder"], "folder: is the input"),
                              (["stream", "folder/state", "folder"], "folder/state: lies in folder, which is an input"),
                              (["tune", "--svg", "run/report.json"],
                               "run/report.json: would replace a file of the run"),
                              (["classify", "run", "--train", "table.tsv", "-o", "run/bags.kith"],
                               "run/bags.kith: would replace"),
                              (["classify", "run", "--train", "table.tsv", "-o", "table.tsv"],
                               "-o table.tsv: would replace the table of --train")):
            with self.subTest(command):
                _, err = self.kith(*command, code=2)
                self.assertIn(f"kith: {says}", err)
        self.assertEqual(self.files_of("run"), before)
        with open(self.path("table.tsv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), table)

    def test_a_changed_input(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        self.write("crawl.jsonl", jsonl(topic_pages()[:10]))
        self.fails("cluster", "crawl.jsonl", "-o", "run", code=2, says="inputs")

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("needs /dev/full")
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        for args in (["clusters", "run"], ["pairs", "run"], ["info", "run"], ["info", "run", "--json"],
                     ["tune"], ["--help"]):
            with self.subTest(args), open("/dev/full", "wb") as full:
                result = subprocess.run([KITH, *args], cwd=self.folder, stdout=full,
                                        stderr=subprocess.PIPE)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(result.stderr,
                                 b"kith: cannot write standard output: No space left on device\n")

    def test_a_closed_pipe_ends_the_program_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([KITH, "tune"], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (-signal.SIGPIPE, b""))


class Resume(KithCase):
    def test_the_same_command_again_changes_nothing(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        before = self.files_of("run")
        _, err = self.kith("cluster", "crawl.jsonl", "-o", "run")
        self.assertIn("from an earlier run", err)
        self.assertEqual(self.files_of("run"), before)

    def test_info_says_what_the_last_command_reused(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        for job in ("cluster", "dedup"):
            for again in (False, True):
                self.kith(job, "crawl.jsonl", "-o", job)
                stages = json.loads(self.kith("info", job, "--json")[0])["stages"]
                self.assertEqual({stage["reused"] for stage in stages}, {again}, job)
                self.assertEqual("from an earlier run" in self.kith("info", job)[0], again, job)

    def test_goes_on_behind_the_last_finished_stage(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        for engine in ("exact", "lsh"):
            run = "run-" + engine
            self.kith("cluster", "crawl.jsonl", "-o", run, "--engine", engine)
            before = self.files_of(run)
            manifest = self.path(run + "/manifest.json")
            with open(manifest) as file:
                stages = json.load(file)["stages"]
            for done in range(len(stages)):
                with open(manifest) as file:
                    content = json.load(file)
                content["stages"] = stages[:done]
                with open(manifest, "w") as file:
                    json.dump(content, file)
                os.remove(self.path(run + "/clusters.kith"))
                if "cluster" in stages[:done]:
                    for name, data in before.items():
                        self.write(f"{run}/{name}", data)
                self.kith("cluster", "crawl.jsonl", "-o", run, "--engine", engine)
                self.assertEqual(self.files_of(run), before, f"after {stages[:done]}")


class ReadingErrors(KithCase):
    def setUp(self):
        super().setUp()
        self.write("crawl.jsonl", jsonl(topic_pages()))

    def test_no_run_there(self):
        for command in (["clusters", "absent"], ["pairs", "absent"], ["bags", "absent"],
                        ["info", "absent"], ["related", "absent", "https://a.example/"]):
            self.fails(*command, says=["absent", "kith cluster"])

    def test_a_run_of_another_format_is_known_as_such(self):
        self.kith("dedup", "crawl.jsonl", "-o", "other")
        with open(self.path("other/manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["format"] = 9
        self.write("other/manifest.json", json.dumps(manifest))
        for args in (("info", "other"), ("dedup", "crawl.jsonl", "-o", "other")):
            self.fails(*args, says=["other/manifest.json: is of format 9, written by kith", "this kith reads format 4"])

    def test_a_missing_report_is_named_with_what_to_do(self):
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        os.remove(self.path("run/report.json"))
        self.fails("clusters", "run", says=["run/report.json: is missing; run the kith command that made it again"])

    def test_an_empty_name(self):
        self.fails("info", "", code=2, says=["the name of the run directory of kith is empty: give a folder"])

    def test_a_url_is_no_input(self):
        self.fails("cluster", "s3://bucket/a.warc.gz", "-o", "new", code=2,
                   says=["s3://bucket/a.warc.gz is a URL, not a file: download it, or pipe it"])

    def test_an_unknown_url(self):
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        self.fails("related", "run", "https://nowhere.example/", says="nowhere.example")
        self.fails("related", "run", "music", says="https://music/")
        self.fails("related", "run", "http://[", code=2, says=["http://[", "https://example.org"])
        self.fails("bags", "run", "https://nowhere.example/", says="nowhere.example")
        _, err = self.kith("related", "run", "https://music.example/music/1", "-n", "99")
        self.assertIn("--neighbours 99", err)

    def test_damaged_files_are_named(self):
        self.kith("cluster", "crawl.jsonl", "-o", "run")
        for name, content in self.files_of("run").items():
            with self.subTest(name):
                self.write(f"run/{name}", content[:-5])
                self.fails("clusters", "run", says=name)
                flipped = bytearray(content)
                flipped[70] ^= 0xFF
                self.write(f"run/{name}", bytes(flipped))
                result = subprocess.run([KITH, "info", "run", "--verify"], cwd=self.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(name.encode(), result.stderr)
                self.write(f"run/{name}", content)


    def test_the_advice_for_a_damaged_file_fits_both_jobs(self):
        for job in ("cluster", "dedup"):
            self.kith(job, "crawl.jsonl", "-o", job)
            name, content = sorted(self.files_of(job).items())[0]
            self.write(f"{job}/{name}", content[:-5])
            self.fails("info", job, "--verify", says=[name, "run the kith command that made it again"])


class Usage(KithCase):
    def test_wrong_options_exit_with_two(self):
        self.write("crawl.jsonl", jsonl(topic_pages()))
        for flags, word in (
                (["--similarity", "1.5"], "--similarity"),
                (["--similarity", "high"], "--similarity"),
                (["--recall", "1"], "--recall"),
                (["--lanes", "100"], "--lanes"),
                (["--memory", "lots"], "--memory"),
                (["--memory", "1M"], "--memory"),
                (["--max-df", "0"], "--max-df"),
                (["--window", "5000"], "--window"),
                (["--max-page", "1"], "--max-page"),
                (["--engine", "lsh", "--similarity", "0.01", "--max-tables", "1"], "recall")):
            with self.subTest(flags):
                self.fails("cluster", "crawl.jsonl", "-o", "run", *flags, code=2, says=word)
                self.assertFalse(os.path.exists(self.path("run")))

    def test_the_parser_exits_with_two_as_well(self):
        for args in ([], ["cluster"], ["cluster", "x"], ["nonsense"], ["clusters"],
                     ["cluster", "x", "-o", "y", "--engine", "steam"], ["tune", "--recall", "most"]):
            self.kith(*args, code=2)

    def test_a_wrong_choice_is_told_the_right_ones(self):
        tune = ("bags", "minhash", "supershingle", "simhash", "fingerprint")
        for args, flag, choices in (
                (["dedup", "x", "-o", "y"], "--groups", ("center", "components")),
                (["compare", "x", "y"], "--diff", ("brief", "full", "none")),
                (["compare", "x", "y"], "--shingles", ("words", "characters")),
                (["clusters", "x"], "--format", ("tsv", "csv", "csv-bom", "jsonl", "parquet", "arrow")),
                (["tune"], "--for", tune)):
            with self.subTest(flag):
                out, err = self.kith(*args, flag, "f\too", code=2)
                self.assertIn(f"{flag}: 'f\\too' is not one of {', '.join(choices)} (see", err)
                self.assertEqual(out, "")
        self.assertIn("bands", self.kith("tune", "--for", "MinHash")[0])

    def test_help_has_examples(self):
        for command in ("cluster", "crawl", "clusters", "related", "pairs", "bags", "info", "compare",
                        "tune"):
            out, _ = self.kith(command, "--help")
            self.assertIn("Examples:", out)
            self.assertIn(f"kith {command}", out)
            self.assertEqual(self.kith("help", command)[0], out)
        self.assertEqual(self.kith("help")[0], self.kith("--help")[0])
        for flag in ("--version", "-V"):
            out, _ = self.kith(flag)
            self.assertRegex(out, r"^kith \d+\.\d+\.\d+ \((commit [0-9a-f]+(-dirty)?, )?"
                                  r"(AVX-512|AVX2|scalar)\)\n$")

    def test_mistyped_commands_and_options_get_a_suggestion(self):
        for args, says in (
                ((), "no command is given; 'kith --help' lists the commands"),
                (("-q", "--log", "cluster"), "no command is given; 'kith --help' lists the commands"),
                (("-q", "--log", "log", "clustr"), "there is no command 'clustr'; did you mean cluster? ("),
                (("--log=log", "cluster", "x", "--ouput", "r"), "no option --ouput; did you mean --output?"),
                (("clustr",), "there is no command 'clustr'; did you mean cluster? ("),
                (("dedpu", "x"), "there is no command 'dedpu'; did you mean dedup? ("),
                (("completion",), "there is no command 'completion'; did you mean completions? ("),
                (("frobnicate",), "there is no command 'frobnicate' ('kith --help'"),
                (("--versoin",), "there is no option --versoin; did you mean --version? ("),
                (("cluster", "x", "-o", "r", "--bag", "content"),
                 "cluster: there is no option --bag; did you mean --bags? (see 'kith cluster --help')"),
                (("cluster", "x", "--ouput", "r"), "no option --ouput; did you mean --output?"),
                (("dedup", "x", "-o", "r", "--similarty=0.9"),
                 "no option --similarty; did you mean --similarity?"),
                (("cluster", "x", "-o", "r", "--frobnicate"), "no option --frobnicate (see"),
                (("cluster", "x"), "cluster: --output is required (see 'kith cluster --help')"),
                (("clusters", "r", "more"), "clusters: does not take 'more'"),
                (("related", "r", "u", "-n", "many"), "related: -n many: must be a whole number")):
            self.fails(*args, code=2, says=["kith: ", says])


class Tune(KithCase):
    def test_prints_parameters_and_draws_the_curve(self):
        out, _ = self.kith("tune", "--similarity", "0.2", "--recall", "0.9", "--svg", "curve.svg")
        self.assertRegex(out, r"k = \d+ minima per key, l = \d+ tables")
        self.assertRegex(out, r"R\(0\.2\) = 0\.9\d+")
        rows = [line.split() for line in out.splitlines()[1:] if line.startswith("  ")]
        self.assertEqual([row[0] for row in rows[:3]], ["1", "2", "3"])
        self.assertLess(int(rows[0][1]), int(rows[1][1]))
        self.assertIn("*", out)
        with open(self.path("curve.svg")) as file:
            self.assertIn("</svg>", file.read())

    def test_bands(self):
        out, _ = self.kith("tune", "--for", "minhash", "--similarity", "0.8", "--recall", "0.99",
                           "--svg", "bands.svg")
        self.assertIn("b = 16 bands of r = 6 minima", out)
        self.assertIn("* r = 6   1 r = 1   2 r = 2", out)
        with open(self.path("bands.svg")) as file:
            svg = file.read()
        self.assertIn("16 bands of 6 minima", svg)
        self.assertEqual(svg.count("stroke-width"), 6)

    def test_super_shingles(self):
        out, _ = self.kith("tune", "--for", "supershingle", "--similarity", "0.95", "--recall",
                           "0.87", "--lanes", "84")
        self.assertIn("s = 14 minima per super-shingle, 6 super-shingles, of which 2", out)

    def test_tables_of_simhash(self):
        out, _ = self.kith("tune", "--for", "simhash", "--documents", str(2**34))
        rows = [line.split() for line in out.split("tables  blocks")[1].splitlines()[1:]]
        self.assertEqual([(row[0], row[2]) for row in rows[:2]], [("4", "16"), ("10", "25-26")])
        self.assertEqual(rows[3][:3], ["20", "6", "31-33"])
        self.assertEqual(out.count("<- fastest"), 1)

    def test_says_that_kith_dedup_chooses_for_itself(self):
        for search in ("minhash", "supershingle"):
            self.assertIn("'kith dedup' chooses", self.kith("tune", "--for", search)[0])

    def test_flags_of_another_search_are_refused(self):
        for search, flag in (("minhash", "--distance"), ("minhash", "--groups"), ("minhash", "--max-tables"),
                             ("bags", "--least"), ("simhash", "--lanes"), ("supershingle", "--documents")):
            self.fails("tune", "--for", search, flag, "64", code=2,
                       says=[f"{flag}: has no effect with --for {search}", "it is for --for"])

    def test_impossible_requests(self):
        self.fails("tune", "--for", "simhash", "--distance", "8", code=2, says="--distance 8")
        self.fails("tune", "--for", "simhash", "--recall", "0.9", code=2, says="--recall")
        self.fails("tune", "--for", "simhash", "--max-tables", "3", code=2, says="4")
        self.fails("tune", "--for", "minhash", "--recall", "1", code=2, says="--recall 1: must be between 0 and 1")
        self.fails("tune", "--for", "supershingle", "--least", "7", code=2,
                   says="--least 7: must be from 1 to the groups, 6")
        self.fails("tune", "--similarity", "0.01", "--recall", "0.99", "--max-tables", "2", code=2,
                   says="recall")
        self.fails("tune", "--similarity", "2", code=2, says="similarity")


if __name__ == "__main__":
    unittest.main()
