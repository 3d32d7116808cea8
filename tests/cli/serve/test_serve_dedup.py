"""kith serve of runs of kith dedup: groups, pairs, documents, and the passages that two of them share."""

import gzip
import json
import os
import time

from kith_case import KithCase, jsonl, warc_gz
from kith_server import Server

FIRST = "the quick brown fox jumps over the lazy dog and runs into the dark forest behind the old mill"
SECOND = "a ship left the harbour at dawn with seven sailors and a cat that no one had ever seen before"


def documents():
    """Two families, a document with the words of another, a hostile one, and one that is alone."""
    texts = {"https://a.example/1": FIRST + " where it sleeps",
             "https://a.example/2": FIRST + " where it eats and waits",
             "https://b.example/1": SECOND,
             "https://b.example/2": SECOND.upper(),
             "https://b.example/3": SECOND + " that day",
             "https://alone.example/": "nothing here is like anything else in this small set of lines",
             "https://a.example/<script>": FIRST + " <script>alert(1)</script> where it sleeps"}
    return [{"url": url, "text": text} for url, text in texts.items()]


class ServeDedup(KithCase):
    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", jsonl(documents()))
        self.kith("dedup", "pages.jsonl", "-o", "copies", "--width", "2", "--similarity", "0.6")

    def serve(self, *arguments):
        return Server(self.folder, "copies", *arguments)

    def list_of(self, name, folder="copies"):
        with open(self.path(f"{folder}/{name}.tsv"), encoding="utf-8") as file:
            head, *rows = [line.rstrip("\n").split("\t") for line in file]
        return [dict(zip(head, row)) for row in rows]

    def test_groups_and_pairs_are_those_of_the_lists(self):
        rows = self.list_of("groups")
        with self.serve() as server:
            head, = server.get("/api/runs")[1]["runs"]
            self.assertEqual(head, {"name": "copies", "kind": "dedup", "documents": 7,
                                    "groups": int(rows[-1]["group"]),
                                    "removed": sum(row["role"] == "removed" for row in rows)})
            status, answer = server.get("/api/groups")
            self.assertEqual([group["kept"]["name"] for group in answer["groups"]],
                             [row["url"] for row in rows if row["role"] == "kept"])
            self.assertEqual(server.get("/api/groups", sort="smallest")[1]["groups"], answer["groups"][::-1])
            listed, pairs = [], []
            for group in answer["groups"]:
                own = server.get("/api/group", number=group["number"])[1]
                self.assertEqual(own["group"], group)
                listed += [(str(group["number"]), row["name"], row["role"], f"{row['resemblance']:.6f}",
                            f"{row['containment']:.6f}", f"{row['containment_of_kept']:.6f}", row.get("date", ""),
                            row["file"], str(row["record"])) for row in own["documents"]]
                pairs += [(pair["a"]["name"], pair["b"]["name"], f"{pair['resemblance']:.6f}",
                           f"{pair['containment_of_a']:.6f}", f"{pair['containment_of_b']:.6f}")
                          for pair in server.get("/api/pairs", number=group["number"])[1]["pairs"]]
            places = ("offset", "digest")  # which the server does not tell
            self.assertEqual(listed, [tuple(value for name, value in row.items() if name not in places)
                                      for row in rows])
            self.assertEqual(sorted(pairs), sorted(tuple(row.values()) for row in self.list_of("pairs")))
            # Page by page they are the same.
            whole = server.get("/api/pairs", number=1)[1]
            parts = [server.get("/api/pairs", number=1, size=1, page=page + 1)[1]
                     for page in range(whole["list"]["rows"])]
            self.assertEqual([part["pairs"][0] for part in parts], whole["pairs"])
            self.assertTrue(all(part["list"]["rows"] == whole["list"]["rows"] for part in parts))

    def test_a_document(self):
        with self.serve() as server:
            document = server.get("/api/document", name="https://b.example/2")[1]["document"]
            self.assertEqual((document["id"], document["role"], document["file"], document["record"]),
                             (3, "removed", "pages.jsonl", 3))
            self.assertEqual(document["equal_to"], {"id": 2, "name": "https://b.example/1"})
            self.assertEqual(server.get("/api/document", id=3)[1]["document"], document)
            self.assertEqual(server.get("/api/group", id=3)[1]["group"]["number"], document["group"])
            pairs = server.get("/api/pairs", id=3)[1]["pairs"]
            self.assertEqual([(pair["a"]["id"], pair["b"]["id"], pair["resemblance"]) for pair in pairs], [(2, 3, 1)])
            alone = server.get("/api/document", name="https://alone.example/")[1]["document"]
            self.assertEqual((alone["role"], "group" in alone), ("kept", False))
            self.assertEqual(server.get("/api/group", id=alone["id"])[0], 404)

    def test_two_documents_side_by_side(self):
        exact = json.loads(self.kith("compare", "--run", "copies", "https://a.example/1", "https://a.example/2",
                                     "--json")[0])
        with self.serve() as server:
            status, answer = server.get("/api/overlap", a="https://a.example/1", b="https://a.example/2")
            self.assertEqual(status, 200)
            self.assertEqual(answer["overlap"]["resemblance"], exact["resemblance"])
            self.assertEqual(answer["texts"]["state"], "found")
            passages = answer["texts"]["passages"]
            for side, number in (("a", 0), ("b", 1)):
                # Passages cover a text from end to end.
                self.assertEqual("".join(passage.get(side, "") for passage in passages).split(),
                                 documents()[number]["text"].split())
            shared = [passage for passage in passages if passage["kind"] == "shared"]
            self.assertTrue(shared[0]["a"].startswith("the quick brown fox"))
            self.assertIn("only_b", [passage["kind"] for passage in passages])
            self.assertEqual(server.get("/api/overlap", a_id=0, b_id=1)[1], answer)
            # The text of a stranger is JSON, whatever is in it.
            status, body, headers = server.request("/api/overlap?a_id=0&b_id=6")
            self.assertEqual(headers["Content-Type"], "application/json")
            passages = json.loads(body)["texts"]["passages"]
            self.assertIn("<script>", "".join(passage.get("b", "") for passage in passages))

    def test_texts_of_archives_and_packed_files(self):
        pages = [{"url": f"https://w.example/{number}", "html": f"<p>{FIRST} {number} {SECOND}"}
                 for number in range(40)]
        self.write("crawl.warc.gz", warc_gz(pages))
        self.write("lines.jsonl.gz", gzip.compress(jsonl([{"url": page["url"] + "/x", "html": page["html"]}
                                                          for page in pages]).encode()))
        self.write("site/one.html", f"<p>{FIRST} in a file of its own")
        self.kith("dedup", "crawl.warc.gz", "lines.jsonl.gz", "site", "--base-url", "https://site.example/",
                  "-o", "mixed")
        with Server(self.folder, "mixed") as server:
            for a, b in ((0, 79), (39, 40), (12, 13), (80, 5)):
                texts = server.get("/api/overlap", a_id=a, b_id=b)[1]["texts"]
                self.assertEqual(texts["state"], "found", texts)
                text = "".join(passage.get("a", "") for passage in texts["passages"])
                self.assertIn("in a file" if a == 80 else f"mill {a % 40} a ship", text)

    def test_without_the_input_it_says_so(self):
        def reason(*, of=("a_id", 0, "b_id", 1)):
            with self.serve() as server:
                answer = server.get("/api/overlap", **{of[0]: of[1], of[2]: of[3]})[1]
                self.assertGreater(answer["overlap"]["resemblance"], 0.5)
                self.assertEqual(answer["texts"]["state"], "none")
                self.assertNotIn(self.folder, answer["texts"]["reason"])
                return answer["texts"]["reason"]
        lines = jsonl(documents())
        self.write("pages.jsonl", lines.replace("quick", "quiet"))
        self.assertEqual(reason(), "The input pages.jsonl has changed since the run was made.")
        self.write("pages.jsonl", "\n" + lines)
        self.assertIn("has changed", reason())
        os.remove(self.path("pages.jsonl"))
        self.assertIn("is not where it was", reason())
        os.mkfifo(self.path("pages.jsonl"))  # is never waited for
        self.assertIn("is not where it was", reason())
        self.kith("dedup", "-", "-o", "piped", "--width", "2", "--similarity", "0.6", stdin=lines.encode())
        with Server(self.folder, "piped") as server:
            texts = server.get("/api/overlap", a_id=0, b_id=1)[1]["texts"]
            self.assertIn("standard input", texts["reason"])

    def test_texts_that_are_too_long_are_not_compared(self):
        letters = str.maketrans("0123456789", "abcdefghij")
        long = " ".join(f"word{number}".translate(letters) for number in range(150_000))
        self.write("long.jsonl", jsonl([{"url": "https://l.example/1", "text": long},
                                        {"url": "https://l.example/2", "text": long + " end"}]))
        self.kith("dedup", "long.jsonl", "-o", "long")
        with Server(self.folder, "long") as server:
            answer = server.get("/api/overlap", a_id=0, b_id=1)[1]
            self.assertGreater(answer["overlap"]["resemblance"], 0.99)
            self.assertIn("too long", answer["texts"]["reason"])

    def test_what_an_earlier_run_has(self):
        self.write("more.jsonl", jsonl([{"url": "https://new.example/", "text": FIRST + " where it sleeps"}]))
        self.kith("dedup", "more.jsonl", "-o", "later", "--width", "2", "--similarity", "0.6", "--against", "copies")
        with Server(self.folder, "later") as server:
            document = server.get("/api/document", id=0)[1]["document"]
            self.assertEqual(document["role"], "removed")
            self.assertEqual(document["earlier"]["name"], self.list_of("against", "later")[0]["match"])
            self.assertEqual(document["earlier"]["run"], "copies")
            self.assertEqual(server.get("/api/runs")[1]["runs"][0]["removed"], 1)

    def test_search_and_report(self):
        with self.serve() as server:
            answer = server.get("/api/search", q="B.example")[1]
            self.assertEqual([(row["kind"], row["id"]) for row in answer["results"]],
                             [("document", 2), ("document", 3), ("document", 4)])
            self.assertTrue(answer["complete"])
            self.assertEqual(len(server.get("/api/search", q="example", n=2)[1]["results"]), 2)
            status, answer = server.get("/api/run")
            self.assertEqual(answer["report"]["documents"]["documents"], 7)
            sizes = [int(row["group"]) for row in self.list_of("groups")]
            self.assertEqual(sum(size * count for size, count in answer["distributions"]["group_sizes"]), len(sizes))
            pairs = answer["distributions"]["pair_similarity"]
            self.assertEqual(sum(pairs["counts"]), pairs["sampled"])
            self.assertEqual(pairs["pairs"], sum(row["resemblance"] != "1.000000" for row in self.list_of("pairs")))

    def test_runs_of_both_kinds(self):
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--min-df", "1", "--max-df", "1")
        with Server(self.folder, "copies", "run") as server:
            self.assertEqual([(run["name"], run["kind"]) for run in server.get("/api/runs")[1]["runs"]],
                             [("copies", "dedup"), ("run", "cluster")])
            # A question goes to the first run that it can be asked of.
            self.assertEqual(server.get("/api/page", url="https://a.example/1")[0], 200)
            self.assertEqual(server.get("/api/groups")[0], 200)
            self.assertEqual(server.get("/api/groups", run="run"), (404, {"error": {"status": 404, "message":
                             "/api/groups is asked of runs of kith dedup, which 'run' is not"}}))
            self.assertEqual(server.get("/api/topic/1", run="copies")[0], 404)

    def test_errors(self):
        with self.serve() as server:
            for target, status, says in (
                    ("/api/group", 400, "'name' is missing"),
                    ("/api/group?number=0", 400, "number=0"),
                    ("/api/group?number=99", 404, "no group 99"),
                    ("/api/group?number=1&id=1", 400, "give one of them"),
                    ("/api/document?id=7", 404, "no document 7"),
                    ("/api/document?id=-1", 400, "id=-1"),
                    ("/api/document?name=../../etc/passwd", 404, "no document named ../../etc/passwd"),
                    ("/api/overlap?a_id=0", 400, "'b' is missing"),
                    ("/api/overlap?a=x&a_id=0&b_id=1", 400, "give one of them"),
                    ("/api/overlap?a_id=0&b_id=1&file=/etc/passwd", 400, "no parameter 'file'"),
                    ("/api/pairs?number=1&page=4294967295&size=1000", 200, ""),
                    ("/api/groups?sort=best", 400, "largest, smallest"),
                    ("/api/related?url=https://a.example/1", 404, "no run of kith cluster")):
                got, body, _ = server.request(target)
                self.assertEqual(got, status, target)
                self.assertIn(says, json.dumps(json.loads(body)), target)
                self.assertNotIn(self.folder.encode(), body)

    def test_damage_is_told_to_the_owner_only(self):
        with open(self.path("copies/shingles.kith"), "r+b") as file:
            size = os.path.getsize(self.path("copies/shingles.kith"))
            for at in range(100, size - 100, 64):
                file.seek(at)
                byte = file.read(1)[0]
                if byte == 0:
                    continue
                file.seek(at)
                file.write(bytes([byte ^ 1]))
                break
        with self.serve() as server:
            answers = [server.get("/api/overlap", a_id=a, b_id=b) for a, b in ((0, 1), (2, 4))]
            self.assertIn(500, [status for status, _ in answers])
            self.assertNotIn(self.folder, json.dumps(answers))

    def test_it_is_there_at_once(self):
        start = time.monotonic()
        with self.serve() as server:
            self.assertEqual(server.get("/healthz")[0], 200)
        self.assertLess(time.monotonic() - start, 10)


if __name__ == "__main__":
    import unittest
    unittest.main()
