#!/usr/bin/python3
"""Writes the seeds of the targets that read kith's own files: kith_file, run_directory, temporaries,
simhash_files, dedup_files, stream_files, and those of bucket_split, crawl_steps and container.

    fuzz/make_seeds.py KITH [FOLDER]

KITH is the program, FOLDER where the seeds are written (default: fuzz/corpus). Two tiny runs are made
with it, one with each engine, and taken apart as docs/formats/container.md says; temporary files are
written as docs/formats/bags.md says, files of SimHash as docs/formats/simhash.md says. To be run again
when a format changes: the test fuzz_seeds fails where a file has other sections than its target.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def files_of(target):
    """The files that a target opens, and their sections, as its source lists them."""
    with open(os.path.join(FOLDER, target + ".cc"), encoding="utf-8") as source:
        rows = re.findall(r"\{kith::\w+::(\w+)_kind,\s*\{([^}]*)\},\s*use_", source.read())
    return [(name, re.findall(r'"(\w+)"', sections)) for name, sections in rows]


FILES = files_of("kith_file")
# In the order of fuzz/dedup_files.cc.
DEDUP_FILES = [
    ("documents", ["rows", "files", "files_at"]),
    ("names", ["names", "names_at"]),
    ("shingles", ["shingles", "shingles_at"]),
    ("sketches", ["params", "sizes", "values"]),
    ("matches", ["representative", "pairs", "unverified", "part_members", "part_ends"]),
    ("groups", ["kept", "center", "common", "center_pairs"]),
    ("title_words", ["words", "sizes"]),
]
# In the order of fuzz/stream_files.cc.
SNAPSHOT = ["head", "numbers", "sizes", "last_times", "last_pages", "names", "names_at", "times", "similarities",
            "features", "features_at", "means", "means_at", "changes", "counted", "words", "word_pages", "word_known",
            "theme_words", "theme_words_at", "theme_stems", "theme_counts", "theme_counts_at", "theme_counted",
            "theme_floors"]
RAW = 0x80
corpus = os.path.join(FOLDER, "corpus")


def write(target, name, data):
    folder = os.path.join(corpus, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make_run(kith, folder, pages, name, *options):
    """A run of `pages` pages, each of which links to all."""
    crawl = os.path.join(folder, "crawl.jsonl")
    towns = ["river boat", "river bank", "mountain road", "mountain snow", "river boat"]
    links = "".join(f'<p>the {towns[i % 5]} <a href="/p{i}">town {i}</a> fishing'
                    for i in range(pages))
    with open(crawl, "w", encoding="utf-8") as file:
        for i in range(pages):
            page = {"url": f"https://a.example/p{i}", "html": f"<title>Page {i}</title>{links}"}
            file.write(json.dumps(page) + "\n")
    run = os.path.join(folder, name)
    # A shard names its inputs: not by what they are called on this machine.
    command = [os.path.abspath(kith), "cluster", "crawl.jsonl", "-o", name, "--min-df", "1", "--threads", "1", *options]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, cwd=folder)
    return run


def sections(data):
    """The sections of a container, by name."""
    table, = struct.unpack_from("<Q", data, len(data) - 24)
    found = {}
    for entry in range(table, len(data) - 24, 40):
        name, offset, size, _ = struct.unpack_from("<16sQQQ", data, entry)
        found[name.rstrip(b"\0").decode()] = data[offset:offset + size]
    return found


def write_kith_files(run, suffix):
    for kind, (name, order) in enumerate(FILES):
        path = os.path.join(run, name + ".kith")
        if not os.path.exists(path):
            continue
        data = read(path)
        parts = sections(data)
        if set(parts) != set(order):
            sys.exit(f"make_seeds: {name}.kith has {sorted(parts)}, but fuzz/kith_file.cc lists {sorted(order)}")
        contents = b"".join(struct.pack("<H", len(parts[part])) + parts[part] for part in order)
        write("kith_file", name + suffix, bytes([kind]) + contents)
        if not suffix:
            write("kith_file", name + "_raw", bytes([kind | RAW]) + data)


def write_dedup_files(kith, folder):
    """All files of a run, one after the other: versions of a text, equal ones, one alone, one empty."""
    words = "the ships of old sailed north in winter and came home with salt and tar in spring".split()
    texts = [words, words[:-1], ["new"] + words[1:], words, words[::-1], []]
    with open(os.path.join(folder, "in.jsonl"), "w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": f"d{number}", "text": " ".join(text) or "1"}) + "\n")
    for name, options in [("similar", ["--lanes", "16", "--similarity", "0.5"]), ("equal", ["--method", "exact"])]:
        subprocess.run([os.path.abspath(kith), "dedup", "in.jsonl", "-o", name, "--threads", "1", *options],
                       check=True, stderr=subprocess.DEVNULL, cwd=folder)
        contents = b""
        for kind, order in DEDUP_FILES:
            path = os.path.join(folder, name, kind + ".kith")
            parts = sections(read(path)) if os.path.exists(path) else {}
            if not set(parts) <= set(order):
                sys.exit(f"make_seeds: {kind}.kith has {sorted(parts)}, but not all are listed: {sorted(order)}")
            for part in order:
                contents += struct.pack("<H", len(parts[part])) + parts[part] if part in parts else b"\xff\xff"
        write("dedup_files", name, contents)


def write_stream_files(kith, folder):
    """Snapshots of streams, each with a cluster of two or more; a log of a page, a removal and a note."""
    texts = ["the river boat sailed north", "the river boat sailed north", "a river boat on the mountain",
             "and came home again"]
    lines = "".join(json.dumps({"id": f"d{number}", "text": text, "time": number}) + "\n"
                    for number, text in enumerate(texts))
    make_run(kith, folder, 4, "run", "--bags", "content", "--boilerplate", "keep")
    for name, options in [("shingles", ["--max-tables", "8", "--half-life", "1h"]), ("simhash", ["--by", "simhash"]),
                          ("mean", ["--by", "bags", "--dictionary", "run", "--leader", "mean", "--max-tables", "8"]),
                          ("words", ["--by", "bags", "--max-tables", "8"])]:
        subprocess.run([os.path.abspath(kith), "stream", name, "--themes", "4", *options], input=lines.encode(),
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        parts = sections(read(os.path.join(folder, name, "stream.kith")))
        write("stream_files", name,
              bytes([0]) + b"".join(struct.pack("<H", len(parts[part])) + parts[part] if part in parts
                                    else b"\xff\xff" for part in SNAPSHOT))
    # Checksums that are wrong: what they are of is the first thing that mutations must not have to find.
    log = (b"kithlog3" + struct.pack("<Q", 1) + struct.pack("<QQQ", 24, 0, 0) +
           b"\1" + bytes(10) + b"\1a\1" + bytes(8) + b"\1w")
    write("stream_files", "log", bytes([1]) + struct.pack("<H", len(log)) + log)


def write_run_directory(run, name):
    """Without what names this machine; compact, so that mutations hit values."""
    manifest = json.loads(read(os.path.join(run, "manifest.json")))
    # What the program finds of a file that is not there.
    manifest["identity"]["inputs"] = [f"no such file:{2**64 - 1}:{-2**63}"]
    report = json.loads(read(os.path.join(run, "report.json")))
    report["options"]["inputs"] = ["crawl"]
    report["options"]["output"] = "run"
    report["crawl"]["skipped"] = [["damaged", 1]]
    report["crawl"]["examples"] = [
        {"kind": "damaged", "file": "crawl", "offset": 7, "reason": "no record"}]
    parts = [json.dumps(part, separators=(",", ":")) for part in (manifest, report)]
    write("run_directory", name, "\0".join(parts).encode())


def text(value):
    return bytes([len(value)]) + value.encode()


def fragment(kind, key, payload=b"", alias=b""):
    return bytes([kind]) + struct.pack("<QQ", key, key) + alias + payload


def run_record(surt, fetched, inlinks, title, terms):
    """`terms` are steps of provisional ids and counts, below 128."""
    content = struct.pack("<Q", 77) if fetched else b""
    record = text(surt) + bytes([fetched]) + content + bytes([inlinks]) + text(title) + bytes([len(terms)])
    record += b"".join(bytes(term) for term in terms)
    return struct.pack("<I", len(record)) + record


def write_crawl_steps():
    """What machines send each other (src/distributed, src/bags/boilerplate/sites.cc)."""
    host = struct.pack("<I", 5)
    stems = bytes([3]) + text("river") + text("boat") + text("town")
    said = (fragment(0, 2, text("https://a.example/2")) + fragment(1, 2, struct.pack("<Q", 77) + text("a title")) +
            fragment(3, 2, bytes([2, 0, 1])) + fragment(2, 2, host + bytes([2, 1, 2])) +
            fragment(0, 3, text("https://a.example/3")) + fragment(1, 3, struct.pack("<Q", 77) + text("a copy")) +
            fragment(0, 4, text("http://b.example/")) + fragment(2, 4, host + bytes([1, 2])) + fragment(4, 4))
    sent = stems + bytes([0x80 | len(said) & 0x7f, len(said) >> 7]) + said
    folded = struct.pack("<QQ", 4, 4) + text("https://a.example/2")
    for mode, name in [(2, "links"), (3, "both")]:
        write("crawl_steps", name, bytes([mode, 0, 0]) + sent)
        write("crawl_steps", name + "_with_aliases", bytes([mode, 0, len(folded)]) + folded + sent)
    words = b"".join(text(surt) + struct.pack("<Q", content) + bytes([len(counts) // 2, *counts])
                     for surt, content, counts in [("example a\t/2", 77, [0, 1, 3, 2]), ("example a\t/3", 77, [5, 1]),
                                                   ("example b\t/", 0, [2, 4])])
    write("crawl_steps", "words", bytes([4]) + stems + words)
    aliases = (bytes([0]) + struct.pack("<QQ", 4, 4) + text("https://a.example/2") +
               bytes([2]) + struct.pack("<QQ", 2, 2) + text("https://a.example/3") +
               bytes([255]) + struct.pack("<QQ", 2, 2))
    write("crawl_steps", "aliases", bytes([1]) + aliases)
    pages = b"".join(struct.pack("<IQQI", file, key, key, key) + bytes([2]) + struct.pack("<QQ", 50, 51) +
                     bytes([2]) + struct.pack("<QQ", 8, 100 + key) for file in range(2) for key in range(9))
    write("crawl_steps", "sites", bytes([0]) + pages)


def write_temporaries():
    other = struct.pack("<QQ", 3, 3)
    host = struct.pack("<I", 5)
    partition = (fragment(0, 2, text("https://a.example/2")) + fragment(1, 2, struct.pack("<Q", 77) + text("a title")) +
                 fragment(3, 2, bytes([3, 9, 9, 1])) + fragment(2, 2, host + bytes([2, 8, 5])) +
                 fragment(0, 4, text("http://b.example/")) + fragment(4, 4) +
                 fragment(5, 4, struct.pack("<Q", 77) + text("its title"), other) +
                 fragment(6, 4, bytes([2, 6, 40]), other) + fragment(0, 1, text("https://c/")) +
                 fragment(2, 1, host + bytes([1, 3])) + fragment(7, 2, bytes([1, 3])) +
                 fragment(8, 4, bytes([1, 40]), other))
    for mode, name in [(0, "partition"), (2, "partition_nmdf"), (8, "partition_with_aliases"),
                       (16, "partition_of_both"), (24, "partition_of_both_with_aliases")]:
        write("temporaries", name, bytes([mode]) + partition)
    first = (run_record("example a\t/", 1, 3, "a title", [(1, 2), (8, 1)]) +
             run_record("example b\t/x ", 0, 1, "", [(0, 1)]))
    second = run_record("example a\t/2", 1, 0, "two", []) + run_record("org", 1, 0, "", [(60, 9)])
    runs = b"".join(struct.pack("<H", len(run)) + run for run in (first, second))
    write("temporaries", "runs", bytes([1]) + runs)
    write("temporaries", "runs_by_count", bytes([5]) + runs)
    write("temporaries", "runs_of_both", bytes([17]) + runs)


def array(code, *values):
    return struct.pack(f"<{len(values)}{code}", *values)


def write_simhash_files():
    fingerprints = [0, 1, 3, 1 << 40, (1 << 64) - 1]
    contents = [array("Q", 0, 1, 3, 4, 5, 6), array("Q", *fingerprints), array("I", 9, 2, 7, 0, 1, 999)]
    write("simhash_files", "groups",
          bytes([0]) + b"".join(struct.pack("<H", len(part)) + part for part in contents))


def write_bucket_split():
    # A family of 1,021 rows, another of which each row differs in some lanes, and rows of no family.
    runs = bytes([255, 0, 17, 255, 200, 34, 255, 255, 51])
    for use, name in enumerate(("kept", "compared", "sampled")):
        write("bucket_split", name, bytes([use, 14, 12]) + runs)
    write("bucket_split", "no_pivots", bytes([0, 0, 0]) + runs)


def write_containers():
    files = {"archive/a.html": b"<p>" + b"one " * 20, "d" * 120 + "/b.txt": b"two", "datapackage.json": b"{}"}
    for method in ("STORED", "DEFLATED", "BZIP2"):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", getattr(zipfile, f"ZIP_{method}")) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name), content, getattr(zipfile, f"ZIP_{method}"))
            with archive.open(zipfile.ZipInfo("large"), "w", force_zip64=True) as file:
                file.write(b"three")
        write("container", f"zip_{method.lower()}", made.getvalue())
    for form in ("USTAR", "GNU", "PAX"):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w", format=getattr(tarfile, f"{form}_FORMAT")) as archive:
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        tar = made.getvalue()[:6 * 1024]
        write("container", f"tar_{form.lower()}", tar)
    for name, pack in (("gz", lambda tar: gzip.compress(tar, mtime=0)), ("xz", lzma.compress),
                       ("bz2", bz2.compress)):
        write("container", f"tar_{name}", pack(tar))


def main(arguments):
    global corpus
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    corpus = arguments[1] if len(arguments) == 2 else corpus
    lsh = ["--engine", "lsh", "--similarity", "0.3", "--lanes", "16"]
    with tempfile.TemporaryDirectory() as folder:
        tables = make_run(arguments[0], folder, 4, "tables", *lsh)
        write_kith_files(tables, "")
        write_run_directory(tables, "lsh")
        blocks = make_run(arguments[0], folder, 70, "blocks", "--engine", "exact", "--neighbours", "1")
        write_kith_files(blocks, "_more")
        write_run_directory(make_run(arguments[0], folder, 4, "exact"), "exact")
        shard = make_run(arguments[0], folder, 4, "shard", "--shard", "1/1", "--aliases", "fold")
        write_kith_files(shard, "")
        write_run_directory(shard, "shard")
        write_dedup_files(arguments[0], folder)
        write_stream_files(arguments[0], folder)
    write_temporaries()
    write_crawl_steps()
    write_simhash_files()
    write_bucket_split()
    write_containers()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
