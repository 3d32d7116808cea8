"""How often stems and their forms are met: added up by tasks, and then by slices of stems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from kith import _kith
from kith.spark._bags.page_words import PageWords
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of, binary, strings_of

if TYPE_CHECKING:
    from kith.spark._exchange.blocks import Slots

# Stems or forms that a task adds up before it sends them: some 150 MB.
_FORMS_OF_TASK = 1_000_000
_STEMS_OF_ROW = 1 << 16
# What is added up of stems and forms, of each row of the pages and of what tasks send.
_ADDED = {
    "stems": np.uint8,
    "stem_sizes": np.uint32,
    "documents": np.uint32,
    "forms": np.uint8,
    "form_sizes": np.uint32,
    "form_stems": np.uint32,
    "form_counts": np.uint64,
}
_SENT = ", ".join(("target int", *(f"{name} binary" for name in _ADDED)))
_PARTS_OF_SENT = 2

# The stems of a slice that are terms, some thousand in a row. vocabulary: of different stems, those
# that are no terms included. words: the form of each that is met most often, ties by their bytes.
# documents, linked: how many contents, and how many bags of links, have it; linked is 0 but in bags
# of both kinds.
SCHEMA = (
    "vocabulary long, terms long, stems binary, stem_sizes binary, words binary,"
    " word_sizes binary, documents binary, linked binary"
)


def count_stems(job: Job, pages: PageWords, parts: int, min_df: int) -> DataFrame:
    """Rows of SCHEMA, of all pages, kept by the job; terms are met in min_df of them, or of bags of
    links."""
    version, slots = job.version, job.slots

    def send(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        yield from _added_up(batches, parts, slots)

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        counts = _kith.FormCounts()
        for batch in batches:
            for row in range(batch.num_rows):
                _add(counts, batch, row, _PARTS_OF_SENT)
        if counts.stems > 0:
            yield from _terms_of(counts, min_df)

    rows = pages.batches.filter("pages is not null").select(*_ADDED)
    sent = rows.mapInArrow(send, _SENT)
    return job.persist(sent.repartition(job.partitions, "target").mapInArrow(count, SCHEMA))


def strings_at(batch: pa.RecordBatch, data: str, sizes: str, row: int) -> pa.Array:
    return strings_of(batch.column(data)[row].as_buffer(), array_of(batch, sizes, row, np.uint32))


def _added_up(
    batches: Iterable[pa.RecordBatch], parts: int, slots: Slots
) -> Iterator[pa.RecordBatch]:
    """Rows of _SENT: most words are in most of the rows."""
    counts = _kith.FormCounts()
    for batch in batches:
        for row in range(batch.num_rows):
            _add(counts, batch, row, parts)
            if max(counts.stems, counts.forms) > _FORMS_OF_TASK:
                yield from _by_slice(counts, slots)
    yield from _by_slice(counts, slots)


def _add(counts: _kith.FormCounts, batch: pa.RecordBatch, row: int, parts: int) -> None:
    counts.add(parts, *(array_of(batch, name, row, dtype) for name, dtype in _ADDED.items()))


def _by_slice(counts: _kith.FormCounts, slots: Slots) -> Iterator[pa.RecordBatch]:
    """Rows of _SENT, of all that was counted so far."""
    for number, found in counts.take_slices(len(slots)):
        stems, stem_sizes = _bytes_and_sizes(found["stems"])
        forms, form_sizes = _bytes_and_sizes(found["forms"])
        yield pa.RecordBatch.from_pydict(
            {
                "target": pa.array([slots.values[number]], pa.int32()),
                "stems": stems,
                "stem_sizes": stem_sizes,
                "documents": binary(found["documents"]),
                "forms": forms,
                "form_sizes": form_sizes,
                "form_stems": binary(found["form_stems"]),
                "form_counts": binary(found["form_counts"]),
            }
        )


def _bytes_and_sizes(strings: tuple[bytes, Any]) -> tuple[pa.Array, pa.Array]:
    data, offsets = strings
    return pa.array([data], pa.binary()), binary(np.diff(offsets).astype(np.uint32))


def _terms_of(counts: _kith.FormCounts, min_df: int) -> Iterator[pa.RecordBatch]:
    """Rows of SCHEMA: the terms of a slice."""
    stems, words, documents, linked = counts.terms(min_df)
    for begin in range(0, max(1, len(documents)), _STEMS_OF_ROW):
        end = min(begin + _STEMS_OF_ROW, len(documents))
        some_stems, stem_sizes = _bytes_and_sizes(_some(stems, begin, end))
        some_words, word_sizes = _bytes_and_sizes(_some(words, begin, end))
        yield pa.RecordBatch.from_pydict(
            {
                "vocabulary": pa.array([counts.stems if begin == 0 else 0], pa.int64()),
                "terms": pa.array([end - begin], pa.int64()),
                "stems": some_stems,
                "stem_sizes": stem_sizes,
                "words": some_words,
                "word_sizes": word_sizes,
                "documents": binary(documents[begin:end]),
                "linked": binary(linked[begin:end]),
            }
        )


def _some(strings: tuple[bytes, Any], begin: int, end: int) -> tuple[bytes, Any]:
    data, offsets = strings
    return data[int(offsets[begin]) : int(offsets[end])], offsets[begin : end + 1]
