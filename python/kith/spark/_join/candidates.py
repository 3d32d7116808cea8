"""Candidates: documents that meet in a bucket of some table, and whose signatures agree.

Three exchanges: the keys of documents, to find the buckets with more than one; what was found, back
to the signatures; and the signatures of these documents, to the buckets. Where there are large
buckets two more come between: these are split, or become whole parts, by the rule of the job on one
machine.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Batch, Documents, home_of, map_documents

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True)
class Tables:
    """LSH tables, by how many of the lanes are a key."""

    words: tuple[str, ...]
    per_key: int
    count: int
    lanes: int
    documents: int  # different ones, which are joined

    def __call__(self) -> _kith.TableJoin:
        return _made(self)


@functools.lru_cache(maxsize=1)
def _made(tables: Tables) -> _kith.TableJoin:
    """Once in a process."""
    return _kith.DedupSteps(list(tables.words)).join(tables.per_key, tables.count)


@dataclasses.dataclass
class Joined:
    """candidates: records of Kind.PAIR, NEED and COUNT. places: those of Kind.PLACE, if any."""

    candidates: DataFrame
    places: DataFrame | None
    large_buckets: int


def find_candidates(job: Job, documents: Documents, copies: Copies, tables: Tables) -> Joined:
    join = _Join(job, documents, copies, tables)
    members = job.keep(join.members())
    sizes = job.collect_records(members, Kind.SIZES, _records.SIZES)
    bounds, unsplit = join.bounds(sizes)
    is_large = sizes["size"] > unsplit[sizes["table"]]
    large_buckets = int(sizes["count"][is_large].sum())
    places = None
    if large_buckets > 0:
        places = job.keep(join.places(members, bounds, unsplit))
    candidates = job.keep(join.candidates(members, places))
    return Joined(candidates, places, large_buckets)


class _Join:
    def __init__(self, job: Job, documents: Documents, copies: Copies, tables: Tables) -> None:
        self._job = job
        self._documents = documents
        self._copies = copies
        self._tables = tables
        self._lanes = tables.lanes

    def _map(self, work: Any) -> DataFrame:
        columns = ["sizes", "signatures"]
        return map_documents(self._job, self._documents, columns, self._copies.flags, work)

    def members(self) -> DataFrame:
        """The documents that share a bucket, and how many buckets there are of which size."""
        slices, starts = self._job.partitions, self._documents.starts
        make = self._tables

        def send(batch: Batch, outbox: Outbox) -> None:
            different = (batch.sizes > 0) & ~batch.flags
            rows = batch.rows[different].astype(np.uint64)
            keys = make().keys(batch.signatures[different].reshape(-1))
            for table in range(make.count):
                own = np.ascontiguousarray(keys[:, table])
                records = own.astype(np.uint64) << np.uint64(32) | rows
                outbox.add(Kind.TABLE + table, _kith.slices_of(own, slices), records)

        def count(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
            for kind in inbox.kinds():
                table = kind - Kind.TABLE
                members, sizes = _members_of(np.sort(inbox.take(kind, np.uint64)), table)
                outbox.add_all(Kind.SIZES, 0, sizes)
                outbox.add(Kind.MEMBER, home_of(members["row"], starts), members)
                yield

        return self._job.map_blocks(self._job.exchange(self._map(send)), count)

    def bounds(self, sizes: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """By table, the largest bucket that is compared whole, and of which on it may be split."""
        join, documents = self._tables(), self._tables.documents
        bounds = np.zeros(self._tables.count, np.uint64)
        for table in range(self._tables.count):
            own = sizes[sizes["table"] == table]
            size = np.ascontiguousarray(own["size"])
            bounds[table] = join.bound(documents, size, np.ascontiguousarray(own["count"]))
        unsplit = [join.largest_unsplit(int(bound)) for bound in bounds]
        return bounds, np.array(unsplit, np.uint64)

    def signatures(self) -> DataFrame:
        """The signatures of all different documents, each at its home."""
        dtype = _records.signature(self._lanes)

        def send(batch: Batch, outbox: Outbox) -> None:
            different = (batch.sizes > 0) & ~batch.flags
            records = made(dtype, row=batch.rows[different], values=batch.signatures[different])
            outbox.add_all(Kind.SIGNATURE, batch.part, records)

        return self._map(send)

    def places(
        self,
        members: DataFrame,
        bounds: NDArray[np.uint64],
        unsplit: NDArray[np.uint64],
    ) -> DataFrame:
        """Where the documents of large buckets are in these, at their homes."""
        slices, starts, make = self._job.partitions, self._documents.starts, self._tables
        signature, large = _records.signature(self._lanes), _records.large(self._lanes)

        def send(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
            own = _sorted(inbox.take(Kind.SIGNATURE, signature), "row")
            found = inbox.take(Kind.MEMBER, _records.MEMBER)
            found = found[found["size"] > unsplit[found["table"]]]
            values = own["values"][np.searchsorted(own["row"], found["row"])]
            records = made(
                large, table=found["table"], key=found["key"], row=found["row"], values=values
            )
            # Not by the key alone, so that the tables of a family are split in different slices.
            spread = found["key"] + found["table"] * np.uint32(0x9E3779B1)
            outbox.add(Kind.LARGE, _kith.slices_of(spread.astype(np.uint32), slices), records)
            yield

        def split(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
            join = make()
            all_large = inbox.take(Kind.LARGE, large)
            order = np.lexsort((all_large["row"], all_large["key"], all_large["table"]))
            for bucket in _runs(all_large, order, ("table", "key")):
                table = int(bucket["table"][0])
                rows = np.ascontiguousarray(bucket["row"])
                values = np.ascontiguousarray(bucket["values"]).reshape(-1)
                found = join.split(table, int(bounds[table]), rows, values)
                places = found.view(_records.PLACE)
                places["row"] = rows[places["row"]]
                outbox.add(Kind.PLACE, home_of(places["row"], starts), places)
                yield

        found = members.filter(F.col("kind") == int(Kind.MEMBER))
        sent = self._job.map_blocks(self._job.exchange(found, self.signatures()), send)
        return self._job.map_blocks(self._job.exchange(sent), split)

    def candidates(self, members: DataFrame, places: DataFrame | None) -> DataFrame:
        """The candidates in the slices where they meet, and what they need at its home."""
        job, starts, make = self._job, self._documents.starts, self._tables
        slices = job.partitions
        signature = _records.signature(self._lanes)

        def send(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
            own = _sorted(inbox.take(Kind.SIGNATURE, signature), "row")
            known = _sorted(inbox.take(Kind.PLACE, _records.PLACE), "row")
            found = inbox.take(Kind.MEMBER, _records.MEMBER)
            if len(known) > 0:
                split = known["row"].astype(np.uint64) << np.uint64(16) | known["table"]
                own_split = found["row"].astype(np.uint64) << np.uint64(16) | found["table"]
                found = found[~np.isin(own_split, split)]
            parts = known[known["whole"] == 0]
            rows = np.concatenate((found["row"], parts["row"]))
            keys = np.concatenate((found["key"], parts["key"]))
            to = _kith.slices_of(np.ascontiguousarray(keys), slices)
            trips = np.unique(rows.astype(np.uint64) << np.uint64(32) | to)
            rows = (trips >> np.uint64(32)).astype(np.uint32)
            to = (trips & np.uint64(0xFFFFFFFF)).astype(np.uint32)
            outbox.add(Kind.SIGNATURE, to, own[np.searchsorted(own["row"], rows)])
            yield
            if len(known) == 0:
                return
            # All places of a document go where it goes: they say where pairs have met before.
            begin = np.searchsorted(known["row"], rows, side="left")
            count = np.searchsorted(known["row"], rows, side="right") - begin
            at = np.repeat(begin - np.cumsum(count) + count, count) + np.arange(count.sum())
            outbox.add(Kind.PLACE, np.repeat(to, count), known[at])
            yield

        def meet(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
            own = _sorted(inbox.take(Kind.SIGNATURE, signature), "row")
            known = _sorted(inbox.take(Kind.PLACE, _records.PLACE), "row")
            rows = np.ascontiguousarray(own["row"])
            values = np.ascontiguousarray(own["values"]).reshape(-1)
            del own
            known["row"] = np.searchsorted(rows, known["row"])
            a, b, met = make().candidates(values, known.view(np.uint8), number, slices)
            _ask(outbox, rows, a, b, number, starts)
            yield
            counts = made(_records.COUNT, collisions=[met], candidates=[len(a)])
            outbox.add_all(Kind.COUNT, 0, counts)
            yield

        found = members.filter(F.col("kind") == int(Kind.MEMBER))
        parts = [found, self.signatures()]
        if places is not None:
            parts.append(places)
        return job.map_blocks(job.exchange(job.map_blocks(job.exchange(*parts), send)), meet)


def _ask(outbox: Outbox, rows: Any, a: Any, b: Any, number: int, starts: Any) -> None:
    """The candidates, and which documents are needed where they are."""
    outbox.add_all(Kind.PAIR, number, made(_records.PAIR, a=rows[a], b=rows[b]))
    needed = np.zeros(len(rows), np.bool_)
    needed[a] = True
    needed[b] = True
    needs = made(_records.NEED, row=rows[needed], slice=np.uint32(number))
    outbox.add(Kind.NEED, home_of(needs["row"], starts), needs)


def _members_of(entries: NDArray[np.uint64], table: int) -> tuple[Any, Any]:
    """Of sorted keys with their rows, the buckets of more than one: members, sizes."""
    keys = (entries >> np.uint64(32)).astype(np.uint32)
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    sizes = np.diff(np.r_[begins, len(keys)])
    of_member = np.repeat(sizes, sizes)
    several = of_member > 1
    rows = (entries[several] & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    members = made(
        _records.MEMBER, row=rows, table=table, key=keys[several], size=of_member[several]
    )
    size, count = np.unique(sizes[sizes > 1], return_counts=True)
    return members, made(_records.SIZES, table=table, size=size, count=count)


def _sorted(records: Any, name: str) -> Any:
    return records[np.argsort(records[name], kind="stable")]


def _runs(records: Any, order: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """The records in an order, those that agree in some fields together."""
    ordered = records[order]
    changed = np.zeros(len(ordered), np.bool_)
    changed[:1] = True
    for name in names:
        changed[1:] |= ordered[name][1:] != ordered[name][:-1]
    begins = np.flatnonzero(changed)
    for begin, end in zip(begins, np.r_[begins[1:], len(ordered)]):
        yield ordered[begin:end]
