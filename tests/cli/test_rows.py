#!/usr/bin/python3
"""Rows of JSON lines and CSV: which fields are read, how rows are named, what broken ones cost."""

import csv
import gzip
import io
import json
import shutil
import unittest

from kith_case import KithCase, jsonl

WORDS = {
    "music": "guitar chord melody rhythm harmony violin piano orchestra sonata tempo",
    "cooking": "oven butter flour recipe sugar vanilla bread dough whisk simmer",
    "astronomy": "galaxy telescope nebula orbit comet quasar supernova planet asteroid eclipse",
}


def texts():
    """A name, a topic and a text; the texts of a topic share words."""
    for topic, words in WORDS.items():
        words = words.split()
        for i in range(8):
            own = [words[(i + j) % len(words)] for j in range(7)]
            yield f"{topic}-{i}", topic, " ".join(own + own[:3])


def as_csv(rows, **dialect):
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n", **dialect).writerows(rows)
    return out.getvalue()


class Fields(KithCase):
    def dedup(self, *args, **kwargs):
        shutil.rmtree(self.path("run"), ignore_errors=True)
        _, err = self.kith("dedup", *args, "-o", "run", "--no-check", **kwargs)
        names = [row["url"] for row in self.list("run/groups.tsv")]
        return names, err

    def test_usual_names_are_tried_in_order(self):
        text = "one two three four five six seven"
        for name in ("text", "content", "raw_content", "html", "markdown"):
            self.write("a.jsonl", jsonl([{name: text, "n": 1}, {"n": 2, name: text}]))
            names, err = self.dedup("a.jsonl")
            self.assertEqual(names, ["a.jsonl:1", "a.jsonl:2"])
            part = "html" if name == "html" else "text"
            self.assertIn(f"fields      {name} as {part} (2 rows), the file and the number of the row as "
                          "name (2)\n", err)
        for first, second in (("text", "content"), ("content", "raw_content"), ("text", "html"),
                              ("html", "markdown")):
            self.write("a.jsonl", jsonl([{second: "alpha beta gamma delta epsilon", first: text},
                                         {first: text, second: "other words of this row are here"}]))
            self.assertEqual(len(self.dedup("a.jsonl")[0]), 2, (first, second))

    def test_names_of_rows(self):
        text = "one two three four five six seven"
        for row, name in (({"id": 7}, "7"), ({"doc_id": "x"}, "x"), ({"id": "a", "doc_id": "b"}, "a"),
                          ({"doc_id": "b", "id": "a"}, "a"), ({"url": "http://a.b/", "id": "a"}, "http://a.b/"),
                          ({"warc_target_uri": "http://a.b/c", "id": 1}, "http://a.b/c"),
                          ({"id": ""}, "a.jsonl:1"), ({"id": 1.5}, "1.5"), ({"id": [1]}, "a.jsonl:1"),
                          ({"id": None, "doc_id": 3}, "3")):
            self.write("a.jsonl", jsonl([{**row, "text": text}, {"id": "twin", "text": text}]))
            self.assertEqual(self.dedup("a.jsonl")[0], [name, "twin"], row)

    def test_fields_that_are_named(self):
        text = "one two three four five six seven"
        self.write("a.jsonl", jsonl([
            {"text": "no", "body": {"main": text}, "meta": {"key": {"id": 1}}, "id": "no", "url": "http://no/"},
            {"meta": {"key": {"id": 2}}, "body": {"main": text}, "text": "nor this one, of other words"}]))
        names, err = self.dedup("a.jsonl", "--text-field", "body.main", "--id-field", "meta.key.id")
        self.assertEqual(names, ["1", "2"])
        self.assertIn("fields      body.main as text (2 rows), meta.key.id as id (2)\n", err)
        # A name with a dot is a name before it is a path.
        self.write("a.jsonl", jsonl([{"a.b": text, "id": 1}, {"a": {"b": text}, "id": 2}]))
        self.assertEqual(self.dedup("a.jsonl", "--text-field", "a.b")[0], ["1", "2"])
        # Markup goes before text where both are named.
        self.write("a.jsonl", jsonl([{"t": "x", "h": f"<p>{text}", "id": 1}, {"t": text, "id": 2}]))
        self.assertEqual(self.dedup("a.jsonl", "--text-field", "t", "--html-field", "h")[0], ["1", "2"])
        # The times of a stream.
        self.write("b.jsonl", jsonl([{"id": 1, "text": text, "when": "2026-01-02"},
                                     {"id": 2, "text": text, "when": "2026-01-01"}]))
        self.kith("stream", "s1", "b.jsonl", "--strict")
        _, err = self.kith("stream", "s2", "b.jsonl", "--strict", "--time-field", "when", code=1)
        self.assertIn("2: its time is before that of an earlier page", err)

    def test_no_text_is_a_failure_that_names_the_fields(self):
        self.write("a.jsonl", jsonl([{"id": 1, "body": "words"}, {"id": 2, "body": "words", "x": {"y": "z"}}]))
        self.write("a.csv", "id,body\n1,words\n2,words\n")
        says = "nothing was read: its rows have the fields id, body, of which none is read as text: " \
               "name one, as in --text-field body\n"
        for name in ("a.jsonl", "a.csv"):
            for command in (["dedup", name, "-o", f"d-{name}"], ["cluster", name, "-o", f"c-{name}"],
                            ["crawl", name], ["stream", f"s-{name}", name]):
                _, err = self.kith(*command, code=1)
                self.assertIn(says, err, command)
        self.kith("dedup", "a.jsonl", "-o", "run", "--text-field", "body")

    def test_a_run_knows_its_fields(self):
        self.write("a.jsonl", jsonl([{"id": 1, "body": "words", "text": "t"}]))
        self.kith("dedup", "a.jsonl", "-o", "run", "--text-field", "body")
        self.kith("dedup", "a.jsonl", "-o", "run", "--text-field", "body")
        self.fails("dedup", "a.jsonl", "-o", "run", code=2, says="--text-field body instead of no --text-field")


