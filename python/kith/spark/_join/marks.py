"""What the user sees: the marked rows and the pairs, with the ids of the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Documents, to_homes


def ids_of(documents: Documents) -> DataFrame:
    """row, id: of all documents."""
    starts = [int(start) for start in documents.starts]
    start = F.array(*(F.lit(one) for one in starts))
    place = F.posexplode("ids").alias("place", "id")
    exploded = documents.batches.select("part", "first", place)
    row = F.element_at(start, F.col("part") + 1) + F.col("first") + F.col("place")
    return exploded.select(row.cast("long").alias("row"), "id")


def joined_documents(
    job: Job, documents: Documents, copies: Copies, joined: DataFrame | None
) -> DataFrame:
    """row, kept, similarity: of all documents that join another one."""
    starts = documents.starts

    def follow(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        own = inbox.take(Kind.JOINED, _records.JOINED)
        own = own[np.argsort(own["row"])]
        equal = inbox.take(Kind.COPY, _records.COPY)
        found = made(_records.JOINED, row=equal["row"], center=equal["first"], similarity=1.0)
        if len(own) > 0:
            at = np.minimum(np.searchsorted(own["row"], equal["first"]), len(own) - 1)
            joins = own["row"][at] == equal["first"]
            found["center"][joins] = own["center"][at[joins]]
            found["similarity"][joins] = own["similarity"][at[joins]]
        outbox.add_all(Kind.JOINED, number, own)
        outbox.add_all(Kind.JOINED, number, found)
        yield

    # The blocks of copies are not in the partitions of their slices.
    send_copies = to_homes(Kind.COPY, _records.COPY, "first", starts)
    parts = [job.map_blocks(job.exchange(copies.blocks), send_copies)]
    if joined is not None:
        send_joined = to_homes(Kind.JOINED, _records.JOINED, "row", starts)
        parts.append(job.map_blocks(joined, send_joined))
    followed = job.map_blocks(job.exchange(*parts), follow)
    return columns_of(followed, Kind.JOINED, _records.JOINED, ("row", "kept", "similarity"))


def listed_pairs(edges: DataFrame) -> DataFrame:
    """a, b, similarity."""
    found = columns_of(edges, Kind.EDGE, _records.EDGE, ("a", "b", "similarity"))
    return found.dropDuplicates(["a", "b"])


def columns_of(blocks: DataFrame, kind: Kind, dtype: Any, names: Sequence[str]) -> DataFrame:
    """The records of a kind as a table, whose columns have these names: integers and doubles."""
    types = ["double" if dtype[name].kind == "f" else "long" for name in dtype.names]

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for data in batch.column("data"):
                records = np.frombuffer(data.as_buffer(), dtype)
                arrays = [
                    pa.array(records[field].astype(np.float64 if kind == "double" else np.int64))
                    for field, kind in zip(dtype.names, types)
                ]
                yield pa.RecordBatch.from_arrays(arrays, names=list(names))

    one_kind = blocks.filter(F.col("kind") == int(kind))
    return one_kind.mapInArrow(run, ", ".join(map(" ".join, zip(names, types))))


@dataclasses.dataclass
class Groups:
    """numbers: kept, members, group; groups have numbers from 1, the largest first, then by the
    kept row. members: of all groups."""

    numbers: DataFrame
    count: int
    members: int


def number_groups(job: Job, members: DataFrame) -> Groups:
    sizes = members.groupBy("kept").agg(F.count("*").alias("members"))
    ordered = sizes.repartitionByRange(job.partitions, F.desc("members"), F.asc("kept"))
    parts = job.keep(ordered.withColumn("part", F.spark_partition_id()))
    counts = np.zeros(job.partitions + 1, np.int64)
    all_members = 0
    sums = (F.count("*").alias("groups"), F.sum("members").alias("members"))
    for row in parts.groupBy("part").agg(*sums).collect():
        counts[row["part"] + 1] = row["groups"]
        all_members += row["members"]
    start = F.array(*(F.lit(int(one)) for one in np.cumsum(counts)))
    inside = F.row_number().over(
        Window.partitionBy("part").orderBy(F.desc("members"), F.asc("kept"))
    )
    number = F.element_at(start, F.col("part") + 1) + inside
    numbers = parts.select("kept", "members", number.cast("long").alias("group"))
    return Groups(numbers, int(counts.sum()), all_members)


def marks_of(ids: DataFrame, removed: DataFrame, groups: DataFrame) -> DataFrame:
    """All rows of the table: id, row, group, keep, kept_row, similarity, kept_id."""
    kept = groups.select(F.col("kept").alias("row"), "kept", F.lit(1.0).alias("similarity"))
    members = removed.select("row", "kept", "similarity").unionByName(kept)
    names = ids.select(F.col("row").alias("kept"), F.col("id").alias("kept_id"))
    grouped = members.join(groups, "kept").join(names, "kept")
    every = ids.join(grouped, "row", "left")
    own = F.coalesce(F.col("kept"), F.col("row"))
    return every.select(
        "id",
        "row",
        F.coalesce("group", F.lit(0)).alias("group"),
        (own == F.col("row")).alias("keep"),
        own.alias("kept_row"),
        F.coalesce("similarity", F.lit(1.0)).alias("similarity"),
        F.coalesce("kept_id", "id").alias("kept_id"),
    )


def pairs_with_ids(pairs: DataFrame, ids: DataFrame) -> DataFrame:
    """row_a, row_b, similarity, id_a, id_b."""
    first = ids.select(F.col("row").alias("a"), F.col("id").alias("id_a"))
    second = ids.select(F.col("row").alias("b"), F.col("id").alias("id_b"))
    found = pairs.join(first, "a").join(second, "b")
    return found.select(
        "id_a", "id_b", F.col("a").alias("row_a"), F.col("b").alias("row_b"), "similarity"
    )
