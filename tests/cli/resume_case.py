"""What the tests of interrupted runs share: the commands, what they read, and what a run leaves."""

import json
import os
import random
import subprocess

from kith_case import KithCase, jsonl

BAGS = os.environ["KITH_SYNTHETIC_BAGS"]

CONTENT = ("--bags", "content", "--min-df", "1", "--max-df", "1")
TABLES = ("--engine", "lsh", "--lanes", "1024")
# The least that may be asked for: with enough pages and bags joins are cut into blocks, and sorts go to the disk.
LITTLE = ("--memory", "64M")
DEDUP = ("--width", "1", "--similarity", "0.35", *LITTLE, "--no-distinct-titles")
LINKED = ("--keep", "inlinks", "--max-documents", "300")
COMMANDS = {
    "exact engine": ("cluster", "crawl.jsonl", *CONTENT, "--engine", "exact"),
    "tables": ("cluster", "crawl.jsonl", *CONTENT, "--boilerplate", "keep", "--aliases", "fold", "--engine", "lsh",
               *LITTLE),
    "paper": ("paper", "crawl.jsonl", *CONTENT, *LITTLE),
    "bags of another run": ("cluster", "bags", *TABLES, "--neighbours", "1000", "--related", "plain", *LITTLE),
    "clusters alone": ("cluster", "bags", "--engine", "lsh", "--neighbours", "0"),
    "shard of pages": ("cluster", "crawl.jsonl", *CONTENT, "--aliases", "fold", "--shard", "1/2"),
    "merge of pages": ("merge", "pages-1", "pages-2", *LITTLE),
    "shard of signatures": ("cluster", "bags", *TABLES, "--shard", "1/2"),
    "merge of signatures": ("merge", "signatures-1", "signatures-2", *LITTLE),
    "dedup": ("dedup", "crawl.jsonl", *DEDUP),
    "dedup by fingerprints": ("dedup", "crawl.jsonl", *DEDUP, "--method", "simhash", "--distance", "7",
                              "--boilerplate", "keep"),
    "dedup against another run": ("dedup", "crawl.jsonl", *DEDUP, *LINKED, "--against", "earlier"),
}


def alike_pages(count):
    """Pages of words from one small vocabulary: most pairs are similar. Some are aliases of the page before."""
    draw = random.Random(1)
    words = ["".join(draw.choices("bcdfghklmnprstvw", k=6)) for _ in range(90)]

    def page(i):
        alias = f'<link rel=canonical href="/{i - 1}">' if i % 9 == 5 else ""
        links = "".join(f'<a href="/{draw.randrange(count)}">{draw.choice(words)}</a> ' for _ in range(8))
        title, text = draw.choice(words), " ".join(draw.sample(words, 40))
        return {"url": f"https://site.example/{i}", "html": f"{alias}<title>{title} {i}</title><p>{text}</p>{links}"}

    return [page(i) for i in range(count)]


def timeless(report):
    """A report without what the clock and the way to the result decide."""
    report = json.loads(report)
    del report["peak_memory"], report["checksum"]
    for stage in report["stages"] + report.get("steps", []):
        for key in ("seconds", "peak_memory", "reused", "damage", "memory"):
            del stage[key]
    return report


def all_files(folder):
    """Every file below a folder, byte for byte, but for the times in the report."""
    content = {}
    for place, folders, names in os.walk(folder):
        for name in folders:
            content[os.path.relpath(os.path.join(place, name), folder)] = "a folder"
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                content[os.path.relpath(path, folder)] = file.read()
    if "report.json" in content:
        content["report.json"] = timeless(content["report.json"])
    return content


def finished_stages(files):
    """Those of a run, as its manifest has them."""
    return json.loads(files["manifest.json"])["stages"] if "manifest.json" in files else []


def temporary_files(files):
    """Their names without numbers; a file that is not yet complete is NAME.tmp."""
    return {name.rstrip("0123456789") for name in files if name.startswith("tmp/") or name.endswith(".tmp")}


class ResumeCase(KithCase):
    # In memory where that is possible: a run syncs some thirty files.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    # So many that the commands take some tenths of a second, and that 64 MiB are too little for them.
    PAGES = 650
    BAGS = 4000

    def setUp(self):
        super().setUp()
        pages = alike_pages(self.PAGES)
        self.write("crawl.jsonl", jsonl(pages))
        self.write("third.jsonl", jsonl(pages[::3]))
        self.kith("dedup", "third.jsonl", *DEDUP, *LINKED, "-o", "earlier")
        subprocess.run([BAGS, "--urls", str(self.BAGS), "-o", self.path("bags")], check=True, stdout=subprocess.DEVNULL)
        for shard in ("1", "2"):
            self.kith("cluster", "crawl.jsonl", *CONTENT, "--aliases", "fold", "--shard", f"{shard}/2",
                      "-o", f"pages-{shard}")
            self.kith("cluster", "bags", *TABLES, "--shard", f"{shard}/2", "-o", f"signatures-{shard}")

    def assert_same(self, files, expected):
        self.assertEqual(sorted(files), sorted(expected))
        for name, content in expected.items():
            self.assertTrue(files[name] == content, name)  # without megabytes in the message