class ClustersOfIds(KithCase):
    def test_texts_without_urls_are_clustered_by_id(self):
        self.write("a.jsonl", jsonl([{"doc_id": name, "content": text, "title": topic}
                                     for name, topic, text in texts()]))
        _, err = self.kith("cluster", "a.jsonl", "-o", "run")
        self.assertIn("content as text (24 rows), doc_id as id (24), title as title (24)", err)
        clusters = {}
        for row in self.rows("clusters", "run"):
            clusters.setdefault(row["cluster"], set()).add(row["url"].split("-")[0])
        self.assertEqual(len(clusters), 3)
        self.assertTrue(all(len(topics) == 1 for topics in clusters.values()), clusters)
        related = self.rows("related", "run", "music-3")
        self.assertEqual({row["url"].split("-")[0] for row in related}, {"music"})
        self.assertGreater(len(related), 5)  # they have no host, which could be full
        self.fails("related", "run", "music-9", says="run: the run does not know music-9")
        self.assertIn("music", self.kith("topics", "run")[0])

    def test_ids_and_urls_in_one_run(self):
        pages = list(texts())
        self.write("a.jsonl", jsonl([{"id": name, "text": text} for name, _, text in pages[:12]]))
        self.write("b.jsonl", jsonl([{"url": f"https://{topic}.example/{name}", "text": text}
                                     for name, topic, text in pages[12:]]))
        self.write("c.jsonl", jsonl([{"id": "http://id.example/x y", "text": pages[0][2]},
                                     {"id": "s3://bucket/key", "text": pages[1][2]},
                                     {"id": "tab\there", "text": pages[2][2]},
                                     {"url": "no-url", "text": pages[3][2]}, {"text": pages[4][2]}]))
        _, err = self.kith("cluster", "a.jsonl", "b.jsonl", "c.jsonl", "-o", "run")
        self.assertIn("1 without a usable URL", err)
        names = {row["url"] for row in self.rows("clusters", "run")}
        self.assertLessEqual({"http://id.example/x%20y", "s3://bucket/key", "tab\\there", "c.jsonl:5"}, names)
        self.assertNotIn("no-url", names)
        for name in ("music-2", "tab\there", "s3://bucket/key", "id.example/x y", "c.jsonl:5"):
            self.assertTrue(self.rows("related", "run", name), name)
        for shard in (1, 2):
            self.kith("cluster", "a.jsonl", "b.jsonl", "c.jsonl", "-o", f"s{shard}", "--shard", f"{shard}/2")
        self.kith("merge", "s1", "s2", "-o", "merged")
        self.assertEqual(self.kith("clusters", "merged")[0], self.kith("clusters", "run")[0])


