"""The clusters of bags that fit the memory of one task: by the code of one machine, which compares a
bag with the centers that it meets, where slices compare all bags that share a bucket."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from kith import _kith
from kith.spark._bags.packed import BAGS, Packed
from kith.spark._cluster.table import arrow_of_table, rows_of_table
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes that a task needs. A term: as it comes, and once more in the order of bags. A bag: its id and
# key, its signature, and its places in some 60 tables.
_OF_TERM = 16
_OF_BAG = 1500

_SCHEMA = arrow_of_table(pa.string()).append(pa.field("report", pa.string()))


def fits_one_task(packed: Packed, memory: int) -> bool:
    """Whether the memory of a task, in bytes, does for these bags; false where there are none."""
    return 0 < _OF_TERM * packed.entries + _OF_BAG * packed.bags <= memory


def cluster_by_one_task(
    job: Job, packed: Packed, words: list[str]
) -> tuple[DataFrame, DataFrame, dict[str, Any]]:
    """What Spark keeps, until unpersist(); the table of clusters, which is part of it; the report."""
    version, entries = job.version, packed.entries

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        gathered = _Gathered(words, entries)
        for batch in batches:
            gathered.add(batch)
        yield from gathered.cluster()

    rows = packed.rows.select("ids", "keys", "without", *BAGS).repartition(1)
    kept = job.persist(rows.mapInArrow(run, from_arrow_schema(_SCHEMA)))
    report = kept.filter(F.col("report").isNotNull()).select("report").collect()[0][0]
    job.hand_over(kept)
    return kept, kept.filter(F.col("report").isNull()).drop("report"), json.loads(report)


class _Gathered:
    """The bags of a task, as they come."""

    def __init__(self, words: list[str], entries: int) -> None:
        self._bags = _kith.ClusterSteps(words).gather(entries)
        self._ids: list[pa.Array] = []
        self._keys: list[pa.Array] = []
        self._without: list[NDArray[np.uint8]] = []
        self._sizes: list[NDArray[np.uint32]] = []

    def add(self, batch: pa.RecordBatch) -> None:
        for row in range(batch.num_rows):
            sizes = array_of(batch, "sizes", row, np.uint32)
            self._bags.add_short(array_of(batch, "short", row, np.uint8), sizes.astype(np.uint64))
            self._ids.append(batch.column("ids")[row].values)
            self._keys.append(batch.column("keys")[row].values)
            self._without.append(array_of(batch, "without", row, np.uint8))
            self._sizes.append(sizes)

    def cluster(self) -> Iterator[pa.RecordBatch]:
        """The rows of the table, and one with the report alone."""
        order = self._order()
        ids = pa.chunked_array(self._ids, pa.string()).take(pa.array(order)).combine_chunks()
        filled = int(np.count_nonzero(np.concatenate(self._sizes)[order]))
        center, similarity, plan, duplicates = self._bags.cluster(order)
        members = np.bincount(center, minlength=len(center))
        report = {
            "bags": len(order),
            "empty": len(order) - filled,
            "duplicates": duplicates,
            "clusters": int(np.count_nonzero(members > 1)),
            "singles": int(np.count_nonzero(members == 1)),
        }
        if filled - duplicates > 1:
            report |= plan
        rows = np.arange(len(center))
        numbers, centers = _numbers(members)[center], ids.take(pa.array(center))
        sizes = members[center]
        for batch in rows_of_table(ids, numbers, sizes, similarity, rows, center, centers):
            nulls = pa.nulls(batch.num_rows, pa.string())
            yield pa.RecordBatch.from_arrays([*batch.columns, nulls], schema=_SCHEMA)
        nulls = [pa.nulls(1, kind) for kind in _SCHEMA.types[:-1]]
        yield pa.RecordBatch.from_arrays([*nulls, pa.array([json.dumps(report)])], schema=_SCHEMA)

    def _order(self) -> NDArray[np.uint32]:
        """The places of pages that have a text, by their keys."""
        keys = pa.chunked_array(self._keys, pa.binary())
        order: NDArray[np.uint32] = pc.sort_indices(keys).to_numpy().astype(np.uint32)
        with_text: NDArray[np.bool_] = np.concatenate(self._without)[order] == 0
        found: NDArray[np.uint32] = order[with_text]
        return found


def _numbers(members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of centers by their rows, which have members: numbers from 1, the largest first, then by row."""
    centers = np.flatnonzero(members)
    order = centers[np.argsort(-members[centers], kind="stable")]
    numbers = np.zeros(len(members), np.int64)
    numbers[order] = np.arange(1, len(order) + 1)
    return numbers
