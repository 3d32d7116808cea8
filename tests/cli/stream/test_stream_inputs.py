"""What kith stream reads of files whose names it knows, and of pages whose clocks are wrong."""

import json
import os
import unittest

from kith_case import KithCase, dictionaries, jsonl
from test_stream import made_pages

TEXT = "one two three four five six seven eight"


class StreamInputs(KithCase):
    def documents(self, *args, stdin=None):
        out, err = self.kith("stream", *args, stdin=stdin)
        return [row["document"] for row in dictionaries(out)] if out else [], err

    def test_other_content_under_a_name_that_was_read(self):
        pages = made_pages(400)
        urls = [page["url"] for page in pages]
        self.write("today.jsonl", jsonl(pages[:200]))
        self.assertEqual(self.documents("state", "today.jsonl")[0], urls[:200])
        # The same, also when it is written anew: read before.
        self.write("today.jsonl", jsonl(pages[:200]))
        rows, err = self.documents("state", "today.jsonl")
        self.assertEqual(rows, [])
        self.assertIn("read before       200 pages", err)
        # It has grown.
        self.write("today.jsonl", jsonl(pages[:250]))
        rows, err = self.documents("state", "today.jsonl")
        self.assertEqual(rows, urls[200:250])
        self.assertIn("read before       200 pages", err)
        self.assertNotIn("other files", err)
        # Another day: longer, shorter, and of the same length.
        same_length = jsonl(pages[:250]).replace("site.example", "etis.example")
        for content in (jsonl(pages[100:400]), jsonl(pages[300:310]), jsonl(pages[:250]), same_length):
            self.write("today.jsonl", content)
            rows, err = self.documents("state", "today.jsonl")
            self.assertEqual(rows, [json.loads(line)["url"] for line in content.splitlines()])
            self.assertIn("other files       1 ", err)
            self.assertNotIn("read before  ", err)

    def test_a_file_that_is_named_twice_is_read_once(self):
        self.write("a.jsonl", jsonl(made_pages(20)))
        self.assertEqual(len(self.documents("state", "a.jsonl", "a.jsonl")[0]), 20)

    def test_a_pipe_is_read_whenever_it_comes(self):
        os.mkfifo(self.path("pipe"))
        for _ in range(2):
            if os.fork() == 0:
                with open(self.path("pipe"), "w", encoding="utf-8") as pipe:
                    pipe.write(jsonl([{"url": "http://a.example/", "text": TEXT}]))
                os._exit(0)
            self.assertEqual(len(self.documents("state", "pipe")[0]), 1)
            os.wait()

    def test_one_time_far_ahead_forgets_nothing(self):
        def page(number, when):
            return {"url": f"http://{number}.example/", "text": f"{TEXT} {number}", "time": when}
        now = 1_700_000_000
        lines = [page(0, now), page(1, now + 3600), page(2, 99_999_999_999), page(3, now + 5400)]
        options = ("--half-life", "6h", "--max-skew", "12h")
        _, err = self.documents("state", *options, stdin=jsonl(lines).encode())
        self.assertIn("4 documents in ", err)
        self.assertIn("clock             1 pages with a time beyond --max-skew", err)
        self.assertIn("the first is http://2.example/", err)
        self.assertNotIn("before that of an earlier page", err)
        info = json.loads(self.kith("info", "state", "--json")[0])
        self.assertEqual((info["pages_ahead"], info["late_pages"], info["documents"]), (1, 0, 4))
        # The first page of all, and what was decided is decided again.
        rows, err = self.documents("first", "--forget-after", "1d", stdin=jsonl(lines[2:3] + lines[:2]).encode())
        self.assertEqual(len(rows), 3)
        self.assertIn("1 pages with a time beyond", err)
        # A stream of the future goes on in small steps, or is allowed.
        steps = [page(number, now + 80_000 * number) for number in range(20_000, 20_020)]
        self.assertIn("beyond", self.documents("far", stdin=jsonl(steps[:1]).encode())[1])
        _, err = self.documents("allowed", "--max-skew", "100000d", stdin=jsonl(steps).encode())
        self.assertNotIn("beyond", err)
        _, err = self.kith("stream", "strict", "--strict", stdin=jsonl(lines[2:3]).encode(), code=1)
        self.assertIn("--max-skew", err)
        self.fails("stream", "other", "--max-skew", "soon", stdin=b"", code=2, says="--max-skew soon")


if __name__ == "__main__":
    unittest.main()
