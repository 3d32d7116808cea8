"""The table of clusters: a row for each bag, made at the homes of bags from what they join, in blocks,
so that a bag becomes a row of Spark only there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
from pyspark.sql.types import DataType

from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import SCHEMA, Inbox, Outbox
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job, check_executor
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Documents, home_of
from kith.spark._join.marks import joined_at_homes

if TYPE_CHECKING:
    from numpy.typing import NDArray


_ROLES = pa.array(["center", "member", "single"])
_ROWS_OF_BATCH = 1 << 16


@dataclasses.dataclass
class ClusterTable:
    """rows: cluster, id, role, similarity, row, center_row, center. clusters: of two bags or more.
    singles: bags that are alone."""

    rows: DataFrame
    clusters: int
    singles: int


def cluster_table(
    job: Job, documents: Documents, copies: Copies, joined: DataFrame | None
) -> ClusterTable:
    """joined: records of Kind.JOINED, of different bags, none of fewer words than in clusters:
    such a bag is with its copies alone. Clusters are numbered from 1, the largest first, then by the row of the center."""
    id_type = documents.id_type
    names = job.keep(_names(job, documents))
    followed = joined_at_homes(job, documents, copies, joined)
    own = job.keep(job.map_blocks(job.exchange(followed, names), _assign(documents)))
    groups = own.filter(F.col("kind") == int(Kind.GROUP))
    sizes = job.collect_records(
        job.map_blocks(job.exchange(groups), _count_sizes), Kind.SIZES, _records.SIZES
    )
    numbered = job.map_blocks(job.exchange(groups, names), _number(_first_numbers(sizes), id_type))
    members = own.filter(F.col("kind") == int(Kind.JOINED))
    listed = job.exchange(numbered, members, names)
    schema = from_arrow_schema(arrow_of_table(to_arrow_type(id_type)))
    of_one = sizes["size"] == 1
    return ClusterTable(
        listed.mapInArrow(_list(job.version, id_type), schema),
        int(sizes["count"][~of_one].sum()),
        int(sizes["count"][of_one].sum()),
    )


def arrow_of_table(id_type: pa.DataType) -> pa.Schema:
    """The columns of the table."""
    return pa.schema(
        [
            ("cluster", pa.int64()),
            ("id", id_type),
            ("role", pa.string()),
            ("similarity", pa.float64()),
            ("row", pa.int64()),
            ("center_row", pa.int64()),
            ("center", id_type),
        ]
    )


def rows_of_table(
    ids: pa.Array,
    clusters: NDArray[Any],
    members: NDArray[Any],
    similarity: NDArray[Any],
    rows: NDArray[Any],
    center_rows: NDArray[Any],
    centers: pa.Array,
) -> Iterator[pa.RecordBatch]:
    """Of bags, each with the number of its cluster, how many are in it, and the id of its center."""
    own = rows == center_rows
    roles = np.where(~own, 1, np.where(members > 1, 0, 2)).astype(np.int8)
    columns = [
        clusters.astype(np.int64),
        ids,
        pa.DictionaryArray.from_arrays(roles, _ROLES).cast(pa.string()),
        similarity.astype(np.float64),
        rows.astype(np.int64),
        center_rows.astype(np.int64),
        centers,
    ]
    table = pa.table(columns, schema=arrow_of_table(ids.type))
    yield from table.combine_chunks().to_batches(max_chunksize=_ROWS_OF_BATCH)


def _names(job: Job, documents: Documents) -> DataFrame:
    """Of all bags the rows and ids, at their homes: batches of Arrow, of Kind.NAMES."""
    starts, slots = documents.starts, job.slots
    schema = _schema_of_names(documents.id_type)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        outbox = Outbox(slots)
        for batch in batches:
            parts, first = batch.column("part").to_pylist(), batch.column("first").to_pylist()
            for i, ids in enumerate(batch.column("ids")):
                rows = (starts[parts[i]] + first[i] + np.arange(len(ids.values))).astype(np.uint32)
                named = pa.RecordBatch.from_arrays([pa.array(rows), ids.values], schema=schema)
                outbox.add_bytes(Kind.NAMES, parts[i], _piece(named))
            yield from outbox.flush_full()
        yield from outbox.flush()

    return documents.batches.select("part", "first", "ids").mapInArrow(run, SCHEMA)


def _schema_of_names(id_type: DataType) -> pa.Schema:
    return pa.schema([("row", pa.uint32()), ("id", to_arrow_type(id_type))])


def _piece(batch: pa.RecordBatch) -> bytes:
    """A batch of Arrow with its size before it, since pieces are joined on their way."""
    data = batch.serialize()
    return b"".join((len(data).to_bytes(8, "little"), data.to_pybytes()))


def _take_names(inbox: Inbox, kind: Kind, schema: pa.Schema) -> pa.Table:
    """All names of a kind that came, ascending by row."""
    batches = []
    for piece in inbox.take_pieces(kind):
        begin = 0
        while begin < piece.size:
            size = int.from_bytes(piece.slice(begin, 8).to_pybytes(), "little")
            data = piece.slice(begin + 8, size)
            batches.append(pa.ipc.read_record_batch(data, schema))
            begin += 8 + size
    batches.sort(key=lambda batch: batch.column(0)[0].as_py())
    return pa.Table.from_batches(batches, schema)


def _assign(documents: Documents) -> Any:
    """At the homes of bags: the center of each, which is itself where it joins none; and to the homes
    of centers, how many of here have them."""
    starts, schema = documents.starts, _schema_of_names(documents.id_type)

    def assign(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        names = _take_names(inbox, Kind.NAMES, schema)
        rows = names.column("row").to_numpy()
        joined = inbox.take(Kind.JOINED, _records.JOINED)
        found = made(_records.JOINED, row=rows, center=rows, similarity=1.0)
        places = np.searchsorted(rows, joined["row"])
        found[places] = joined
        outbox.add_all(Kind.JOINED, number, found)
        centers, members = np.unique(found["center"], return_counts=True)
        groups = made(_records.GROUP, center=centers, home=number, members=members)
        outbox.add(Kind.GROUP, home_of(centers, starts), groups)
        yield

    return assign


def _count_sizes(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
    """How many centers of here have so many members; the number of the slice in the place of a table."""
    _, members = _members_of(inbox.take(Kind.GROUP, _records.GROUP))
    size, count = np.unique(members, return_counts=True)
    outbox.add_all(Kind.SIZES, 0, made(_records.SIZES, table=number, size=size, count=count))
    yield


def _members_of(groups: Any) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Centers, ascending, and the members of each, itself among them."""
    centers, place = np.unique(groups["center"], return_inverse=True)
    members = np.bincount(place, groups["members"], len(centers)).astype(np.int64)
    return centers, members


