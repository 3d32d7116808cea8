"""Values that would be taken for others: below 0, 0 for a size, a value of a flag. Each is refused in one line."""

import os
import unittest

from kith_case import KithCase, jsonl, topic_pages


class RefusedValues(KithCase):
    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", jsonl(topic_pages()))

    def test_numbers_below_0(self):
        for option in ("--seed", "--max-terms", "--lanes", "--neighbours", "--threads"):
            with self.subTest(option):
                self.fails("cluster", "pages.jsonl", "-o", "run", option, "-1", code=2, says=[option, "-1", "below 0"])
        for option in ("--seed", "--max-documents", "--threads"):
            with self.subTest(option):
                self.fails("dedup", "pages.jsonl", "-o", "run", option, "-3", code=2, says=[option, "-3", "below 0"])
        self.fails("related", "run", "https://music.example/music/1", "-n", "-1", code=2, says=["-n", "-1", "below 0"])
        self.assertFalse(os.path.exists(self.path("run")))

    def test_ranges_are_named(self):
        self.kith("cluster", "pages.jsonl", "-o", "run")
        url = "https://music.example/music/1"
        for *command, option, value, says in (
                ("related", "run", url, "-n", "0", "must be from 1 to 1000000"),
                ("related", "run", url, "-n", "99999999999999999999999", "must be from 1 to 1000000"),
                ("topics", "run", "--topics", "0", "must be from 1 to 1000000000"),
                ("topics", "run", "--depth", "0", "must be from 1 to 1000"),
                ("serve", "run", "--port", "99999", "must be from 0 to 65535"),
                ("serve", "run", "--timeout", "0", "must be from 1 to 3600"),
                ("tune", "--similarity", "0", "must be between 0 and 1, both excluded"),
                ("tune", "--recall", "1", "must be between 0 and 1, both excluded"),
                ("tune", "--max-tables", "0", "must be from 1 to 1024"),
                ("tune", "--lanes", "2000", "must be from 1 to 1024"),
                ("tune", "--for", "simhash", "--similarity", "1", "must be between 0 and 1, both excluded"),
                ("tune", "--for", "simhash", "--distance", "8", "must be from 0 to 7"),
                ("tune", "--for", "supershingle", "--groups", "0", "must be from 1 to the lanes, 128"),
                ("cluster", "pages.jsonl", "-o", "new", "--window", "99999999999", "is too large"),
                ("cluster", "pages.jsonl", "-o", "new", "--window", "x", "must be a whole number"),
                ("cluster", "pages.jsonl", "-o", "new", "--recall", "x", "must be a number")):
            with self.subTest((command, option, value)):
                self.fails(*command, option, value, code=2, says=f"{option} {value}: {says}")

    def test_no_memory(self):
        for command in ("cluster", "dedup"):
            self.fails(command, "pages.jsonl", "-o", "run", "--memory", "0", code=2, says="--memory 0: must be above 0")
        self.assertFalse(os.path.exists(self.path("run")))

    def test_a_value_of_a_flag(self):
        for value in ("0.5", "true", "no", "7"):
            self.fails("cluster", "pages.jsonl", "-o", "run", "--no-check", value, code=2,
                       says=f"--no-check takes no value, such as '{value}'")
        self.fails("dedup", "--strict", "yes", "pages.jsonl", "-o", "run", code=2, says="--strict takes no value")
        self.assertFalse(os.path.exists(self.path("run")))
        # A file of such a name is one.
        os.rename(self.path("pages.jsonl"), self.path("7"))
        self.kith("dedup", "--strict", "7", "-o", "run")

    def test_a_time_of_another_type(self):
        lines = "".join(f'{{"url": "http://{i}.example/", "text": "one two three {i}", "time": {time}}}\n'
                        for i, time in enumerate(("true", "[1]", "{}", "null", "1000")))
        out, err = self.kith("stream", "state", stdin=lines.encode())
        for line in (1, 2, 3):
            self.assertIn(f'line {line}: a "time" that is neither seconds nor a date', err)
        self.assertEqual(out.count("\n"), 3)  # the header, and two pages


if __name__ == "__main__":
    unittest.main()
