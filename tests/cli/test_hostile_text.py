#!/usr/bin/python3
"""Titles, ids, URLs and names of files with control bytes: none of them comes out of any command."""

import json
import os
import re
import subprocess
import unittest

from kith_case import KITH, KithCase, jsonl, warc_record

# ESC, BEL, a CSI of C1, DEL, right-to-left override, isolates, line separator, NUL.
ORDERS = "\x1b[2J\x07\x9b31m\x7f\u202e\u2066\u2028\u061c\x00\t\\"
NAME = b"odd\x1b[2J\xc2\x9b\xe2\x80\xae\xff"  # of files: invalid UTF-8, too

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def undone(field):
    """What docs/formats/escapes.md says of undoing a TSV field."""
    def one(match):
        escape = match.group(1)
        if escape[:1] == b"x":
            return bytes([int(escape[1:], 16)])
        if escape[:1] == b"u":
            return chr(int(escape[2:-1], 16)).encode()
        return {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}[escape]
    return re.sub(rb"\\(x[0-9A-F]{2}|u\{[0-9A-F]+\}|[tnr\\])", one, field)


class HostileText(KithCase):
    def setUp(self):
        super().setUp()
        words = "guitar chord melody rhythm harmony violin piano orchestra sonata tempo".split()
        pages = [{"url": f"https://a.example/{i}{ORDERS}", "id": f"{i}{ORDERS}",
                  "title": f"title {ORDERS}", "text": " ".join(words[i % 3:]) + ORDERS}
                 for i in range(9)]
        os.makedirs(self.path("in"))
        self.crawl = os.path.join(os.fsencode(self.folder), b"in", NAME + b".jsonl")
        with open(self.crawl, "w", encoding="utf-8") as file:
            file.write(jsonl(pages))
            file.write('{"url":"https://b.example/' + "\u202e" + '","text":1}\n')  # bad field
            file.write('{"url":"ht\\u001btp://\\u202e","text":"a b c"}\n')         # bad URL
            file.write("\x1b\u202e no JSON\n")
        with open(os.path.join(os.fsencode(self.folder), b"in", NAME + b".warc"), "wb") as file:
            body = "<title>\x7f\u202e\x9b</title><p>guitar chord melody \x9b".encode()
            file.write(warc_record("https://c.example/\x9b\u202e\x1b", body))
            file.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ht\x1b]0;x\x07\r\n"
                       b"Content-Length: 3\r\n\r\nabc\r\n\r\n")

    def clean(self, text):
        """`text` is bytes; they are UTF-8 without any of what gives orders."""
        found = HIDDEN.search(text.decode("utf-8"))
        self.assertIsNone(found, found and text.decode()[max(0, found.start() - 60):][:120])

    def speaks(self, *args, code=None):
        result = subprocess.run([KITH, *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.clean(result.stdout)
        self.clean(result.stderr)
        if code is not None:
            self.assertEqual(result.returncode, code, (args, result.stderr))
        return result.stdout, result.stderr

    def test_no_command_lets_orders_through(self):
        out, err = self.speaks("crawl", "in", code=0)
        self.assertIn(rb"\x1B", err)  # the examples of what was passed over
        self.assertIn(rb"\u{202E}", err)
        self.speaks("crawl", "in", "--format", "jsonl", code=0)
        self.speaks("cluster", "in", "-o", "run", "--bags", "content", "--max-df", "1", "--min-words", "1", code=0)
        for args in (("clusters", "run"), ("clusters", "run", "--summary"), ("pairs", "run"),
                     ("bags", "run")):
            out, _ = self.speaks(*args, code=0)
            self.assertGreater(len(out.splitlines()), 1, args)
            if args[0] != "bags":
                for line in self.speaks(*args, "--format", "jsonl", code=0)[0].splitlines():
                    json.loads(line)
        url = self.speaks("clusters", "run", code=0)[0].decode().splitlines()[1].split("\t")[1]
        out, _ = self.speaks("related", "run", url, code=0)
        self.assertIn(rb"\x1B[2J", out)
        self.speaks("related", "run", url, "--format", "jsonl", code=0)
        self.speaks("info", "run", code=0)
        report = json.loads(self.speaks("info", "run", "--json", code=0)[0])
        self.assertTrue(report["crawl"]["examples"])
        for name in ("report.json", "manifest.json"):
            with open(self.path("run/" + name), "rb") as file:
                self.clean(file.read())

    def test_lists_of_dedup_hold_no_orders_and_can_be_undone(self):
        for form in ("tsv", "jsonl"):
            self.speaks("dedup", "in", "-o", form, "--format", form, "--similarity", "0.5",
                        "--width", "2", code=0)
            self.speaks("info", form, code=0)
            self.speaks("info", form, "--json", code=0)
            for name in ("groups", "pairs", "keep"):
                with open(self.path(f"{form}/{name}.{form}"), "rb") as file:
                    content = file.read()
                self.clean(content)
                self.assertGreater(content.count(b"\n"), 1, name)
        self.speaks("dedup", "in", "-o", "against", "--against", "tsv", "--similarity", "0.5",
                    "--width", "2", code=0)
        with open(self.path("against/against.tsv"), "rb") as file:
            self.clean(file.read())
        with open(self.path("tsv/keep.tsv"), "rb") as file:
            files = {undone(row.split(b"\t")[1]) for row in file.read().splitlines()[1:]}
        self.assertIn(b"in/" + NAME + b".jsonl", files)

    def test_messages_hold_no_orders(self):
        odd = NAME.decode("utf-8", "surrogateescape")
        for args in (("crawl", odd), ("cluster", odd, "-o", "x"), ("dedup", odd, "-o", "x"),
                     ("merge", odd, odd, "-o", "x"), ("clusters", odd), ("related", odd, odd),
                     ("pairs", odd), ("bags", odd), ("info", odd), ("compare", odd, odd),
                     ("crawl", "in", "--status", odd), ("crawl", "in", "--language", odd),
                     ("crawl", "in", "--format", odd), ("crawl", "in", "--" + odd),
                     ("tune", "--for", odd), ("tune", "--svg", odd + "/x"), (odd,),
                     ("cluster", "in", "-o", "x", "--similarity", odd),
                     ("cluster", "in", "-o", "x", "--window", odd),
                     ("cluster", "in", "-o", odd + "\n", "--memory", odd)):
            _, err = self.speaks(*args)
            self.assertTrue(err.strip(), args)

    def test_compared_texts_give_no_orders(self):
        odd = NAME.decode("utf-8", "surrogateescape")
        for letter in "ab":
            with open(os.path.join(os.fsencode(self.folder), NAME + letter.encode()), "wb") as file:
                file.write(f"guitar chord {ORDERS} {letter} melody rhythm".replace("\0", "").encode() + b"\xff")
        out, _ = self.speaks("compare", odd + "a", odd + "b", "--diff", "full", code=0)
        self.assertIn(rb"\x1B[2J", out)
        json.loads(self.speaks("compare", odd + "a", odd + "b", "--json", code=0)[0])


if __name__ == "__main__":
    unittest.main()
