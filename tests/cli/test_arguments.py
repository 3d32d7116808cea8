"""@FILE and --config: options and inputs from files."""

import json
import unittest

from kith_case import KithCase, jsonl, topic_pages


class Files(KithCase):
    def setUp(self):
        super().setUp()
        pages = topic_pages()
        self.write("a b.jsonl", jsonl(pages[:12]))
        self.write("c.jsonl", jsonl(pages[12:]))
        self.all = self.kith("crawl", "a b.jsonl", "c.jsonl")

    def test_lines_are_inputs_and_options(self):
        self.write("list", "\ufeff# all of it\r\n\r\na b.jsonl\r\n  c.jsonl \r\n")
        self.assertEqual(self.kith("crawl", "@list"), self.all)
        self.assertEqual(self.kith("crawl", "@-", stdin=b"a b.jsonl\nc.jsonl"), self.all)
        self.write("options", "--format jsonl\n--include   host:music.example\n--strict\n--status=any\n")
        out = self.kith("crawl", "a b.jsonl", "@options", "c.jsonl")[0]
        self.assertEqual(len([json.loads(line) for line in out.splitlines()]), 8)
        self.write("@x", jsonl(topic_pages()[:1]))
        self.assertIn("music.example", self.kith("crawl", "./@x")[0])
        self.fails("crawl", "@absent", says=["cannot open absent, whose lines @absent stands for", "./@absent"])

    def test_a_config_has_a_section_for_each_command(self):
        self.write("kith.toml", """
            status = "200,203"           # for all commands that read
            quiet = true
            include = ["host:music.example", 'url:a{0,2}#?']
            [crawl]
            input = [
              "a b.jsonl",
              "c.jsonl",
            ]
            format = "jsonl"
            strict = false
            max_page = 4096
            [cluster]
            min-df = 0
            """)
        out, err = self.kith("crawl", "--config", "kith.toml")
        self.assertEqual((len(out.splitlines()), err), (8, ""))
        self.assertEqual(self.kith("--config", "kith.toml", "crawl")[0], out)
        out = self.kith("crawl", "c.jsonl", "--config=kith.toml", "--format", "tsv", "--include",
                        "host:astronomy.example")[0]
        self.assertEqual(len(out.splitlines()), 1 + 8)
        self.fails("cluster", "c.jsonl", "-o", "run", "--config", "kith.toml", code=2,
                   says=["--min-df 0: must", "(--min-df is set in kith.toml:14)"])
        self.fails("cluster", "c.jsonl", "-o", "run", "--config", "kith.toml", "--min-df", "2", "--max-df", "7", code=2,
                   says="--max-df 7")

    def test_what_is_wrong_is_named_with_its_line(self):
        for text, says in (("a = \n", "kith.toml:1: "),
                           ("[crawl]\nformt = 'tsv'", "kith.toml:2: kith crawl has no option formt; did you mean"),
                           ("[crwl]\n", "kith.toml:1: kith has no command crwl; did you mean crawl?"),
                           ("\nmemry = '4G'", "kith.toml:2: no command of kith has an option memry; did you"),
                           ("[crawl]\nstrict = 'yes'", "kith.toml:2: strict must be true or false"),
                           ("[crawl]\nstatus = 2020-01-01", "kith.toml:2: status must be a text or a number"),
                           ("[crawl]\nconfig = 'x'", "kith.toml:2: kith crawl has no option config"),
                           ("[crawl]\nformat = 'xml'", "(--format is set in kith.toml:2)")):
            with self.subTest(text):
                self.write("kith.toml", text)
                self.fails("crawl", "c.jsonl", "--config", "kith.toml", code=2, says=says)
        self.fails("crawl", "c.jsonl", "--config", "absent.toml",
                   says="--config: cannot open absent.toml: No such file")
        self.write("kith.toml", "memory = '4G'\n")
        self.kith("crawl", "c.jsonl", "--config", "kith.toml")


if __name__ == "__main__":
    unittest.main()
