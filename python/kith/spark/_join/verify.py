"""The exact similarity of candidates: elements go to where candidates are, once for each slice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox, SetBatch
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.documents import Batch, Documents, flags_of, map_documents


def verify(
    job: Job, documents: Documents, candidates: DataFrame, words: list[str]
) -> DataFrame:
    """Records of Kind.EDGE: the candidates that are pairs, in no particular slice."""
    needs = candidates.filter(F.col("kind") == int(Kind.NEED))
    pairs = candidates.filter(F.col("kind") == int(Kind.PAIR))
    sent = sets_where_needed(job, documents, needs)

    def compare(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        sets = SetBatch.of_pieces(inbox.take_pieces(Kind.SET))
        found = inbox.take(Kind.PAIR, _records.PAIR)
        a, b = (np.searchsorted(sets.rows, found[name]).astype(np.uint32) for name in "ab")
        similarity = _kith.DedupSteps(words).verify(sets.offsets, sets.elements, a, b)
        edges = made(_records.EDGE, a=found["a"], b=found["b"], similarity=similarity)
        outbox.add_all(Kind.EDGE, number, edges[~np.isnan(similarity)])
        yield

    return job.keep(job.map_blocks(job.exchange(sent, pairs), compare))


def sets_where_needed(
    job: Job, documents: Documents, needs: DataFrame, lanes: int = 0
) -> DataFrame:
    """Records of Kind.NEED, which are at the homes of their rows, answered: the elements in the
    slices that need them, and the signatures too if these have lanes."""
    flags = job.keep(flags_of(job, documents, needs, Kind.NEED, _records.NEED))

    def send_home(batch: Batch, outbox: Outbox) -> None:
        places = np.flatnonzero(batch.flags)
        if len(places) == 0:
            return
        sets = batch.sets.select(places)
        outbox.add_bytes(Kind.SET, batch.part, sets.to_bytes())
        if lanes > 0:
            dtype = _records.signature(lanes)
            records = made(dtype, row=sets.rows, values=batch.signatures[places])
            outbox.add_all(Kind.SIGNATURE, batch.part, records)

    def answer(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        wanted = inbox.take(Kind.NEED, _records.NEED)
        sets = SetBatch.of_pieces(inbox.take_pieces(Kind.SET))
        own = inbox.take(Kind.SIGNATURE, _records.signature(lanes))
        own = own[np.argsort(own["row"])]
        for slice_number in np.unique(wanted["slice"]):
            rows = np.unique(wanted["row"][wanted["slice"] == slice_number])
            places = np.searchsorted(sets.rows, rows)
            if lanes > 0:
                outbox.add_all(Kind.SIGNATURE, int(slice_number), own[places])
            for piece in sets.pieces_of(places):
                outbox.add_bytes(Kind.SET, int(slice_number), piece)
                yield

    columns = ["sizes", "elements"] + (["signatures"] if lanes > 0 else [])
    sent = map_documents(job, documents, columns, flags, send_home)
    return job.map_blocks(job.exchange(sent, needs), answer)
