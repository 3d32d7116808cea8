"""CENTER over bags where there are whole parts: one executor scans these, with all pairs, in the
order of ranks (docs/algorithms/center.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import DataFrame

from kith import _kith
from kith.spark._cluster.order import ScanOrder
from kith.spark._cluster.plan import ClusterPlan
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox, SetBatch
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.centers import whole_parts
from kith.spark._join.documents import Documents


def scan_bags(
    job: Job,
    documents: Documents,
    edges: DataFrame,
    places: DataFrame,
    order: ScanOrder,
    plan: ClusterPlan,
) -> DataFrame:
    """Records of Kind.JOINED, by rank. edges: by rank, with sums of minima."""

    def send_ranks(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        found = inbox.take(Kind.PLACE, _records.PLACE)
        ranks = inbox.take(Kind.RANK, _records.RANK)
        ranks = ranks[np.isin(ranks["row"], found["row"][found["whole"] == 1])]
        outbox.add_all(Kind.RANK, 0, ranks)
        yield

    def scan(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        joined = _scan(inbox, plan)
        outbox.add_all(Kind.JOINED, number, joined)
        yield

    ranks = job.map_blocks(job.exchange(places, order.of(Kind.RANK)), send_ranks)
    sets, wholes = whole_parts(job, documents, places, plan.join.lanes)
    return job.keep(job.map_blocks(job.gather(sets, wholes, ranks, edges), scan))


def _scan(inbox: Inbox, plan: ClusterPlan) -> Any:
    edges = inbox.take(Kind.EDGE, _records.EDGE)
    bags = SetBatch.of_pieces(inbox.take_pieces(Kind.SET))
    signatures = inbox.take(Kind.SIGNATURE, _records.signature(plan.join.lanes))
    signatures = signatures[np.argsort(signatures["row"])]
    parts = np.unique(inbox.take(Kind.WHOLE, _records.WHOLE))
    ranks = inbox.take(Kind.RANK, _records.RANK)
    ranks = ranks[np.argsort(ranks["row"])]["rank"]  # of the bags
    by_rank = np.argsort(ranks)
    ordered = bags.select(by_rank)

    # Ranks without those that have neither a pair nor a part.
    known = np.unique(np.concatenate((edges["a"], edges["b"], ranks)))
    pairs = np.empty((len(edges), 3), np.uint32)
    pairs[:, 0] = np.searchsorted(known, edges["a"])
    pairs[:, 1] = np.searchsorted(known, edges["b"])
    pairs[:, 2] = edges["similarity"]
    numbers: Any = np.searchsorted(known, ranks).astype(np.uint32)
    center: Any
    center, sums = _kith.ClusterSteps(list(plan.join.words)).scan(
        plan.similarity,
        len(known),
        pairs.reshape(-1),
        numbers[by_rank],
        ordered.offsets,
        ordered.elements,
        np.ascontiguousarray(signatures["values"][by_rank]).reshape(-1),
        np.ascontiguousarray(parts["name"]),
        numbers[np.searchsorted(bags.rows, parts["row"])],
    )
    joins = np.flatnonzero(center != np.arange(len(known)))
    return made(
        _records.JOINED, row=known[joins], center=known[center[joins]], similarity=sums[joins]
    )
