"""kith dedup --max-documents: shingles of very many documents do not count."""

import json
import unittest

from kith_case import KithCase

FRAME = "home products news about us contact imprint privacy terms of use search sign in register help"
TOPICS = ("guitar chord melody rhythm harmony violin piano", "galaxy telescope nebula orbit comet quasar planet",
          "oven butter flour recipe sugar vanilla bread", "mast sail anchor harbour storm captain rudder")


class DedupCommonTest(KithCase):
    def setUp(self):
        super().setUp()
        documents = [{"id": f"d{i}", "text": f"{FRAME} {topic}"} for i, topic in enumerate(TOPICS)]
        documents += [{"id": "copy", "text": f"{FRAME} {TOPICS[0]}"}, {"id": "frame", "text": FRAME},
                      {"id": "frame2", "text": FRAME.upper()}]
        self.write("in.jsonl", "".join(json.dumps(document) + "\n" for document in documents))

    def kept(self, run):
        with open(self.path(f"{run}/keep.tsv"), encoding="utf-8") as file:
            return [line.split("\t")[0] for line in file.read().splitlines()[1:]]

    def test_a_frame_makes_no_duplicates(self):
        # No pair may be missed by chance.
        command = ("dedup", "in.jsonl", "--similarity", "0.4", "--recall", "0.99999", "-o")
        self.kith(*command, "framed")
        self.assertEqual(self.kept("framed"), ["d0"])
        self.kith(*command, "run", "--max-documents", "3")
        # The frame is all that two documents have: they keep it, and are equal still.
        self.assertEqual(self.kept("run"), ["d0", "d1", "d2", "d3", "frame"])
        shingles = len(FRAME.split()) - 4
        self.assertIn(f"{shingles} dropped that more than 3 documents have, {5 * shingles} times; "
                      "2 documents have no others and keep theirs", self.kith("info", "run")[0])
        report = json.loads(self.kith("info", "run", "--json")[0])["documents"]
        self.assertEqual((report["common_shingles"], report["dropped"], report["rescued"]), (shingles, 5 * shingles, 2))
        self.assertIn("match their checksums", self.kith("info", "run", "--verify")[1])
        self.fails(*command, "run", "--max-documents", "4", code=2,
                   says="--max-documents 3 instead of --max-documents 4")

    def test_exact_and_inlinks_too(self):
        self.kith("dedup", "in.jsonl", "-o", "exact", "--method", "exact", "--max-documents", "3")
        self.assertEqual(self.kept("exact"), ["d0", "d1", "d2", "d3", "frame"])
        pages = [{"url": f"https://a.example/{name}", "html": f"<p>{FRAME} {TOPICS[0]}{link}"} for name, link in
                 (("1", ""), ("2", ""), ("3", "<a href='2'></a>"))]
        self.write("pages.jsonl", "".join(json.dumps(page) + "\n" for page in pages))
        self.kith("dedup", "pages.jsonl", "-o", "pages", "--keep", "inlinks", "--max-documents", "3")
        self.assertEqual(self.kept("pages"), ["https://a.example/2"])


if __name__ == "__main__":
    unittest.main()
