"""What is known of the files of a crawl by each other: which of them has the capture of a URL that is
its page, and the templates of sites."""

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
    """file, several, templates: for every file that has them, its URLs with several captures, each
    with the rank of the capture that the file gives, and the templates of its sites. And how many
    blocks there are in all templates."""
    found = _found(job, files)
    if files.removes:
        found = job.persist(found)
    several = _several(found.filter("url is not null"))
    if not files.removes:
        return several.withColumn("templates", F.lit(None).cast("array<binary>")), 0
    templates = job.persist(_templates(job, found.filter("target is not null")))
    blocks: Any = templates.agg(F.sum("blocks")).collect()[0][0]
    by_file = templates.groupBy("file").agg(F.collect_list("data").alias("templates"))
    return several.join(by_file, "file", "full"), blocks or 0


# The rank of a capture that no file has.
_NONE = (1 << 32) - 1


def _several(captures: DataFrame) -> DataFrame:
    """file, several: for every file that has them, its URLs with several captures. The greatest rank
    is chosen, of equal ones that of the first file; other files have none."""
    best = F.max(F.struct("rank", (-F.col("file")).alias("before"))).alias("best")
    count = F.count("*").alias("captures")
    by_url = captures.groupBy("url").agg(best, F.collect_set("file").alias("files"), count)
    several = by_url.filter("captures > 1").select("url", "best", F.explode("files").alias("file"))
    is_best = F.col("file") == -F.col("best.before")
    rank = F.when(is_best, F.col("best.rank")).otherwise(F.lit(_NONE)).alias("rank")
    rows = several.select("file", F.struct("url", rank).alias("of"))
    return rows.groupBy("file").agg(F.collect_list("of").alias("several"))


def _found(job: Job, files: CrawlFiles) -> DataFrame:
    """url, rank, file: of captures that are the best of their URLs in a file so far. And target, file,
    data, where templates of sites are left out: the pages of a slice of hosts by which these are
    found."""
    version, slots = job.version, job.slots

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for batch in batches:
            for number in batch.column("id").to_pylist():
                file = files.open(number, None, [], files.removes)
                while True:
                    urls, ranks = file.next_urls()
                    if len(ranks) == 0:
                        break
                    named = list_of(urls, pa.string())
                    rank = pa.array(ranks.astype(np.int64))
                    yield _found_rows(number, len(ranks), url=named, rank=rank)
                yield from _samples_of(file, number, slots)

    count = len(files.paths)
    return job.spark.range(0, count, 1, files.tasks).mapInArrow(run, _FOUND)


_FOUND = "url string, rank long, file long, target int, data binary"


def _found_rows(number: int, count: int, **given: pa.Array) -> pa.RecordBatch:
    """Rows of _FOUND, null except for `given`."""
    columns = {
        "url": pa.nulls(count, pa.string()),
        "rank": pa.nulls(count, pa.int64()),
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
