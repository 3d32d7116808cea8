#!/usr/bin/python3
"""Which pages of a crawl follow their older versions in a stream.

    tools/debian_crawl.py --packages A,B,C -o old.warc.gz
    tools/debian_crawl.py --table tools/debian_docs_13.tsv --set all -o new.warc.gz
    bench/stream_versions.py old.warc.gz new.warc.gz [--kith PROGRAM] [--by shingles ...] [-- OPTION...]

The host of a page in the second crawl is "13." and that of its older version, so that it is no
update. Each kind of stream reads the first crawl, the same file again under another name (all pages
must be duplicates, or this fails), its pages under other hosts ("copy."), and the second crawl. By
bags words have the weights of a run over the first crawl.

Printed is a row for each kind: pages and clusters of the first crawl; how many of its copies went to
the clusters of their originals; the pages of the second crawl that have an older version, and what
became of them: in the cluster of the older version, in another cluster, alone.
"""

import argparse
import csv
import gzip
import os
import subprocess
import sys
import tempfile

PREFIX = "13."
COPY = "copy."


def run(command, **kwargs):
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


def stream(options, state, source):
    rows = os.path.join(os.path.dirname(state), "rows.tsv")
    begin = os.path.getsize(rows) if os.path.exists(rows) else 0
    run([options.kith, "stream", state, source, "-o", rows, *options.flags], stdout=subprocess.DEVNULL)
    with open(rows, encoding="utf-8", newline="") as file:
        file.seek(begin)
        table = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row for row in table if row[0] != "document" and row[2] != "moved"]


def write_copies(crawl, path):
    """The pages of a crawl under other hosts, in the same order."""
    uri = b"WARC-Target-URI: https://"
    with gzip.open(crawl) as source, open(path, "wb") as out:
        for line in source:
            out.write(line.replace(uri, uri + COPY.encode(), 1) if line.startswith(uri) else line)


def measure(options, by, folder):
    state = os.path.join(folder, "state")
    options.flags = ["--by", by, *options.more]
    if by == "bags":
        dictionary = os.path.join(folder, "run")
        run([options.kith, "cluster", options.old, "-o", dictionary, "--bags", "content", "--topics", "none"])
        options.flags += ["--dictionary", dictionary]
    old = stream(options, state, options.old)
    cluster = {row[0]: row[1] for row in old}
    again = os.path.join(folder, "again.warc.gz")
    os.symlink(os.path.abspath(options.old), again)
    if any(row[2] != "duplicate" for row in stream(options, state, again)):
        sys.exit(f"--by {by}: a page that came again is no duplicate")
    copies = stream(options, state, options.copies)
    at_home = sum(cluster[row[0].replace(COPY, "", 1)] == row[1] for row in copies)
    older = [(row, cluster.get(row[0].replace("://" + PREFIX, "://", 1)))
             for row in stream(options, state, options.new)]
    older = [(row, number) for row, number in older if number]
    followed = sum(row[1] == number for row, number in older)
    alone = sum(row[2] == "leader" for row, _ in older)
    elsewhere = len(older) - followed - alone
    return [by, len(old), len(set(cluster.values())), at_home, len(older), followed, elsewhere, alone]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--by", nargs="+", default=["shingles", "simhash", "bags"])
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    options.more = arguments[at + 1:]
    print("by", "pages", "clusters", "copies_at_home", "with_older", "followed", "elsewhere", "alone", sep="\t")
    with tempfile.TemporaryDirectory() as folder:
        options.copies = os.path.join(folder, "copies.warc")
        write_copies(options.old, options.copies)
        for by in options.by:
            with tempfile.TemporaryDirectory() as own:
                print(*measure(options, by, own), sep="\t", flush=True)


if __name__ == "__main__":
    main()
