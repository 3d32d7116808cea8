"""Documents with equal elements: the first of them stands for all."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.documents import Batch, Documents, flags_of, home_of, map_documents


@dataclasses.dataclass
class Copies:
    """blocks: records of Kind.COPY. flags: those documents, as bits. by_part: their numbers."""

    blocks: DataFrame
    flags: DataFrame
    by_part: np.ndarray[Any, np.dtype[np.int64]]


def find_copies(job: Job, documents: Documents) -> Copies:
    slices, starts = job.partitions, documents.starts

    def send(batch: Batch, outbox: Outbox) -> None:
        filled = batch.sizes > 0
        content = batch.content[filled]
        high = np.ascontiguousarray(content[:, 0])
        to = _kith.slices_of((high >> np.uint64(32)).astype(np.uint32), slices)
        records = made(_records.CONTENT, high=high, low=content[:, 1], row=batch.rows[filled])
        outbox.add(Kind.CONTENT, to, records)

    def fold(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        records = inbox.take(Kind.CONTENT, _records.CONTENT)
        records = records[np.lexsort((records["row"], records["low"], records["high"]))]
        same = np.zeros(len(records), np.bool_)
        same[1:] = (records["high"][1:] == records["high"][:-1]) & (
            records["low"][1:] == records["low"][:-1]
        )
        begins = np.flatnonzero(~same)
        first = records["row"][begins[np.cumsum(~same) - 1]]
        rows = records["row"][same]
        copies = made(_records.COPY, row=rows, first=first[same])
        outbox.add(Kind.COPY, home_of(rows, starts), copies)
        yield

    content = map_documents(job, documents, ["sizes", "content"], None, send)
    blocks = job.keep(job.map_blocks(job.exchange(content), fold))
    flags = job.keep(flags_of(job, documents, blocks, Kind.COPY, _records.COPY))
    by_part = np.zeros(job.partitions, np.int64)
    for row in flags.groupBy("part").agg(F.sum("flagged").alias("copies")).collect():
        by_part[row["part"]] = row["copies"]
    return Copies(blocks, flags, by_part)
