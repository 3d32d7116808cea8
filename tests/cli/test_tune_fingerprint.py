"""kith tune --for fingerprint: its counts beside streams of the same pages, its rows, its plot, bad input."""

import json
import os
import random
import unittest

from kith_case import DATA, KithCase, dictionaries, jsonl

SAMPLE = os.path.join(DATA, "crawl", "sample.warc.gz")


def near_texts(n=300, seed=2):
    """Texts of which many differ from another in a few words."""
    draw = random.Random(seed)

    def word():
        return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6))

    texts = []
    for _ in range(n):
        words = [word() for _ in range(60)]
        if texts and draw.random() < 0.7:
            words = draw.choice(texts).split()
            for _ in range(draw.choice((0, 1, 2, 4))):
                words[draw.randrange(len(words))] = word()
        texts.append(" ".join(words))
    return texts


class TuneFingerprint(KithCase):
    def tune(self, *args, **kwargs):
        return self.kith("tune", "--for", "fingerprint", *args, **kwargs)

    def test_counts_are_those_of_streams(self):
        texts = near_texts()
        self.write("sample.jsonl", jsonl([{"id": str(i), "text": text} for i, text in enumerate(texts)]))
        rows = {int(row["bits"]): row for row in
                dictionaries(self.tune("sample.jsonl", "--similarity", "0.7", "--format", "tsv")[0])}
        self.assertEqual(list(rows), list(range(16, 65)))
        alike = {str(i): set() for i in range(len(texts))}
        out, _ = self.kith("stream", "pairs", "sample.jsonl", "--pairs", "--similarity", "0.7", "--recall", "0.9999999",
                           "--max-tables", "256")
        for row in dictionaries(out):
            alike[row["earlier"]].add(row["later"])
            alike[row["later"]].add(row["earlier"])
        seen = set()
        for bits in (16, 24, 40, 64):
            out, _ = self.kith("stream", f"bits{bits}", "sample.jsonl", "--by", "fingerprint", "--bits", str(bits))
            cluster = {row["document"]: row["cluster"] for row in dictionaries(out)}
            same = {page: {other for other in cluster if other != page and cluster[other] == cluster[page]}
                    for page in cluster}
            joined = sum(bool(same[page] - alike[page]) for page in same)
            parted = sum(bool(alike[page]) and not same[page] & alike[page] for page in same)
            self.assertEqual((int(rows[bits]["joined"]), int(rows[bits]["parted"])), (joined, parted), bits)
            seen |= {("joined", joined > 0), ("parted", parted > 0)}
        self.assertLessEqual({("joined", True), ("parted", True)}, seen)

    def test_table_plot_and_rows_agree(self):
        out, err = self.tune(SAMPLE)
        self.assertIn("340 pages with words, 0 without; 23 resemble another page (resemblance 0.8)", out)
        self.assertIn("read        340 pages", err)
        table = [line.split() for line in out.splitlines()[2:51]]
        rows = dictionaries(self.tune(SAMPLE, "--format", "tsv")[0])
        self.assertEqual([(row[0], row[1], row[4]) for row in table],
                         [(row["bits"], row["joined"], row["parted"]) for row in rows])
        lines = self.tune(SAMPLE, "--format", "jsonl")[0].splitlines()
        self.assertEqual([{key: str(value) for key, value in json.loads(line).items() if key != "chance"}
                          for line in lines],
                         [{key: value for key, value in row.items() if key != "chance"} for row in rows])
        best = min(reversed(rows),
                   key=lambda row: (int(row["joined"]) + int(row["parted"])) / 340 + float(row["chance"]))
        self.assertEqual([row[0] for row in table if "fewest" in row], [best["bits"]])
        plot = out.split("Percent of the pages")[1].splitlines()
        self.assertIn(f": {best['bits']} bits", plot[0])
        curves = [line.split("|")[1] for line in plot if "|" in line]
        self.assertEqual((len(curves), {len(line) for line in curves}), (17, {49}))
        self.assertEqual({mark for line in curves for mark in line}, set("jp:O "))
        # By all bits some pages are parted, and none is joined.
        self.assertEqual("".join(line[-1] for line in curves).split(), ["p", "j"])
        self.assertEqual(curves[-1][-1], "j")

    def test_a_longer_stream_needs_more_bits(self):
        best = []
        for documents in ("340", "100000", "1000000000000000"):
            out, _ = self.tune(SAMPLE, "--documents", documents)
            best.append(int(next(line.split()[0] for line in out.splitlines() if "fewest" in line)))
        self.assertEqual(best, sorted(best))
        self.assertLess(best[0], best[2])
        # By chance alone none of the sample's own pages is joined.
        rows = dictionaries(self.tune(SAMPLE, "--documents", "340", "--format", "tsv")[0])
        self.assertEqual({float(row["chance"]) for row in rows}, {0.0})

    def test_reads_what_dedup_reads(self):
        lines = b'{"text": "no name but words"}\n{"text": "broken\n{"id": 2, "text": " "}\n'
        out, err = self.tune("-", stdin=lines)
        self.assertIn("1 page with words, 1 without; 0 resemble", out)
        self.assertIn("line 2", err)
        self.fails("tune", "--for", "fingerprint", "-", "--strict", code=1, says="line 2", stdin=lines)
        long = jsonl([{"id": 1, "text": "a few words"}, {"id": 2, "text": "many words " * 1000}]).encode()
        self.assertIn("1 page with words, 1 without", self.tune("-", "--max-page", "4K", stdin=long)[0])
        shingles = self.tune(SAMPLE, "--width", "2", "--shingles", "characters", "--raw", "--bag")[0]
        self.assertNotEqual(shingles, self.tune(SAMPLE)[0])

    def test_usage(self):
        tune = ("tune", "--for", "fingerprint")
        self.fails(*tune, code=2, says="name an INPUT")
        self.fails(*tune, "-", code=2, says="no page of the sample has words", stdin=b'{"text": " "}\n')
        self.fails(*tune, SAMPLE, "--similarity", "0", code=2, says="--similarity 0: must be above 0")
        self.fails(*tune, SAMPLE, "--width", "0", code=2, says="width")
        self.fails(*tune, SAMPLE, "--memory", "1M", code=2, says="--memory")
        self.fails(*tune, "absent.warc", code=1, says="absent.warc")
        for flag, value in (("--recall", "0.9"), ("--lanes", "64"), ("--max-tables", "4"), ("--distance", "3"),
                            ("--groups", "6"), ("--svg", "x.svg")):
            self.fails(*tune, SAMPLE, flag, value, code=2, says=f"{flag}: has no effect with --for fingerprint")
        for arguments in ((SAMPLE,), ("--base-url", "http://a.example/"), ("--status", "any"), ("--max-page", "1M"),
                          ("--language", "de"), ("--strict",), ("--shingles", "words"), ("--width", "3"), ("--bag",),
                          ("--raw",), ("--memory", "1G"), ("--format", "tsv")):
            self.fails("tune", *arguments, code=2, says="it is for --for fingerprint")

    def test_a_sample_beyond_the_memory_is_refused(self):
        draw = random.Random(1)
        texts = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz ", k=20000)) for _ in range(40)]
        self.write("pages.jsonl", jsonl([{"id": i, "text": text} for i, text in enumerate(texts)]))
        self.fails("tune", "--for", "fingerprint", "pages.jsonl", "--shingles", "characters", "--memory", "84M", code=2,
                   says=["the sample does not fit the memory", "pages do"])


if __name__ == "__main__":
    unittest.main()
