"""kith dedup --write --revisit: records in place of those that are removed."""

import gzip
import json
import unittest

from kith_case import KithCase, jsonl
from test_dates import dated_record

KEPT, LATER, NEAR = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "2022-01-01T00:00:00.500Z"
DIGEST = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
WORDS = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300))


def records_of(content):
    """The records of a WARC file, each a dict of its fields with the block under None."""
    records = []
    while content:
        head, _, rest = content.partition(b"\r\n\r\n")
        version, *lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines)
        length = int(fields["Content-Length"])
        fields[None] = rest[:length]
        assert version in ("WARC/1.0", "WARC/1.1"), version
        assert rest[length:length + 4] == b"\r\n\r\n", rest[length:length + 20]
        records.append(fields)
        content = rest[length + 4:]
    return records


class RevisitTest(KithCase):
    def setUp(self):
        super().setUp()
        with_digest = [f"WARC-Payload-Digest: {DIGEST}"]
        self.records = [
            dated_record("http://a.test/", f"<p>{WORDS}", KEPT, fields=with_digest),
            dated_record("http://b.test/", "<p>another text that stays as it is", KEPT),
            dated_record("http://a.test/", f"<p>{WORDS}", LATER, fields=with_digest),
            dated_record("http://c.test/", f"<p>{WORDS} with more", NEAR),
            dated_record("http://d.test/", f"<p>{WORDS}", None),
        ]

    def dedup(self, name, content, *options):
        self.write(name, content)
        _, said = self.kith("dedup", name, "-o", f"run-{name}", "--write", f"copy-{name}", "--revisit",
                           "--boilerplate", "keep", *options)
        with open(self.path(f"copy-{name}"), "rb") as copy:
            return copy.read(), said

    def check(self, content):
        kept, stays, revisit, metadata = records_of(content)
        self.assertEqual((kept["WARC-Type"], stays["WARC-Type"]), ("response", "response"))
        self.assertEqual(revisit.pop("WARC-Record-ID")[:10], "<urn:uuid:")
        self.assertEqual(revisit, {
            "WARC-Type": "revisit", "WARC-Target-URI": "http://a.test/", "WARC-Date": LATER,
            "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To-Target-URI": "http://a.test/", "WARC-Refers-To-Date": KEPT,
            "WARC-Payload-Digest": DIGEST, "Content-Length": "0", None: b""})
        self.assertRegex(metadata["WARC-Record-ID"],
                         r"^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$")
        self.assertEqual((metadata["WARC-Type"], metadata["WARC-Target-URI"], metadata["WARC-Date"]),
                         ("metadata", "http://c.test/", NEAR))
        self.assertRegex(metadata[None].decode(), f"^near-duplicate-of: http://a.test/\r\n"
                         f"near-duplicate-of-date: {KEPT}\r\nresemblance: 0\\.9[0-9]{{5}}\r\n$")

    def test_they_stand_where_the_others_stood(self):
        content, said = self.dedup("plain.warc", b"".join(self.records))
        self.assertTrue(content.startswith(self.records[0] + self.records[1]))
        self.check(content)
        self.assertIn("without 3 records, 2 replaced by a revisit or metadata record", said)

    def test_in_compressed_files(self):
        singly = b"".join(gzip.compress(record, mtime=0) for record in self.records)
        content, _ = self.dedup("singly.warc.gz", singly)
        self.check(gzip.decompress(content))
        self.assertTrue(content.startswith(b"".join(gzip.compress(record, mtime=0) for record in self.records[:2])))
        together, _ = self.dedup("together.warc.gz", gzip.compress(b"".join(self.records), mtime=0))
        self.check(gzip.decompress(together))
        pairs = [b"".join(self.records[i:i + 2]) for i in (0, 2, 4)]
        content, _ = self.dedup("pairs.warc.gz", b"".join(gzip.compress(pair, mtime=0) for pair in pairs))
        self.check(gzip.decompress(content))
        # A member may end in the middle of a record.
        content = b"".join(self.records)
        cut = len(b"".join(self.records[:2])) + 60
        self.check(gzip.decompress(self.dedup("odd.warc.gz", gzip.compress(content[:cut], mtime=0) +
                                              gzip.compress(content[cut:], mtime=0))[0]))

    def test_kith_reads_what_it_wrote(self):
        self.dedup("a.warc", b"".join(self.records))
        self.kith("cluster", "copy-a.warc", "-o", "again")
        crawl = json.loads(self.kith("info", "again", "--json")[0])["crawl"]
        self.assertEqual((crawl["pages"], dict(crawl["skipped"])), (2, {"other_record": 1, "revisit": 1}))
        self.assertEqual(crawl["lost_revisits"], 0)

    def test_what_an_earlier_run_has(self):
        self.write("old.warc", self.records[0])
        self.kith("dedup", "old.warc", "-o", "old", "--boilerplate", "keep")
        content, _ = self.dedup("new.warc", self.records[2] + self.records[1], "--against", "old")
        first, second = records_of(content)
        self.assertEqual(first["WARC-Type"], "metadata")
        self.assertEqual(first[None], b"near-duplicate-of: http://a.test/\r\nresemblance: 1.000000\r\n")
        self.assertEqual(second["WARC-Target-URI"], "http://b.test/")

    def test_the_same_command_knows_its_copy(self):
        first, _ = self.dedup("a.warc", b"".join(self.records))
        again, _ = self.dedup("a.warc", b"".join(self.records), "--threads", "2")
        self.assertEqual(again, first)
        self.fails("dedup", "a.warc", "-o", "run-a.warc", "--write", "copy-a.warc", "--boilerplate", "keep", code=2,
                   says=["copy-a.warc", "with --revisit"])

    def test_other_files_have_no_such_records(self):
        self.write("a.jsonl", jsonl([{"id": 1, "text": "some text"}] * 2))
        self.write("b.warc", self.records[0])
        self.fails("dedup", "b.warc", "a.jsonl", "-o", "run", "--write", "copy", "--revisit", code=2,
                   says=["a.jsonl", "WARC"])
        self.fails("dedup", "b.warc", "-o", "run", "--revisit", code=2, says="--write")


if __name__ == "__main__":
    unittest.main()
