"""From a table of texts to documents: numbered in the order of their ids, with what they are
compared by, in batches of a fixed number that stay where they were made."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ByteType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
)

from kith import _kith
from kith._errors import NotFoundError, UsageError
from kith.spark._blocks import SCHEMA, Inbox, Outbox, SetBatch
from kith.spark._records import Kind
from kith.spark._session import Job, check_executor

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 64  # documents of a row
UNIT = 64 * BATCH  # documents whose flags stand together
MOST = 2**32 - 1  # documents

_SCHEMA = (
    "part int, first int, count int, filled int, nulls int, empty int, ids array<{id}>,"
    " sizes binary, content binary, signatures binary, elements binary"
)


@dataclasses.dataclass
class Documents:
    """batches: rows of _SCHEMA. starts: by part, where its rows begin among all documents."""

    batches: DataFrame
    id_type: DataType
    starts: NDArray[np.int64]
    filled: NDArray[np.int64]  # by part: documents with elements
    count: int
    nulls: int
    empty: int  # texts without a character, beside the nulls


def check_columns(frame: DataFrame, text: str, id_column: str) -> DataType:
    """The type of the ids. Raises for a column that is missing or of a wrong type."""
    types = {field.name: field.dataType for field in frame.schema.fields}
    for name in (text, id_column):
        if name not in types:
            raise NotFoundError(f"no column {name!r}; there are {', '.join(map(repr, types))}")
    if not isinstance(types[text], StringType):
        raise UsageError(f"column {text!r}: of type {types[text].simpleString()}, not of strings")
    id_type = types[id_column]
    if not isinstance(id_type, (StringType, ByteType, ShortType, IntegerType, LongType)):
        raise UsageError(
            f"column {id_column!r}: of type {id_type.simpleString()}, not of strings or integers"
        )
    return id_type


def make_documents(
    job: Job, frame: DataFrame, text: str, id_column: str, words: list[str]
) -> Documents:
    """The documents of a table, sorted by id, which must be unique."""
    id_type = check_columns(frame, text, id_column)
    version = job.version

    def make(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        yield from _batches_of_part(batches, id_column, words)

    plain = frame.select(F.col(id_column).alias("id"), F.col(text).alias("text"))
    ordered = plain.repartitionByRange(job.partitions, "id").sortWithinPartitions("id")
    batches = job.persist(ordered.mapInArrow(make, _SCHEMA.format(id=id_type.simpleString())))
    sums = [F.sum(name).alias(name) for name in ("count", "filled", "nulls", "empty")]
    parts = batches.groupBy("part").agg(*sums).collect()
    counts = np.zeros(job.partitions, np.int64)
    filled = np.zeros(job.partitions, np.int64)
    for row in parts:
        counts[row["part"]] = row["count"]
        filled[row["part"]] = row["filled"]
    count = int(counts.sum())
    if count > MOST:
        raise UsageError(f"{count} documents: a job takes at most {MOST}; divide the table")
    return Documents(
        batches=batches,
        id_type=id_type,
        starts=np.concatenate(([0], np.cumsum(counts)[:-1])),
        filled=filled,
        count=count,
        nulls=sum(row["nulls"] for row in parts),
        empty=sum(row["empty"] for row in parts),
    )


def _batches_of_part(
    batches: Iterable[pa.RecordBatch], id_column: str, words: list[str]
) -> Iterator[pa.RecordBatch]:
    context = TaskContext.get()
    assert context is not None
    part = context.partitionId()
    steps = _kith.DedupSteps(words)
    first = 0
    before: Any = None
    for batch in _of_equal_size(batches):
        ids = batch.column("id")
        before = _check_ids(ids, before, id_column)
        texts = batch.column("text")
        offsets, elements, content, signatures = steps.features(texts)
        sizes = np.diff(offsets).astype(np.uint32)
        yield pa.RecordBatch.from_pydict(
            {
                "part": pa.array([part], pa.int32()),
                "first": pa.array([first], pa.int32()),
                "count": pa.array([len(texts)], pa.int32()),
                "filled": pa.array([np.count_nonzero(sizes)], pa.int32()),
                "nulls": pa.array([texts.null_count], pa.int32()),
                "empty": pa.array([_count_empty(texts)], pa.int32()),
                "ids": pa.ListArray.from_arrays(pa.array([0, len(ids)], pa.int32()), ids),
                "sizes": _binary(sizes),
                "content": _binary(content),
                "signatures": _binary(signatures),
                "elements": _binary(elements),
            }
        )
        first += len(texts)


def _binary(values: NDArray[Any]) -> pa.Array:
    return pa.array([values.tobytes()], pa.binary())


def _count_empty(texts: pa.Array) -> int:
    return sum(1 for text in texts if text.is_valid and text.as_buffer().size == 0)


def _of_equal_size(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows, BATCH at a time."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        while batch.num_rows > 0:
            piece = batch.slice(0, BATCH - count)
            batch = batch.slice(piece.num_rows)
            waiting.append(piece)
            count += piece.num_rows
            if count == BATCH:
                yield _joined(waiting)
                waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches).combine_chunks()
    return table.to_batches()[0]


def _check_ids(ids: pa.Array, before: Any, column: str) -> Any:
    """Raises for a null and for equal ones, which are neighbours; returns the last."""
    if ids.null_count > 0:
        raise UsageError(f"column {column!r}: a row is null")
    for value in ids.to_pylist():
        if value == before:
            raise UsageError(f"column {column!r}: {value!r} stands in two rows")
        before = value
    return before


def flags_of(
    job: Job, documents: Documents, blocks: DataFrame, kind: Kind, dtype: Any
) -> DataFrame:
    """The rows of records, which are at the home of these, as bits: part, unit, flags, flagged."""
    starts, slots = documents.starts, job.slots

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        inbox = Inbox(batches)
        if inbox.target is None:
            return
        part = slots.slice_of(inbox.target)
        places = np.unique(inbox.take(kind, dtype)["row"]).astype(np.int64) - starts[part]
        for unit in np.unique(places // UNIT):
            flags = np.zeros(UNIT, np.uint8)
            flags[places[places // UNIT == unit] % UNIT] = 1
            yield pa.RecordBatch.from_pydict(
                {
                    "part": pa.array([part], pa.int32()),
                    "unit": pa.array([unit], pa.int32()),
                    "flags": _binary(np.packbits(flags)),
                    "flagged": pa.array([int(flags.sum())], pa.int32()),
                }
            )

    one_kind = blocks.filter(F.col("kind") == int(kind))
    schema = "part int, unit int, flags binary, flagged int"
    return job.exchange(one_kind).mapInArrow(run, schema)


class Batch:
    """A row of the documents, as arrays."""

    def __init__(self, row: dict[str, Any], starts: NDArray[np.int64]) -> None:
        self.part: int = row["part"]
        self.count: int = row["count"]
        self.rows = np.arange(self.count, dtype=np.uint32) + np.uint32(
            starts[self.part] + row["first"]
        )
        self._row = row

    @property
    def sizes(self) -> NDArray[np.uint32]:
        return np.frombuffer(self._row["sizes"], np.uint32)

    @property
    def content(self) -> NDArray[np.uint64]:
        return np.frombuffer(self._row["content"], np.uint64).reshape(-1, 2)

    @property
    def signatures(self) -> NDArray[np.uint16]:
        return np.frombuffer(self._row["signatures"], np.uint16).reshape(self.count, -1)

    @property
    def sets(self) -> SetBatch:
        offsets = np.concatenate(([0], np.cumsum(self.sizes, dtype=np.uint64))).astype(np.uint64)
        return SetBatch(self.rows, offsets, np.frombuffer(self._row["elements"], np.uint64))

    @property
    def flags(self) -> NDArray[np.bool_]:
        flags = self._row["flags"]
        if flags is None:
            return np.zeros(self.count, np.bool_)
        bits = np.unpackbits(np.frombuffer(flags, np.uint8))
        at = self._row["first"] % UNIT
        return bits[at : at + self.count].astype(np.bool_)


def map_documents(
    job: Job,
    documents: Documents,
    columns: list[str],
    flags: DataFrame | None,
    work: Callable[[Batch, Outbox], None],
) -> DataFrame:
    """What work(batch, outbox) sends, called for all batches of documents in their order."""
    slots, version, starts = job.slots, job.version, documents.starts

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        outbox = Outbox(slots)
        for batch in batches:
            for row in batch.to_pylist():
                work(Batch(row, starts), outbox)
                yield from outbox.flush_full()
        yield from outbox.flush()

    return with_flags(documents, columns, flags).mapInArrow(run, SCHEMA)


def with_flags(documents: Documents, columns: list[str], flags: DataFrame | None) -> DataFrame:
    frame = documents.batches.select("part", "first", "count", *columns)
    if flags is None:
        return frame
    unit = (F.col("first") / UNIT).cast("int")
    small = flags.select("part", "unit", "flags")
    return frame.withColumn("unit", unit).join(F.broadcast(small), ["part", "unit"], "left")


def home_of(rows: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The part of documents: the slice where what is said of them comes together."""
    return np.searchsorted(starts, rows.astype(np.int64), side="right") - 1
