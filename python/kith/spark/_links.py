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
    file: _kith.PageFile, steps: _kith.BagSteps, slots: Slots, parts: int
) -> Iterator[pa.RecordBatch]:
    """Rows of words, of no pages: the stems and forms of a file. And rows of FRAGMENTS."""
    pages = 1
    while pages > 0:
        pages, slices, words = file.next_fragments(steps, _PAGES, _BYTES, len(slots))
        words["documents"] = np.zeros(len(words["documents"]) * parts, np.uint32)
        yield _row_of(pa.array([], pa.string()), words, parts)
        yield from _fragment_rows(slots, slices)


def _fragment_rows(slots: Slots, slices: list[bytes]) -> Iterator[pa.RecordBatch]:
    for values in zip(slots.values, slices):
        if values[1]:
            columns = [
                pa.array([value], field.type) for value, field in zip(values, FRAGMENT_FIELDS)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(FRAGMENT_FIELDS))


def words_of_urls(job: Job, fragments: DataFrame, words: list[str]) -> DataFrame:
    """Rows of words, of URLs in the place of pages, and `urls`: counts of a slice. fragments: rows
    of FRAGMENTS."""

    def rows(steps: _kith.BagSteps, pieces: list[bytes]) -> Iterator[pa.RecordBatch]:
        found = _kith.url_words(steps, pieces)
        yield from _rows_of(found, 1, fetched=found.fetched, left_out=found.left_out)

    return _in_slices(job, fragments, words, rows, f"{_page_words.SCHEMA}, {_COUNTS}")


def words_with_copies(job: Job, fragments: DataFrame, words: list[str]) -> DataFrame:
    """The same of bags of both kinds, in which copies of a page share what links say of them."""
    slots = job.slots

    def send(steps: _kith.BagSteps, pieces: list[bytes]) -> Iterator[pa.RecordBatch]:
        found = _kith.url_words(steps, pieces)
        counts = _counts_of(fetched=found.fetched, left_out=found.left_out)
        nothing = [pa.nulls(1, field.type) for field in FRAGMENT_FIELDS]
        names = [*(field.name for field in FRAGMENT_FIELDS), "urls"]
        yield pa.RecordBatch.from_arrays([*nothing, counts], names=names)
        while any(slices := found.next_by_content(_page_words.ROW_PAGES, len(slots))):
            for row in _fragment_rows(slots, slices):
                yield row.append_column("urls", pa.nulls(1, counts.type))

    def gather(steps: _kith.BagSteps, pieces: list[bytes]) -> Iterator[pa.RecordBatch]:
        found = _kith.url_words_with_copies(steps, pieces)
        yield from _rows_of(found, 2, copies=found.copies, copied=found.copied)

    sent = job.persist(_in_slices(job, fragments, words, send, f"{FRAGMENTS}, {_COUNTS}"))
    by_content = sent.filter("target is not null").select("target", "data")
    made = _in_slices(job, by_content, words, gather, f"{_page_words.SCHEMA}, {_COUNTS}")
    counts = sent.filter("target is null").select("urls")
    return made.unionByName(counts, allowMissingColumns=True)


def _in_slices(job: Job, sent: DataFrame, words: list[str], work: Any, schema: str) -> DataFrame:
    """The rows of work(steps, pieces), called once for each slice that has some."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        pieces = [data for batch in batches for data in batch.column("data").to_pylist()]
        if pieces:
            yield from work(_kith.BagSteps(words), pieces)

    return sent.repartition(job.partitions, "target").mapInArrow(run, schema)


def _rows_of(found: _kith.UrlWords, parts: int, **counts: int) -> Iterator[pa.RecordBatch]:
    column = _counts_of(**counts)
    while True:
        urls, words = found.next(_page_words.ROW_PAGES)
        ids = list_of(urls, pa.string())
        row = _row_of(ids, _with_forms(words, parts), parts)
        yield row.append_column("urls", column)
        if len(ids) == 0:
            return
        column = pa.nulls(1, column.type)


def _counts_of(**counts: int) -> pa.Array:
    return pa.array([[*counts.items()]], pa.map_(pa.string(), pa.int64()))


def _row_of(ids: pa.Array, words: dict[str, Any], parts: int) -> pa.RecordBatch:
    keys = list_of(_kith.url_keys(ids), pa.binary())
    return row_of_words(ids, keys, words, np.zeros(len(ids), np.uint8), 0, parts)


def _with_forms(words: dict[str, Any], parts: int) -> dict[str, Any]:
    """For every stem a form that was never met: the documents of a stem stand at its forms, and
    forms are counted where pages are read."""
    count = len(words["documents"]) // parts
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
