#!/usr/bin/python3
"""kith.spark.dedup beside a script that joins LSH buckets into connected components, on Spark both.

    python3 -m venv build/spark-peers
    build/spark-peers/bin/pip install "$(ls build/wheels/kith_web-*.whl)[spark]" scipy rich tqdm xxhash
    build/spark-peers/bin/pip install --no-deps text-dedup==0.3.1
    build/spark-peers/bin/python bench/spark_peers.py demo.warc.gz

text-dedup 0.3.1 reads BigQuery; here its functions are called in the order of its script, on the
same Parquet. Each job has a session of its own, whose start counts. A page is removed falsely when
its resemblance to the page that is kept in its place is below the threshold; a pair of pages of one
group is false likewise. Resemblance is exact, of shingles of five words. Needs java on the path.
"""

import argparse
import collections
import itertools
import pathlib
import random
import shutil
import subprocess
import sys
import time

import kith
import kith.spark
import numpy
import pyarrow
import pyarrow.parquet
from spark import Processes, session

THRESHOLD = 0.8
WIDTH = 5  # words of a shingle, by default in both


def make_pages(crawl, path):
    pages = [(page.url, page.text) for page in kith.pages(crawl)]
    pages.sort()
    urls, texts = map(list, zip(*pages))
    pyarrow.parquet.write_table(
        pyarrow.table({"id": urls, "text": texts}), path, row_group_size=500
    )


def by_kith(spark, path, options):
    """By page the page that is kept in its place."""
    found = kith.spark.dedup(
        spark.read.parquet(path), similarity=THRESHOLD, width=WIDTH, partitions=options.partitions
    )
    rows = found.marks.select("id", "kept_id").collect()
    return {row["id"]: row["kept_id"] or row["id"] for row in rows}


def by_components(spark, path, options):
    """The same, of every component the first page."""
    from pyspark.sql import functions
    from text_dedup import minhash_spark as script

    permutations = 256
    bands, rows = script.optimal_param(THRESHOLD, permutations)
    ranges = [(i * rows, (i + 1) * rows) for i in range(bands)]
    draw = script.RNG.randint
    chosen = numpy.array(
        [
            (
                draw(1, script.MERSENNE_PRIME, dtype=numpy.uint64),
                draw(0, script.MERSENNE_PRIME, dtype=numpy.uint64),
            )
            for _ in range(permutations)
        ],
        dtype=numpy.uint64,
    ).T
    frame = spark.read.parquet(path)
    frame = frame.withColumn("number", functions.monotonically_increasing_id()).cache()
    pages = frame.select("number", "text").rdd.repartition(options.partitions).cache()

    def values(page):
        return script.generate_hash_values(
            page[1], page[0], permutations, WIDTH, WIDTH, ranges, chosen
        )

    buckets = pages.flatMap(values).groupBy(lambda value: (value[0], value[1]))
    edges = buckets.flatMap(lambda of: script.generate_edges([i[2] for i in of[1]])).distinct()
    after = edges.cache()
    while True:
        large = after.flatMap(script.large_star_map).groupByKey()
        before = large.flatMap(script.large_star_reduce).distinct().cache()
        small = before.map(script.small_star_map).groupByKey()
        after = small.flatMap(script.small_star_reduce).distinct().cache()
        if not after.subtract(before).union(before.subtract(after)).collect():
            break
    ids = {row["number"]: row["id"] for row in frame.select("number", "id").collect()}
    kept = {page: page for page in ids.values()}
    kept.update((ids[page], ids[first]) for page, first in after.collect())
    return kept


JOBS = {"kith": by_kith, "components": by_components}


def run_job(options):
    """In a process of its own: what is kept, to a table beside the pages."""
    begin = time.perf_counter()
    events = options.folder / "events"
    shutil.rmtree(events, ignore_errors=True)
    events.mkdir()
    spark = session(options, events)
    processes = Processes(spark.sparkContext._gateway.proc.pid)
    kept = JOBS[options.only](spark, str(options.folder / "pages.parquet"), options)
    processes.end()
    spark.stop()
    seconds = time.perf_counter() - begin
    table = pyarrow.table({"page": list(kept), "kept": list(kept.values())})
    pyarrow.parquet.write_table(table, options.folder / f"{options.only}.parquet")
    peaks = ", ".join(f"{kind} {size / 1e6:.0f} MB" for kind, size in processes.peak.items())
    print(f"{options.only}: {seconds:.1f} s, {processes.seconds():.1f} s of processor; {peaks}")


class Judge:
    """What is known of the pages."""

    MOST_PAIRS = 300_000  # of which the resemblance is computed; of more, a sample

    def __init__(self, folder):
        pages = pyarrow.parquet.read_table(folder / "pages.parquet")
        texts = pages.column("text").to_pylist()
        sets = (kith.shingles(text, width=WIDTH) for text in texts)
        self._sets = dict(zip(pages.column("id").to_pylist(), map(numpy.unique, sets)))

    def judge(self, name, kept):
        removed = [pair for pair in kept.items() if pair[0] != pair[1]]
        nearest = self._resemblances(removed)
        groups = collections.defaultdict(list)
        for page, first in sorted(kept.items()):
            groups[first].append(page)
        pairs = [pair for group in groups.values() for pair in itertools.combinations(group, 2)]
        sample = pairs
        if len(pairs) > self.MOST_PAIRS:
            sample = random.Random(1).sample(pairs, self.MOST_PAIRS)
        false = (self._resemblances(sample) < THRESHOLD).mean()
        print(
            f"{name}: {len(groups)} pages stay, {len(removed)} removed, of these"
            f" {(nearest < THRESHOLD).sum()} falsely, the least resemblance {nearest.min():.2f};"
            f" the largest group has {max(map(len, groups.values()))};"
            f" {len(pairs)} pairs in groups, {false:.2%} false"
        )

    def _resemblances(self, pairs):
        return numpy.array([self._resemblance(*pair) for pair in pairs] or [1.0])

    def _resemblance(self, a, b):
        a, b = self._sets[a], self._sets[b]
        shared = len(numpy.intersect1d(a, b, assume_unique=True))
        return shared / max(1, len(a) + len(b) - shared)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("crawl")
    parser.add_argument(
        "--folder", type=pathlib.Path, default=pathlib.Path("build/spark-peers/run")
    )
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--executor-memory", default="1g")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--only", choices=tuple(JOBS), help="one job, of pages that are there")
    options = parser.parse_args()
    if options.only:
        run_job(options)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    make_pages(options.crawl, options.folder / "pages.parquet")
    judge = Judge(options.folder)
    for name in JOBS:
        subprocess.run([sys.executable, *sys.argv, "--only", name], check=True)
        table = pyarrow.parquet.read_table(options.folder / f"{name}.parquet")
        judge.judge(name, dict(zip(*(table.column(c).to_pylist() for c in ("page", "kept")))))


if __name__ == "__main__":
    main()
