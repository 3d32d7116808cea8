"""CENTER over the pairs of all documents (docs/algorithms/center.md).

In rounds, while there are many pairs: a document without an undecided one before it among its
neighbours is decided, as a center or not. What is left then is scanned by one executor in the order
of the documents, and so are all pairs where there are whole parts, by the code of the job on one
machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox, SetBatch
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.documents import Documents, home_of, to_homes
from kith.spark._join.verify import sets_where_needed


def find_centers(job: Job, documents: Documents, edges: DataFrame, rounds_above: int) -> DataFrame:
    """Records of Kind.JOINED: every document that joins a center, with that."""
    count = _count(edges, Kind.EDGE, _records.EDGE)
    if count <= rounds_above:
        return job.keep(job.map_blocks(job.gather(edges), _join_all))
    centers = []
    state = job.keep(job.map_blocks(edges, _send_edges(documents.starts)))
    while count > rounds_above:
        after = job.keep(job.map_blocks(job.exchange(state), _decide(documents.starts)))
        centers.append(after.filter(F.col("kind") == int(Kind.CENTER)))
        state = after.filter(F.col("kind") != int(Kind.CENTER))
        count = _count(state, Kind.EDGE, _records.EDGE) // 2  # each is at both of its ends
    centers.append(job.map_blocks(job.gather(state), _decide_rest(documents.starts)))
    return job.keep(_join_first(job, documents.starts, edges, centers))


def _count(blocks: DataFrame, kind: Kind, dtype: Any) -> int:
    size = F.sum(F.length("data")).alias("size")
    found = blocks.filter(F.col("kind") == int(kind)).agg(size).collect()[0]["size"]
    return int(found or 0) // int(dtype.itemsize)


def _join_all(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
    edges = inbox.take(Kind.EDGE, _records.EDGE)
    rows = np.unique(np.concatenate((edges["a"], edges["b"])))
    joined = _with_similarity(rows, _ordered_centers(rows, edges), edges)
    outbox.add_all(Kind.JOINED, number, joined)
    yield


def _ordered_centers(rows: Any, edges: Any) -> Any:
    """The centers of documents, which become centers in their order."""
    a = np.searchsorted(rows, edges["a"]).astype(np.uint32)
    b = np.searchsorted(rows, edges["b"]).astype(np.uint32)
    return rows[_kith.ordered_centers(len(rows), a, b)]


def _with_similarity(rows: Any, center: Any, edges: Any) -> Any:
    """Those that join another one, by the pairs that have joined them."""
    joins = rows != center
    joined = made(_records.JOINED, row=rows[joins], center=center[joins], similarity=0.0)
    key = edges["a"].astype(np.uint64) << np.uint64(32) | edges["b"]
    order = np.argsort(key)
    wanted = joined["center"].astype(np.uint64) << np.uint64(32) | joined["row"]
    joined["similarity"] = edges["similarity"][order[np.searchsorted(key[order], wanted)]]
    return joined


def _both_ends(outbox: Outbox, edges: Any, starts: Any) -> None:
    outbox.add(Kind.EDGE, home_of(edges["a"], starts), edges)
    outbox.add(Kind.EDGE, home_of(edges["b"], starts), edges)


def _send_edges(starts: Any) -> Any:
    def send(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        _both_ends(outbox, inbox.take(Kind.EDGE, _records.EDGE), starts)
        yield

    return send


def _decide(starts: Any) -> Any:
    """A round, at the homes of documents: edges whose ends are undecided, members that are no
    center. A center tells its later neighbours that they are members; members have no say."""

    def decide(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        edges = np.unique(inbox.take(Kind.EDGE, _records.EDGE))
        members = inbox.take(Kind.MEMBER, _records.ROW)["row"]
        waiting = edges["b"][home_of(edges["b"], starts) == number]
        own = edges[home_of(edges["a"], starts) == number]
        own = own[~np.isin(own["a"], members)]
        is_center = ~np.isin(own["a"], waiting)
        centers = np.unique(own["a"][is_center])
        outbox.add_all(Kind.CENTER, number, made(_records.ROW, row=centers))
        decided = np.unique(own["b"][is_center])
        outbox.add(Kind.MEMBER, home_of(decided, starts), made(_records.ROW, row=decided))
        _both_ends(outbox, own[~is_center], starts)
        yield

    return decide


def _decide_rest(starts: Any) -> Any:
    def decide(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        edges = np.unique(inbox.take(Kind.EDGE, _records.EDGE))
        members = inbox.take(Kind.MEMBER, _records.ROW)["row"]
        edges = edges[~np.isin(edges["a"], members)]
        rows = np.unique(np.concatenate((edges["a"], edges["b"])))
        centers = rows[_ordered_centers(rows, edges) == rows]
        # Members of earlier rounds are there, too, but only as the later ends of edges.
        centers = centers[np.isin(centers, edges["a"])]
        outbox.add(Kind.CENTER, home_of(centers, starts), made(_records.ROW, row=centers))
        yield

    return decide


def _join_first(job: Job, starts: Any, edges: DataFrame, centers: list[DataFrame]) -> DataFrame:
    """A document that is no center joins the first of its neighbours that is one."""

    def offer(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        edges = inbox.take(Kind.EDGE, _records.EDGE)
        edges = edges[np.isin(edges["a"], inbox.take(Kind.CENTER, _records.ROW)["row"])]
        outbox.add(Kind.EDGE, home_of(edges["b"], starts), edges)
        yield

    def choose(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        edges = np.sort(inbox.take(Kind.EDGE, _records.EDGE), order=("b", "a"))
        first = np.unique(edges["b"], return_index=True)[1]
        joined = made(
            _records.JOINED,
            row=edges["b"][first],
            center=edges["a"][first],
            similarity=edges["similarity"][first],
        )
        outbox.add_all(Kind.JOINED, number, joined)
        yield

    sent = job.map_blocks(edges, to_homes(Kind.EDGE, _records.EDGE, "a", starts))
    offers = job.map_blocks(job.exchange(sent, *centers), offer)
    return job.map_blocks(job.exchange(offers), choose)


def scan_whole_parts(
    job: Job,
    documents: Documents,
    edges: DataFrame,
    places: DataFrame,
    words: list[str],
) -> DataFrame:
    """Records of Kind.JOINED, and of Kind.EDGE for the pairs that whole parts have brought."""
    count = documents.count

    def scan(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        joined, found = _scan(inbox, words, count)
        outbox.add_all(Kind.JOINED, number, joined)
        outbox.add_all(Kind.EDGE, number, found)
        yield

    sets, wholes = _whole_parts(job, documents, places, _kith.DedupSteps(words).lanes)
    return job.keep(job.map_blocks(job.gather(sets, wholes, edges), scan))


def _whole_parts(
    job: Job, documents: Documents, places: DataFrame, lanes: int
) -> tuple[DataFrame, DataFrame]:
    """In the first slice: the elements and signatures of all documents in whole parts, and records
    of Kind.WHOLE."""
    starts = documents.starts

    def need(inbox: Inbox, outbox: Outbox, _: int) -> Iterator[None]:
        found = inbox.take(Kind.PLACE, _records.PLACE)
        found = found[found["whole"] == 1]
        rows = np.unique(found["row"])
        outbox.add(Kind.NEED, home_of(rows, starts), made(_records.NEED, row=rows, slice=0))
        parts = made(_records.WHOLE, name=found["part"], row=found["row"])
        outbox.add_all(Kind.WHOLE, 0, parts)
        yield

    needs = job.keep(job.map_blocks(job.exchange(places), need))
    wanted = needs.filter(F.col("kind") == int(Kind.NEED))
    sets = sets_where_needed(job, documents, wanted, lanes)
    return sets, needs.filter(F.col("kind") == int(Kind.WHOLE))


def _scan(inbox: Inbox, words: list[str], count: int) -> tuple[Any, Any]:
    steps = _kith.DedupSteps(words)
    edges = inbox.take(Kind.EDGE, _records.EDGE)
    parts = np.unique(inbox.take(Kind.WHOLE, _records.WHOLE))
    pieces = sorted(SetBatch.each(inbox.take_pieces(Kind.SET)), key=lambda batch: batch.rows[0])
    signatures = inbox.take(Kind.SIGNATURE, _records.signature(steps.lanes))
    signatures = signatures[np.argsort(signatures["row"])]
    others = np.unique(np.concatenate((edges["a"], edges["b"])))
    others = others[~np.isin(others, signatures["row"])]
    names = len(np.unique(parts["name"]))
    with tempfile.TemporaryDirectory(prefix="kith-scan-") as folder:
        center_scan = steps.center_scan(folder + "/scan", others)
        for batch in pieces:
            values = signatures["values"][np.searchsorted(signatures["row"], batch.rows)]
            center_scan.add(batch.rows, batch.offsets, batch.elements, values.reshape(-1))
        center, a, b, similarity = center_scan.run(
            np.ascontiguousarray(edges["a"]),
            np.ascontiguousarray(edges["b"]),
            np.ascontiguousarray(parts["name"]),
            np.ascontiguousarray(parts["row"]),
            _kith.max_centers(names, len(parts), count, steps.max_comparisons),
        )
        del center_scan
    found = made(_records.EDGE, a=a, b=b, similarity=similarity)
    rows = np.sort(np.concatenate((signatures["row"], others)))
    return _with_similarity(rows, center, np.concatenate((edges, found))), found
