"""Manual pages and completions have every option of --help, and the tools that read them take them."""

import os
import re
import shutil
import subprocess
import unittest

from kith_case import KithCase


def options_of(help_text):
    """The spellings of the options that a help lists: "-o", "--output"."""
    return [name for line in re.findall(r"^  ((?:-\w, )?--?\S+)", help_text, re.M)
            for name in re.findall(r"--?[a-z][a-z-]*|-[A-Za-z]", line)]


class Manual(KithCase):
    @classmethod
    def setUpClass(cls):
        cls.case = cls.for_all_tests()
        listed = cls.case.kith("--help")[0].split("Options:")[0].split("Jobs on a crawl:")[1]
        cls.commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
        cls.helps = {name: cls.case.kith(name, "--help", "all")[0] for name in cls.commands}
        cls.helps[""] = cls.case.kith("--help")[0]

    def options(self):
        """Pairs of a command, or "", and an option of it."""
        return [(command, option) for command, text in self.helps.items()
                for option in options_of(text)]

    def test_there_are_commands_with_options(self):
        self.assertIn("cluster", self.commands)
        self.assertIn(("cluster", "--bags"), self.options())
        self.assertIn(("cluster", "-o"), self.options())
        self.assertIn(("", "--version"), self.options())
        self.assertGreater(len(self.options()), 200)

    def manual(self, command):
        return self.kith("help", "--man", *([command] if command else []))[0]

    def test_manual_pages_have_every_option(self):
        pages = {command: self.manual(command).replace("\\-", "-") for command in self.helps}
        for command, option in self.options():
            with self.subTest(command=command, option=option):
                self.assertIn(f"\\fB{option}\\fR", pages[command])
        for command in self.commands:
            self.assertIn(f"\\fBkith-{command}\\fR(1)", pages[""])

    def test_manual_pages_say_what_topics_say(self):
        page = self.manual("")
        for topic in ("inputs", "runs", "memory", "messages", "environment"):
            words = self.kith("help", topic)[0].split()
            self.assertIn(f".SH {topic.upper()}\n", page)
            self.assertIn(" ".join(words[:5]), " ".join(page.replace("\\-", "-").split()))

    @unittest.skipIf(shutil.which("mandoc") is None, "needs mandoc")
    def test_mandoc_finds_no_fault(self):
        for command in self.helps:
            path = self.write(f"kith{'-' * bool(command)}{command}.1", self.manual(command))
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", path],
                                  capture_output=True, text=True, check=False)
            # Without a commit there is no date; the others are lines and words of the help itself.
            faults = [line for line in done.stdout.splitlines()
                      if not re.search("missing date|longer than|xref", line)]
            self.assertEqual(faults, [])

    @unittest.skipIf(shutil.which("man") is None, "needs man")
    def test_man_has_no_warning(self):
        path = self.write("kith-cluster.1", self.manual("cluster"))
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--boilerplate remove|keep", done.stdout)

    def script(self, shell):
        return self.write("kith." + shell, self.kith("completions", shell)[0])

    def bash(self, *lines):
        """What bash offers for each command line, whose last word is not finished."""
        ask = "\n".join(
            f"COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _kith; echo \"${{COMPREPLY[*]}}\""
            for line in lines)
        done = subprocess.run(["bash", "-c", f". {self.script('bash')}\n{ask}"], text=True,
                              cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(done.stderr, "")
        return [line.split() for line in done.stdout.split("\n")[:-1]]

    def test_bash_offers_every_option(self):
        lines = [f"kith {command} -" for command in self.helps]
        for (command, text), offered in zip(self.helps.items(), self.bash(*lines)):
            self.assertEqual(set(offered), set(options_of(text)), command)

    def test_bash_offers_commands_values_files_and_folders(self):
        self.write("crawl.warc", "")
        self.write("crawls/a.warc", "")
        for line, offered in (
                ("kith clus", ["cluster", "clusters"]),
                ("kith cluster --bags ''", ["both", "anchor", "content"]),
                ("kith cluster --bags = an", ["anchor"]),
                ("kith cluster --bags =", ["both", "anchor", "content"]),
                ("kith cluster crawl", ["crawl.warc", "crawls"]),
                ("kith cluster x -o crawl", ["crawls"]),
                ("kith cluster --memory ''", []),
                ("kith --log = crawl", ["crawl.warc", "crawls"]),
                ("kith --log x clu", ["cluster", "clusters"]),
                ("kith --log = x clu", ["cluster", "clusters"]),
                ("kith -q topics cra", ["crawls"]),
                ("kith help mem", ["memory"]),
                ("kith completions ''", ["bash", "zsh", "fish"])):
            with self.subTest(line):
                self.assertEqual(sorted(self.bash(line)[0]), sorted(offered))

    @unittest.skipIf(shutil.which("zsh") is None, "needs zsh")
    def test_zsh_reads_its_script(self):
        script = self.script("zsh")
        subprocess.run(["zsh", "-n", script], check=True)
        with open(script, encoding="utf-8") as file:
            text = file.read()
        for command, option in self.options():
            part = text.split(f"\n    {command})\n")[1].split(";;")[0] if command else text
            self.assertRegex(part, rf"'(\([^)]*\)|\*){option}[=+]?\[")

    @unittest.skipIf(shutil.which("fish") is None, "needs fish")
    def test_fish_offers_every_option(self):
        script = self.script("fish")
        ask = "\n".join(f"echo '#{command}'; complete -C 'kith {command} --'; complete -C 'kith {command} -'"
                        for command in self.helps)
        done = subprocess.run(["fish", "--no-config", "-c", f"source {script}\n{ask}"],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "HOME": self.folder})
        self.assertEqual(done.stderr, "")
        parts = dict(part.split("\n", 1) for part in done.stdout.split("#")[1:])
        for command, option in self.options():
            self.assertRegex(parts[command], rf"(?m)^{option}\t", command)


if __name__ == "__main__":
    unittest.main()