class Csv(KithCase):
    def crawl(self, content, *args, name="a.csv", code=0):
        self.write(name, content)
        shutil.rmtree(self.path("run"), ignore_errors=True)
        self.kith("dedup", name, "-o", "run", "--no-check", "--raw", *args, code=code)
        report = json.loads(self.kith("info", "run", "--json")[0])
        return report

    def names(self, content, *args, **kwargs):
        """The names of rows that have the text "x y z", by groups."""
        report = self.crawl(content, *args, **kwargs)
        return [row["url"] for row in self.list("run/groups.tsv")], report

    def test_as_json_lines(self):
        rows = [{"id": name, "title": topic, "text": text.replace(" ", ',\n "q" ', 1)}
                for name, topic, text in texts()]
        self.write("a.jsonl", jsonl(rows))
        table = [list(rows[0])] + [list(row.values()) for row in rows]
        self.kith("cluster", "a.jsonl", "-o", "json")
        wanted = self.kith("clusters", "json")[0]
        for name, content in (("comma.csv", as_csv(table)), ("quoted.csv", as_csv(table, quoting=csv.QUOTE_ALL)),
                              ("bom.csv", "\ufeff" + as_csv(table)), ("tab.tsv", as_csv(table, delimiter="\t")),
                              ("semicolon.csv", as_csv(table, delimiter=";")),
                              ("lf.csv", as_csv(table).replace("\r\n", "\n")), ("end.csv", as_csv(table)[:-2]),
                              ("packed.csv.gz", gzip.compress(as_csv(table).encode())),
                              ("unnamed", as_csv(table))):
            self.write(name, content)
            self.kith("cluster", name, "-o", f"run-{name}")
            self.assertEqual(self.kith("clusters", f"run-{name}")[0], wanted, name)
        self.kith("cluster", "-", "-o", "piped", stdin=as_csv(table).encode())
        self.assertEqual(self.kith("clusters", "piped")[0], wanted)
        self.write("folder/one.csv", as_csv(table[:10]))
        self.write("folder/two.tsv", as_csv([table[0]] + table[10:], delimiter="\t"))
        self.kith("cluster", "folder", "-o", "of-folder")
        self.assertEqual(self.kith("clusters", "of-folder")[0], wanted)

    def test_values(self):
        twins = 'b,x y z\nc,"x y z"\n'
        for row in ('a,x y z', '"a","x y z"', 'a,"x y z"', 'a,x y z,', 'a,x y z,,,'):
            names, report = self.names(f"id,text\n{row}\n{twins}")
            self.assertEqual(names, ["a", "b", "c"], row)
            self.assertEqual(report["crawl"]["skipped"], [], row)
        for text, value in (('"x ""y"" z"', 'x "y" z'), ('x "y" z', 'x "y" z'), ('"""x"""', '"x"'),
                            ('"x,y\nz"', "x,y\nz"), ('"x\r\ny"', "x\r\ny"), ('""', ""), ('x""y', 'x""y')):
            self.write("b.jsonl", jsonl([{"id": "twin", "text": value}]))
            self.write("a.csv", f"id,text\na,{text}\n")
            shutil.rmtree(self.path("run"), ignore_errors=True)
            self.kith("dedup", "a.csv", "b.jsonl", "-o", "run", "--no-check", "--raw")
            keep = [row["url"] for row in self.list("run/keep.tsv")]
            # Documents without text are never removed.
            self.assertEqual(keep, ["a"] if value else ["a", "twin"], text)

    def test_rows_without_an_id_are_numbered(self):
        names, _ = self.names("n,text\n\n1,x y z\n\r\n2,x y z\n3\n4,x y z\n")
        self.assertEqual(names, ["a.csv:1", "a.csv:2", "a.csv:4"])

    def test_other_charsets(self):
        text = "été à la plage avec des amis français et déjà à la mer"
        names, _ = self.names(f"id,text\né,{text}\n".encode("latin-1") + f"b,{text}\n".encode())
        self.assertEqual(names, ["\ufffd", "b"])
        self.write("a.csv", "id,text\n1,x\n".encode("utf-16"))
        self.fails("crawl", "a.csv", says="UTF-16")

    def test_broken_rows_cost_themselves_alone(self):
        for broken in ('q,"x y z', 'q,"x y z"w', '"q"q,x y z', 'q,x y z,more', 'q,"x "y" z"'):
            for end in ("", 'e,"x y z"\n'):
                names, report = self.names(f"id,text\na,x y z\n{broken}\nb,x y z\nc,x y z\n{end}")
                self.assertEqual(names[:3], ["a", "b", "c"], (broken, end))
                self.assertEqual(dict(report["crawl"]["skipped"]), {"damaged": 1}, (broken, end))
                self.assertIn("row 2: ", report["crawl"]["examples"][0]["reason"])
        self.write("a.csv", 'id,text\na,"x\nb,y\n')
        self.fails("crawl", "a.csv", "--strict", says="a quoted value without an end")

    def test_quotes_between_tabs_may_be_characters(self):
        names, report = self.names('id\ttext\na\t"x y\nb\t"x y\nc\tp\nd\t"x y\n', name="a.tsv")
        self.assertEqual(names, ["a", "b", "d"])
        self.assertEqual(report["crawl"]["skipped"], [])

    def test_large_values(self):
        large = "word " * 2_000_000
        names, report = self.names(f'id,text\na,"{large}"\nb,x y z\nc,x y z\n')
        self.assertEqual(names, ["b", "c"])
        self.assertEqual(report["crawl"]["cut_pages"], 1)
        names, report = self.names(f'id,text\na,"{large * 3}"\nb,x y z\nc,x y z\n', "--max-page", "1M")
        self.assertEqual(names, ["b", "c"])
        self.assertEqual(dict(report["crawl"]["skipped"]), {"damaged": 1})

    def test_empty_ones(self):
        for content in ("", "\ufeff", "id,text", "id,text\n", "\n\n"):
            self.write("a.csv", content)
            _, err = self.kith("crawl", "a.csv", code=1)
            self.assertIn("nothing was read", err, content)

    def test_a_copy_keeps_all_columns(self):
        rows = [["n", "text", "when"], ["1", "x y\nz w", "a,b"], ["2", "x y\nz w", "c"], ["3", "other words", 'q"q']]
        for name, content in (("a.csv", as_csv(rows)), ("a.csv.gz", gzip.compress(as_csv(rows).encode()))):
            self.write(name, content)
            self.kith("dedup", name, "-o", f"run-{name}", "--write", f"copy-{name}", "--no-check")
            with open(self.path(f"copy-{name}"), "rb") as file:
                copy = file.read()
            copy = gzip.decompress(copy) if name.endswith(".gz") else copy
            self.assertEqual(copy.decode(), as_csv([rows[0], rows[1], rows[3]]))


if __name__ == "__main__":
    unittest.main()
