"""tools/debian_crawl.py on a package made here: which pages, which URLs, which bytes."""

import csv
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "debian_crawl.py")
COLUMNS = ["package", "version", "sha256", "set", "topic", "html_pages", "root", "base_url"]


def make_deb(folder, name, version, files):
    """Builds a package of {path: bytes, or a symbolic link's target as str}; returns its path."""
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(os.path.join(tree, "DEBIAN"))
        with open(os.path.join(tree, "DEBIAN", "control"), "w", encoding="utf-8") as control:
            control.write(f"Package: {name}\nVersion: {version}\nArchitecture: all\n"
                          "Maintainer: A Test <test@example.org>\nDescription: a test\n")
        for path, content in files.items():
            target = os.path.join(tree, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if isinstance(content, str):
                os.symlink(content, target)
            else:
                with open(target, "wb") as file:
                    file.write(content)
        deb = os.path.join(folder, f"{name}_{version.replace(':', '%3a')}_all.deb")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, deb], check=True,
                       stdout=subprocess.DEVNULL)
        return deb


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def members(data):
    """The gzip members of a file, each unpacked."""
    while data:
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        yield unpacker.decompress(data)
        data = unpacker.unused_data


def parse_record(record):
    head, _, rest = record.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:])
    return lines[0], fields, rest


PAGES = {
    "usr/share/doc/a/html/index.html": b"<title>index</title>",
    "usr/share/doc/a/html/sub/op[]+ 50%.html": b"<p>strange name</p>",
    "usr/share/doc/a/html/changelog.html.gz": gzip.compress(b"<p>changes</p>"),
    "usr/share/doc/a-doc/README.html": b"<p>outside root</p>",
    "usr/share/doc/a/html/alias.html": "index.html",
    "usr/share/doc/a/html/style.css": b"p {}",
}


@unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is missing")
class DebianCrawlTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.cache = os.path.join(self.folder, "debs")
        os.mkdir(self.cache)
        self.rows = []

    def add_package(self, name, version, files, **fields):
        deb = make_deb(self.cache, name, version, files)
        row = dict.fromkeys(COLUMNS, "")
        row.update(package=name, version=version, sha256=sha256(deb), set="core,demo", topic="t/x",
                   html_pages="4", base_url=f"https://{name}.example/docs/")
        row.update(fields)
        self.rows.append(row)

    def add_a(self, **fields):
        self.add_package("a-doc", "1:2.0-1", PAGES, root="usr/share/doc/a/html", **fields)

    def build(self, name, *options):
        """Runs the tool; returns (exit status, standard error, bytes of the crawl)."""
        table, out = os.path.join(self.folder, "table.tsv"), os.path.join(self.folder, name)
        with open(table, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(self.rows)
        done = subprocess.run(
            [sys.executable, TOOL, "--table", table, "--cache", self.cache, "-o", out, "--labels",
             out + ".tsv", *options], capture_output=True, text=True, check=False)
        crawl = b""
        if os.path.exists(out):
            with open(out, "rb") as file:
                crawl = file.read()
        return done.returncode, done.stderr, crawl

    def labels(self, name):
        with open(os.path.join(self.folder, name + ".tsv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def test_pages_and_urls(self):
        self.add_a()
        status, errors, crawl = self.build("x.warc.gz")
        self.assertEqual((status, "warning" in errors), (0, False), errors)
        records = [parse_record(member) for member in members(crawl)]
        self.assertEqual(records[0][1]["WARC-Type"], "warcinfo")
        bodies = {fields["WARC-Target-URI"]: rest for _, fields, rest in records[1:]}
        self.assertEqual(set(bodies), {
            "https://a-doc.example/docs/index.html",
            "https://a-doc.example/docs/sub/op[]+%2050%25.html",
            "https://a-doc.example/docs/changelog.html",
            "https://a-doc.debdocs.test/doc/a-doc/README.html",
        })
        self.assertTrue(bodies["https://a-doc.example/docs/changelog.html"].endswith(
            b"\r\n\r\n<p>changes</p>\r\n\r\n"))
        self.assertEqual([row["url"] for row in self.labels("x.warc.gz")],
                         [fields["WARC-Target-URI"] for _, fields, _ in records[1:]])
        self.assertEqual({(row["package"], row["topic"]) for row in self.labels("x.warc.gz")},
                         {("a-doc", "t/x")})

    def test_records_are_well_formed(self):
        self.add_a()
        for version, fields, rest in map(parse_record, members(self.build("x.warc.gz")[2])):
            self.assertEqual(version, "WARC/1.1")
            length = int(fields["Content-Length"])
            self.assertEqual(rest[length:], b"\r\n\r\n")
            if fields["WARC-Type"] == "response":
                head, _, body = rest[:length].partition(b"\r\n\r\n")
                self.assertTrue(head.startswith(b"HTTP/1.1 200 OK\r\n"))
                self.assertIn(b"\r\nContent-Length: %d" % len(body), head)

    def test_same_packages_same_bytes(self):
        self.add_a()
        self.add_package("b-doc", "1", {f"usr/share/doc/b-doc/{i}.html": b"x" * i
                                        for i in range(40)}, html_pages="40")
        first = self.build("x.warc.gz", "--jobs", "1")[2]
        self.assertGreater(len(first), 0)
        self.assertEqual(first, self.build("x.warc.gz", "--jobs", "2")[2])

    def test_split_holds_the_same_pages(self):
        self.add_a()
        self.build("x.warc.gz", "--split", "3")
        urls = []
        for part in range(3):
            with open(os.path.join(self.folder, f"x-{part:05}.warc.gz"), "rb") as file:
                records = [parse_record(member)[1] for member in members(file.read())]
            self.assertEqual(records[0]["WARC-Type"], "warcinfo")
            urls += [fields["WARC-Target-URI"] for fields in records[1:]]
        self.assertEqual(urls, [row["url"] for row in self.labels("x.warc.gz")])

    def test_sample_is_spread_over_the_site(self):
        self.add_package("b-doc", "1", {f"usr/share/doc/b-doc/{i:02}.html": b"x"
                                        for i in range(10)}, html_pages="10")
        self.build("x.warc.gz", "--max-pages-per-site", "4")
        self.assertEqual(sorted(row["path"][-7:-5] for row in self.labels("x.warc.gz")),
                         ["00", "02", "05", "07"])

    def test_moved_version_is_taken_with_a_warning(self):
        self.add_a()
        self.rows[0].update(version="1:1.9-1")
        status, errors, _ = self.build("x.warc.gz")
        self.assertEqual(status, 0)
        self.assertIn("a-doc is 1:2.0-1, listed is 1:1.9-1", errors)

    def test_other_count_is_a_warning(self):
        self.add_a(html_pages="7")
        self.assertIn("a-doc has 4 pages, listed are 7", self.build("x.warc.gz")[1])

    def test_damaged_package(self):
        self.add_a(sha256="0" * 64)
        status, errors, crawl = self.build("x.warc.gz")
        self.assertEqual((status, crawl), (1, b""))
        self.assertIn("is damaged", errors)

    def test_unknown_package(self):
        self.add_a()
        status, errors, _ = self.build("x.warc.gz", "--packages", "a-doc,zz-doc")
        self.assertEqual(status, 1)
        self.assertIn("not in debian_docs.tsv: zz-doc", errors)

    def test_nothing_is_left_behind(self):
        self.add_a()
        self.build("x.warc.gz")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["debs", "table.tsv", "x.warc.gz", "x.warc.gz.tsv"])


if __name__ == "__main__":
    unittest.main()
