"""Which document of a group `kith dedup --keep` keeps."""

import gzip
import shutil
import unittest

from kith_case import KithCase, jsonl

STORY = " ".join(f"word{i}" if i % 7 else "river" for i in range(120))


def rows():
    """Three copies that differ in a word at the end, and in what is known of them."""
    return [
        {"url": "http://a.test/x", "text": STORY + " alpha", "q": 0.5, "date": "2020-01-01", "source": "news"},
        {"url": "http://b.test/x", "text": STORY + " beta beta", "q": "0.9", "date": "2021-01-01", "source": "wiki"},
        {"url": "http://c.sub.test/x", "text": STORY + " c", "q": None, "date": "2019-01-01", "source": "news"},
    ]


class DedupKeepTest(KithCase):
    def kept(self, name, *flags):
        self.kith("dedup", name, "-o", "run", "--similarity", "0.7", *flags)
        with open(self.path("run/keep.tsv"), encoding="utf-8") as file:
            names = [line.split("\t")[0] for line in file][1:]
        self.kith("dedup", name, "-o", "one", "--similarity", "0.7", "--threads", "1", "--memory", "100M", *flags)
        with open(self.path("one/keep.tsv"), encoding="utf-8") as file:
            self.assertEqual([line.split("\t")[0] for line in file][1:], names)
        for run in ("run", "one"):
            shutil.rmtree(self.path(run))
        return names

    def test_each_rule_keeps_what_it_says(self):
        self.write("in.jsonl", jsonl(rows()))
        a, b, c = (row["url"] for row in rows())
        self.write("hosts", "# the best first\n\nsub.test\n")
        self.write("sources", "other\twiki\nnews\n")
        self.write("files", "nothing\nin.jsonl\n")
        for rules, kept in [("first", a), ("longest", b), ("shortest", c), ("newest", b), ("oldest", c),
                            ("score:q", b), ("quality", b), ("source:hosts", c), ("source:files", a),
                            ("source:hosts,newest", c), ("source:files,oldest", c)]:
            self.assertEqual(self.kept("in.jsonl", "--keep", rules), [kept], rules)
        self.assertEqual(self.kept("in.jsonl", "--keep", "source:sources", "--source-field", "source"), [b])
        self.assertEqual(self.kept("in.jsonl", "--keep", "source:files", "--keep", "oldest"), [c])

    def test_a_missing_value_comes_last_and_dates_are_scores(self):
        many = rows()
        many[0]["q"], many[1]["q"], many[2]["q"] = "", "2019-05-05", "2020-05-05T00:00:00Z"
        self.write("in.jsonl", jsonl(many))
        self.assertEqual(self.kept("in.jsonl", "--keep", "score:q"), [many[2]["url"]])
        many[1]["q"], many[2]["q"] = float("nan"), -1e9
        self.write("nan.jsonl", jsonl(many).replace("NaN", '"nan"'))
        self.assertEqual(self.kept("nan.jsonl", "--keep", "score:q"), [many[2]["url"]])

    def test_scores_are_read_of_nested_fields_csv_and_packed_files(self):
        a, b, c = (row["url"] for row in rows())
        nested = [{**row, "meta": {"q": -i}} for i, row in enumerate(rows())]
        self.write("nested.jsonl.gz", gzip.compress(jsonl(nested).encode()))
        self.assertEqual(self.kept("nested.jsonl.gz", "--keep", "score:meta.q"), [a])
        lines = ["url,text,q,date"] + [f'{row["url"]},"{row["text"]}",{row["q"] or ""},{row["date"]}' for row in rows()]
        self.write("in.csv", "\n".join(lines) + "\n")
        self.assertEqual(self.kept("in.csv", "--keep", "score:q"), [b])
        # One field may be the date as well as the score.
        self.assertEqual(self.kept("in.csv", "--keep", "score:date,newest"), [b])

    def test_a_value_that_is_no_number_names_its_row(self):
        many = rows()
        many[1]["q"] = "high"
        self.write("in.jsonl", jsonl(many))
        for threads in ("1", "4"):
            self.fails("dedup", "in.jsonl", "-o", "run", "--keep", "score:q", "--threads", threads, code=1,
                       says='in.jsonl, row 2: its "q" is high, which is neither a number nor a date')
        many[1]["q"] = [1]
        self.write("in.jsonl", jsonl(many))
        self.fails("dedup", "in.jsonl", "-o", "run2", "--keep", "score:q", code=1, says="row 2")

    def test_a_rule_that_knows_nothing_of_any_document_is_refused(self):
        self.write("in.jsonl", jsonl([{"url": row["url"], "text": row["text"]} for row in rows()]))
        self.write("none", "nowhere.test\n")
        self.write("empty", "# nothing\n")
        for rules, code, says in [("score:rank", 2, 'no row of the input has a value in a field "rank"'),
                                  ("newest", 2, "no document of the input has a date"),
                                  ("source:none", 2, "no document is of a source"),
                                  ("source:empty", 2, "names no source"),
                                  ("source:missing", 1, "missing"),
                                  ("best", 2, "must be first, longest"),
                                  ("score", 2, "must be first, longest"),
                                  ("first:x", 2, "must be first, longest")]:
            with self.subTest(rules):
                self.fails("dedup", "in.jsonl", "-o", "run-" + rules.replace(":", "-"), "--keep", rules, code=code,
                           says=says)

    def test_other_sources_are_another_run(self):
        self.write("in.jsonl", jsonl(rows()))
        self.write("hosts", "a.test\n")
        self.kith("dedup", "in.jsonl", "-o", "run", "--similarity", "0.7", "--keep", "source:hosts")
        self.write("hosts", "b.test\n")
        self.fails("dedup", "in.jsonl", "-o", "run", "--similarity", "0.7", "--keep", "source:hosts", code=2,
                   says="sources")

    def test_shards_markup_and_dropped_shingles_keep_the_same(self):
        pages = [{"url": f"http://h{i}.test/{j}", "html": f"<title>t</title><p>{STORY} end{j % 2}</p>", "q": i * 10 + j}
                 for i in range(4) for j in range(3)]
        for number in range(2):
            self.write(f"in/{number}.jsonl", jsonl(pages[number * 6:number * 6 + 6]))
        for flags in (["--boilerplate", "keep"], ["--boilerplate", "remove"]):
            flags += ["--keep", "score:q", "--no-distinct-titles"]
            kept = self.kept("in", *flags)
            self.assertEqual(kept, ["http://h3.test/2"])
            for number in (1, 2):
                self.kith("dedup", "in", "-o", f"part{number}", "--shard", f"{number}/2", "--similarity", "0.7", *flags)
            self.kith("merge", "part1", "part2", "-o", "whole")
            self.assertEqual([row["url"] for row in self.list("whole/keep.tsv")], kept)
            for run in ("part1", "part2", "whole"):
                shutil.rmtree(self.path(run))
        self.assertEqual(self.kept("in", "--keep", "score:q", "--max-documents", "100",
                                   "--no-distinct-titles", "--boilerplate", "keep"), ["http://h3.test/2"])

    def test_quality_keeps_the_sound_copy(self):
        text = ". ".join(" ".join(f"{w}{'abcdefgh'[(i * j) % 8]}" for j, w in enumerate(
            f"the {chr(97 + i)} river falls over grey stones where nobody has been before".split()))
            for i in range(12)) + "."
        damage = {"cut": text[:int(len(text) * 0.9)] + "...", "repeated": text + " " + text.split(". ")[-1],
                  "charset": text.replace("river", "rivÃ©r", 2), "torn": text.replace("stones", "s t o n e s", 1)}
        for name, damaged in damage.items():
            for order in (0, 1):
                pair = [{"id": "sound", "text": text}, {"id": "damaged", "text": damaged}]
                self.write("pair.jsonl", jsonl(pair if order else pair[::-1]))
                self.assertEqual(self.kept("pair.jsonl", "--keep", "quality"), ["sound"], name)


if __name__ == "__main__":
    unittest.main()
