#!/usr/bin/python3
"""Crawls in zip files (WACZ) and tars, and files packed by xz, bzip2 and lz4."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import struct
import tarfile
import unittest
import zipfile

from kith_case import KithCase, jsonl, topic_pages, warc_gz, warc_record

PAGES = topic_pages(4)
FIRST, SECOND = PAGES[:6], PAGES[6:]
DATAPACKAGE = json.dumps({"profile": "data-package", "wacz_version": "1.1.1"})
LIST_OF_PAGES = ('{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n'
                 '{"url": "https://list.example/", "title": "T", "text": "a text of the list"}\n')


def zipped(files, method=zipfile.ZIP_STORED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def wacz(method=zipfile.ZIP_STORED):
    return zipped({"archive/a.warc.gz": warc_gz(FIRST), "archive/b.warc.gz": warc_gz(SECOND),
                   "pages/pages.jsonl": LIST_OF_PAGES, "indexes/index.cdx": "x",
                   "datapackage.json": DATAPACKAGE}, method)


def tarred(files, form=tarfile.PAX_FORMAT):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, content in files.items():
            content = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def lz4_frame(content):
    """One frame of stored blocks of 64 KiB, without checksums."""
    blocks = [content[at:at + 65536] for at in range(0, len(content), 65536)]
    return (b"\x04\x22\x4d\x18\x60\x40\x82" + b"".join(
        struct.pack("<I", len(block) | 1 << 31) + block for block in blocks) + bytes(4))


def encrypted(content):
    """A zip file whose members say that they are encrypted."""
    changed = bytearray(content)
    for magic, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = changed.find(magic)
        while at >= 0:
            changed[at + place] |= 1
            at = changed.find(magic, at + 1)
    return bytes(changed)


class Containers(KithCase):
    def setUp(self):
        super().setUp()
        self.write("plain/archive/a.warc.gz", warc_gz(FIRST))
        self.write("plain/archive/b.warc.gz", warc_gz(SECOND))

    def urls(self, *inputs, stdin=None):
        out, _ = self.kith("crawl", *inputs, stdin=stdin)
        return [line.split("\t")[0] for line in out.splitlines()[1:]]

    def crawl_counts(self, run):
        return json.loads(self.kith("info", run, "--json")[0])["crawl"]

    def test_a_wacz_is_read_as_its_warcs(self):
        self.kith("cluster", "plain", "-o", "wanted", "--bags", "content")
        wanted = self.files_of("wanted")
        for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED),
                             ("bzip2", zipfile.ZIP_BZIP2)):
            self.write(f"{name}.wacz", wacz(method))
            self.kith("cluster", f"{name}.wacz", "-o", name, "--bags", "content")
            files = self.files_of(name)
            self.assertEqual(files.keys(), wanted.keys())
            for file in wanted:
                self.assertEqual(files[file], wanted[file], f"{name}: {file}")
            counts = self.crawl_counts(name)
            self.assertEqual((counts["files"], counts["records"], counts["left_out"]), (2, 12, []))
        self.write("folder/x.wacz", wacz())
        self.write("folder/y.zip", zipped({"z.warc.gz": warc_gz(FIRST)}))
        _, err = self.kith("crawl", "folder")
        self.assertIn("left out    1 file that is no crawl file by its name\n", err)
        self.assertEqual(self.urls("folder"), [page["url"] for page in PAGES])

    def test_a_member_is_an_input_too(self):
        self.write("x.wacz", wacz(zipfile.ZIP_DEFLATED))
        self.assertEqual(self.urls("x.wacz/archive/b.warc.gz"), [page["url"] for page in SECOND])
        self.fails("crawl", "x.wacz/archive/c.warc.gz", code=1,
                   says="x.wacz/archive/c.warc.gz: there is no such file in the zip file or tar")
        self.fails("crawl", "plain/archive/a.warc.gz/b", code=1,
                   says="plain/archive/a.warc.gz is no folder")

    def test_files_packed_by_xz_bzip2_and_lz4(self):
        warc = b"".join(warc_record(page["url"], page["html"].encode()) for page in PAGES)
        urls = [page["url"] for page in PAGES]
        for name, content in (("warc", warc), ("jsonl", jsonl(PAGES).encode())):
            half = content.index(b"\n", len(content) // 2) + 1
            for end, pack in (("xz", lzma.compress), ("bz2", bz2.compress), ("lz4", lz4_frame)):
                whole = pack(content)
                self.write(f"{name}.{end}", whole)
                self.write("other-name", whole)
                self.write("two", pack(content[:half]) + pack(content[half:]))
                for made in (f"{name}.{end}", "other-name", "two"):
                    self.assertEqual(self.urls(made), urls, f"{made} {name} {end}")
                self.assertEqual(self.urls("-", stdin=whole), urls)
                self.write(f"cut.{name}.{end}", whole[:len(whole) * 2 // 3])
                if end == "bz2":  # one block: nothing of it can be unpacked
                    self.fails("crawl", f"cut.{name}.{end}",
                               says="the file ends inside a bzip2 stream")
                else:
                    _, err = self.kith("crawl", f"cut.{name}.{end}")
                    self.assertIn("1 damaged", err)
        self.write("damaged.warc.xz", lzma.compress(warc) + b"no xz" + lzma.compress(warc))
        _, err = self.kith("crawl", "damaged.warc.xz")
        self.assertIn("bytes that are no xz stream", err)
        self.write("in/a.warc.xz", lzma.compress(warc))
        self.write("in/b.JSONL.BZ2", bz2.compress(jsonl(PAGES).encode()))
        self.assertEqual(len(self.urls("in")), len(urls))  # each URL once
        self.kith("dedup", "in", "-o", "two-files")
        self.assertEqual(self.crawl_counts("two-files")["records"], 2 * len(urls))
        huge = lzma.compress(warc, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 256 << 20}])
        self.write("huge.warc.xz", huge)
        self.fails("crawl", "huge.warc.xz", says="its xz dictionary is larger than 128 MiB: unpack")

    def test_html_in_zips_and_tars(self):
        files = {"b/two.html": "<p>two " + "x" * 100, "a.html": "<p>one", "c d.htm": "<p>three",
                 "style.css": "p {}"}
        # In the order of the container.
        wanted = ["http://e.com/b/two.html", "http://e.com/a.html", "http://e.com/c%20d.htm"]
        plain = tarred(files)
        for name, content in (("x.zip", zipped(files, zipfile.ZIP_DEFLATED)), ("x.tar", plain),
                              ("gnu.tar", tarred(files, tarfile.GNU_FORMAT)),
                              ("old.tar", tarred(files, tarfile.USTAR_FORMAT))):
            self.write(name, content)
            self.assertEqual(self.urls(name, "--base-url", "http://e.com"), wanted, name)
            self.fails("crawl", name, code=2, says=f"{name} holds HTML: give")
        for name, content in (("x.tar.gz", gzip.compress(plain)), ("x.tar.xz", lzma.compress(plain)),
                              ("x.tar.bz2", bz2.compress(plain)), ("x.tar.lz4", lz4_frame(plain))):
            self.write(name, content)
            self.assertEqual(self.urls(name, "--base-url", "http://e.com"), wanted, name)
        _, err = self.kith("crawl", "x.zip", "--base-url", "http://e.com")
        self.assertIn("left out    1 file that is no crawl file by its name\n", err)
        self.write("texts.zip", zipped({"a.txt": "one two three", "b.txt": "four five six"}))
        self.kith("dedup", "texts.zip", "-o", "texts")
        self.fails("crawl", "texts.zip", says="texts.zip holds no crawl file and no HTML, but 2 files: "
                                              "a.txt, b.txt")

    def test_crawl_files_in_zips_and_tars(self):
        files = {"a.warc.gz": warc_gz(FIRST), "deep/b.jsonl": jsonl(SECOND), "page.html": "<p>x"}
        plain = tarred(files)
        urls = [page["url"] for page in PAGES]
        for name, content in (("x.zip", zipped(files, zipfile.ZIP_DEFLATED)), ("x.tar", plain),
                              ("x.tar.gz", gzip.compress(plain))):
            self.write(name, content)
            self.assertEqual(self.urls(name), urls)
            _, err = self.kith("crawl", name)
            self.assertIn("left out    1 HTML or text file beside crawl files\n", err)
            shares = []
            for i in (1, 2):
                self.kith("cluster", name, "--shard", f"{i}/2", "-o", f"{name}-{i}", "--bags", "content")
                shares.append(f"{name}-{i}")
            self.kith("merge", *shares, "-o", f"{name}-merged")
            self.assertEqual(self.crawl_counts(f"{name}-merged")["records"], 12)

    def test_names_of_strangers(self):
        long = "d/" * 90 + "long.html"
        files = {"../../up.html": "<p>up", "/root.html": "<p>root", "./a//b.html": "<p>b",
                 long: "<p>long"}
        wanted = ["http://e.com/up.html", "http://e.com/root.html", "http://e.com/a/b.html", "http://e.com/" + long]
        for name, content in (("x.zip", zipped(files)), ("x.tar", tarred(files)),
                              ("y.tar", tarred(files, tarfile.GNU_FORMAT))):
            self.write(name, content)
            self.assertEqual(self.urls(name, "--base-url", "http://e.com"), wanted, name)
        self.kith("dedup", "x.tar", "-o", "run", "--write", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a", "d", "root.html", "up.html"])
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as archive:
            for text in (b"<p>old", b"<p>new and longer"):
                info = tarfile.TarInfo("a.html")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text))
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE):
                info = tarfile.TarInfo("other.html")
                info.type, info.linkname = kind, "/etc/passwd"
                archive.addfile(info)
        self.write("twice.tar", made.getvalue())
        out, err = self.kith("crawl", "twice.tar", "--base-url", "http://e.com")
        self.assertEqual(len(out.splitlines()), 2)
        self.assertIn("2 pipes, sockets or devices", err)
        self.assertIn("1 file that a later one of the same name", err)

    def test_what_cannot_be_read_is_said(self):
        self.write("in.zip", zipped({"inner.zip": zipped({"a.warc.gz": warc_gz(FIRST)})}))
        self.fails("crawl", "in.zip", says=["in.zip holds no crawl file and no HTML, but 1 file: inner.zip",
                                            "unpack it first: kith reads no zip file or tar in another"])
        self.write("other.zip", zipped({name: "x" for name in ("a.png", "b.pdf", "c.doc", "d.doc")}))
        self.fails("crawl", "other.zip", says="but 4 files: a.png, b.pdf, c.doc, ...")
        self.write("empty.zip", zipped({}))
        self.fails("crawl", "empty.zip", says="the list of files, with which a zip file ends, is not there or empty")
        self.write("secret.wacz", encrypted(wacz()))
        self.fails("crawl", "secret.wacz", code=2,
                   says="secret.wacz/archive/a.warc.gz is encrypted: unpack secret.wacz first")
        whole = wacz()
        self.write("cut.wacz", whole[:-100])
        self.fails("crawl", "cut.wacz", says="cut.wacz is damaged, or was cut: the list of files")
        self.write("cut.tar", tarred({"a.html": "x" * 5000})[:3000])
        self.fails("crawl", "cut.tar", says="cut.tar is damaged, or was cut: ")
        packed = gzip.compress(tarred({"a.html": os.urandom(5000)}))
        self.write("cut.tar.gz", packed[:3000])
        self.fails("crawl", "cut.tar.gz", says="the file ends inside a gzip member")
        for kind, content in (("a zip file", whole), ("a tar", tarred({"a.html": "<p>x"}))):
            self.fails("crawl", "-", code=2, stdin=content,
                       says=f"standard input is {kind}, which can be read from a file only")
            self.write("in/x.warc.gz", gzip.compress(content))
            self.fails("crawl", "in", code=2, says=f"x.warc.gz is {kind}, compressed or under the name")
            self.write("nested.zip", zipped({"x.warc.gz": content}))
            self.fails("crawl", "nested.zip", code=2,
                       says=f"nested.zip/x.warc.gz is {kind} in another file: unpack that one first")
        self.write("x.rar", b"Rar!\x1a\7" + bytes(100))
        self.fails("crawl", "x.rar", says="x.rar is a RAR archive: unpack it first")

    def test_damage_in_a_member_is_counted(self):
        # More than is unpacked at once, which is lost whole.
        noise = random.Random(1).randbytes(200_000).hex()
        warc = b"".join(warc_record(page["url"], (page["html"] + noise).encode()) for page in PAGES)
        whole = zipped({"a.warc": warc, "b.html": "x"}, zipfile.ZIP_DEFLATED)
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            begin = 30 + len("a.warc")
            end = begin + archive.getinfo("a.warc").compress_size
        changed = bytearray(whole)
        changed[(begin + end) // 2] ^= 0x55
        self.write("x.zip", bytes(changed))
        out, err = self.kith("crawl", "x.zip")
        self.assertIn(len(out.splitlines()), range(3, 2 + len(PAGES)))
        self.assertIn("1 damaged", err)
        _, err = self.kith("crawl", "x.zip", "--strict", code=1)
        self.assertIn("x.zip/a.warc:", err)
        html = zipped({"a.html": "<p>" + "text " * 500, "b.html": "<p>b"}, zipfile.ZIP_DEFLATED)
        changed = bytearray(html)
        changed[30 + len("a.html") + 12] ^= 0x55
        self.write("y.zip", bytes(changed))
        out, err = self.kith("crawl", "y.zip", "--base-url", "http://e.com")
        self.assertEqual(len(out.splitlines()), 2)
        self.assertIn("1 damaged", err)

    def test_a_bomb_is_cut(self):
        size = 300 << 20
        with zipfile.ZipFile(self.path("x.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("bomb.html", "w") as file:
                file.write(b"<p>")
                for _ in range(size >> 20):
                    file.write(b"a" * (1 << 20))
            archive.writestr("b.html", "<p>b")
        out, err = self.kith("crawl", "x.zip", "--base-url", "http://e.com", "--max-page", "1M")
        self.assertEqual(len(out.splitlines()), 3)
        self.assertIn("cut         1 page at 1 MiB", err)

    def test_copies_of_the_input(self):
        doubled = FIRST + [{"url": page["url"] + "/again", "html": page["html"]} for page in FIRST]
        plain = b"".join(warc_record(page["url"], page["html"].encode()) for page in doubled)
        files = {"a.warc.gz": warc_gz(doubled), "deep/b.warc": plain}
        self.write("folder/a.warc.gz", files["a.warc.gz"])
        self.write("folder/deep/b.warc", plain)
        self.kith("dedup", "folder", "-o", "run", "--write", "out")
        for name, content in (("x.zip", zipped(files, zipfile.ZIP_DEFLATED)),
                              ("stored.zip", zipped(files)), ("x.tar", tarred(files))):
            self.write(name, content)
            self.kith("dedup", name, "-o", f"run-{name}", "--write", f"out-{name}")
            for file in files:
                with open(self.path(f"out/{file}"), "rb") as one, \
                        open(self.path(f"out-{name}/{file}"), "rb") as other:
                    self.assertEqual(one.read(), other.read(), f"{name}: {file}")
        self.write("one/y.zip", zipped(files))
        self.kith("dedup", "x.zip", "one/y.zip", "-o", "run-both", "--write", "out-both")
        self.assertEqual(sorted(os.listdir(self.path("out-both"))), ["one", "x.zip"])
        self.write("x.tar.gz", gzip.compress(tarred(files)))
        self.fails("dedup", "x.tar.gz", "-o", "r1", "--write", "o1", code=2,
                   says="x.tar.gz is a tar that is packed as a whole: unpack it first")
        self.write("x.warc.xz", lzma.compress(plain))
        self.fails("dedup", "x.warc.xz", "-o", "r2", "--write", "o2", code=2,
                   says="x.warc.xz is packed by xz")

    def test_the_same_and_another_input(self):
        self.write("x.wacz", wacz())
        for job in (["cluster", "--bags", "content"], ["dedup"]):
            run = f"run-{job[0]}"
            self.kith(*job, "x.wacz", "-o", run)
            self.kith(*job, "./x.wacz", "-o", run)
            report = json.loads(self.kith("info", run, "--json")[0])
            self.assertTrue(all(stage["reused"] for stage in report["stages"]))
        self.kith("dedup", "plain", "-o", "again", "--against", "run-dedup")
        self.write("x.wacz", wacz(zipfile.ZIP_DEFLATED))
        self.fails("dedup", "x.wacz", "-o", "run-dedup", code=2, says="holds a run with other inputs")

    def test_a_stream_goes_on_behind_what_it_has_read(self):
        self.write("x.zip", zipped({"a.jsonl": jsonl(FIRST), "b.jsonl": jsonl(SECOND)},
                                   zipfile.ZIP_DEFLATED))
        self.kith("stream", "s", "x.zip")
        _, err = self.kith("stream", "s", "x.zip")
        self.assertIn("read before", err)


if __name__ == "__main__":
    unittest.main()
