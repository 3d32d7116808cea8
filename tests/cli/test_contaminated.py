"""kith contaminated: items of test sets inside documents."""

import json
import os
import random
import unittest

from kith_case import KithCase, jsonl, warc_gz


def words(seed, n):
    made = random.Random(seed)
    return ["".join(made.choice("abcdefghijklmnoprstuvz") for _ in range(made.randrange(3, 9))) for _ in range(n)]


def text(seed, n=120):
    return " ".join(words(seed, n))


def around(item, seed):
    """A document with something inside."""
    return f"{text(seed)} {item} {text(seed + 0.5)}"


class Contaminated(KithCase):
    def documents(self, *texts, name="data.jsonl"):
        self.write(name, jsonl([{"id": f"d{i}", "text": one} for i, one in enumerate(texts)]))

    def evals(self, *items, name="evals.jsonl", field="question"):
        self.write(name, jsonl([{"id": f"q{i}", field: one} for i, one in enumerate(items)]))

    def hits(self, *args, evals="evals.jsonl"):
        rows = self.rows("contaminated", "data.jsonl", "--evals", evals, "--quiet", *args)
        return [(row["item"], row["document"]) for row in rows]

    def report(self, *args, evals="evals.jsonl"):
        out, _ = self.kith("contaminated", "data.jsonl", "--evals", evals, "-o", "hits.tsv", "--json", "--quiet", *args)
        return json.loads(out)

    def test_finds_an_item_whatever_its_case_and_punctuation(self):
        item = text("item", 25)
        self.evals(item, text("other", 25))
        self.documents(text(1), around(item, 2), around(item.upper().replace(" ", ", "), 3), around(item, 4)[:-1])
        row, *others = self.rows("contaminated", "data.jsonl", "--evals", "evals.jsonl")
        self.assertEqual((row["suite"], row["item"], row["document"]), ("evals", "q0", "d1"))
        self.assertEqual((row["containment"], row["shingles"], row["passage"]), ("1.000000", "18", item))
        self.assertEqual(row["before"], " ".join(words(2, 120)[-10:]))
        self.assertEqual(row["after"], " ".join(words(2.5, 120)[:10]))
        self.assertEqual([other["document"] for other in others], ["d2", "d3"])
        _, err = self.kith("contaminated", "data.jsonl", "--evals", "evals.jsonl")
        self.assertIn("suite       evals: 1 of 2 items in 3 documents; 70.0 % of the 8-grams of question\n", err)
        self.assertIn("documents   3 of 4 hold an item\n", err)

    def test_presets(self):
        item = words("item", 40)
        part = " ".join(item[:14])   # 2 of its 13-grams, 7 of its 33 8-grams
        most = " ".join(item[:31])   # 24 of 33 8-grams
        less = " ".join(item[:30])   # 23 of 33
        self.evals(" ".join(item))
        self.documents(around(part, 1), around(most, 2), around(less, 3), around(" ".join(item[:12]), 4))
        self.assertEqual(self.hits(), [("q0", "d1")])
        self.assertEqual(self.hits("--rule", "8-gram"), [("q0", "d1")])
        self.assertEqual(self.hits("--rule", "13-gram"), [("q0", "d0"), ("q0", "d1"), ("q0", "d2")])
        self.assertEqual(self.hits("--rule", "13-gram", "--containment", "1"), [])
        self.assertEqual(self.hits("--width", "12", "--containment", "0"), [("q0", f"d{i}") for i in range(4)])

    def test_what_is_spread_over_a_document_is_not_in_it(self):
        item = words("item", 40)
        pieces = [" ".join(item[k:k + 10]) for k in range(0, 40, 5)]
        self.evals(" ".join(item))
        spread = " ".join(around(piece, k) for k, piece in enumerate(pieces))
        near = " ".join(" ".join(item[k:k + 20]) + f" and{k}" for k in (0, 20))
        self.documents(spread, near)
        self.assertEqual(self.hits(), [("q0", "d1")])

    def test_short_items_are_found_as_a_whole(self):
        self.evals("What is the capital of France?", "one two three four", "The capital of France is", "...")
        self.documents("x " * 30 + "what is the capital of france - Paris", "What is the capital, of the France?",
                       "one two three four", "the capital of France is Paris")
        self.assertEqual(self.hits(), [("q0", "d0"), ("q2", "d3")])
        self.assertEqual(self.hits("--min-words", "4"), [("q0", "d0"), ("q1", "d2"), ("q2", "d3")])
        suite, = self.report()["suites"]
        self.assertEqual({key: suite[key] for key in ("items", "whole", "too_short", "without_text")},
                         {"items": 4, "whole": 2, "too_short": 2, "without_text": 0})

    def test_what_many_items_share_makes_no_hit(self):
        instruction = "Which of the following statements about the subject of this question is the correct one "
        items = [instruction + text(f"item {i}", 12) for i in range(11)]
        self.evals(*items)
        self.documents(around(instruction, 1), around(items[3], 2))
        self.assertEqual(self.hits("--rule", "13-gram"), [("q3", "d1")])
        self.assertEqual(self.report("--rule", "13-gram")["suites"][0]["common"], 3)
        self.evals(*items[:10])
        self.assertEqual(len(self.hits("--rule", "13-gram")), 20)
        # What has nothing else is found as a whole.
        self.evals(*items, instruction)
        self.assertEqual(self.hits(), [("q11", "d0"), ("q3", "d1"), ("q11", "d1")])

    def test_runs_of_few_words_make_no_hit(self):
        rule = "=" * 70
        item = text("item", 30)
        self.evals(f"{rule} {item}", "0 1 " * 30)
        self.documents(around(rule, 1), around(f"{rule} ===", 2), around(item, 3), around("0 1 " * 20, 4))
        for preset in ("8-gram", "13-gram"):
            self.assertEqual(self.hits("--rule", preset), [("q0", "d2")])
        self.documents(around("0 1 " * 40, 1), around("0 1 " * 29, 2))
        self.assertEqual(self.hits("--min-words", "1"), [("q1", "d0")])

    def test_a_document_of_items_only(self):
        items = [text(f"item {i % 7}", 20) + " " + text(i, 20) for i in range(60)]
        self.evals(*items)
        self.documents(" ".join(items * 30))
        self.assertEqual(self.hits("--containment", "1"), [(f"q{i}", "d0") for i in range(60)])

    def test_equal_items_are_found_each(self):
        item = text("item", 25)
        self.evals(item, text("x", 25), item + "!")
        self.documents(around(item, 1))
        self.assertEqual(self.hits(), [("q0", "d0"), ("q2", "d0")])
        self.assertEqual(self.report()["suites"][0]["equal"], 1)

    def test_repeated_words_count_as_often_as_they_stand_there(self):
        line = text("line", 8) + " "
        self.evals(line * 4)  # 25 shingles, of which a line twice has 9, and three times 17
        self.documents(line * 3, line * 4, line * 2 + text(1, 60) + " " + line * 2)
        self.assertEqual(self.hits(), [("q0", "d1")])

    def test_suites_have_names_fields_and_settings(self):
        long, short = words("a", 40), words("b", 40)
        self.write("evals/a.jsonl", jsonl([{"task": "x", "prompt": " ".join(long), "answer": text("c", 20)}]))
        self.write("evals/b/test.csv", "n,sentence\n1,\"" + ", ".join(short) + "\"\n")
        self.write("evals/README.md", "nothing")
        self.documents(around(" ".join(long[:20]), 1), around(" ".join(short[:20]), 2), around(text("c", 20), 3))
        both = {suite["name"]: suite for suite in self.report(evals="evals")["suites"]}
        self.assertEqual({name: suite["fields"] for name, suite in both.items()}, {"a": ["prompt"], "b": ["sentence"]})
        self.assertEqual(self.report(evals="evals")["left_out"], 1)
        found = self.report("--suite", "a:rule=13-gram", "--suite", "b:width=6,containment=0.3", evals="evals")
        self.assertEqual([(s["name"], s["width"], s["containment"], s["contaminated"]) for s in found["suites"]],
                         [("a", 13, 0, 1), ("b", 6, 0.3, 1)])
        self.assertEqual([row["item"] for row in self.list("hits.tsv")], ["evals/a.jsonl:1", "evals/b/test.csv:1"])
        answers = self.report("--suite", "a:field=answer", evals="evals")["suites"][0]
        self.assertEqual((answers["fields"], answers["documents"]), (["answer"], 1))
        self.assertEqual(self.report("--eval-field", "answer", evals="evals/a.jsonl")["contaminated"], 1)

    def test_files_of_one_name_are_suites_of_their_own(self):
        for folder in "xy":
            self.write(f"{folder}/test.jsonl", jsonl([{"text": text(folder, 20)}]))
        self.documents(around(text("y", 20), 1))
        report = self.report("--evals", "y", evals="x")
        self.assertEqual([(suite["name"], suite["contaminated"]) for suite in report["suites"]],
                         [("x/test.jsonl", 0), ("y/test.jsonl", 1)])

    def test_items_with_their_documents(self):
        item = words("item", 40)
        self.evals(" ".join(item), text("never", 30))
        self.documents(around(" ".join(item[:35]), 1), around(" ".join(item), 2))
        row, = self.rows("contaminated", "data.jsonl", "--evals", "evals.jsonl", "--summary", "--quiet")
        self.assertEqual((row["item"], row["documents"], row["containment"], row["document"], row["passage"]),
                         ("q0", "2", "1.000000", "d1", " ".join(item)))

    def test_writes_a_copy_without_the_documents(self):
        item = text("item", 25)
        self.evals(item)
        lines = [json.dumps({"id": f"d{i}", "more": [i], "text": one}) + "\n"
                 for i, one in enumerate([text(1), around(item, 2), "", text(3)])]
        self.write("data.jsonl", "".join(lines))
        report = self.report("--write", "clean.jsonl")
        self.assertEqual((report["copy"]["removed"], report["contaminated"], report["documents"]), (1, 1, 4))
        with open(self.path("clean.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), lines[0] + lines[2] + lines[3])
        self.fails("contaminated", "data.jsonl", "--evals", "evals.jsonl", "-o", "hits.tsv", "--write", "clean.jsonl",
                   code=2, says="clean.jsonl")
        pages = [{"url": f"https://a.example/{i}", "html": f"<p>{one}</p>"}
                 for i, one in enumerate([text(1), around(item.replace(" ", "</b> <b>"), 2), text(3)])]
        self.write("crawl.warc.gz", warc_gz(pages))
        self.kith("contaminated", "crawl.warc.gz", "--evals", "evals.jsonl", "--write", "clean.warc.gz")
        out, _ = self.kith("crawl", "clean.warc.gz")
        self.assertEqual([row.split("\t")[0] for row in out.splitlines()[1:]], [pages[0]["url"], pages[2]["url"]])

    def texts(self, *args):
        self.kith("contaminated", "data.jsonl", "--evals", "evals.jsonl", "--write-texts", "texts.jsonl", "-o",
                  "hits.tsv", "--quiet", *args)
        with open(self.path("texts.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        os.remove(self.path("texts.jsonl"))
        self.assertEqual([row["id"] for row in rows], [f"d{i}" for i in range(len(rows))])
        return [row["text"] for row in rows]

    def test_writes_texts_without_the_passages(self):
        item = text("item", 25)
        edited = item.replace(words("item", 25)[3], "another")
        short = text("short", 6)
        self.evals(item, short, text("item", 24))
        before, after = text(1), text(2)
        plain = f"{before} \"{item.replace(' ', '  ')}\""
        self.documents(f"{before} {item.upper()}! {after}", plain, f"{item}. {before} {item} {after} {item}",
                       f"{before} {edited} {after}", f"{before}\n{short}\n{after} {short}", f"{item} {item} {after}",
                       before, "", f"\u00e4\u00f6 {item} \U0001f600 {after}")
        # The first words of the edited one are in no shingle of the item.
        rest = " ".join(words("item", 25)[:3]) + " another"
        self.assertEqual(self.texts(), [f"{before} {after}", f'{before} "', f"{before} {after} ",
                                        f"{before} {rest} {after}", f"{before}\n{after} ", after, before, "",
                                        f"\u00e4\u00f6 \U0001f600 {after}"])
        self.assertEqual(self.texts("--threads", "3"), self.texts("--threads", "1"))
        report = self.report("--write-texts", "texts.jsonl")
        self.assertEqual(report["cut_bytes"] > 9 * len(item), True)
        self.fails("contaminated", "data.jsonl", "--evals", "evals.jsonl", "--write-texts", "texts.jsonl", code=2,
                   says="texts.jsonl: exists")
        self.assertEqual(os.path.exists(self.path("texts.jsonl.tmp")), False)
        self.documents(*(row for row in [before, after]))
        os.remove(self.path("texts.jsonl"))
        self.fails("contaminated", "data.jsonl", "--evals", "nothing.jsonl", "--write-texts", "texts.jsonl", code=1,
                   says="nothing.jsonl")
        self.assertEqual([name for name in os.listdir(self.folder) if "texts" in name], [])

    def test_rows_keep_their_other_fields(self):
        item = text("item", 25)
        self.evals(item)
        line = '{ "n": 1.50, "text": "%s", "tags": ["a", {"b": null}], "id": "x" }'
        self.write("data.jsonl", line % f"{text(1)} {item} \\u00e4" + "\n")
        self.write("page.html", f"<p>{text(2)}</p><p>{item}</p>")
        self.kith("contaminated", "data.jsonl", "page.html", "--evals", "evals.jsonl", "--write-texts", "texts.jsonl")
        with open(self.path("texts.jsonl"), encoding="utf-8") as file:
            row, page = file.read().splitlines()
        self.assertEqual(row, line % f"{text(1)} \u00e4")
        self.assertEqual(json.loads(page), {"id": "page.html", "text": f"{text(2)} "})

    def test_what_is_left_holds_no_item(self):
        items = [text(f"item {i}", 6 + i % 40) for i in range(60)]
        made = random.Random(3)
        self.evals(*items)
        self.documents(*(around(" ".join(made.sample(items, made.randrange(4))), i) for i in range(200)))
        for rule in ((), ("--rule", "13-gram"), ("--containment", "0.3", "--width", "5")):
            self.assertGreater(len(self.hits(*rule)), 100)
            self.write("left.jsonl", jsonl([{"id": i, "text": one} for i, one in enumerate(self.texts(*rule))]))
            self.assertEqual(self.rows("contaminated", "left.jsonl", "--evals", "evals.jsonl", *rule), [])

    def test_the_same_bytes_for_any_threads_and_memory(self):
        items = [text(f"item {i}", 10 + i % 40) for i in range(200)]
        made = random.Random(7)
        self.evals(*items)
        self.documents(*(around(" ".join(made.sample(items, made.randrange(3))), i) for i in range(3000)))
        every = set()
        little = ["--threads", "3", "--memory", "96M", "--max-page", "1M"]
        for settings in (["--threads", "1"], ["--threads", "4"], little):
            self.kith("contaminated", "data.jsonl", "--evals", "evals.jsonl", "-o", "hits.tsv", "--write", "copy.jsonl",
                      *settings)
            with open(self.path("hits.tsv"), "rb") as hits, open(self.path("copy.jsonl"), "rb") as copy:
                every.add((hits.read(), copy.read()))
            os.remove(self.path("copy.jsonl"))
        self.assertEqual(len(every), 1)
        self.assertGreater(len(every.pop()[0]), 100_000)

    def test_hostile_items(self):
        self.write("evals.jsonl", b'{"id": "a", "text": "\xff\xfe \x00 bytes that are no text at all \x80"}\n'
                                  b'{"id": "b", "text": ""}\n{"id": "c"}\nno json\n'
                                  + json.dumps({"id": "d", "text": "+" * 300_000}).encode() + b"\n"
                                  + json.dumps({"id": "e", "text": "\u4eca\u5929\u7684\u5929\u6c14\u5f88\u597d\u554a"
                                                                   "\u6211\u4eec\u51fa\u53bb"}).encode() + b"\n")
        self.documents("+" * 100_000, "\u5427\u3002\u4eca\u5929\u7684\u5929\u6c14\u5f88\u597d\u554a\uff0c\u6211\u4eec"
                       "\u51fa\u53bb\u8d70\u8d70", "", "a " * 400_000)
        self.assertEqual(self.hits(), [("e", "d1")])

    def test_what_is_wrong_is_said(self):
        self.documents(text(1))
        self.evals(text(2, 20))
        self.write("odd.jsonl", jsonl([{"mystery": text(1), "number": 5}]))
        self.write("empty/x.md", "")

        def refused(*args, says, code=2):
            self.fails("contaminated", "data.jsonl", *args, says=says, code=code)

        refused("--evals", "odd.jsonl", says=["odd.jsonl", "mystery, number", "--eval-field"])
        refused("--evals", "evals.jsonl", "--eval-field", "answer", says=["`answer`", "id, question"])
        refused("--evals", "absent", says="absent", code=1)
        refused("--evals", "empty", says=["empty", "no test set"])
        refused("--evals", "evals.jsonl", "--suite", "other:width=5", says=["other", "evals"])
        refused("--evals", "evals.jsonl", "--suite", "evals", says="NAME:KEY=VALUE")
        refused("--evals", "evals.jsonl", "--suite", "evals:width=x", says="'width=x'")
        refused("--evals", "evals.jsonl", "--suite", "evals:rule=9-gram", says="'rule=9-gram'")
        refused("--evals", "evals.jsonl", "--width", "1", says="width")
        refused("--evals", "evals.jsonl", "--containment", "1.5", says="containment")
        refused("--evals", "evals.jsonl", "--json", says="-o FILE")
        self.write("data.jsonl", "")
        _, err = self.kith("contaminated", "data.jsonl", "--evals", "evals.jsonl", code=1)
        self.assertIn("nothing was read", err)


if __name__ == "__main__":
    unittest.main()
