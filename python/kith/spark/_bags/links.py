"""Bags of links: what the pages of all files say about a URL comes together in the slice of that
URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kith import _kith
from kith.spark._bags import page_words
from kith.spark._bags.aliases import fold_aliases
from kith.spark._bags.page_words import row_of_pages
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

if TYPE_CHECKING:
    from kith.spark._exchange.blocks import Slots

# Of the pages whose fragments become a row of each slice: whichever is reached first.
_PAGES = 4096
_BYTES = 64 << 20

_COUNTS = "urls map<string,long>"
_WORDS = f"{page_words.SCHEMA}, {_COUNTS}"


def fragment_rows(file: _kith.PageFile, slots: Slots) -> Iterator[pa.RecordBatch]:
    """Rows of words, of no pages: the stems and forms of a file. And rows of SENT."""
    pages = 1
    while pages > 0:
        pages, slices, aliases, words = file.next_fragments(_PAGES, _BYTES, len(slots))
        yield row_of_pages((b"", np.zeros(1, np.uint64)), words)
        yield from sent(slots, FRAGMENTS, slices)
        yield from sent(slots, ALIASES, aliases)


def words_of_urls(
    job: Job, rows: DataFrame, words: list[str]
) -> tuple[DataFrame, dict[str, Any]]:
    """Rows of words, of URLs in the place of pages, and `urls`: counts of a slice. And a report of
    aliases, if they are folded. rows: of SENT."""
    steps = _kith.BagSteps(words)
    if not steps.folds_aliases:
        return _make_words(job, rows, words), {}
    job.step("aliases")
    folded, report = fold_aliases(job, rows, compares=steps.parts > 1)
    job.step("links")
    return _make_words(job, folded, words), report


def _make_words(job: Job, rows: DataFrame, words: list[str]) -> DataFrame:
    slots = job.slots

    def make(pieces: Pieces) -> _kith.UrlWords:
        return _kith.BagSteps(words).url_words(pieces.of(FRAGMENTS), pieces.one(FOLDED))

    def say(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        found = make(pieces)
        yield from _rows_of(found, fetched=found.fetched, left_out=found.left_out)

    def send(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        found = make(pieces)
        counts = _counts_of(fetched=found.fetched, left_out=found.left_out)
        columns = [pa.nulls(1, field.type) for field in SENT_FIELDS]
        yield _with_urls(pa.RecordBatch.from_arrays(columns, schema=pa.schema(SENT_FIELDS)), counts)
        while any(slices := found.next_by_content(page_words.ROW_PAGES, len(slots))):
            for row in sent(slots, FRAGMENTS, slices):
                yield _with_urls(row, pa.nulls(1, counts.type))

    def gather(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        found = _kith.BagSteps(words).url_words_with_copies(pieces.of(FRAGMENTS))
        yield from _rows_of(found, copies=found.copies, copied=found.copied)

    if _kith.BagSteps(words).parts == 1:
        return in_slices(job, rows, say, _WORDS)
    # Copies of a page share what links say of them.
    by_content = job.persist(in_slices(job, rows, send, f"{SENT}, {_COUNTS}"))
    made = in_slices(job, by_content.filter("target is not null"), gather, _WORDS)
    counts = by_content.filter("target is null").select("urls")
    return made.unionByName(counts, allowMissingColumns=True)


def _with_urls(row: pa.RecordBatch, counts: pa.Array) -> pa.RecordBatch:
    return row.append_column("urls", counts)


def _rows_of(found: _kith.UrlWords, **counts: int) -> Iterator[pa.RecordBatch]:
    column = _counts_of(**counts)
    while True:
        urls, words = found.next(page_words.ROW_PAGES)
        yield _with_urls(row_of_pages(urls, words), column)
        if len(words["offsets"]) == 1:
            return
        column = pa.nulls(1, column.type)


def _counts_of(**counts: int) -> pa.Array:
    return pa.array([[*counts.items()]], pa.map_(pa.string(), pa.int64()))
