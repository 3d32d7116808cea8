"""Weighted bags, some hundred in a row, as kith.spark.cluster() takes them: of a bag one number a term
(distributed::PageBags), so that no weight becomes an object of Java."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._bags.dictionary import Terms, stems_of
from kith.spark._bags.page_words import PageWords
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of, binary, offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

# without: not 0 for a page that has no text, and so no bag. entries: of all bags of a row, which are
# shortened in `short`.
_SCHEMA = (
    "bags int, filled int, entries int, ids array<string>, keys array<binary>, without binary,"
    " sizes binary, short binary"
)
# What entries_of() takes.
BAGS = ("sizes", "short")
_BAGS_OF_ROW = 256
_UNIT = 1 << 16  # weights are multiples of 1 / _UNIT
_TERM = np.uint64(0xFFFFFFFF)


@dataclasses.dataclass(frozen=True)
class Packed:
    """rows: of _SCHEMA, kept by the job that has made them, and handed over. words: the options that they were
    made by. bags, empty: how many bags there are, and without a term. entries: of all bags."""

    rows: DataFrame
    words: list[str]
    bags: int
    empty: int
    entries: int


def weigh(job: Job, pages: PageWords, terms: Terms, words: list[str]) -> Packed:
    """The bags of pages."""
    version, shared = job.version, terms.shared

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for batch in batches:
            for row in range(batch.num_rows):
                yield from _rows_of(shared.value.made, batch, row)

    names = ("ids", "keys", "without", *BAGS, "stems", "stem_sizes")
    some = pages.batches.filter("pages > 0").select(*names)
    rows = job.persist(some.mapInArrow(run, _SCHEMA))
    sums = (F.sum("bags"), F.sum(F.col("bags") - F.col("filled")), F.sum("entries"))
    bags, empty, entries = rows.agg(*sums).collect()[0]
    return Packed(rows, words, bags or 0, empty or 0, entries or 0)


def entries_of(batch: pa.RecordBatch, row: int) -> NDArray[np.uint64]:
    """The entries of the bags of a row, or of words: of each its term, and its weight or count in the
    high half."""
    sizes = array_of(batch, "sizes", row, np.uint32).astype(np.uint64)
    return _kith.restored(array_of(batch, "short", row, np.uint8), sizes)


def _rows_of(
    dictionary: _kith.BagDictionary, batch: pa.RecordBatch, row: int
) -> Iterator[pa.RecordBatch]:
    sizes_of_words = offsets_of(array_of(batch, "sizes", row, np.uint32))
    offsets, entries = dictionary.weigh(
        stems_of(batch, row), sizes_of_words, entries_of(batch, row)
    )
    without = array_of(batch, "without", row, np.uint8)
    ids, keys = batch.column("ids")[row].values, batch.column("keys")[row].values
    for begin in range(0, len(ids), _BAGS_OF_ROW):
        end = min(begin + _BAGS_OF_ROW, len(ids))
        ends = offsets[begin : end + 1]
        some = entries[ends[0] : ends[-1]]
        sizes = np.diff(ends).astype(np.uint32)
        one = pa.array([0, end - begin], pa.int32())
        yield pa.RecordBatch.from_pydict(
            {
                "bags": pa.array([end - begin], pa.int32()),
                "filled": pa.array([np.count_nonzero(sizes)], pa.int32()),
                "entries": pa.array([len(some)], pa.int32()),
                "ids": pa.ListArray.from_arrays(one, ids.slice(begin, end - begin)),
                "keys": pa.ListArray.from_arrays(one, keys.slice(begin, end - begin)),
                "without": binary(without[begin:end]),
                "sizes": binary(sizes),
                "short": binary(_kith.shortened(ends - ends[0], some)),
            }
        )


def unpacked(job: Job, packed: Packed) -> DataFrame:
    """id, key, terms, weights: a row a bag."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in range(batch.num_rows):
                yield _bags_of(batch, row)

    schema = "id string, key binary, terms array<int>, weights array<double>"
    rows = packed.rows.select("ids", "keys", "without", *BAGS)
    return job.sealed(rows.mapInArrow(run, schema))


def _bags_of(batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
    entries = entries_of(batch, row)
    weights: NDArray[Any] = (entries >> np.uint64(32)).astype(np.float64) / _UNIT
    ends = pa.array(offsets_of(array_of(batch, "sizes", row, np.uint32)), pa.int32())
    without = pa.array(array_of(batch, "without", row, np.uint8) != 0)
    terms = pa.array((entries & _TERM).astype(np.int32))
    return pa.RecordBatch.from_pydict(
        {
            "id": batch.column("ids")[row].values,
            "key": batch.column("keys")[row].values,
            "terms": pa.ListArray.from_arrays(ends, terms, mask=without),
            "weights": pa.ListArray.from_arrays(ends, pa.array(weights), mask=without),
        }
    )
