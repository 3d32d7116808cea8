"""Candidates: documents that meet in a bucket of some table, and whose signatures agree.

Three exchanges: the keys of documents, to find the buckets with more than one; what was found, back
to the signatures; and the signatures of these documents, to the buckets. Where there are large
buckets two more come between: these are split, or become whole parts, by the rule of the job on one
machine. Where bags travel too, and slices are few, the second one is of a bit a document.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox, SetBatch, ShortBags
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Batch, Documents, flags_of, home_of, map_documents

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True)
class Tables:
    """LSH tables, which tasks make once. steps: the class of kith that has chosen them, of which
    join(*chosen) makes them, or another function that `made_by` names."""

    steps: str
    words: tuple[str, ...]
    chosen: tuple[float, ...]
    count: int
    lanes: int
    documents: int  # different ones, which are joined
    made_by: str = "join"
    # With lists of pairs: candidates with fewer equal bytes are for these alone.
    near: int | None = None

    def __call__(self) -> _kith.TableJoin:
        if _made_before.get("tables") != self:
            steps = getattr(_kith, self.steps)(list(self.words))
            _made_before.update(tables=self, join=getattr(steps, self.made_by)(*self.chosen))
        join: _kith.TableJoin = _made_before["join"]
        return join


_made_before: dict[str, Any] = {}


class Met(NamedTuple):
    """Candidates of a slice, by the places of their bags there. is_near: of each whether it is not
    for lists of pairs alone."""

    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    is_near: NDArray[np.bool_]


# Of the bags of a slice: what is sent of some candidates there, to whatever slice.
Comparison = Callable[[ShortBags], Callable[[Met, Outbox, int], None]]

# Candidates that a task has in memory at a time, some 50 bytes each, and those of one more table.
_CANDIDATES = 1 << 23
_ALL = (1 << 63) - 1
# Bytes of bags that a task compares with each other.
_BAGS_OF_TASK = 3 << 29
_BYTES_OF_ENTRY = 8
# A bag that shares a bucket goes to all slices where there are so few of them.
_FEW_SLICES = 4


@dataclasses.dataclass
class Joined:
    """candidates: records of Kind.COUNT, and those of a comparison, or without one of Kind.PAIR and
    NEED. places: those of Kind.PLACE, if any. masses: those of Kind.MASS, at the homes of their
    rows."""

    candidates: DataFrame
    places: DataFrame | None
    masses: DataFrame
    large_buckets: int


def find_candidates(
    job: Job,
    documents: Documents,
    copies: Copies,
    tables: Tables,
    with_masses: bool = False,
    compare: Comparison | None = None,
) -> Joined:
    """compare: of bags, which go with their signatures to all slices where they might be in a
    candidate, and not once more to those where they are. That is less work where most are; and the
    fewer slices, the less often a bag is sent."""
    join = _Join(job, documents, copies, tables, with_masses)
    members = job.keep(join.members())
    sizes = job.collect_records(members, Kind.SIZES, _records.SIZES)
    bounds, unsplit = join.bounds(sizes)
    is_large = sizes["size"] > unsplit[sizes["table"]]
    large_buckets = int(sizes["count"][is_large].sum())
    places = None
    if large_buckets > 0:
        places = job.keep(join.places(members, bounds, unsplit))
    candidates = job.keep(join.candidates(members, places, compare))
    masses = members.filter(F.col("kind") == int(Kind.MASS))
    return Joined(candidates, places, masses, large_buckets)


class _Join:
    def __init__(
        self, job: Job, documents: Documents, copies: Copies, tables: Tables, with_masses: bool
    ) -> None:
        self._job = job
        self._documents = documents
        self._copies = copies
        self._tables = tables
        self._with_masses = with_masses
        self._lanes = tables.lanes

    def _map(self, work: Any, *more_columns: str) -> DataFrame:
        columns = ["sizes", "signatures", *more_columns]
        return map_documents(self._job, self._documents, columns, self._copies.flags, work)

    def members(self) -> DataFrame:
        """The documents that share a bucket, and how many buckets there are of which size."""
        slices, starts = self._job.partitions, self._documents.starts
        make, with_masses = self._tables, self._with_masses

        def keys_of(signatures: NDArray[np.uint16]) -> Iterator[tuple[int, NDArray[np.uint32]]]:
            keys = make().keys(signatures.reshape(-1))
            for table in range(make.count):
                yield table, np.ascontiguousarray(keys[:, table])

        def send(batch: Batch, outbox: Outbox) -> None:
            different = (batch.sizes > 0) & ~batch.flags
            rows = batch.rows[different].astype(np.uint64)
            for table, keys in keys_of(batch.signatures[different]):
                records = keys.astype(np.uint64) << np.uint64(32) | rows
                outbox.add(Kind.TABLE + table, _kith.slices_of(keys, slices), records)
            if with_masses and batch.flags.any():
                for table, keys in keys_of(batch.signatures[batch.flags]):
                    outbox.add(Kind.COPY_TABLE + table, _kith.slices_of(keys, slices), keys)

        def count(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
            masses = []
            for kind in inbox.kinds():
                if kind >= Kind.COPY_TABLE:
                    break
                table = kind - Kind.TABLE
                members, sizes = _members_of(np.sort(inbox.take(kind, np.uint64)), table)
                outbox.add_all(Kind.SIZES, 0, sizes)
                outbox.add(Kind.MEMBER, home_of(members["row"], starts), members)
                if with_masses:
                    masses.append(_with_copies(members, inbox.take(Kind.COPY_TABLE + table, "<u4")))
                yield
            if masses:
                found = _sum_masses(np.concatenate(masses))
                outbox.add(Kind.MASS, home_of(found["row"], starts), found)
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

    def signatures(self, with_bags: bool = False) -> DataFrame:
        """The signatures of all different documents, each at its home; and their bags."""
        dtype = _records.signature(self._lanes)

        def send(batch: Batch, outbox: Outbox) -> None:
            different = (batch.sizes > 0) & ~batch.flags
            records = made(dtype, row=batch.rows[different], values=batch.signatures[different])
            outbox.add_all(Kind.SIGNATURE, batch.part, records)
            if with_bags and different.any():
                sets = batch.sets.select(np.flatnonzero(different))
                outbox.add_bytes(Kind.SET, batch.part, sets.to_bytes(are_bags=True))

        return self._map(send, *([self._documents.column] if with_bags else []))

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
                at, parts, whole, keys = join.split(
                    table, int(bounds[table]), rows,
                    np.ascontiguousarray(bucket["values"]).reshape(-1),
                )  # fmt: skip
                places = made(
                    _records.PLACE, row=rows[at], table=table, part=parts, key=keys, whole=whole
                )
                outbox.add(Kind.PLACE, home_of(places["row"], starts), places)
                yield

        found = members.filter(F.col("kind") == int(Kind.MEMBER))
        sent = self._job.map_blocks(self._job.exchange(found, self.signatures()), send)
        return self._job.map_blocks(self._job.exchange(sent), split)

    def candidates(
        self, members: DataFrame, places: DataFrame | None, compare: Comparison | None
    ) -> DataFrame:
        """What is found of candidates in the slices where they meet."""
        job, starts, make = self._job, self._documents.starts, self._tables
        meeting = job if compare is None else job.fewer(self._slices_of_bags())
        slices = meeting.partitions
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
            if compare is not None:
                sets = SetBatch.of_pieces(inbox.take_pieces(Kind.SET))
                yield from _send_bags(outbox, sets, rows, to)
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
            found = make().slice(
                values,
                np.searchsorted(rows, known["row"]).astype(np.uint32),
                np.ascontiguousarray(known["table"]),
                np.ascontiguousarray(known["part"]),
                known["whole"].astype(np.uint8),
                number,
                slices,
            )
            if make.near is None:
                values = np.empty(0, np.uint16)
            compare_some = None
            if compare is not None:
                compare_some = compare(ShortBags(inbox.take_pieces(Kind.SET)))
            near = 0
            while True:
                a, b = found.next(_ALL if compare_some is None else _CANDIDATES)
                if len(a) == 0:
                    break
                is_near = _are_near(make, values, a, b)
                near += int(is_near.sum())
                if compare_some is None:
                    _ask(outbox, rows, a, b, number, starts)
                else:
                    compare_some(Met(a, b, is_near), outbox, number)
                yield
            counts = made(_records.COUNT, collisions=[found.collisions], candidates=[near])
            outbox.add_all(Kind.COUNT, 0, counts)
            yield

        found = members.filter(F.col("kind") == int(Kind.MEMBER))
        if compare is not None and slices <= _FEW_SLICES:
            sent = self._to_all(found, places, meeting)
        else:
            parts = [found, self.signatures(with_bags=compare is not None)]
            if places is not None:
                parts.append(places)
            sent = job.map_blocks(job.exchange(*parts), send, to=meeting)
        return meeting.map_blocks(meeting.exchange(sent), meet, to=job)

    def _to_all(self, members: DataFrame, places: DataFrame | None, meeting: Job) -> DataFrame:
        """The signatures and bags of documents that share a bucket, from where they are to all slices,
        and all places. To learn at their homes which slices need them would be more work, where most
        slices do."""
        documents, slices = self._documents, range(meeting.partitions)
        signature = _records.signature(self._lanes)
        flags = flags_of(self._job, documents, members, Kind.MEMBER, _records.MEMBER)

        def send(batch: Batch, outbox: Outbox) -> None:
            found = np.flatnonzero(batch.flags)
            if len(found) == 0:
                return
            records = made(signature, row=batch.rows[found], values=batch.signatures[found])
            bags = batch.sets.select(found).to_bytes(are_bags=True)
            for number in slices:
                outbox.add_all(Kind.SIGNATURE, number, records)
                outbox.add_bytes(Kind.SET, number, bags)

        def send_places(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
            known = inbox.take(Kind.PLACE, _records.PLACE)
            for number in slices:
                outbox.add_all(Kind.PLACE, number, known)
            yield

        columns = ["sizes", "signatures", documents.column]
        sent = map_documents(meeting, documents, columns, self._job.keep(flags), send)
        if places is None:
            return sent
        return sent.union(self._job.map_blocks(self._job.exchange(places), send_places, to=meeting))

    def _slices_of_bags(self) -> int:
        cores = self._job.spark.sparkContext.defaultParallelism
        entries = self._documents.elements
        return _slices_of_bags(cores, self._job.partitions, self._tables.count, entries)


def _slices_of_bags(cores: int, partitions: int, tables: int, entries: int) -> int:
    """As few as keep all cores busy, and so many that a task does not have too many bags: each bag is
    in up to one bucket of every table. Not more than partitions."""
    for slices in range(max(1, cores), partitions):
        share = 1 - (1 - 1 / slices) ** tables
        if share * entries * _BYTES_OF_ENTRY <= _BAGS_OF_TASK:
            return slices
    return partitions


def _send_bags(outbox: Outbox, sets: SetBatch, rows: Any, to: Any) -> Iterator[None]:
    """The bags of documents, each to the slice of the same place."""
    places = np.searchsorted(sets.rows, rows)
    for number in np.unique(to):
        for piece in sets.pieces_of(places[to == number], are_bags=True):
            outbox.add_bytes(Kind.SET, int(number), piece)
            yield


def _are_near(make: Tables, signatures: Any, a: Any, b: Any) -> NDArray[np.bool_]:
    """Which candidates are not for lists of pairs alone."""
    if make.near is None:
        return np.ones(len(a), np.bool_)
    near: NDArray[np.bool_] = make().equal_bytes(signatures, a, b) >= make.near
    return near


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


def _with_copies(members: Any, copies: NDArray[np.uint32]) -> Any:
    """What the buckets of members have, copies counted."""
    copies = np.sort(copies)
    keys = members["key"]
    equal = np.searchsorted(copies, keys, "right") - np.searchsorted(copies, keys, "left")
    return made(_records.MASS, row=members["row"], tables=1, others=members["size"] + equal)


def _sum_masses(masses: Any) -> Any:
    """A record for each row."""
    rows, place = np.unique(masses["row"], return_inverse=True)
    tables = np.bincount(place)
    others = np.zeros(len(rows), np.uint64)
    np.add.at(others, place, masses["others"])
    return made(_records.MASS, row=rows, tables=tables, others=others)


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
