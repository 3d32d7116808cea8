"""kith dedup --unit: passages below the document."""

import gzip
import json
import os
import random
import signal
import subprocess
import time
import unittest

from kith_case import KITH, KithCase, warc_gz

COMMON = ("all rights are reserved by the owners of this site and nothing here may be copied without "
          "their written consent except for personal use at home").split()


def words(seed, count=40):
    rng = random.Random(seed)
    return ["".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(6)) for _ in range(count)]


def pages(count=6, common=COMMON):
    """Texts that have a passage in common, each between words of its own."""
    return [{"url": f"https://{'ab'[i % 2]}.example/{i}",
             "text": " ".join([*words(2 * i), *common, *words(2 * i + 1)])} for i in range(count)]


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


class PassagesTest(KithCase):
    def texts(self, *args, name="texts.jsonl"):
        """What is written, as rows; runs anew."""
        for number in range(100):
            run = f"run{number}"
            if not os.path.exists(self.path(run)):
                break
        if os.path.exists(self.path(name)):
            os.remove(self.path(name))
        self.err = self.kith("dedup", "in.jsonl", "-o", run, "--write", name, *args)[1]
        self.run_folder = run
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def report(self):
        with open(self.path(f"{self.run_folder}/report.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_removes_keeps_one_and_marks(self):
        self.write("in.jsonl", lines(pages()))
        span = ("--unit", "span", "--min-tokens", "20")
        own = [" ".join([*words(2 * i), *words(2 * i + 1)]) for i in range(6)]
        self.assertEqual([row["text"] for row in self.texts(*span)], own)
        self.assertIn("cut         6 places in 6 documents", self.err)
        first = self.texts(*span, "--passages", "first")
        whole = [page["text"] for page in pages()]
        kept = [i for i in range(6) if first[i]["text"] == whole[i]]
        self.assertEqual(len(kept), 1)
        self.assertEqual([row["text"] for i, row in enumerate(first) if i not in kept],
                         [text for i, text in enumerate(own) if i not in kept])
        marked = self.texts(*span, "--passages", "mark")
        for row, page in zip(marked, pages()):
            self.assertEqual(row["text"], page["text"])
            (begin, end), = row["kith_passages"]
            self.assertEqual(row["text"][begin:end].split(), COMMON)
        self.assertEqual([row["url"] for row in marked], [page["url"] for page in pages()])

    def test_lists_say_what_who_and_how_much(self):
        self.write("in.jsonl", lines([*pages(5), {"url": "https://c.example/", "text": " ".join(COMMON)}]))
        self.texts("--unit", "span", "--min-tokens", "20", "--high-loss", "0.9")
        passage, = self.list(f"{self.run_folder}/passages.tsv")
        self.assertEqual(passage["text"], " ".join(COMMON))
        self.assertEqual((passage["documents"], passage["hosts"]), ("6", "3"))
        self.assertEqual(passage["most_on"], "a.example:3, b.example:2, c.example:1")
        losses = self.list(f"{self.run_folder}/losses.tsv")
        self.assertEqual(len(losses), 6)
        self.assertEqual([loss["high"] for loss in losses], ["false"] * 5 + ["true"])
        self.assertEqual(losses[5]["share"], "1.000000")
        for loss, page in zip(losses, pages(5)):
            self.assertEqual(int(loss["lost_bytes"]), len(" ".join(COMMON)) + 1)
            self.assertEqual(int(loss["bytes"]), len(page["text"]))
        self.assertIn("1 document loses more than 90.0 % of the text", self.err)
        self.assertIn("1 document is of nothing else", self.err)
        report = self.report()
        self.assertEqual(report["most"], [{"document": "https://c.example/",
                                           "text_bytes": len(" ".join(COMMON)),
                                           "lost_bytes": len(" ".join(COMMON))}])
        self.assertEqual([host["name"] for host in report["hosts"]], ["a.example", "b.example", "c.example"])
        self.assertEqual(sum(host["changed"] for host in report["hosts"]), 6)

    def test_formats(self):
        self.write("in.jsonl", lines(pages()))
        for format in ("csv", "jsonl"):
            self.texts("--unit", "span", "--min-tokens", "20", "--format", format)
            with open(self.path(f"{self.run_folder}/passages.{format}"), encoding="utf-8") as file:
                self.assertIn(" ".join(COMMON), file.read())
        self.assertTrue(os.path.exists(self.path(f"{self.run_folder}/losses.jsonl")))

    def test_more_than_so_many_documents(self):
        self.write("in.jsonl", lines(pages(3)))
        span = ("--unit", "span", "--min-tokens", "20")
        for most, changed in ((1, 3), (2, 3), (3, 0)):
            self.texts(*span, "--max-documents", str(most))
            self.assertEqual(self.report()["passages"]["changed"], changed)
        # How often a passage stands in one document does not count.
        self.write("in.jsonl", lines([{"id": "a", "text": " ".join(COMMON * 3)}]))
        self.texts(*span)
        self.assertEqual(self.report()["passages"]["changed"], 0)

    def test_equal_are_tokens_not_bytes(self):
        shouted = [word.upper() + "," for word in COMMON]
        self.write("in.jsonl", lines([pages(1)[0], {"id": "loud", "text": " ".join(shouted)}]))
        rows = self.texts("--unit", "span", "--min-tokens", "20")
        self.assertEqual(rows[1], {"id": "loud", "text": ""})
        rows = self.texts("--unit", "span", "--min-tokens", "20", "--raw")
        self.assertEqual(rows[1]["text"], " ".join(shouted))

    def test_rows_of_json_lines_keep_all_else(self):
        shared = " ".join(COMMON)
        rows = [
            '{"score" : 1.50, "id": 7, "text":"ein \\u00e4 %s \\"Ende\\"\\n", "meta": {"text": "%s"}} ',
            '{"text": "%s","big":123456789012345678901234567890,"tags":["a",null]}',
            '{"id": "none", "other": "%s"}',
            '{"id": "null", "text": null, "other": 1}',
        ]
        rows = [row.replace("%s", shared) for row in rows]
        self.write("in.jsonl", "".join(row + "\n" for row in rows))
        span = ("--unit", "span", "--min-tokens", "20")
        self.texts(*span)
        with open(self.path("texts.jsonl"), encoding="utf-8") as file:
            written = file.read().splitlines()
        self.assertEqual(written, [
            rows[0].replace(f"\\u00e4 {shared} ", "ä ", 1), rows[1].replace(shared, "", 1), rows[2], rows[3]])
        marked = self.texts(*span, "--passages", "mark")
        for row, before in zip(marked, map(json.loads, rows)):
            places = row.pop("kith_passages")
            self.assertEqual(row, before)
            self.assertEqual([before["text"][begin:end].split() for begin, end in places],
                             [COMMON] if before.get("text") else [])
        self.write("in.jsonl", lines([{"u": f"https://a.example/{i}", "m": f"<p>{shared}</p><p>x{i}</p>", "k": i}
                                      for i in range(2)]))
        self.assertEqual(self.texts(*span, "--html-field", "m", "--url-field", "u"),
                         [{"url": f"https://a.example/{i}", "text": f"x{i}\n"} for i in range(2)])

    def test_lines_and_paragraphs(self):
        self.write("in.jsonl", lines([
            {"id": "a", "text": "Home\nAbout us\n\nA text of its own.\n"},
            {"id": "b", "text": "home\nAnother text.\n\nAbout us\n"},
            {"id": "c", "text": "Home\nABOUT US\n\nThe third."}]))
        rows = self.texts("--unit", "line")
        self.assertEqual([row["text"] for row in rows],
                         ["\nA text of its own.\n", "Another text.\n\n", "\nThe third."])
        rows = self.texts("--unit", "line", "--min-tokens", "2")
        self.assertEqual(rows[1]["text"], "home\nAnother text.\n\n")
        rows = self.texts("--unit", "paragraph")
        self.assertEqual([row["text"] for row in rows],
                         ["A text of its own.\n", "home\nAnother text.\n\nAbout us\n", "The third."])

    def test_blocks_of_markup_are_lines(self):
        html = "<nav><p>Start page</p></nav><p>{}</p><p>Legal notice &amp; terms</p>"
        self.write("in.warc.gz", warc_gz([
            {"url": f"https://example.org/{i}", "html": html.format(" ".join(words(i)))} for i in range(3)]))
        self.kith("dedup", "in.warc.gz", "-o", "run", "--unit", "line", "--write", "texts.jsonl")
        with open(self.path("texts.jsonl"), encoding="utf-8") as file:
            texts = [json.loads(line)["text"].strip() for line in file]
        self.assertEqual(texts, [" ".join(words(i)) for i in range(3)])

    def test_whole_sentences(self):
        shared = "is new. This sentence is the same in both of them. And so is"
        self.write("in.jsonl", lines([{"id": "a", "text": f"What he said {shared} the end of it. Bye."},
                                      {"id": "b", "text": f"All that {shared} another one. Ciao."}]))
        rows = self.texts("--unit", "span", "--min-tokens", "10", "--sentences")
        self.assertEqual([row["text"] for row in rows],
                         ["What he said is new. And so is the end of it. Bye.",
                          "All that is new. And so is another one. Ciao."])
        rows = self.texts("--unit", "span", "--min-tokens", "10")
        self.assertEqual(rows[0]["text"], "What he said the end of it. Bye.")

    def test_scripts_without_blanks(self):
        shared = "今天天气很好我们一起去公园散步看见了很多美丽的花朵和高大的树木"
        thai = "ภาษาไทยเป็นภาษาที่มีความสวยงามและมีประวัติศาสตร์อันยาวนาน"
        self.write("in.jsonl", lines([{"id": "a", "text": f"第一个文本，{shared}，结束了。"},
                                      {"id": "b", "text": f"另外一个，{shared}。"},
                                      {"id": "c", "text": f"เขาพูดว่า {thai} จบแล้ว"},
                                      {"id": "d", "text": f"หนังสือ{thai}เล่มนี้"}]))
        rows = self.texts("--unit", "span", "--min-tokens", "12")
        self.assertNotIn("公园", rows[0]["text"])
        self.assertIn("第一个文本，", rows[0]["text"])
        self.assertTrue(rows[1]["text"].startswith("另外一个，"), rows[1]["text"])
        self.assertEqual(rows[2]["text"], "เขาพูดว่า จบแล้ว")
        self.assertEqual(rows[3]["text"], "หนังสือเล่มนี้")

    def test_order_threads_and_memory_change_nothing(self):
        rng = random.Random(4)
        parts = [" ".join(words(i, 30)) for i in range(40)]
        rows = [{"id": f"d{i}", "text": " ".join([*words(1000 + i, 8), *rng.choices(parts, k=4)])}
                for i in range(200)]
        self.write("in.jsonl", lines(rows))
        span = ("--unit", "span", "--min-tokens", "12", "--passages", "first")
        expected = {row["id"]: row["text"] for row in self.texts(*span)}
        lists = [self.list(f"{self.run_folder}/{name}.tsv") for name in ("passages", "losses")]
        self.assertEqual(len(lists[0]), 40)
        rng.shuffle(rows)
        os.makedirs(self.path("parts"))
        for i in range(4):
            self.write(f"parts/{i}.jsonl", lines(rows[i::4]))
        for threads, memory in (("1", "96M"), ("3", "1G")):
            self.kith("dedup", "parts", "-o", f"other{threads}", "--write", f"o{threads}.jsonl", *span,
                      "--threads", threads, "--memory", memory)
            with open(self.path(f"o{threads}.jsonl"), encoding="utf-8") as file:
                written = [json.loads(line) for line in file]
            self.assertEqual({row["id"]: row["text"] for row in written}, expected)
            self.assertEqual(self.list(f"other{threads}/passages.tsv"), lists[0])
            losses = [{**loss, "file": "", "record": ""} for loss in self.list(f"other{threads}/losses.tsv")]
            before = [{**loss, "file": "", "record": ""} for loss in lists[1]]
            self.assertEqual(sorted(losses, key=str), sorted(before, key=str))

    def test_hostile_texts(self):
        mega = 1 << 20
        rows = [{"id": "spaces", "text": " " * mega}, {"id": "one", "text": "x" * mega},
                {"id": "same", "text": "a " * (mega // 2)}, {"id": "same again", "text": "A " * (mega // 2)},
                {"id": "marks", "text": "." * mega + " end " + "-" * mega},
                {"id": "lines", "text": "\n" * mega}, {"id": "empty", "text": ""},
                {"id": "symbols", "text": "+" * mega}, {"id": "thai", "text": "ก" * (mega // 3)},
                {"id": "joined", "text": "a-" * (mega // 2)}]
        self.write("in.jsonl", lines(rows))
        for unit in ("span", "line", "paragraph"):
            written = self.texts("--unit", unit)
            self.assertEqual([row["id"] for row in written], [row["id"] for row in rows])
            self.assertEqual(written[2]["text"], "")
            self.assertEqual(written[0]["text"], rows[0]["text"])
        self.texts("--unit", "span", "--sentences", "--min-tokens", "2")

    def test_standard_input_and_packed(self):
        self.write("in.jsonl", lines(pages()))
        expected = self.texts("--unit", "span", "--min-tokens", "20")
        self.kith("dedup", "-", "-o", "piped", "--unit", "span", "--min-tokens", "20", "--write", "p.jsonl",
                  stdin=gzip.compress(lines(pages()).encode()))
        with open(self.path("p.jsonl"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line) for line in file], expected)

    def test_the_same_command_again(self):
        self.write("in.jsonl", lines(pages()))
        command = ("dedup", "in.jsonl", "-o", "run", "--unit", "span", "--min-tokens", "20", "--write", "t.jsonl")
        self.kith(*command)
        with open(self.path("t.jsonl"), "rb") as file:
            texts = file.read()
        changed = os.stat(self.path("t.jsonl")).st_mtime_ns
        self.kith(*command)
        self.assertEqual(os.stat(self.path("t.jsonl")).st_mtime_ns, changed)
        os.remove(self.path("t.jsonl"))
        self.kith(*command)
        with open(self.path("t.jsonl"), "rb") as file:
            self.assertEqual(file.read(), texts)
        self.fails(*command, "--passages", "first", code=2, says="run: ")
        self.write("t.jsonl", "of somebody else")
        self.fails(*command, code=2, says="t.jsonl")
        self.fails("dedup", "in.jsonl", "-o", "new", "--unit", "line", "--write", "t.jsonl", code=2,
                   says="--write t.jsonl: exists")
        self.assertFalse(os.path.exists(self.path("new")))

    def test_killed_it_begins_again(self):
        rng = random.Random(1)
        parts = [" ".join(words(i, 60)) for i in range(300)]
        self.write("in.jsonl", lines([{"id": f"d{i}", "text": " ".join(rng.choices(parts, k=20))}
                                      for i in range(1500)]))
        command = ["dedup", "in.jsonl", "-o", "run", "--unit", "span", "--write", "t.jsonl", "--threads", "1"]
        start = time.monotonic()
        self.kith(*command)
        whole = time.monotonic() - start
        with open(self.path("t.jsonl"), "rb") as file:
            texts = file.read()
        passages = self.list("run/passages.tsv")
        for share in (0.1, 0.4, 0.7, 0.95):
            subprocess.run(["rm", "-rf", self.path("run"), self.path("t.jsonl")], check=True)
            with subprocess.Popen([KITH, *command], cwd=self.folder, stderr=subprocess.DEVNULL) as process:
                time.sleep(whole * share)
                process.send_signal(signal.SIGKILL)
            self.kith(*command)
            with open(self.path("t.jsonl"), "rb") as file:
                self.assertEqual(file.read(), texts)
            self.assertEqual(self.list("run/passages.tsv"), passages)
            self.assertEqual(sorted(os.listdir(self.path("run"))),
                             ["losses.tsv", "manifest.json", "passages.tsv", "report.json"])
            self.assertFalse(os.path.exists(self.path("t.jsonl.tmp")))

    def test_options_that_do_nothing_are_refused(self):
        self.write("in.jsonl", lines(pages()))
        command = ("dedup", "in.jsonl", "-o", "run")
        for option in (("--similarity", "0.9"), ("--keep", "longest"), ("--method", "exact"), ("--width", "5"),
                       ("--shard", "1/2"), ("--revisit",), ("--against", "x"), ("--captures", "first"),
                       ("--url-rules", "common")):
            self.fails(*command, "--unit", "span", *option, code=2,
                       says=f"{option[0]}: has no effect with --unit span")
        for option in (("--min-tokens", "5"), ("--passages", "mark"), ("--sentences",), ("--high-loss", "1"),
                       ("--examples", "5")):
            self.fails(*command, *option, code=2, says=f"{option[0]}: has no effect with --unit document")
        self.fails(*command, "--unit", "line", "--sentences", code=2, says="--unit span")
        self.fails(*command, "--unit", "span", "--min-tokens", "513", code=2, says="--min-tokens 513")
        self.fails(*command, "--unit", "span", "--passages", "mark", code=2, says="--write")
        self.fails(*command, "--unit", "span", "--high-loss", "2", code=2, says="--high-loss 2")
        self.assertFalse(os.path.exists(self.path("run")))

    def test_nothing_to_read(self):
        self.write("in.jsonl", "")
        self.kith("dedup", "in.jsonl", "-o", "run", "--unit", "span", code=1)

    def test_info_and_other_commands(self):
        self.write("in.jsonl", lines(pages()))
        self.kith("dedup", "in.jsonl", "-o", "run", "--unit", "span", "--min-tokens", "20")
        out = self.kith("info", "run")[0]
        self.assertIn("6 places in 6 documents", out)
        self.assertIn("b.example", out)
        with open(self.path("run/report.json"), encoding="utf-8") as file:
            report = json.load(file)
        del report["checksum"]
        self.assertEqual(json.loads(self.kith("info", "run", "--json")[0]), report)
        self.assertIn("sorting units", self.kith("info", "run", "--memory")[0])
        self.assertIn("match their checksums", self.kith("info", "run", "--verify")[1])
        self.write("run/losses.tsv", "changed")
        self.fails("info", "run", "--verify", says="run/losses.tsv: was changed")
        for command in (("clusters", "run"), ("dedup", "in.jsonl", "-o", "run"),
                        ("dedup", "in.jsonl", "-o", "x", "--against", "run")):
            self.fails(*command, code=2, says="one of 'kith dedup --unit'")


if __name__ == "__main__":
    unittest.main()
