"""From bags that executors hold to a run in a folder of the driver, which `kith cluster` reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._bags.job import Bagged
from kith.spark._bags.packed import BAGS, Packed, entries_of
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of, binary, offsets_of, strings_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BAGS_OF_ROW = 1024
_NO_ROW = -1
_NUMBERS = ("term", "documents")  # columns of terms that are no strings


@dataclasses.dataclass(frozen=True)
class RunTerms:
    """The terms of a run by their numbers, and the options that its bags were made by."""

    words: list[str]
    stems: pa.Array
    forms: pa.Array
    documents: NDArray[np.uint64]


def writer_of(folder: str, terms: RunTerms) -> _kith.BagRunWriter:
    """What writes a run of bags of these terms."""
    return _kith.BagRunWriter.create(terms.words, folder, terms.stems, terms.forms, terms.documents)


def write_run(
    job: Job, made: Bagged, folder: str, wanted: DataFrame | None, terms: RunTerms
) -> NDArray[np.int64]:
    """Writes the bags of pages that have a text, or of these those in `wanted`: id, row. Returns the
    rows of what was written, in the order of URL ids in the run. Memory of the driver: the terms,
    and one partition of bags."""
    bags = single_bags(made.packed)
    if wanted is None:
        bags = bags.withColumn("row", F.lit(_NO_ROW).cast("long"))
    else:
        bags = bags.join(wanted.select("id", "row"), "id")
    sorted_bags = bags.repartitionByRange(job.partitions, "key").sortWithinPartitions("key")
    schema = "rows binary, keys array<binary>, sizes binary, entries binary"
    pieces = job.keep(sorted_bags.mapInArrow(_packing(job.version), schema))
    writer = writer_of(folder, terms)
    rows = [np.empty(0, np.int64)]
    for piece in pieces.toLocalIterator():
        sizes = np.frombuffer(piece["sizes"], np.uint32)
        keys = [bytes(key) for key in piece["keys"]]
        writer.add(keys, offsets_of(sizes), np.frombuffer(piece["entries"], np.uint64))
        rows.append(np.frombuffer(piece["rows"], np.int64))
    writer.finish()
    return np.concatenate(rows)


def single_bags(packed: Packed) -> DataFrame:
    """id, key, entries."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in range(batch.num_rows):
                yield _bags_of(batch, row)

    rows = packed.rows.select("ids", "keys", "without", *BAGS)
    return rows.mapInArrow(run, "id string, key binary, entries binary")


def _bags_of(batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
    sizes = array_of(batch, "sizes", row, np.uint32)
    data = pa.py_buffer(entries_of(batch, row))
    ends = pa.py_buffer((8 * offsets_of(sizes)).astype(np.int32))
    bags = pa.Array.from_buffers(pa.binary(), len(sizes), [None, ends, data])
    made = pa.RecordBatch.from_pydict(
        {
            "id": batch.column("ids")[row].values,
            "key": batch.column("keys")[row].values,
            "entries": bags,
        }
    )
    return made.filter(pa.array(array_of(batch, "without", row, np.uint8) == 0))


def _packing(version: str) -> Any:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        waiting: list[pa.RecordBatch] = []
        for batch in batches:
            waiting.append(batch)
            if sum(one.num_rows for one in waiting) >= _BAGS_OF_ROW:
                yield _joined(waiting)
                waiting = []
        if waiting:
            yield _joined(waiting)

    return run


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches).combine_chunks()
    bags = table.column("entries").to_pylist()
    sizes = np.array([len(bag) // 8 for bag in bags], np.uint32)
    keys = table.column("key").combine_chunks()
    keys = keys.chunk(0) if isinstance(keys, pa.ChunkedArray) else keys
    return pa.RecordBatch.from_pydict(
        {
            "rows": binary(table.column("row").to_numpy()),
            "keys": pa.ListArray.from_arrays(pa.array([0, len(keys)], pa.int32()), keys),
            "sizes": binary(sizes),
            "entries": pa.array([b"".join(bags)], pa.binary()),
        }
    )


def run_terms(made: Bagged) -> RunTerms:
    """The terms of what bags() or bags_of_files() have made."""

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            packed = {name: binary(batch.column(name).to_numpy()) for name in _NUMBERS}
            for name in ("stem", "word"):
                texts = [text.encode() for text in batch.column(name).to_pylist()]
                packed[name] = pa.array([b"".join(texts)], pa.binary())
                packed[f"{name}_sizes"] = binary(np.array([len(t) for t in texts], np.uint32))
            yield pa.RecordBatch.from_pydict(packed)

    schema = (
        "term binary, documents binary, stem binary, stem_sizes binary, word binary,"
        " word_sizes binary"
    )
    pieces: Any = made.terms.mapInArrow(pack, schema).collect()

    def joined(name: str) -> bytes:
        return b"".join(bytes(piece[name]) for piece in pieces)

    order = pa.array(np.argsort(np.frombuffer(joined("term"), np.int32)))
    stems, words = (
        strings_of(joined(name), np.frombuffer(joined(f"{name}_sizes"), np.uint32)).take(order)
        for name in ("stem", "word")
    )
    documents = np.frombuffer(joined("documents"), np.int64)[order.to_numpy()].astype(np.uint64)
    return RunTerms(made.packed.words, stems, words, documents)
