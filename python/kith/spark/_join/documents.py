"""From a table to documents: numbered in the order of a column, with what they are compared by, in
batches of a fixed number that stay where they were made."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Column, DataFrame
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
from kith.spark._exchange.blocks import SCHEMA, Inbox, Outbox, SetBatch
from kith.spark._exchange.records import Kind
from kith.spark._exchange.session import Job, check_executor

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 256  # documents of a row
UNIT = 16 * BATCH  # documents whose flags stand together
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


def column_type(frame: DataFrame, name: str) -> DataType:
    """Raises for a column that is missing."""
    types = {field.name: field.dataType for field in frame.schema.fields}
    if name not in types:
        raise NotFoundError(f"no column {name!r}; there are {', '.join(map(repr, types))}")
    return types[name]


def column_named(name: str) -> Column:
    """Also where the name has dots, by which Spark would look into a struct."""
    return F.col("`" + name.replace("`", "``") + "`")


def check_strings(frame: DataFrame, name: str) -> None:
    """Raises for a column that is missing, or not one of strings."""
    found = column_type(frame, name)
    if not isinstance(found, StringType):
        raise UsageError(f"column {name!r}: of type {found.simpleString()}, not of strings")


def check_ids(frame: DataFrame, id_column: str) -> None:
    found = column_type(frame, id_column)
    if not isinstance(found, (StringType, ByteType, ShortType, IntegerType, LongType)):
        raise UsageError(
            f"column {id_column!r}: of type {found.simpleString()}, not of strings or integers"
        )


def make_text_documents(
    job: Job, frame: DataFrame, text: str, id_column: str, words: list[str]
) -> Documents:
    """The documents of a column of texts, sorted by another one, which must be unique."""
    version = job.version

    def make(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        yield from _document_rows(batches, _kith.DedupSteps(words), id_column)

    plain = frame.select(column_named(id_column).alias("id"), column_named(text).alias("text"))
    ordered = plain.repartitionByRange(job.partitions, "id").sortWithinPartitions("id")
    id_type = column_type(plain, "id")
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


def _document_rows(
    batches: Iterable[pa.RecordBatch], steps: _kith.DedupSteps, id_column: str
) -> Iterator[pa.RecordBatch]:
    """Rows of Documents.batches, of BATCH documents each except for the last of a partition."""
    context = TaskContext.get()
    assert context is not None
    part = context.partitionId()
    first = 0
    before: Any = None
    for batch in _of_equal_size(batches):
        ids, texts = batch.column("id"), batch.column("text")
        before = check_keys(ids, before, id_column)
        offsets, elements, content, signatures = steps.features(texts)
        sizes = np.diff(offsets).astype(np.uint32)
        yield pa.RecordBatch.from_pydict(
            {
                "part": pa.array([part], pa.int32()),
                "first": pa.array([first], pa.int32()),
                "count": pa.array([len(ids)], pa.int32()),
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
        first += len(ids)


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


def check_keys(keys: pa.Array, before: Any, column: str) -> Any:
    """Raises for a null and for equal ones, which are neighbours; returns the last."""
    if keys.null_count > 0:
        raise UsageError(f"column {column!r}: a row is null")
    for value in keys.to_pylist():
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
    """Rows of the documents that follow each other, all of one unit, as arrays."""

    def __init__(self, rows: list[dict[str, Any]], starts: NDArray[np.int64]) -> None:
        self.part: int = rows[0]["part"]
        self.count: int = sum(row["count"] for row in rows)
        self._first: int = rows[0]["first"]
        self.rows = np.arange(self.count, dtype=np.uint32) + np.uint32(
            starts[self.part] + self._first
        )
        self._bits: bytes | None = rows[0].get("flags")
        self._columns = {name: [row[name] for row in rows] for name in rows[0]}

    def _array(self, column: str, dtype: Any) -> NDArray[Any]:
        return np.frombuffer(b"".join(self._columns[column]), dtype)

    @functools.cached_property
    def sizes(self) -> NDArray[np.uint32]:
        return self._array("sizes", np.uint32)

    @functools.cached_property
    def content(self) -> NDArray[np.uint64]:
        return self._array("content", np.uint64).reshape(-1, 2)

    @functools.cached_property
    def signatures(self) -> NDArray[np.uint16]:
        return self._array("signatures", np.uint16).reshape(self.count, -1)

    @functools.cached_property
    def sets(self) -> SetBatch:
        offsets = np.concatenate(([0], np.cumsum(self.sizes, dtype=np.uint64))).astype(np.uint64)
        return SetBatch(self.rows, offsets, self._array("elements", np.uint64))

    @functools.cached_property
    def flags(self) -> NDArray[np.bool_]:
        if self._bits is None:
            return np.zeros(self.count, np.bool_)
        bits = np.unpackbits(np.frombuffer(self._bits, np.uint8))
        at = self._first % UNIT
        return bits[at : at + self.count].astype(np.bool_)


def _follows(before: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a row comes after another one, in the same unit."""
    end = before["first"] + before["count"]
    return bool(row["part"] == before["part"] and row["first"] == end and end % UNIT != 0)


def batches_of(batches: Iterable[pa.RecordBatch], starts: NDArray[np.int64]) -> Iterator[Batch]:
    """Rows of documents in their order, as many at a time as there can be."""
    waiting: list[dict[str, Any]] = []
    for row in (row for batch in batches for row in batch.to_pylist()):
        if waiting and not _follows(waiting[-1], row):
            yield Batch(waiting, starts)
            waiting = []
        waiting.append(row)
    if waiting:
        yield Batch(waiting, starts)


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
        for batch in batches_of(batches, starts):
            work(batch, outbox)
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


def signatures_at(
    documents: Documents,
    copies: DataFrame,
    different: NDArray[np.int64],
    numbers: NDArray[np.uint64],
) -> NDArray[np.uint16]:
    """On the driver, the signatures of the different documents of some numbers, ascending: a row
    each. copies: flags of the others. different: how many are different in each part."""
    begins = np.concatenate(([0], np.cumsum(different)))
    wanted, starts = numbers.astype(np.int64), documents.starts

    def pick(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        next_number = None
        for one in batches_of(batches, starts):
            if next_number is None:
                next_number = begins[one.part]
            counted = np.flatnonzero((one.sizes > 0) & ~one.flags)
            own = next_number + np.arange(len(counted))
            next_number += len(counted)
            places = np.flatnonzero(np.isin(own, wanted, assume_unique=True))
            if len(places) > 0:
                columns = {
                    "number": pa.array([int(own[places[0]])], pa.int64()),
                    "signatures": _binary(one.signatures[counted[places]]),
                }
                yield pa.RecordBatch.from_pydict(columns)

    frame = with_flags(documents, ["sizes", "signatures"], copies)
    found = frame.mapInArrow(pick, "number long, signatures binary").collect()
    found.sort(key=lambda row: row["number"])
    values = b"".join(bytes(row["signatures"]) for row in found)
    return np.frombuffer(values, np.uint16).reshape(len(numbers), -1)


def home_of(rows: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The part of documents: the slice where what is said of them comes together."""
    return _kith.homes_of(np.ascontiguousarray(rows, np.uint32), starts)


def to_homes(kind: Kind, dtype: Any, field: str, starts: NDArray[np.int64]) -> Any:
    """For Job.map_blocks(): sends the records of a kind to the homes of the documents in a field."""

    def send(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        records = inbox.take(kind, dtype)
        outbox.add(kind, home_of(records[field], starts), records)
        yield

    return send
