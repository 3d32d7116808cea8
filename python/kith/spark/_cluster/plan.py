"""The threshold and the LSH tables of clusters: chosen on the driver, by some bags that the
executors compare with all others, and by the signatures of a sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import SCHEMA, Inbox, Outbox
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job, check_executor
from kith.spark._join.candidates import Tables
from kith.spark._join.copies import Copies
from kith.spark._join.documents import (
    Batch,
    Documents,
    batches_of,
    collect_at,
    with_flags,
)
from kith.spark._join.plan import signatures_at

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclasses.dataclass
class ClusterPlan:
    similarity: float
    report: dict[str, Any]
    join: Tables


class _Queries:
    """Bags that are compared with all others, in every task."""

    def __init__(self, found: list[Any]) -> None:
        bags = [np.frombuffer(bytes(row["value"]), np.uint64) for row in found]
        self.rows = np.array([row["row"] for row in found], np.uint32)
        self.content = np.array([bag[:2] for bag in bags], np.uint64).reshape(-1, 2)
        self.sizes = np.array([len(bag) - 2 for bag in bags], np.uint32)
        self.offsets = np.concatenate(([0], np.cumsum(self.sizes))).astype(np.uint64)
        self.entries = np.concatenate([np.empty(0, np.uint64), *(bag[2:] for bag in bags)])

    def equal(self, content: NDArray[np.uint64]) -> NDArray[np.int64]:
        """By query, how many have its content."""
        same = (self.content[:, None, :] == content[None, :, :]).all(axis=2)
        counts: NDArray[np.int64] = np.count_nonzero(same, axis=1)
        return counts


def choose_cluster_tables(
    job: Job, documents: Documents, copies: Copies, words: list[str], lists_pairs: bool
) -> ClusterPlan:
    steps = _kith.ClusterSteps(words)
    different = int((documents.filled - copies.by_part).sum())
    filled = int(documents.filled.sum())
    queries = _Queries(
        collect_at(
            documents,
            ["sizes", "content", documents.column],
            None,
            (documents.filled, steps.queries(filled)),
            lambda one: one.sizes > 0,
            lambda one, at: _packed(one, at),
        )
    )
    truths = job.keep(_compare(job, documents, copies, queries, words))
    nearest = _nearest_of(job.collect_records(truths, Kind.NEAREST, _records.NEAREST))
    signatures = signatures_at(documents, copies, steps.sketched(different))
    chosen = steps.plan(
        documents.count,
        documents.elements,
        different,
        queries.rows,
        queries.sizes,
        _equal_bags(job, truths, len(queries.rows)),
        np.stack([nearest[name] for name in nearest.dtype.names], axis=1).reshape(-1),
        _histograms(job, truths, len(queries.rows)).reshape(-1),
        signatures.reshape(-1),
    )
    tables = (chosen["similarity"], chosen["per_key"], chosen["tables"])
    join = Tables("ClusterSteps", tuple(words), tables, chosen["tables"], steps.lanes, different)
    if lists_pairs:
        near = steps.join(*tables).min_equal_bytes
        join = dataclasses.replace(join, made_by="join_for_pairs", near=near)
    return ClusterPlan(chosen["similarity"], chosen, join)


def _packed(batch: Batch, at: int) -> bytes:
    elements = batch.sets.select(np.array([at])).elements
    return b"".join((batch.content[at].tobytes(), elements.tobytes()))


def _compare(
    job: Job, documents: Documents, copies: Copies, queries: _Queries, words: list[str]
) -> Any:
    """Records of Kind.NEAREST, HISTOGRAM, EQUAL: each query in one slice."""
    slices, starts, version, slots = job.partitions, documents.starts, job.version, job.slots

    def send(outbox: Outbox, kind: Kind, records: Any) -> None:
        outbox.add(kind, records["query"] % np.uint32(slices), records)

    def compare(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        steps = _kith.ClusterSteps(words)
        outbox = Outbox(slots)
        truths = _Truths(len(queries.rows), steps)
        for batch in batches_of(batches, starts):
            truths.add(batch, queries)
        for kind, records in truths.records():
            send(outbox, kind, records)
        yield from outbox.flush()

    def merge(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        nearest = _nearest_of(inbox.take(Kind.NEAREST, _records.NEAREST))
        counts = _summed(inbox.take(Kind.HISTOGRAM, _records.HISTOGRAM), ["query", "bin"])
        equal = _summed(inbox.take(Kind.EQUAL, _records.EQUAL), ["query"])
        pieces = ((Kind.NEAREST, nearest), (Kind.HISTOGRAM, counts), (Kind.EQUAL, equal))
        for kind, records in pieces:
            outbox.add_all(kind, number, records)
        yield

    columns = ["sizes", "content", documents.column]
    frame = with_flags(documents, columns, copies.flags).mapInArrow(compare, SCHEMA)
    return job.map_blocks(job.exchange(frame), merge)


class _Truths:
    """What a task has seen of the queries."""

    def __init__(self, queries: int, steps: _kith.ClusterSteps) -> None:
        self._steps = steps
        self._nearest = np.empty(0, _records.NEAREST)
        self._histograms = np.zeros((queries, steps.histogram_bins), np.uint64)
        self._equal = np.zeros(queries, np.int64)

    def add(self, batch: Batch, queries: _Queries) -> None:
        sets = batch.sets
        nearest, histograms = self._steps.compare(
            queries.offsets, queries.entries, queries.rows,
            sets.offsets, sets.elements, int(sets.rows[0]), batch.flags.astype(np.uint8),
        )  # fmt: skip
        found = made(_records.NEAREST, query=nearest[:, 0], id=nearest[:, 1], sum=nearest[:, 2])
        self._nearest = _nearest_of(np.concatenate((self._nearest, found)))
        self._histograms += histograms
        self._equal += queries.equal(batch.content)

    def records(self) -> Iterator[tuple[Kind, Any]]:
        yield Kind.NEAREST, self._nearest
        query, place = np.nonzero(self._histograms)
        counts = self._histograms[query, place]
        yield Kind.HISTOGRAM, made(_records.HISTOGRAM, query=query, bin=place, count=counts)
        numbers = np.flatnonzero(self._equal)
        yield Kind.EQUAL, made(_records.EQUAL, query=numbers, count=self._equal[numbers])


def _nearest_of(found: Any) -> Any:
    """The nearest of each query; of equally near ones those with lower ids."""
    found = found[np.lexsort((found["id"], -found["sum"].astype(np.int64), found["query"]))]
    begins = np.searchsorted(found["query"], found["query"])
    return found[np.arange(len(found)) - begins < _kith.ClusterSteps.query_neighbours]


def _summed(records: Any, keys: list[str]) -> Any:
    different, place = np.unique(records[keys], return_inverse=True)
    counts = np.zeros(len(different), np.uint64)
    np.add.at(counts, place, records["count"])
    fields = {name: different[name] for name in keys}
    return made(records.dtype, **fields, count=counts) if len(records) > 0 else records


def _equal_bags(job: Job, truths: Any, queries: int) -> NDArray[np.uint32]:
    found = job.collect_records(truths, Kind.EQUAL, _records.EQUAL)
    equal = np.ones(queries, np.uint32)
    equal[found["query"]] = found["count"]
    return equal


def _histograms(job: Job, truths: Any, queries: int) -> NDArray[np.uint64]:
    found = job.collect_records(truths, Kind.HISTOGRAM, _records.HISTOGRAM)
    counts = np.zeros((queries, _kith.ClusterSteps.histogram_bins), np.uint64)
    counts[found["query"], found["bin"]] = found["count"]
    return counts
