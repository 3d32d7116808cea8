"""The similar pairs of bags, those of `kith pairs`, and the bags most similar to each bag."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from kith import _kith
from kith.spark._cluster.plan import ClusterPlan
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox, SetBatch, ShortBags
from kith.spark._exchange.records import Kind, made
from kith.spark._exchange.session import Job
from kith.spark._join.candidates import Comparison, Joined, Met
from kith.spark._join.centers import whole_parts
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Documents
from kith.spark._join.marks import columns_of, ids_of

BAG_TOTAL = 100 << 16  # what the weights of a bag add up to
_PAIRS_OF_PIECE = 1 << 20


def comparison_of_bags(plan: ClusterPlan, min_words: int) -> Comparison:
    """Records of Kind.EDGE: the pairs that clusters are made of, with sums of minima, with which
    they travel until the end: they are exact. Where pairs are listed, those of Kind.LISTED too."""
    lists_pairs = plan.join.near is not None
    words, threshold = list(plan.join.words), plan.similarity

    def start(bags: ShortBags) -> Callable[[Met, Outbox, int], None]:
        verifier = _kith.ClusterSteps(words).verifier(threshold, int(bags.sizes.sum()))
        bags.move_to(verifier)
        rows = bags.rows
        is_long = bags.sizes >= min_words

        def compare(met: Met, outbox: Outbox, number: int) -> None:
            a, b = met.a, met.b
            is_clustered = met.is_near & is_long[a] & is_long[b]
            if not lists_pairs and not is_clustered.all():
                a, b = a[is_clustered], b[is_clustered]
                is_clustered = is_clustered[is_clustered]
            sums = verifier.sums(a, b)
            found = np.flatnonzero(sums)
            edges = made(
                _records.EDGE,
                a=rows[a[found]],
                b=rows[b[found]],
                similarity=sums[found].astype(np.float64),
            )
            outbox.add_all(Kind.EDGE, number, edges[is_clustered[found]])
            if lists_pairs:
                outbox.add_all(Kind.LISTED, number, edges)

        return compare

    return start


def listed_pairs(job: Job, documents: Documents, joined: Joined, plan: ClusterPlan) -> DataFrame:
    """a, b, similarity: of different bags."""
    listed = joined.candidates
    if joined.places is not None:
        listed = listed.union(_pairs_in_parts(job, documents, joined.places, plan))
    found = columns_of(listed, Kind.LISTED, _records.EDGE, ("a", "b", "sum"))
    if joined.places is not None:
        found = found.dropDuplicates(["a", "b"])
    similarity = F.col("sum") / (F.lit(2.0 * BAG_TOTAL) - F.col("sum"))
    return found.select("a", "b", similarity.alias("similarity"))


def _pairs_in_parts(
    job: Job, documents: Documents, places: DataFrame, plan: ClusterPlan
) -> DataFrame:
    words, lanes, threshold = list(plan.join.words), plan.join.lanes, plan.similarity

    def find(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        bags = SetBatch.of_pieces(inbox.take_pieces(Kind.SET))
        signatures = inbox.take(Kind.SIGNATURE, _records.signature(lanes))
        signatures = signatures[np.argsort(signatures["row"])]
        parts = np.unique(inbox.take(Kind.WHOLE, _records.WHOLE))
        pairs = _kith.ClusterSteps(words).part_pairs(
            threshold,
            bags.offsets,
            bags.elements,
            np.ascontiguousarray(signatures["values"]).reshape(-1),
            np.ascontiguousarray(parts["name"]),
            np.searchsorted(bags.rows, parts["row"]).astype(np.uint32),
        )
        while len(found := pairs.next(_PAIRS_OF_PIECE)) > 0:
            a, b, sums = bags.rows[found[:, 0]], bags.rows[found[:, 1]], found[:, 2]
            records = made(_records.EDGE, a=a, b=b, similarity=sums)
            outbox.add_all(Kind.LISTED, number, records)
            yield

    sets, wholes = whole_parts(job, documents, places, lanes)
    return job.keep(job.map_blocks(job.gather(sets, wholes), find))


@dataclasses.dataclass(frozen=True)
class PairTables:
    """What lists of pairs are made of when they are asked for: pairs of different bags, which may
    be far fewer than those of all. pairs: a, b, similarity. bags: row, id, first (the first bag
    that is equal)."""

    pairs: DataFrame
    bags: DataFrame
    count: int  # of pairs

    @staticmethod
    def make(documents: Documents, copies: Copies, pairs: DataFrame) -> PairTables:
        """Computed here, and kept until unpersist()."""
        equal = columns_of(copies.blocks, Kind.COPY, _records.COPY, ("row", "first"))
        first = F.coalesce("first", "row").alias("first")
        bags = ids_of(documents).join(equal, "row", "left").select("row", "id", first)
        kept, named = (frame.persist(StorageLevel.DISK_ONLY) for frame in (pairs, bags))
        named.count()
        return PairTables(kept, named, kept.count())

    def unpersist(self) -> None:
        self.pairs.unpersist()
        self.bags.unpersist()

    def all_pairs(self) -> DataFrame:
        """id_a, id_b, row_a, row_b, similarity: of all bags, the lower row first."""
        left = self.bags.toDF("row_l", "id_l", "a")
        right = self.bags.toDF("row_r", "id_r", "b")
        of_different = self.pairs.join(left, "a").join(right, "b")
        equal = left.join(self._several().withColumnRenamed("first", "a"), "a")
        of_equal = equal.join(right, (F.col("a") == F.col("b")) & (F.col("row_l") < F.col("row_r")))
        both = of_different.unionByName(of_equal.withColumn("similarity", F.lit(1.0)))
        in_order = F.col("row_l") < F.col("row_r")
        return both.select(
            F.when(in_order, F.col("id_l")).otherwise(F.col("id_r")).alias("id_a"),
            F.when(in_order, F.col("id_r")).otherwise(F.col("id_l")).alias("id_b"),
            F.least("row_l", "row_r").alias("row_a"),
            F.greatest("row_l", "row_r").alias("row_b"),
            "similarity",
        )

    def nearest(self, most: int) -> DataFrame:
        """id, rank (from 1), related, similarity, row, related_row: of each bag so many others
        that are most similar among its pairs, of equally similar ones those of lower rows."""
        a, b, similarity = F.col("a"), F.col("b"), F.col("similarity")
        itself = self._several().select("first", "first", F.lit(1.0)).toDF("own", "first", "alike")
        lists = (
            self.pairs.select(a, b, similarity)
            .union(self.pairs.select(b, a, similarity))
            .toDF("own", "first", "alike")
            .union(itself)
        )
        # A bag is among its own nearest until the end, where it has equal ones: one more.
        lists = _first(lists, "own", [F.desc("alike"), F.asc("first")], most + 1)
        members = self.bags.select("first", F.col("row").alias("related_row"))
        members = _first(members, "first", [F.asc("related_row")], most + 1)
        order = [F.desc("alike"), F.asc("related_row")]
        lists = _first(lists.join(members, "first").drop("first"), "own", order, most + 1)
        own = self.bags.select(F.col("first").alias("own"), "row", "id")
        others = lists.join(own, "own").filter(F.col("row") != F.col("related_row"))
        found = _first(others, "row", order, most, keep_rank=True)
        names = self.bags.select(F.col("row").alias("related_row"), F.col("id").alias("related"))
        return found.join(names, "related_row").select(
            "id", "rank", "related", F.col("alike").alias("similarity"), "row", "related_row"
        )

    def _several(self) -> DataFrame:
        """first: of bags that are equal to others."""
        return self.bags.filter(F.col("first") != F.col("row")).select("first").distinct()


def _first(
    frame: DataFrame, group: str, order: list[Any], most: int, keep_rank: bool = False
) -> DataFrame:
    """The first rows of each group."""
    rank = F.row_number().over(Window.partitionBy(group).orderBy(*order))
    found = frame.withColumn("rank", rank).filter(F.col("rank") <= most)
    return found if keep_rank else found.drop("rank")