def _first_numbers(sizes: Any) -> dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """By slice the sizes of its clusters, ascending, and the number of the first of each size."""
    order = np.lexsort((sizes["table"], -sizes["size"].astype(np.int64)))
    counts = sizes["count"][order].astype(np.int64)
    numbers = np.empty(len(sizes), np.int64)
    numbers[order] = 1 + np.cumsum(counts) - counts
    found = {}
    for table in np.unique(sizes["table"]):
        own = np.flatnonzero(sizes["table"] == table)
        own = own[np.argsort(sizes["size"][own])]
        found[int(table)] = (sizes["size"][own].astype(np.int64), numbers[own])
    return found


def _number(first: dict[int, Any], id_type: DataType) -> Any:
    """At the homes of centers: their numbers, sizes and names, to all slices that have members."""
    schema = _schema_of_names(id_type)

    def number_them(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        groups = inbox.take(Kind.GROUP, _records.GROUP)
        if len(groups) == 0:
            return
        names = _take_names(inbox, Kind.NAMES, schema)
        centers, members = _members_of(groups)
        found = made(
            _records.CLUSTER,
            center=centers,
            cluster=_numbers_of(members, *first[number]),
            members=members,
        )
        for home in np.unique(groups["home"]):
            wanted = np.sort(groups["center"][groups["home"] == home])
            outbox.add_all(Kind.CLUSTER, int(home), found[np.searchsorted(centers, wanted)])
            places = pa.array(np.searchsorted(names.column("row").to_numpy(), wanted))
            for piece in names.take(places).combine_chunks().to_batches():
                outbox.add_bytes(Kind.CENTER_NAMES, int(home), _piece(piece))
            yield

    return number_them


def _numbers_of(
    members: NDArray[np.int64], sizes: NDArray[np.int64], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Of centers by their rows: those of one size have numbers in this order, from the first one."""
    kind = np.searchsorted(sizes, members)
    order = np.argsort(kind, kind="stable")
    begins = np.searchsorted(kind[order], np.arange(len(sizes)))
    numbers = np.empty(len(members), np.int64)
    numbers[order] = first[kind[order]] + np.arange(len(members)) - begins[kind[order]]
    return numbers


def _list(version: str, id_type: DataType) -> Any:
    """At the homes of bags: the rows of the table."""
    schema = _schema_of_names(id_type)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        inbox = Inbox(batches)
        if inbox.target is None:
            return
        names = _take_names(inbox, Kind.NAMES, schema)
        centers = _take_names(inbox, Kind.CENTER_NAMES, schema)
        joined = inbox.take(Kind.JOINED, _records.JOINED)
        joined = joined[np.argsort(joined["row"])]
        clusters = inbox.take(Kind.CLUSTER, _records.CLUSTER)
        clusters = clusters[np.argsort(clusters["center"])]
        place = np.searchsorted(clusters["center"], joined["center"])
        members = clusters["members"][place]
        yield from rows_of_table(
            names.column("id"),
            clusters["cluster"][place],
            members,
            joined["similarity"],
            joined["row"],
            joined["center"],
            centers.column("id").take(pa.array(place)),
        )

    return run
