"""What the command line tests share: a temporary folder, the program, small crawls."""

import gzip
import json
import os
import subprocess
import tempfile
import unittest
import uuid

KITH = os.environ["KITH"]
DATA = os.environ["KITH_TEST_DATA"]

TOPICS = {
    "music": "guitar chord melody rhythm harmony violin piano orchestra sonata tempo",
    "cooking": "oven butter flour recipe sugar vanilla bread dough whisk simmer",
    "astronomy": "galaxy telescope nebula orbit comet quasar supernova planet asteroid eclipse",
}


def topic_pages(per_topic=8):
    """Pages of three topics on three sites; pages of a topic share words and link to each other."""
    pages = []
    for topic, text in TOPICS.items():
        words = text.split()
        for i in range(per_topic):
            own = [words[(i + j) % len(words)] for j in range(7)]
            links = " ".join(
                f'<a href="/{topic}/{j}">{words[j % len(words)]} {topic}</a> {own[j % 7]}'
                for j in range(per_topic) if j != i)
            pages.append({
                "url": f"https://{topic}.example/{topic}/{i}",
                "html": f"<title>{topic} {own[0]}</title><p>{' '.join(own)} {' '.join(own[:3])}</p>{links}",
            })
    return pages


def jsonl(pages):
    return "".join(json.dumps(page) + "\n" for page in pages)


def warc_record(url, body, kind="response"):
    http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
            f"Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n").encode()
    return head + http + b"\r\n\r\n"


def warc_gz(pages):
    return b"".join(
        gzip.compress(warc_record(page["url"], page["html"].encode()), mtime=0) for page in pages)


def dictionaries(tsv):
    header, *rows = tsv.splitlines()
    return [dict(zip(header.split("\t"), row.split("\t"))) for row in rows]


class KithCase(unittest.TestCase):
    place = None  # of the temporary folder; None: where the system has such folders

    @classmethod
    def for_all_tests(cls):
        """A case whose folder lasts as long as the tests of the class; for setUpClass."""
        case = KithCase()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        return case

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="kith-cli-", dir=self.place)
        self.addCleanup(self._folder.cleanup)
        self.folder = self._folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def kith(self, *args, stdin=None, code=0):
        """Runs the program in the temporary folder and checks its exit code."""
        result = subprocess.run([KITH, *args], cwd=self.folder, input=stdin,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        out, err = result.stdout.decode(), result.stderr.decode()
        self.assertEqual(result.returncode, code, f"kith {' '.join(args)}\n{out}\n{err}")
        return out, err

    def fails(self, *args, code=1, says=(), stdin=None):
        """A failure is one line on standard error that says what and where."""
        out, err = self.kith(*args, code=code, stdin=stdin)
        self.assertEqual(out, "")
        self.assertEqual(err.count("\n"), 1, err)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, err)

    def rows(self, *args):
        """TSV output as a list of dictionaries."""
        return dictionaries(self.kith(*args)[0])

    def list(self, name):
        """A TSV file likewise."""
        with open(self.path(name), encoding="utf-8") as file:
            return dictionaries(file.read())

    def files_of(self, run):
        """The stage files of a run, byte for byte."""
        content = {}
        for name in sorted(os.listdir(self.path(run))):
            if name.endswith(".kith"):
                with open(os.path.join(self.path(run), name), "rb") as file:
                    content[name] = file.read()
        return content
