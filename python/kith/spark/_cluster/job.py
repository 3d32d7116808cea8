"""kith.spark.cluster: the stages in their order."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, DoubleType, FloatType, IntegerType, LongType

from kith import _kith
from kith._errors import UsageError
from kith._jobs import _words
from kith.spark._bags.job import Bagged
from kith.spark._bags.packed import Packed
from kith.spark._cluster.one_task import cluster_by_one_task, fits_one_task
from kith.spark._cluster.order import edges_by_rank, joined_by_row, order_by_mass, order_by_row
from kith.spark._cluster.packed import packed_documents
from kith.spark._cluster.pairs import BAG_TOTAL, PairTables, comparison_of_bags, listed_pairs
from kith.spark._cluster.plan import choose_cluster_tables
from kith.spark._cluster.scan import scan_bags
from kith.spark._cluster.table import cluster_table
from kith.spark._exchange import records as _records
from kith.spark._exchange.blocks import Inbox, Outbox
from kith.spark._exchange.records import Kind
from kith.spark._exchange.session import Job, checked_partitions, plain_errors, settings
from kith.spark._join.candidates import find_candidates
from kith.spark._join.centers import find_centers
from kith.spark._join.copies import find_copies
from kith.spark._join.documents import Documents, Features, check_ids, column_type, make_documents

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from kith._options import CommonClusterOptions

# Options of `kith cluster` that are about clusters of bags, whatever the bags are made of.
OPTIONS = (
    "similarity", "recall", "engine", "lanes", "max_tables", "min_words", "order", "assign", "seed",
)  # fmt: skip
# What a task may take, so that it clusters all bags.
_TASK_MEMORY = "4G"
_ROUNDS_ABOVE = 20_000_000  # pairs that one executor decides by itself


@dataclasses.dataclass(frozen=True)
class Clustered:
    """What cluster() has found. clusters: a row for each bag: cluster (from 1, the largest first,
    those of one bag last), id, role (center, member, single), similarity (with the center; 1 for
    itself), row (its place by id or key, from 0), center_row, center. report: counts, the threshold
    and the tables, with reasons. Where they were asked for: pairs, those of `kith pairs`: id_a,
    id_b, row_a, row_b (row_a < row_b), similarity; related, of each bag the others that are most
    similar among its pairs: id, rank (from 1), related, similarity, row, related_row."""

    clusters: DataFrame
    report: dict[str, Any]
    pairs: DataFrame | None = None
    related: DataFrame | None = None
    _kept: DataFrame | None = None  # of which clusters is a part
    _tables: PairTables | None = None

    def unpersist(self) -> None:
        """Frees what Spark keeps of the clusters and pairs."""
        (self.clusters if self._kept is None else self._kept).unpersist()
        if self._tables is not None:
            self._tables.unpersist()


def cluster(
    df: DataFrame | Bagged,
    *,
    id: str = "id",
    key: str | None = None,
    terms: str = "terms",
    weights: str = "weights",
    pairs: bool = False,
    related: int = 0,
    partitions: int | None = None,
    task_memory: int | str | None = None,
    **options: Unpack[CommonClusterOptions],
) -> Clustered:
    """Clusters the weighted bags of a table of Spark, or those that kith.spark.bags() or
    bags_of_files() has made.

    The columns of a table: id: a column of strings or integers, each once and none null. key: a column by which bags are
    ordered in place of the id, each value once: that of Bagged.bags, for the order of a run. terms,
    weights: columns of arrays, of the numbers of terms and of their weights, which need not be
    scaled; a row where terms is null has no bag, and is left out. What was made of pages has these
    columns, is ordered by their keys, and is faster as it is than by its table.

    pairs: whether similar pairs are
    listed, those of equal bags too. related: how many of the most similar bags are listed for each
    bag, of those that are a pair with it. partitions: into how many slices the job is cut; by
    default spark.sql.shuffle.partitions. task_memory: what one task may take (bytes, or like "4G",
    the default): where all bags that bags() or bags_of_files() has made need no more (16 bytes a
    term, 1,500 a bag), and no lists are asked for, one task clusters them; otherwise slices are
    compared. The result does not depend on either: the clusters are those of kith.cluster_bags()
    with engine lsh for the same bags in that order, so those of `kith cluster --engine lsh`, and
    the pairs are those of `kith pairs`. options: similarity, recall, lanes, max_tables, min_words,
    order (mass or url), assign, seed, as kith.cluster() has them; another one is a UsageError that
    names it.

    Runs the job and keeps the clusters in the session (Clustered.unpersist()), and of pairs those
    of different bags, of which lists are made when they are read. NotFoundError names
    a column that is missing, UsageError one of another type, an id that stands in two rows, a
    weight that is not positive, and an executor without kith or with another version.
    """
    words = _checked_words(options)
    table = df.bags if isinstance(df, Bagged) else df
    partitions = checked_partitions(table.sparkSession, partitions)
    if related < 0:
        raise UsageError(f"related {related}: must be 0 or a number of bags")
    memory = _checked_task_memory(df, task_memory)
    make = _documents_of(df, id, key, terms, weights, words)
    lists = _Lists(pairs, related)
    with plain_errors(), settings(table.sparkSession, partitions):
        job = Job(table.sparkSession, partitions)
        try:
            job.check_executors()
            if isinstance(df, Bagged) and not lists and fits_one_task(df.packed, memory):
                return _run_in_one_task(job, df.packed, words)
            return _run(job, make, words, lists)
        finally:
            job.forget_all()


def _checked_task_memory(given: DataFrame | Bagged, memory: int | str | None) -> int:
    if memory is not None and not isinstance(given, Bagged):
        raise UsageError(
            "task_memory: is about bags that bags() or bags_of_files() has made, not about a table"
        )
    try:
        return _kith.bytes_of(str(_TASK_MEMORY if memory is None else memory))
    except UsageError as error:
        raise UsageError(f"task_memory: {error}") from None


def _documents_of(
    given: DataFrame | Bagged,
    id: str,
    key: str | None,
    terms: str,
    weights: str,
    words: list[str],
) -> Callable[[Job], Documents]:
    if isinstance(given, Bagged):
        if (id, key, terms, weights) != ("id", None, "terms", "weights"):
            raise UsageError("id, key, terms, weights: are columns of a table; bags are given")
        packed = given.packed
        return lambda job: packed_documents(job, packed, words)
    frame = _bags_of(given, id, key, terms, weights)
    start = _start_features(words)
    return lambda job: make_documents(job, frame, start, key or id, are_bags=True)


def _checked_words(options: Any) -> list[str]:
    for name in options:
        if name not in OPTIONS:
            raise UsageError(
                f"{name}: is no option of clusters on many machines; there are {', '.join(OPTIONS)}"
            )
    words = _words("bags", "none", {"engine": "lsh", **options})
    _kith.ClusterSteps(words)
    return words


def _bags_of(df: DataFrame, id_column: str, key: str | None, terms: str, weights: str) -> DataFrame:
    check_ids(df, id_column)
    if key is not None and not isinstance(column_type(df, key), BinaryType):
        check_ids(df, key)
    kinds = (
        (terms, (IntegerType, LongType), "integers"),
        (weights, (DoubleType, FloatType), "doubles"),
    )
    for name, elements, what in kinds:
        found = column_type(df, name)
        if not isinstance(found, ArrayType) or not isinstance(found.elementType, elements):
            raise UsageError(
                f"column {name!r}: of type {found.simpleString()}, not of arrays of {what}"
            )
    keys = [] if key is None else [F.col(key).alias("key")]
    return df.filter(F.col(terms).isNotNull()).select(
        F.col(id_column).alias("id"),
        *keys,
        F.col(terms).cast("array<bigint>").alias("terms"),
        F.col(weights).cast("array<double>").alias("weights"),
    )


class _Lists(NamedTuple):
    """What is listed beside the clusters."""

    pairs: bool
    related: int

    def __bool__(self) -> bool:
        return self.pairs or self.related > 0

    def of(self, tables: PairTables) -> dict[str, DataFrame]:
        found = {}
        if self.pairs:
            found["pairs"] = tables.all_pairs()
        if self.related > 0:
            found["related"] = tables.nearest(self.related)
        return found


def _run_in_one_task(job: Job, packed: Packed, words: list[str]) -> Clustered:
    job.step("clusters by one task")
    kept, clusters, report = cluster_by_one_task(job, packed, words)
    return Clustered(clusters, report | {"partitions": 1}, _kept=kept)


def _run(job: Job, make: Callable[[Job], Documents], words: list[str], lists: _Lists) -> Clustered:
    steps = _kith.ClusterSteps(words)
    job.step("bags")
    documents = make(job)
    report: dict[str, Any] = {
        "bags": documents.count,
        "empty": documents.count - int(documents.filled.sum()),
        "partitions": job.partitions,
    }
    job.step("equal bags")
    copies = find_copies(job, documents)
    different = int((documents.filled - copies.by_part).sum())
    report["duplicates"] = int(copies.by_part.sum())
    joined = None
    pairs = job.spark.createDataFrame([], "a long, b long, similarity double")
    if different > 1:
        job.step("threshold and tables")
        plan = choose_cluster_tables(job, documents, copies, words, bool(lists))
        job.step("candidates and their similarities")
        compare = comparison_of_bags(plan, steps.min_words)
        candidates = find_candidates(job, documents, copies, plan.join, True, compare)
        counts = job.collect_records(candidates.candidates, Kind.COUNT, _records.COUNT)
        job.step("scan order")
        order = (
            order_by_mass(job, documents, copies, candidates.masses, plan.join.count)
            if steps.by_mass
            else order_by_row(job, documents, candidates.masses)
        )
        job.step("centers")
        edges = candidates.candidates.filter(F.col("kind") == int(Kind.EDGE))
        ranked = edges_by_rank(job, documents, edges, order)
        found = (
            find_centers(job, documents, ranked, _ROUNDS_ABOVE, steps.assigns_best)
            if candidates.places is None
            else scan_bags(job, documents, ranked, candidates.places, order, plan)
        )
        joined = _with_similarities(job, joined_by_row(job, documents, found, order))
        if lists:
            job.step("pairs")
            pairs = listed_pairs(job, documents, candidates, plan)
        report |= plan.report | {
            "collisions": int(counts["collisions"].sum()),
            "candidates": int(counts["candidates"].sum()),
            "large_buckets": candidates.large_buckets,
        }
    job.step("clusters")
    table = cluster_table(job, documents, copies, joined)
    clusters = table.rows.persist()
    clusters.count()  # which computes all of it
    report |= {"clusters": table.clusters, "singles": table.singles}
    if not lists:
        return Clustered(clusters, report)
    job.step("lists of pairs")
    tables = PairTables.make(documents, copies, pairs)
    report["pairs_of_different_bags"] = tables.count
    return Clustered(clusters, report, _tables=tables, **lists.of(tables))


def _start_features(words: list[str]) -> Callable[[], Callable[[pa.RecordBatch], Features]]:
    def start() -> Callable[[pa.RecordBatch], Features]:
        steps = _kith.ClusterSteps(words)

        def features(batch: pa.RecordBatch) -> Features:
            offsets, terms = _lists(batch.column("terms"))
            other, weights = _lists(batch.column("weights"))
            _check_lists(batch, offsets, other, terms)
            try:
                return Features(*steps.features(offsets, terms.astype(np.uint32), weights))
            except UsageError as error:
                raise _with_id(error, batch.column("id")) from None

        return features

    return start


def _check_lists(batch: pa.RecordBatch, offsets: Any, of_weights: Any, terms: Any) -> None:
    """Raises for the first row whose arrays are not of one length, or whose terms are no numbers of
    terms."""
    unequal = np.flatnonzero(np.diff(offsets) != np.diff(of_weights))
    beyond = np.flatnonzero((terms < 0) | (terms >= 1 << 32))
    if len(unequal) > 0:
        id = batch.column("id")[int(unequal[0])].as_py()
        raise UsageError(f"{id!r}: has arrays of different lengths; give a weight for each term")
    if len(beyond) > 0:
        row = np.searchsorted(offsets, beyond[0], side="right") - 1
        id = batch.column("id")[int(row)].as_py()
        raise UsageError(f"{id!r}: term {terms[beyond[0]]}: must be from 0 to 2^32 - 1")


def _with_id(error: UsageError, ids: pa.Array) -> UsageError:
    """The same with the id in place of the number of a bag."""
    found = re.match(r"bag (\d+): (.*)", str(error))
    return UsageError(f"{ids[int(found[1])].as_py()!r}: {found[2]}") if found else error


def _lists(column: pa.Array) -> tuple[Any, Any]:
    """The offsets and values of lists; a null is an empty one."""
    sizes = column.value_lengths().fill_null(0).to_numpy()
    values = column.drop_null().flatten()
    if values.null_count > 0:
        raise UsageError("an array of terms or weights has a null; leave such entries out")
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64), values.to_numpy()


def _with_similarities(job: Job, joined: DataFrame) -> DataFrame:
    def convert(inbox: Inbox, outbox: Outbox, number: int) -> Iterator[None]:
        records = inbox.take(Kind.JOINED, _records.JOINED).copy()
        records["similarity"] /= 2.0 * BAG_TOTAL - records["similarity"]
        outbox.add_all(Kind.JOINED, number, records)
        yield

    return job.map_blocks(joined, convert)
