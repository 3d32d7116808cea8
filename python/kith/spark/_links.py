"""Bags of links: what the pages of all files say about a URL comes together in the slice of the URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark import _page_words
from kith.spark._page_words import row_of_words
from kith.spark._session import Job, check_executor
from kith.spark._strings import list_of

if TYPE_CHECKING:
    from kith.spark._blocks import Slots

# Of the pages whose fragments become a row of each slice: whichever is reached first.
_PAGES = 4096
_BYTES = 64 << 20

# Behind the columns of words, which are null where these are not.
FRAGMENTS = "target int, data binary"
FRAGMENT_FIELDS = [pa.field("target", pa.int32()), pa.field("data", pa.binary())]
_COUNTS = "urls map<string,long>"


def fragment_rows(
    file: _kith.PageFile, steps: _kith.BagSteps, slots: Slots
) -> Iterator[pa.RecordBatch]:
    """Rows of words, of no pages: the stems and forms of a file. And rows of FRAGMENTS."""
    pages = 1
    while pages > 0:
        pages, slices, words = file.next_fragments(steps, _PAGES, _BYTES, len(slots))
        yield _row_of(pa.array([], pa.string()), words)
        for target, data in zip(slots.values, slices):
            if data:
                columns = [
                    pa.array([value], field.type)
                    for value, field in zip((target, data), FRAGMENT_FIELDS)
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(FRAGMENT_FIELDS))


def words_of_urls(job: Job, fragments: DataFrame, words: list[str]) -> DataFrame:
    """Rows of words, of URLs in the place of pages, and `urls`: counts of a slice. fragments: rows
    of FRAGMENTS."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        pieces = [data for batch in batches for data in batch.column("data").to_pylist()]
        if not pieces:
            return
        found = _kith.url_words(_kith.BagSteps(words), pieces)
        counts: Any = [("fetched", found.fetched), ("left_out", found.left_out)]
        while True:
            urls, of_urls = found.next(_page_words.ROW_PAGES)
            ids = list_of(urls, pa.string())
            if len(ids) == 0 and counts is None:
                return
            kind = pa.map_(pa.string(), pa.int64())
            yield _row_of(ids, _with_forms(of_urls)).append_column("urls", pa.array([counts], kind))
            counts = None

    sent = fragments.repartition(job.partitions, "target")
    return sent.mapInArrow(run, f"{_page_words.SCHEMA}, {_COUNTS}")


def _row_of(ids: pa.Array, words: dict[str, Any]) -> pa.RecordBatch:
    keys = list_of(_kith.url_keys(ids), pa.binary())
    return row_of_words(ids, keys, words, np.zeros(len(ids), np.uint8), 0)


def _with_forms(words: dict[str, Any]) -> dict[str, Any]:
    """For every stem a form that was never met: the documents of a stem stand at its forms, and
    forms are counted where pages are read."""
    count = len(words["documents"])
    return {
        **words,
        "forms": (b"", np.zeros(count + 1, np.uint64)),
        "form_stems": np.arange(count, dtype=np.uint32),
        "form_counts": np.zeros(count, np.uint64),
    }


def url_counts(rows: DataFrame) -> dict[str, int]:
    counts = rows.select(F.explode("urls").alias("name", "count"))
    sums = counts.groupBy("name").agg(F.sum("count").alias("count")).collect()
    return {row["name"]: row["count"] for row in sums}
