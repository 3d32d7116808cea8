"""What is known of the files of a crawl by each other: which of them gives the page of a URL, and the
templates of sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import list_of

if TYPE_CHECKING:
    from kith.spark._exchange.blocks import Slots

# More files share the tasks.
_MOST_TASKS = 10_000


class CrawlFiles:
    """words: the arguments of the command line without the inputs. paths: the files in the order in
    which one machine reads them; every executor reads them by these names. removes: whether the
    templates of sites are left out."""

    def __init__(self, words: list[str], paths: list[str], removes: bool) -> None:
        self.words = words
        self.paths = paths
        self.removes = removes

    @property
    def tasks(self) -> int:
        return min(len(self.paths), _MOST_TASKS)

    def open(self, number: int, *given: Any) -> _kith.PageFile:
        return _kith.open_page_file([*self.words, "--", self.paths[number]], *given)


def known_of(job: Job, files: CrawlFiles) -> tuple[DataFrame, int]:
    """file, taken, templates: for every file that has them, the URLs of which files before it give
    the pages, and the templates of its sites. And how many blocks there are in all templates."""
    none = job.spark.createDataFrame([], "file long, taken array<string>")
    has_several = len(files.paths) > 1
    found = _found(job, files)
    if files.removes:
        found = job.persist(found)
    taken = _taken(found.filter("url is not null")) if has_several else none
    if not files.removes:
        return taken.withColumn("templates", F.lit(None).cast("array<binary>")), 0
    templates = job.persist(_templates(job, found.filter("target is not null")))
    blocks: Any = templates.agg(F.sum("blocks")).collect()[0][0]
    by_file = templates.groupBy("file").agg(F.collect_list("data").alias("templates"))
    return taken.join(by_file, "file", "full"), blocks or 0


def _taken(urls: DataFrame) -> DataFrame:
    """file, taken: for every file that has them, the URLs of which files before it give the
    pages."""
    by_url = urls.groupBy("url").agg(F.sort_array(F.collect_list("file")).alias("files"))
    several = by_url.filter(F.size("files") > 1)
    # But for the first one.
    others = F.explode(F.slice("files", F.lit(2), F.size("files"))).alias("file")
    rows = several.select("url", others)
    return rows.groupBy("file").agg(F.collect_list("url").alias("taken"))


def _found(job: Job, files: CrawlFiles) -> DataFrame:
    """url, file: of all pages. And target, file, data, where templates of sites are left out: the
    pages of a slice of hosts by which these are found."""
    version, slots = job.version, job.slots

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for batch in batches:
            for number in batch.column("id").to_pylist():
                file = files.open(number, None, files.removes)
                while len(urls := list_of(file.next_urls(), pa.string())) > 0:
                    yield _found_rows(number, len(urls), url=urls)
                yield from _samples_of(file, number, slots)

    count = len(files.paths)
    return job.spark.range(0, count, 1, files.tasks).mapInArrow(run, _FOUND)


_FOUND = "url string, file long, target int, data binary"


def _found_rows(number: int, count: int, **given: pa.Array) -> pa.RecordBatch:
    """Rows of _FOUND, null except for `given`."""
    columns = {
        "url": pa.nulls(count, pa.string()),
        "file": pa.array(np.full(count, number)),
        "target": pa.nulls(count, pa.int32()),
        "data": pa.nulls(count, pa.binary()),
    }
    return pa.RecordBatch.from_pydict({**columns, **given})


def _samples_of(file: _kith.PageFile, number: int, slots: Slots) -> Iterator[pa.RecordBatch]:
    for target, data in zip(slots.values, file.site_samples(number, len(slots))):
        if data:
            columns = {"target": pa.array([target], pa.int32()), "data": pa.array([data])}
            yield _found_rows(number, 1, **columns)


def _templates(job: Job, samples: DataFrame) -> DataFrame:
    """file, data: the templates of some hosts of a file. blocks: how many there are, in one row of a
    slice of hosts."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        samples = [data for batch in batches for data in batch.column("data").to_pylist()]
        if not samples:
            return
        files, templates, blocks = _kith.site_templates(samples)
        counts = np.zeros(len(files), np.int64)
        counts[0] = blocks
        yield pa.RecordBatch.from_pydict(
            {
                "file": pa.array(files.astype(np.int64)),
                "data": list_of(templates, pa.binary()),
                "blocks": pa.array(counts),
            }
        )

    sent = samples.select("target", "data").repartition(job.partitions, "target")
    return sent.mapInArrow(run, "file long, data binary, blocks long")
