"""The documents of bags that kith.spark.bags has made: sorted by their keys without a row of Spark for
each."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import StringType

from kith import _kith
from kith.spark._bags.packed import BAGS, Packed, entries_of
from kith.spark._exchange.blocks import SetBatch
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of, binary, offsets_of
from kith.spark._join.documents import BATCH, Documents, Features, document_rows, documents_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kith.spark._exchange.blocks import Slots

_SENT = "target int, ids array<string>, keys array<binary>, sizes binary, short binary"
_BAGS_OF_TURN = 8192  # that a task cuts into slices at a time
# Keys by which slices are bounded: of each slice, and in all.
_SAMPLE_OF_SLICE = 100
_MOST_SAMPLED = 1_000_000


class _Bags:
    """Some bags, with their ids and keys."""

    def __init__(self, ids: pa.Array, keys: pa.Array, sets: SetBatch) -> None:
        self.ids = ids
        self.keys = keys
        self.sets = sets

    @staticmethod
    def of_rows(rows: list[tuple[pa.RecordBatch, int]]) -> _Bags:
        sizes = np.concatenate([array_of(batch, "sizes", row, np.uint32) for batch, row in rows])
        entries = [entries_of(batch, row) for batch, row in rows]
        ids, keys = (
            pa.concat_arrays([batch.column(name)[row].values for batch, row in rows])
            for name in ("ids", "keys")
        )
        numbers = np.arange(len(ids), dtype=np.uint32)
        return _Bags(ids, keys, SetBatch(numbers, offsets_of(sizes), np.concatenate(entries)))

    def select(self, places: NDArray[np.int64]) -> _Bags:
        taken = pa.array(places)
        return _Bags(self.ids.take(taken), self.keys.take(taken), self.sets.select(places))


def packed_documents(job: Job, packed: Packed, words: list[str]) -> Documents:
    version, slots = job.version, job.slots
    bounds = _bounds(job, packed)

    def send(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for rows in _turns(batches):
            yield from _by_slice(rows, bounds, slots)

    def make(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        rows = [(batch, row) for batch in batches for row in range(batch.num_rows)]
        if rows:
            yield from document_rows(_in_order(_Bags.of_rows(rows), words), are_bags=True)

    sent = packed.rows.select("ids", "keys", "without", *BAGS).mapInArrow(send, _SENT)
    by_slice = sent.repartition(job.partitions, "target")
    return documents_of(job, by_slice, make, StringType(), are_bags=True)


def _bounds(job: Job, packed: Packed) -> list[bytes]:
    """The first keys of all slices but the first one, so that these have about as many bags."""
    wanted = min(_SAMPLE_OF_SLICE * job.partitions, _MOST_SAMPLED)
    every = max(1, packed.bags // wanted)

    def pick(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        seen = 0
        for batch in batches:
            for keys in batch.column("keys"):
                places = np.arange(-seen % every, len(keys), every)
                seen += len(keys)
                yield pa.RecordBatch.from_arrays([keys.values.take(pa.array(places))], ["key"])

    found = packed.rows.select("keys").mapInArrow(pick, "key binary").collect()
    keys = sorted(bytes(row["key"]) for row in found)
    count = job.partitions if keys else 1
    return [keys[number * len(keys) // count] for number in range(1, count)]


def _turns(batches: Iterable[pa.RecordBatch]) -> Iterator[list[tuple[pa.RecordBatch, int]]]:
    waiting: list[tuple[pa.RecordBatch, int]] = []
    bags = 0
    for batch in batches:
        for row, keys in enumerate(batch.column("keys")):
            waiting.append((batch, row))
            bags += len(keys)
            if bags >= _BAGS_OF_TURN:
                yield waiting
                waiting, bags = [], 0
    if waiting:
        yield waiting


def _by_slice(
    rows: list[tuple[pa.RecordBatch, int]], bounds: list[bytes], slots: Slots
) -> Iterator[pa.RecordBatch]:
    """Rows of _SENT: of the pages that have a text."""
    without = np.concatenate([array_of(batch, "without", row, np.uint8) for batch, row in rows])
    bags = _Bags.of_rows(rows)
    slices = np.array([bisect.bisect_right(bounds, key) for key in bags.keys.to_pylist()])
    slices[without != 0] = -1
    for number in np.unique(slices[slices >= 0]):
        some = bags.select(np.flatnonzero(slices == number))
        one = pa.array([0, len(some.ids)], pa.int32())
        yield pa.RecordBatch.from_pydict(
            {
                "target": pa.array([slots.values[number]], pa.int32()),
                "ids": pa.ListArray.from_arrays(one, some.ids),
                "keys": pa.ListArray.from_arrays(one, some.keys),
                "sizes": binary(np.diff(some.sets.offsets).astype(np.uint32)),
                "short": binary(_kith.shortened(some.sets.offsets, some.sets.elements)),
            }
        )


def _in_order(bags: _Bags, words: list[str]) -> Iterator[tuple[pa.Array, Features]]:
    steps: Any = _kith.ClusterSteps(words)
    order = pc.sort_indices(bags.keys).to_numpy().astype(np.int64)
    for begin in range(0, len(order), BATCH):
        some = bags.select(order[begin : begin + BATCH])
        features = steps.packed_features(some.sets.offsets, some.sets.elements)
        yield some.ids, Features(*features)
