"""From a table of texts to the words of its rows, some thousand rows at a time, which stay where
they were made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith._errors import UsageError
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import binary, list_of
from kith.spark._join.documents import column_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of the pages that become a row: whichever is reached first.
ROW_PAGES = 4096
ROW_BYTES = 8 << 20

# Of the rows of the table: ids, keys, without (not 0 for no text), sizes (stems of each), and in
# short (as by _kith.shortened()) the number and the count of each. Of their stems: stems, stem_sizes,
# documents. Of the words that have them: forms, form_sizes, form_stems, form_counts. filled: rows with
# a stem; in bags of both kinds, of which terms and documents are those of distributed::PageWords, rows
# with one in the content, and linked those with one in links.
SCHEMA = (
    "pages int, filled int, linked int, nulls int, empty int, words long, ids array<string>,"
    " keys array<binary>, without binary, sizes binary, short binary, stems binary,"
    " stem_sizes binary, documents binary, forms binary, form_sizes binary, form_stems binary,"
    " form_counts binary"
)


@dataclasses.dataclass
class PageWords:
    """batches: rows of SCHEMA. filled: rows of the table with at least one stem, and linked. nulls,
    empty: texts that are null, or have no character."""

    batches: DataFrame
    pages: int
    filled: int
    linked: int
    nulls: int
    empty: int
    words: int


def read_words(
    job: Job, frame: DataFrame, text: str, id_column: str, title: str | None, words: list[str]
) -> PageWords:
    """The words of a table, of which every id is a URL of its own."""
    version = job.version
    columns = [column_named(id_column).alias("id"), column_named(text).alias("text")]
    if title is not None:
        columns.append(column_named(title).alias("title"))

    def make(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        steps = _kith.BagSteps(words)
        for batch in _pieces(batches):
            yield _row_of(steps, batch, id_column)

    made = job.keep(frame.select(*columns).mapInArrow(make, SCHEMA))
    pages = counted(made)
    _check_unique(made, id_column)
    return pages


def counted(batches: DataFrame) -> PageWords:
    names = ("pages", "filled", "linked", "nulls", "empty", "words")
    sums = batches.agg(*(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in names))
    return PageWords(batches, **sums.collect()[0].asDict())


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows, so many at a time as become one."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if batch.num_rows == 0:
            continue
        waiting.append(batch)
        pages = sum(piece.num_rows for piece in waiting)
        if pages >= ROW_PAGES or sum(piece.nbytes for piece in waiting) >= ROW_BYTES:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _row_of(steps: _kith.BagSteps, batch: pa.RecordBatch, id_column: str) -> pa.RecordBatch:
    texts = batch.column("text")
    titles = batch.column("title") if "title" in batch.schema.names else None
    keys = _keys_of(batch.column("id"), id_column)
    without = (pc.fill_null(pc.binary_length(texts), 0).to_numpy() == 0).astype(np.uint8)
    found = steps.words(texts, titles)
    return row_of_words(batch.column("id"), keys, found, without, texts.null_count)


def row_of_words(
    ids: pa.Array, keys: pa.Array, found: dict[str, Any], without: NDArray[np.uint8], nulls: int
) -> pa.RecordBatch:
    """A row of SCHEMA. found: the words of pages, as C++ gives them. without: by page, not 0 for no
    text."""
    stems, stem_offsets = found["stems"]
    forms, form_offsets = found["forms"]
    sizes = np.diff(found["offsets"]).astype(np.uint32)
    one = pa.array([0, len(ids)], pa.int32())
    return pa.RecordBatch.from_pydict(
        {
            "pages": pa.array([len(ids)], pa.int32()),
            "filled": pa.array([found["filled"]], pa.int32()),
            "linked": pa.array([found["linked"]], pa.int32()),
            "nulls": pa.array([nulls], pa.int32()),
            "empty": pa.array([int(without.sum()) - nulls], pa.int32()),
            "words": pa.array([found["words"]], pa.int64()),
            "ids": pa.ListArray.from_arrays(one, ids),
            "keys": pa.ListArray.from_arrays(one, keys),
            "without": binary(without),
            "sizes": binary(sizes),
            "short": binary(_kith.shortened(found["offsets"], found["entries"])),
            "stems": pa.array([stems], pa.binary()),
            "stem_sizes": binary(np.diff(stem_offsets).astype(np.uint32)),
            "documents": binary(found["documents"]),
            "forms": pa.array([forms], pa.binary()),
            "form_sizes": binary(np.diff(form_offsets).astype(np.uint32)),
            "form_stems": binary(found["form_stems"]),
            "form_counts": binary(found["form_counts"]),
        }
    )


def row_of_pages(urls: tuple[bytes, Any], found: dict[str, Any]) -> pa.RecordBatch:
    """The same of pages of a crawl, which have a text."""
    ids = list_of(urls, pa.string())
    keys = list_of(_kith.url_keys(ids, names=True), pa.binary())
    return row_of_words(ids, keys, found, np.zeros(len(ids), np.uint8), 0)


def _keys_of(ids: pa.Array, column: str) -> pa.Array:
    """What the URLs are ordered by. Raises for a null and for what is no URL."""
    if ids.null_count > 0:
        raise UsageError(f"column {column!r}: a row is null")
    data, offsets = _kith.url_keys(ids)
    without = np.flatnonzero(np.diff(offsets) == 0)
    if len(without) > 0:
        value = ids[int(without[0])].as_py()
        raise UsageError(
            f"column {column!r}: {value!r} is no http or https URL of at most 8,192 bytes;"
            " leave such rows out"
        )
    return list_of((data, offsets), pa.binary())


def _check_unique(batches: DataFrame, column: str) -> None:
    """Raises for two ids that are the same URL, the first by its key."""
    keys = batches.select(F.explode("keys").alias("key")).groupBy("key").count()
    first: Any = keys.filter("count > 1").agg(F.min("key")).collect()[0][0]
    if first is None:
        return
    rows = batches.select(F.explode(F.arrays_zip("ids", "keys")).alias("row"))
    same = rows.filter(F.col("row.keys") == F.lit(first)).select("row.ids").orderBy("ids").limit(2)
    a, b = (row["ids"] for row in same.collect())
    if a == b:
        raise UsageError(f"column {column!r}: {a!r} stands in two rows")
    raise UsageError(f"column {column!r}: {a!r} and {b!r} are the same URL")
