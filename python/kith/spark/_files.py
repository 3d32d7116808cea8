"""The files of a crawl in the place of a table of texts. Executors read them; of their pages nothing
but words passes through the JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark import _page_words
from kith.spark._page_words import PageWords, counted, row_of_words
from kith.spark._session import Job, check_executor
from kith.spark._strings import short_list

# More files share the tasks.
_MOST_TASKS = 10_000


class CrawlFiles:
    """words: the arguments of the command line but for the inputs. paths: the files in the order in
    which one machine reads them; every executor reads them by these names."""

    def __init__(self, words: list[str], paths: list[str]) -> None:
        self.words = words
        self.paths = paths

    def open(self, number: int, taken: list[str] | None = None) -> _kith.PageFile:
        return _kith.open_page_file([*self.words, "--", self.paths[number]], taken)


def read_files(job: Job, files: CrawlFiles) -> tuple[PageWords, dict[str, Any]]:
    """The words of all pages, the first capture of every URL, and counts of what was read."""
    taken = _taken(job, files)
    made = job.keep(_read(job, files, taken))
    return counted(made), _sums(made)


def _tasks(files: CrawlFiles) -> int:
    return min(len(files.paths), _MOST_TASKS)


def _taken(job: Job, files: CrawlFiles) -> DataFrame:
    """file, taken: for every file that has them, the URLs of which files before it give the
    pages."""
    if len(files.paths) == 1:
        return job.spark.createDataFrame([], "file long, taken array<string>")
    urls = _urls(job, files)
    by_url = urls.groupBy("url").agg(F.sort_array(F.collect_list("file")).alias("files"))
    several = by_url.filter(F.size("files") > 1)
    # But for the first one.
    others = F.explode(F.slice("files", F.lit(2), F.size("files"))).alias("file")
    rows = several.select("url", others)
    return rows.groupBy("file").agg(F.collect_list("url").alias("taken"))


def _urls(job: Job, files: CrawlFiles) -> DataFrame:
    """url, file: of all pages."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for batch in batches:
            for number in batch.column("id").to_pylist():
                file = files.open(number)
                while len(urls := _list_of(file.next_urls(), pa.string())) > 0:
                    numbers = pa.array(np.full(len(urls), number))
                    yield pa.RecordBatch.from_arrays([urls, numbers], names=["url", "file"])

    count = len(files.paths)
    return job.spark.range(0, count, 1, _tasks(files)).mapInArrow(run, "url string, file long")


def _read(job: Job, files: CrawlFiles, taken: DataFrame) -> DataFrame:
    """Rows of SCHEMA, of which the last one of a file has counts of what was read in it."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        steps = _kith.BagSteps([*files.words, "--", "files"])
        for batch in batches:
            for number, urls in zip(*(batch.column(name).to_pylist() for name in names)):
                yield from _rows_of(files.open(number, urls), steps)

    names = ("file", "taken")
    count, tasks = len(files.paths), _tasks(files)
    numbers = job.spark.range(0, count, 1, tasks).withColumnRenamed("id", "file")
    listed = numbers.join(taken, "file", "left").select(*names)
    # Of which each has a task of its own, as far as there are so many.
    spread = listed.repartitionByRange(tasks, "file")
    return spread.mapInArrow(run, _page_words.SCHEMA + ", crawl map<string,long>")


def _rows_of(file: _kith.PageFile, steps: _kith.BagSteps) -> Iterator[pa.RecordBatch]:
    while True:
        urls, found = file.next_words(steps, _page_words.ROW_PAGES, _page_words.ROW_BYTES)
        ids = _list_of(urls, pa.string())
        keys = _list_of(_kith.url_keys(ids), pa.binary())
        row = row_of_words(ids, keys, found, np.zeros(len(ids), np.uint8), 0)
        counts = _counts(file) if len(ids) == 0 else None
        yield row.append_column("crawl", pa.array([counts], pa.map_(pa.string(), pa.int64())))
        if len(ids) == 0:
            return


def _list_of(found: tuple[Any, ...], kind: pa.DataType) -> pa.Array:
    data, offsets = found
    return short_list(data, offsets, kind)


def _counts(file: _kith.PageFile) -> list[tuple[str, int]]:
    """Those of records that were passed over have the name of their kind after a colon."""
    counts = file.counts()
    skipped = counts.pop("skipped")
    return [*counts.items(), *((f"skipped:{kind}", count) for kind, count in skipped.items())]


def _sums(rows: DataFrame) -> dict[str, Any]:
    counts = rows.select(F.explode("crawl").alias("name", "count"))
    sums = counts.groupBy("name").agg(F.sum("count").alias("count")).collect()
    report: dict[str, Any] = {"skipped": {}}
    for name, count in sorted((row["name"], row["count"]) for row in sums):
        kind = name.partition(":")[2]
        if kind:
            report["skipped"][kind] = count
        else:
            report[name] = count
    return report
