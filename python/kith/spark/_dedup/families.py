"""What chance has kept apart from a large family joins it, where there are whole parts
(docs/algorithms/near-duplicates.md, "Large buckets"): a document that is alone, or a group, whose
center comes after that of one of the largest groups and is a pair with it, if all documents of the
group are pairs with that center."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox, SetBatch
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.copies import Copies
from kith.spark._join.documents import (
    Batch,
    Documents,
    batches_of,
    flags_of,
    home_of,
    map_documents,
    to_homes,
)
from kith.spark._join.marks import columns_of
from kith.spark._join.plan import Plan
from kith.spark._join.verify import resemblance


class _Families:
    """The centers of the largest groups, ascending, in every task: these are few."""

    def __init__(self, found: list[tuple[int, bytes, bytes]]) -> None:
        found.sort()
        self.rows = np.array([row for row, _, _ in found], np.uint32)
        self._signatures = [signature for _, signature, _ in found]
        self._elements = [elements for _, _, elements in found]

    def near(self, signatures: Any, min_equal: int) -> Any:
        """By signature and family, whether they agree often enough."""
        low = signatures.astype(np.uint8)
        own = [np.frombuffer(one, np.uint16).astype(np.uint8) for one in self._signatures]
        return np.stack([(low == one).sum(axis=1) >= min_equal for one in own], axis=1)

    def common(self, steps: _kith.DedupSteps, sets: SetBatch, places: Any, families: Any) -> Any:
        """The resemblance of documents of the sets with families; NaN for what is no pair."""
        own = [np.frombuffer(one, np.uint64) for one in self._elements]
        own_sizes = np.array([len(one) for one in own], np.uint64)
        sizes = np.concatenate((np.diff(sets.offsets), own_sizes))
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
        a = places.astype(np.uint32)
        b = (families + len(sets.rows)).astype(np.uint32)
        common = steps.verify(offsets, np.concatenate((sets.elements, *own)), a, b)
        found = resemblance(np.arange(len(sizes)), sizes, a, b, common)
        found[common == np.uint32(_kith.no_common_elements)] = np.nan
        return found


def absorb(
    job: Job, documents: Documents, copies: Copies, plan: Plan, joined: DataFrame, words: list[str]
) -> DataFrame:
    """Records of Kind.JOINED as they are then, and of Kind.EDGE for the pairs that it brings."""
    families = _find_families(job, documents, joined)
    if families is None:
        return joined
    joining = _find_joining(job, documents, copies, plan, joined, families, words)
    checked = _check_members(job, documents, joined, joining, families, words)
    return job.keep(_join(job, documents, joined, joining, checked))


def _find_families(job: Job, documents: Documents, joined: DataFrame) -> _Families | None:
    members = columns_of(joined, Kind.JOINED, _records.JOINED, ("row", "kept", "similarity"))
    sizes = members.groupBy("kept").count().filter(F.col("count") + 1 >= _kith.min_family)
    largest = sizes.orderBy(F.desc("count"), F.asc("kept")).limit(_kith.max_families).collect()
    if not largest:
        return None
    rows = np.sort(np.array([row["kept"] for row in largest], np.uint32))
    starts = documents.starts

    def pick(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for one in batches_of(batches, starts):
            for at in np.flatnonzero(np.isin(one.rows, rows)):
                sets = one.sets.select(np.array([at]))
                yield pa.RecordBatch.from_pydict(
                    {
                        "row": pa.array([int(one.rows[at])], pa.int64()),
                        "signature": pa.array([one.signatures[at].tobytes()], pa.binary()),
                        "elements": pa.array([sets.elements.tobytes()], pa.binary()),
                    }
                )

    columns = documents.batches.select("part", "first", "count", "sizes", "signatures", "elements")
    found = columns.mapInArrow(pick, "row long, signature binary, elements binary").collect()
    return _Families(
        [(row["row"], bytes(row["signature"]), bytes(row["elements"])) for row in found]
    )


def _find_joining(
    job: Job,
    documents: Documents,
    copies: Copies,
    plan: Plan,
    joined: DataFrame,
    families: _Families,
    words: list[str],
) -> DataFrame:
    """Records of Kind.EDGE, at the homes of b: centers b and what is alone, with the family a."""
    starts = documents.starts
    min_equal = plan.join().min_equal_bytes

    def tell_members(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        for kind, dtype in ((Kind.JOINED, _records.JOINED), (Kind.COPY, _records.COPY)):
            rows = inbox.take(kind, dtype)["row"]
            outbox.add(Kind.MEMBER, home_of(rows, starts), made(_records.ROW, row=rows))
        yield

    def find(batch: Batch, outbox: Outbox) -> None:
        is_there = (batch.sizes > 0) & ~batch.flags & (batch.rows > families.rows[0])
        if not is_there.any():
            return
        near = families.near(batch.signatures, min_equal)
        near &= is_there[:, None] & (families.rows[None, :] < batch.rows[:, None])
        places, family = np.nonzero(near)
        if len(places) == 0:
            return
        similarity = families.common(_kith.DedupSteps(words), batch.sets, places, family)
        is_pair = ~np.isnan(similarity)
        places, family, similarity = places[is_pair], family[is_pair], similarity[is_pair]
        # The earliest family of each.
        places, first = np.unique(places, return_index=True)
        rows = batch.rows[places]
        found = made(
            _records.EDGE, a=families.rows[family[first]], b=rows, similarity=similarity[first]
        )
        outbox.add(Kind.EDGE, home_of(rows, starts), found)

    members = job.map_blocks(job.exchange(copies.blocks, joined), tell_members)
    flags = job.keep(flags_of(job, documents, members, Kind.MEMBER, _records.ROW))
    columns = ["sizes", "signatures", "elements"]
    found = job.keep(map_documents(job, documents, columns, flags, find))
    # What joins is itself no family that others may join.
    records = job.collect_records(_only_rows(job, found, families.rows), Kind.EDGE, _records.EDGE)
    return job.map_blocks(job.exchange(found), _without_families(np.unique(records["b"])))


def _only_rows(job: Job, found: DataFrame, rows: Any) -> DataFrame:
    def pick(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        edges = inbox.take(Kind.EDGE, _records.EDGE)
        edges = edges[np.isin(edges["b"], rows)]
        outbox.add_all(Kind.EDGE, number, edges)
        yield

    return job.map_blocks(job.exchange(found), pick)


def _without_families(rows: Any) -> Any:
    def leave_out(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        edges = inbox.take(Kind.EDGE, _records.EDGE)
        edges = edges[~np.isin(edges["a"], rows)]
        outbox.add_all(Kind.EDGE, number, edges)
        yield

    return leave_out


def _check_members(
    job: Job,
    documents: Documents,
    joined: DataFrame,
    joining: DataFrame,
    families: _Families,
    words: list[str],
) -> DataFrame:
    """Records of Kind.CHECKED, at the homes of centers that may join: their members, and how much
    these resemble the family."""
    starts = documents.starts

    def ask(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        edges = np.sort(inbox.take(Kind.EDGE, _records.EDGE), order="b")
        members = inbox.take(Kind.JOINED, _records.JOINED)
        if len(edges) == 0 or len(members) == 0:
            return
        at = np.minimum(np.searchsorted(edges["b"], members["center"]), len(edges) - 1)
        joins = edges["b"][at] == members["center"]
        rows = members["row"][joins]
        wanted = made(
            _records.CHECKED, row=rows, center=members["center"][joins],
            family=edges["a"][at[joins]], similarity=0.0,
        )  # fmt: skip
        outbox.add(Kind.CHECKED, home_of(rows, starts), wanted)
        yield

    def check(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        wanted = inbox.take(Kind.CHECKED, _records.CHECKED)
        if len(wanted) == 0:
            return
        sets = SetBatch.of_pieces(inbox.take_pieces(Kind.SET))
        wanted = wanted.copy()
        wanted["similarity"] = families.common(
            _kith.DedupSteps(words),
            sets,
            np.searchsorted(sets.rows, wanted["row"]),
            np.searchsorted(families.rows, wanted["family"]),
        )
        outbox.add(Kind.CHECKED, home_of(wanted["center"], starts), wanted)
        yield

    def send_sets(batch: Batch, outbox: Outbox) -> None:
        places = np.flatnonzero(batch.flags)
        if len(places) > 0:
            outbox.add_bytes(Kind.SET, batch.part, batch.sets.select(places).to_bytes())

    to_centers = to_homes(Kind.JOINED, _records.JOINED, "center", starts)
    sent = job.map_blocks(joined, to_centers)
    asked = job.keep(job.map_blocks(job.exchange(sent, joining), ask))
    flags = job.keep(flags_of(job, documents, asked, Kind.CHECKED, _records.CHECKED))
    sets = map_documents(job, documents, ["sizes", "elements"], flags, send_sets)
    return job.map_blocks(job.exchange(sets, asked), check)


def _join(
    job: Job, documents: Documents, joined: DataFrame, joining: DataFrame, checked: DataFrame
) -> DataFrame:
    starts = documents.starts

    def decide(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        edges = inbox.take(Kind.EDGE, _records.EDGE)
        members = inbox.take(Kind.CHECKED, _records.CHECKED)
        torn = np.unique(members["center"][np.isnan(members["similarity"])])
        edges = edges[~np.isin(edges["b"], torn)]
        members = members[~np.isin(members["center"], torn)]
        rows = np.concatenate((edges["b"], members["row"]))
        centers = np.concatenate((edges["a"], members["family"]))
        similarity = np.concatenate((edges["similarity"], members["similarity"]))
        moved = made(_records.JOINED, row=rows, center=centers, similarity=similarity)
        outbox.add(Kind.MOVED, home_of(rows, starts), moved)
        yield

    def send(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        members = inbox.take(Kind.JOINED, _records.JOINED)
        outbox.add(Kind.JOINED, home_of(members["row"], starts), members)
        edges = inbox.take(Kind.EDGE, _records.EDGE)
        outbox.add_all(Kind.EDGE, number, edges)
        yield

    def replace(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        moved = inbox.take(Kind.MOVED, _records.JOINED)
        members = inbox.take(Kind.JOINED, _records.JOINED)
        members = members[~np.isin(members["row"], moved["row"])]
        for some in (members, moved):
            outbox.add_all(Kind.JOINED, number, some)
        first = np.minimum(moved["row"], moved["center"])
        second = np.maximum(moved["row"], moved["center"])
        found = made(_records.EDGE, a=first, b=second, similarity=moved["similarity"])
        for edges in (found, inbox.take(Kind.EDGE, _records.EDGE)):
            outbox.add_all(Kind.EDGE, number, edges)
        yield

    decided = job.map_blocks(job.exchange(joining, checked), decide)
    return job.map_blocks(job.exchange(decided, job.map_blocks(joined, send)), replace)
