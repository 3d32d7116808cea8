"""Bags of links: what the pages of all files say about a URL comes together in the slice of that
URL."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._bags import page_words
from kith.spark._bags.aliases import fold_aliases
from kith.spark._bags.page_words import row_of_words
from kith.spark._exchange.pieces import (
    ALIASES,
    FOLDED,
    FRAGMENTS,
    SENT,
    SENT_FIELDS,
    Pieces,
    in_slices,
    sent,
)
from kith.spark._exchange.session import Job
from kith.spark._exchange.strings import list_of

if TYPE_CHECKING:
    from kith.spark._exchange.blocks import Slots

# Of the pages whose fragments become a row of each slice: whichever is reached first.
_PAGES = 4096
_BYTES = 64 << 20

_COUNTS = "urls map<string,long>"
_WORDS = f"{page_words.SCHEMA}, {_COUNTS}"


@dataclasses.dataclass(frozen=True)
class Kinds:
    """Of bags: their parts, and whether aliases are folded."""

    parts: int
    folds: bool


def fragment_rows(
    file: _kith.PageFile, steps: _kith.BagSteps, slots: Slots, parts: int
) -> Iterator[pa.RecordBatch]:
    """Rows of words, of no pages: the stems and forms of a file. And rows of SENT."""
    pages = 1
    while pages > 0:
        pages, slices, aliases, words = file.next_fragments(steps, _PAGES, _BYTES, len(slots))
        words["documents"] = np.zeros(len(words["documents"]) * parts, np.uint32)
        yield _row_of(pa.array([], pa.string()), words, parts)
        yield from sent(slots, FRAGMENTS, slices)
        yield from sent(slots, ALIASES, aliases)


def words_of_urls(
    job: Job, rows: DataFrame, words: list[str], kinds: Kinds
) -> tuple[DataFrame, dict[str, Any]]:
    """Rows of words, of URLs in the place of pages, and `urls`: counts of a slice. And a report of
    aliases, if they are folded. rows: of SENT."""
    if not kinds.folds:
        return _make_words(job, rows, words, kinds.parts), {}
    job.step("aliases")
    folded, report = fold_aliases(job, rows, compares=kinds.parts > 1)
    job.step("links")
    return _make_words(job, folded, words, kinds.parts), report


def _make_words(job: Job, rows: DataFrame, words: list[str], parts: int) -> DataFrame:
    slots = job.slots

    def make(pieces: Pieces) -> Any:
        return _kith.url_words(_kith.BagSteps(words), pieces.of(FRAGMENTS), pieces.one(FOLDED))

    def say(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        found = make(pieces)
        yield from _rows_of(found, 1, fetched=found.fetched, left_out=found.left_out)

    def send(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        found = make(pieces)
        counts = _counts_of(fetched=found.fetched, left_out=found.left_out)
        columns = [pa.nulls(1, field.type) for field in SENT_FIELDS]
        yield _with_urls(pa.RecordBatch.from_arrays(columns, schema=pa.schema(SENT_FIELDS)), counts)
        while any(slices := found.next_by_content(page_words.ROW_PAGES, len(slots))):
            for row in sent(slots, FRAGMENTS, slices):
                yield _with_urls(row, pa.nulls(1, counts.type))

    def gather(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        found = _kith.url_words_with_copies(_kith.BagSteps(words), pieces.of(FRAGMENTS))
        yield from _rows_of(found, 2, copies=found.copies, copied=found.copied)

    if parts == 1:
        return in_slices(job, rows, say, _WORDS)
    # Copies of a page share what links say of them.
    by_content = job.persist(in_slices(job, rows, send, f"{SENT}, {_COUNTS}"))
    made = in_slices(job, by_content.filter("target is not null"), gather, _WORDS)
    counts = by_content.filter("target is null").select("urls")
    return made.unionByName(counts, allowMissingColumns=True)


def _with_urls(row: pa.RecordBatch, counts: pa.Array) -> pa.RecordBatch:
    return row.append_column("urls", counts)


def _rows_of(found: _kith.UrlWords, parts: int, **counts: int) -> Iterator[pa.RecordBatch]:
    column = _counts_of(**counts)
    while True:
        urls, words = found.next(page_words.ROW_PAGES)
        ids = list_of(urls, pa.string())
        row = _row_of(ids, _without_forms(words), parts)
        yield _with_urls(row, column)
        if len(ids) == 0:
            return
        column = pa.nulls(1, column.type)


def _counts_of(**counts: int) -> pa.Array:
    return pa.array([[*counts.items()]], pa.map_(pa.string(), pa.int64()))


def _row_of(ids: pa.Array, words: dict[str, Any], parts: int) -> pa.RecordBatch:
    keys = list_of(_kith.url_keys(ids), pa.binary())
    return row_of_words(ids, keys, words, np.zeros(len(ids), np.uint8), 0, parts)


def _without_forms(words: dict[str, Any]) -> dict[str, Any]:
    """The forms of stems are counted where pages are read."""
    return {
        **words,
        "forms": (b"", np.zeros(1, np.uint64)),
        "form_stems": np.empty(0, np.uint32),
        "form_counts": np.empty(0, np.uint64),
    }


def url_counts(rows: DataFrame) -> dict[str, int]:
    counts = rows.select(F.explode("urls").alias("name", "count"))
    sums = counts.groupBy("name").agg(F.sum("count").alias("count")).collect()
    return {row["name"]: row["count"] for row in sums}
