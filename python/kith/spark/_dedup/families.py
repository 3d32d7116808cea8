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
from kith.spark._join.candidates import Tables
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


_Center = tuple[int, bytes, bytes]  # its row, its signature, its elements


class _Families:
    """The centers of the largest groups, ascending, in every task: these are few. joining: those
    that are a pair with an earlier one, and so no family that others may join."""

    def __init__(self, found: list[_Center], words: list[str], min_equal: int) -> None:
        found.sort()
        self._words = words
        self._min_equal = min_equal
        self._signatures = np.stack([np.frombuffer(one, np.uint16) for _, one, _ in found])
        elements = [np.frombuffer(one, np.uint64) for _, _, one in found]
        sizes = np.array([len(one) for one in elements])
        self._sets = SetBatch(
            np.array([row for row, _, _ in found], np.uint32),
            np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64),
            np.concatenate(elements),
        )
        own, _, _ = self.pairs_with(self._sets, self._signatures)
        self.joining = np.unique(self.rows[own])

    @property
    def rows(self) -> Any:
        return self._sets.rows

    def pairs_with(self, sets: SetBatch, signatures: Any) -> tuple[Any, Any, Any]:
        """The places of documents, the families before them that they are a pair with, and how
        similar they are."""
        low = signatures.astype(np.uint8)
        own = self._signatures.astype(np.uint8)
        near = np.stack([(low == one).sum(axis=1) >= self._min_equal for one in own], axis=1)
        near &= self.rows[None, :] < sets.rows[:, None]
        places, families = np.nonzero(near)
        similarity = self.similarity(sets, places, families)
        is_pair = ~np.isnan(similarity)
        return places[is_pair], families[is_pair], similarity[is_pair]

    def similarity(self, sets: SetBatch, places: Any, families: Any) -> Any:
        """Of documents of the sets with families; NaN for what is no pair."""
        own = self._sets.offsets[1:] + sets.offsets[-1]
        offsets = np.concatenate((sets.offsets, own))
        elements = np.concatenate((sets.elements, self._sets.elements))
        a, b = places.astype(np.uint32), (families + len(sets.rows)).astype(np.uint32)
        return _kith.DedupSteps(self._words).verify(offsets, elements, a, b)


def absorb(
    job: Job,
    documents: Documents,
    copies: Copies,
    tables: Tables,
    joined: DataFrame,
    words: list[str],
) -> DataFrame:
    """Records of Kind.JOINED as they are then, and of Kind.EDGE for the pairs that it brings."""
    found = _find_families(job, documents, joined)
    if not found:
        return joined
    families = _Families(found, words, tables().min_equal_bytes)
    joining = _find_joining(job, documents, copies, joined, families)
    checked = _check_members(job, documents, joined, joining, families)
    return job.keep(_join(job, documents, joined, joining, checked))


def _find_families(job: Job, documents: Documents, joined: DataFrame) -> list[_Center]:
    members = columns_of(joined, Kind.JOINED, _records.JOINED, ("row", "kept", "similarity"))
    sizes = members.groupBy("kept").count().filter(F.col("count") + 1 >= _kith.min_family)
    largest = sizes.orderBy(F.desc("count"), F.asc("kept")).limit(_kith.max_families).collect()
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

    if not largest:
        return []
    columns = documents.batches.select("part", "first", "count", "sizes", "signatures", "elements")
    found = columns.mapInArrow(pick, "row long, signature binary, elements binary").collect()
    return [(row["row"], bytes(row["signature"]), bytes(row["elements"])) for row in found]


def _find_joining(
    job: Job, documents: Documents, copies: Copies, joined: DataFrame, families: _Families
) -> DataFrame:
    """Records of Kind.EDGE, for the homes of b: centers b and what is alone, with the family a."""
    starts = documents.starts

    def tell_members(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        for kind, dtype in ((Kind.JOINED, _records.JOINED), (Kind.COPY, _records.COPY)):
            rows = inbox.take(kind, dtype)["row"]
            outbox.add(Kind.MEMBER, home_of(rows, starts), made(_records.ROW, row=rows))
        yield

    def find(batch: Batch, outbox: Outbox) -> None:
        own = np.flatnonzero((batch.sizes > 0) & ~batch.flags & (batch.rows > families.rows[0]))
        if len(own) == 0:
            return
        sets = batch.sets.select(own)
        places, family, similarity = families.pairs_with(sets, batch.signatures[own])
        # The earliest family of each.
        places, first = np.unique(places, return_index=True)
        found = made(
            _records.EDGE,
            a=families.rows[family[first]],
            b=sets.rows[places],
            similarity=similarity[first],
        )
        found = found[~np.isin(found["a"], families.joining)]
        outbox.add(Kind.EDGE, home_of(found["b"], starts), found)

    members = job.map_blocks(job.exchange(copies.blocks, joined), tell_members)
    flags = job.keep(flags_of(job, documents, members, Kind.MEMBER, _records.ROW))
    columns = ["sizes", "signatures", "elements"]
    return job.keep(map_documents(job, documents, columns, flags, find))


def _check_members(
    job: Job,
    documents: Documents,
    joined: DataFrame,
    joining: DataFrame,
    families: _Families,
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
        wanted["similarity"] = families.similarity(
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
