"""--help: options in groups on lines of at most 100 columns, about ten first, all of them by --help all; other
spellings."""

import re
import unittest

from kith_case import KithCase, jsonl, topic_pages

GROUPS = ["Reading", "Rows", "Words", "Similarity", "Lists", "Output", "Resources"]
LONG = ("cluster", "paper", "dedup", "contaminated", "stream", "tune", "compare")  # of more options than fit a screen


def options_of(text):
    return re.findall(r"^  (?:-[a-zA-Z], )?(--[a-z-]+)", text, re.M)


def groups_of(text):
    """By heading its options; what follows the last group is left out."""
    found = {}
    for part in text.split("\n\n"):
        head, *lines = part.split("\n")
        if head.endswith(":") and lines and all(line.startswith("  ") for line in lines if line):
            found[head[:-1]] = options_of(part)
    return {name: options for name, options in found.items() if options}


class Help(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = cls.for_all_tests()
        cls.program = cls.case.kith("--help")[0]
        listed = cls.program.split("Options:")[0].split("Jobs on a crawl:")[1]
        cls.commands = re.findall(r"^  ([a-z]+) ", listed, re.M)

    def help(self, command, *words):
        return self.kith(command, "--help", *words)[0]

    def test_no_line_is_longer_than_100_columns(self):
        self.assertGreater(len(self.commands), 15)
        for command in self.commands:
            for words in ((), ("all",)):
                for line in self.help(command, *words).splitlines():
                    self.assertLessEqual(len(line), 100, f"{command}: {line}")
        self.assertLessEqual(max(map(len, self.program.splitlines())), 100)

    def test_the_first_screen_has_about_ten_options(self):
        for command in self.commands:
            with self.subTest(command):
                general = {"--help", "--quiet", "--verbose", "--log", "--config"}
                shown = set(options_of(self.help(command))) - general
                self.assertLessEqual(len(shown), 12)
        for command in LONG:
            with self.subTest(command):
                self.assertGreaterEqual(len(options_of(self.help(command))), 8)

    def test_all_are_those_of_the_manual_page(self):
        for command in self.commands:
            with self.subTest(command):
                every = set(options_of(self.help(command, "all")))
                first = set(options_of(self.help(command)))
                self.assertLessEqual(first, every)
                page = self.kith("help", "--man", command)[0].replace("\\-", "-")
                entries = [line for line in page.split("\n") if line.startswith("\\fB-")]
                self.assertEqual({name for line in entries for name in re.findall(r"\\fB(--[a-z-]+)", line)}, every)
                if command in LONG:
                    self.assertLess(len(first), len(every))
                    said = re.search(rf"'kith {command} --help all' shows all (\d+) options", self.help(command))
                    self.assertEqual(int(said[1]), len(every))
                    self.assertNotIn("shows all", self.help(command, "all"))

    def test_options_of_jobs_are_in_groups(self):
        for command in ("cluster", "paper", "dedup"):
            with self.subTest(command):
                groups = [*GROUPS[:5], "Passages", *GROUPS[5:]] if command == "dedup" else GROUPS
                self.assertEqual(list(groups_of(self.help(command, "all"))), [*groups, "General options"])
                first = groups_of(self.help(command))
                self.assertEqual([name for name in groups if name in first], list(first))
        every = groups_of(self.help("cluster", "all"))
        for group, option in zip(GROUPS, ("--language", "--text-field", "--bags", "--similarity", "--topics",
                                          "--output", "--memory")):
            self.assertIn(option, every[group])

    def test_options_of_other_long_commands_are_in_groups(self):
        for command, without in (("stream", ()), ("tune", ("Lists",)), ("compare", ("Rows", "Lists", "Resources"))):
            with self.subTest(command):
                every = groups_of(self.help(command, "all"))
                self.assertNotIn("Options", every)
                self.assertEqual([name for name in every if name in GROUPS],
                                 [name for name in GROUPS if name not in without])
                self.assertLessEqual(max(map(len, every.values())), 12)
        every = groups_of(self.help("stream", "all"))
        for group, option in zip([*GROUPS, "Time"], ("--language", "--id-field", "--width", "--by", "--themes",
                                                     "--durable", "--most-leaders", "--half-life")):
            self.assertIn(option, every[group])

    def test_help_says_things_once(self):
        for command in self.commands:
            with self.subTest(command):
                text = " ".join(self.help(command, "all").split())
                self.assertNotIn("[[", text)
                self.assertNotRegex(text, r"--[a-z-]+ TEXT")  # what a value is, its name says
                for option in re.findall(r"Only with (--[a-z-]+)", text):
                    self.assertNotRegex(text, rf"(?i)with {option}\b[^.]*\. Only with {option}")

    def test_all_topics_are_listed(self):
        topics = re.search(r"'kith help TOPIC' also explains (.*)\.", self.program)[1]
        listed = re.findall(r"(?m)^  (\w+) +\S", self.help("help").split("Topics:")[1].split("Examples:")[0])
        self.assertEqual(re.split(r", | and ", topics), listed)

    def test_manual_pages_have_the_groups(self):
        page = self.kith("help", "--man", "cluster")[0]
        for group in GROUPS:
            self.assertIn(f".SS {group}\n", page)

    def test_ways_to_ask(self):
        self.assertEqual(self.kith("help", "cluster")[0], self.help("cluster"))
        self.assertEqual(self.kith("cluster", "-h", "all")[0], self.help("cluster", "all"))
        for command in ("cluster", "stream", "clusters", "help"):
            self.assertEqual(self.kith("help", command, "all")[0], self.help(command, "all"))
        self.assertEqual(self.kith("help", "memory", "all"), self.kith("help", "memory"))
        self.fails("help", "cluster", "al", code=2, says="help: does not take 'al'")
        # A file of that name is one.
        self.write("all", jsonl(topic_pages()))
        self.kith("crawl", "all")


class OtherSpellings(KithCase):
    def test_the_right_one_is_named(self):
        self.write("pages.jsonl", jsonl(topic_pages()))
        for command, words, spelling in (
                ("cluster", ["--preset", "paper"], "the command 'kith paper'"),
                ("cluster", ["--topic-graph", "mutual"], "--topics"),
                ("cluster", ["--no-topics"], "--topics none"),
                ("cluster", ["--no-aliases"], "--aliases keep"),
                ("paper", ["--no-aliases"], "--aliases keep"),
                ("cluster", ["--similar-only"], "--related similar"),
                ("dedup", ["--similarity-of", "containment"], "--method containment"),
                ("dedup", ["--normalize"], "to leave out --raw"),
                ("dedup", ["--distinct-titles"], "to leave out --no-distinct-titles")):
            with self.subTest(words):
                self.fails(command, "pages.jsonl", "-o", "run", *words, code=2,
                           says=f"{command}: there is no option {words[0]}; did you mean {spelling}?")
        self.fails("compare", "a", "b", "--unit", "words", code=2, says="no option --unit; did you mean --shingles?")
        self.fails("cluster", "pages.jsonl", "-o", "run", "--aliases", code=2, says="--aliases")
        self.fails("dedup", "pages.jsonl", "-o", "run", "--method", "modular", code=2,
                   says="'modular' is not one of minhash, simhash, supershingle, containment, exact")

    def test_one_choice_is_one_option(self):
        self.write("pages.jsonl", jsonl(topic_pages()))
        for command, words in (("cluster", ["--topics", "none"]), ("cluster", ["--aliases", "keep"]),
                               ("cluster", ["--related", "similar"]), ("dedup", ["--method", "containment"]),
                               ("dedup", ["--raw"]), ("paper", ["--aliases", "fold"])):
            with self.subTest(words):
                self.kith(command, "pages.jsonl", "-o", "-".join([command, *words]), *words)


class Names(KithCase):
    """Errors of the library are about fields, and the program says them by options."""

    def test_options_are_named_in_place_of_fields(self):
        self.write("pages.jsonl", jsonl(topic_pages()))
        for command, words, says in (
                ("cluster", ["--max-page", "3"], "--max-page 3: must be between 1K and 1G"),
                ("cluster", ["--max-tables", "0"], "--max-tables 0: must be between 1 and 1024"),
                ("dedup", ["--method", "exact", "--boilerplate", "remove"],
                 "--boilerplate remove: --method exact compares whole texts")):
            with self.subTest(words):
                self.fails(command, "pages.jsonl", "-o", "run", *words, code=2, says=says)
        self.fails("stream", "state", "pages.jsonl", "--half-life", "1h", "--similarity", "1", code=2,
                   says="--half-life: at a similarity of 1")

    def test_names_of_files_stay(self):
        self.fails("cluster", "max_page", "-o", "run", says="max_page")


if __name__ == "__main__":
    unittest.main()
