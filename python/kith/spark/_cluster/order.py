"""The order in which bags become centers: by LSH mass, the largest first, then by row
(docs/algorithms/center.md). A bag is known by its place in it, its rank, as long as centers are
sought."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import SCHEMA, Inbox, Outbox
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job, check_executor
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Documents, home_of, to_homes


@dataclasses.dataclass
class ScanOrder:
    """ranks: records of Kind.RANK at the homes of rows, of Kind.RANKED at those of ranks: of bags
    that share a bucket with another one."""

    ranks: DataFrame

    def of(self, kind: Kind) -> DataFrame:
        return self.ranks.filter(F.col("kind") == int(kind))


def order_by_mass(
    job: Job, documents: Documents, copies: Copies, masses: DataFrame, tables: int
) -> ScanOrder:
    send_copies = to_homes(Kind.COPY, _records.COPY, "first", documents.starts)
    sent = job.map_blocks(copies.blocks, send_copies)
    found = job.exchange(masses, sent).mapInArrow(_masses_of_rows(tables), "mass long, row long")
    return _ranked(job, documents, found, [F.desc("mass"), F.asc("row")])


def order_by_row(job: Job, documents: Documents, masses: DataFrame) -> ScanOrder:
    found = job.exchange(masses).mapInArrow(_masses_of_rows(0), "mass long, row long")
    return _ranked(job, documents, found, [F.asc("row")])


def _masses_of_rows(tables: int) -> Any:
    """The mass of a bag: the others in its buckets, copies counted, over all tables."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        inbox = Inbox(batches)
        records = inbox.take(Kind.MASS, _records.MASS)
        first = np.sort(inbox.take(Kind.COPY, _records.COPY)["first"])
        rows, place = np.unique(records["row"], return_inverse=True)
        mass = np.zeros(len(rows), np.int64)
        np.add.at(mass, place, records["others"].astype(np.int64))
        shared = np.bincount(place, records["tables"], len(rows)).astype(np.int64)
        copies = np.searchsorted(first, rows, "right") - np.searchsorted(first, rows, "left")
        mass += copies * tables - (copies + 1) * shared
        yield pa.RecordBatch.from_arrays(
            [pa.array(mass), pa.array(rows.astype(np.int64))], names=["mass", "row"]
        )

    return run


def _ranked(job: Job, documents: Documents, frame: DataFrame, order: list[Any]) -> ScanOrder:
    ordered = frame.repartitionByRange(job.partitions, *order).sortWithinPartitions(*order)
    parts = job.persist(ordered.mapInArrow(_pack_part, "part int, count long, rows binary"))
    counts = np.zeros(job.partitions + 1, np.int64)
    for row in parts.select("part", "count").collect():
        counts[row["part"] + 1] += row["count"]
    begins, starts, slots, version = np.cumsum(counts), documents.starts, job.slots, job.version

    def number(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        outbox = Outbox(slots)
        for batch in batches:
            for part, data in zip(batch.column("part").to_pylist(), batch.column("rows")):
                rows = np.frombuffer(data.as_buffer(), np.uint32)
                ranks = (begins[part] + np.arange(len(rows))).astype(np.uint32)
                records = made(_records.RANK, row=rows, rank=ranks)
                outbox.add(Kind.RANK, home_of(rows, starts), records)
                outbox.add(Kind.RANKED, home_of(ranks, starts), records)
        yield from outbox.flush()

    return ScanOrder(job.keep(parts.mapInArrow(number, SCHEMA)))


def _pack_part(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    context = TaskContext.get()
    assert context is not None
    rows = [batch.column("row").to_numpy().astype(np.uint32) for batch in batches]
    data = np.concatenate([np.empty(0, np.uint32), *rows])
    yield pa.RecordBatch.from_pydict(
        {
            "part": pa.array([context.partitionId()], pa.int32()),
            "count": pa.array([len(data)], pa.int64()),
            "rows": pa.array([data.tobytes()], pa.binary()),
        }
    )


def edges_by_rank(job: Job, documents: Documents, edges: DataFrame, order: ScanOrder) -> DataFrame:
    """Records of Kind.EDGE with ranks in place of rows."""

    def in_order(found: Any) -> Any:
        a, b = np.minimum(found["a"], found["b"]), np.maximum(found["a"], found["b"])
        return made(_records.EDGE, a=a, b=b, similarity=found["similarity"])

    ranks = order.of(Kind.RANK)
    return _renamed(job, documents, edges, ranks, Kind.EDGE, _records.EDGE, in_order)


def joined_by_row(job: Job, documents: Documents, joined: DataFrame, order: ScanOrder) -> DataFrame:
    """Records of Kind.JOINED with rows in place of ranks."""

    def same(found: Any) -> Any:
        return found

    ranks = order.of(Kind.RANKED)
    return _renamed(job, documents, joined, ranks, Kind.JOINED, _records.JOINED, same)


def _renamed(
    job: Job,
    documents: Documents,
    frame: DataFrame,
    ranks: DataFrame,
    kind: Kind,
    dtype: Any,
    finish: Callable[[Any], Any],
) -> DataFrame:
    """The records with other names in their first two fields, each of which is looked up at its
    home; and what finish() makes of them."""
    starts = documents.starts
    first_field, second_field = dtype.names[:2]

    def first(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        found = _translated(inbox, kind, dtype, first_field)
        outbox.add(kind, home_of(found[second_field], starts), found)
        yield

    def second(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        found = finish(_translated(inbox, kind, dtype, second_field))
        outbox.add_all(kind, number, found)
        yield

    sent = job.exchange(job.map_blocks(frame, to_homes(kind, dtype, first_field, starts)), ranks)
    halfway = job.exchange(job.map_blocks(sent, first), ranks)
    return job.keep(job.map_blocks(halfway, second))


def _translated(inbox: Inbox, kind: Kind, dtype: Any, field: str) -> Any:
    """The records with the rank in place of the row in a field, or the other way round."""
    found = inbox.take(kind, dtype).copy()
    by_row = inbox.take(Kind.RANK, _records.RANK)
    by_rank = inbox.take(Kind.RANKED, _records.RANK)
    known, old, new = (by_row, "row", "rank") if len(by_row) > 0 else (by_rank, "rank", "row")
    known = known[np.argsort(known[old])]
    found[field] = known[new][np.searchsorted(known[old], found[field])]
    return found
