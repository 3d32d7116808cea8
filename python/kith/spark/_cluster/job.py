"""kith.spark.cluster: all bags to one task, and tables of what it has made."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from kith import _kith
from kith._errors import UsageError
from kith._jobs import _words
from kith.spark._bags.job import Bagged
from kith.spark._cluster.bags import Bags, bags_of_pages, bags_of_table
from kith.spark._cluster.task import REPORT, SCHEMA, ClusterTask, schemas, unpack
from kith.spark._exchange.session import (
    Job,
    checked_partitions,
    many_rows_of_batch,
    plain_errors,
    settings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Unpack

    from kith._options import ClusterOptions, StrPath

# Options of `kith cluster` for bags that are there.
OPTIONS = (
    "similarity", "recall", "engine", "lanes", "max_tables", "min_words", "order", "assign", "seed",
    "neighbours", "other_sites", "related", "topics", "no_check", "memory", "threads",
)  # fmt: skip
LISTS = ("related", "pairs")
_MEMORY = "4G"


@dataclasses.dataclass(frozen=True)
class Clustered:
    """What cluster() has found. clusters: a row for each bag: cluster (from 1, the largest first,
    those of one bag last), id, role (center, member, single), similarity (with the center; 1 for
    itself), row (its place by key, from 0), center_row, center, topic (its leaf in the tree, as "2.1";
    empty where there is none). topics, unless there are none: topic, pages, children, cohesion,
    label (words that set it apart), exemplar (the page nearest to its mean). Where they were asked
    for: related, of each bag those that are nearest: id, rank (from 1), related, similarity, row,
    related_row; pairs, those of kith.Run.pairs(): id_a, id_b, row_a, row_b (row_a < row_b),
    similarity. report: that of kith.cluster()."""

    clusters: DataFrame
    topics: DataFrame | None
    related: DataFrame | None
    pairs: DataFrame | None
    report: dict[str, Any]
    _kept: DataFrame = dataclasses.field(repr=False)

    def unpersist(self) -> None:
        """Frees what Spark keeps of the tables."""
        self._kept.unpersist()


def cluster(
    df: DataFrame | Bagged,
    *,
    id: str = "id",
    key: str | None = None,
    terms: str = "terms",
    weights: str = "weights",
    lists: Sequence[str] = (),
    run: StrPath | None = None,
    partitions: int | None = None,
    **options: Unpack[ClusterOptions],
) -> Clustered:
    """Clusters the weighted bags that kith.spark.bags() or bags_of_files() has made, or those of a
    table of Spark, by one task on the local disk of its executor: clusters, related pages, topics
    and pairs are those of kith.cluster() for these bags.

    The columns of a table: id: a column of strings or integers, each once and none null. key: a
    column by which bags are ordered in place of the id, each value once: that of Bagged.bags, for
    the order of a run. terms, weights: columns of arrays, of the numbers of terms and of their
    weights, which need not be scaled; a row where terms is null has no bag, and is left out. Terms
    are numbered again by how many bags have them, as those of a run are.

    lists: which long tables are made as well: "related", "pairs". run: a folder that the driver and
    all executors see: becomes the run, which `kith topics`, `kith related`, `kith serve` and
    kith.open() read; the same call goes on with one that was interrupted. Its pages have no titles;
    those of a table are http://bags/ROW, and their words the numbers of terms. Without it the run
    is removed. partitions: of the tables; by default spark.sql.shuffle.partitions.

    options: those of kith.cluster() that are not about how bags are made: similarity, recall,
    engine, lanes, max_tables, min_words, order (except inlinks), assign, seed, neighbours,
    other_sites, related, topics, no_check, memory, threads; another one is a UsageError that names
    it. memory: of the task, outside of the JVM, 4G by default; 20 million pages need that.
    threads: by default one per processor of its machine.

    Runs the job and keeps the tables in the session (Clustered.unpersist()). NotFoundError names a
    column that is missing, UsageError one of another type, an id that stands in two rows, a weight
    that is not positive, too little memory, and an executor without kith or with another version.
    """
    of_run = _checked_options(options, lists)
    table = df.bags if isinstance(df, Bagged) else df
    partitions = checked_partitions(table.sparkSession, partitions)
    if isinstance(df, Bagged) and (id, key, terms, weights) != ("id", None, "terms", "weights"):
        raise UsageError("id, key, terms, weights: are columns of a table; bags are given")
    with plain_errors(), settings(table.sparkSession, partitions):
        job = Job(table.sparkSession, partitions)
        try:
            job.check_executors()
            job.step("bags")
            if isinstance(df, Bagged):
                bags = bags_of_pages(job, df)
            else:
                bags = bags_of_table(job, df, id, key, terms, weights)
            folder = None if run is None else os.path.abspath(run)
            return _clustered(job, bags, tuple(lists), folder, of_run)
        finally:
            job.forget_all()


def _checked_options(options: Mapping[str, Any], lists: Sequence[str]) -> dict[str, Any]:
    for name in options:
        if name not in OPTIONS:
            raise UsageError(
                f"{name}: is no option of clusters on many machines; there are {', '.join(OPTIONS)}"
            )
    if options.get("order") == "inlinks":
        raise UsageError("order inlinks: links are counted by one machine only")
    for name in lists:
        if name not in LISTS:
            raise UsageError(f"lists: {name!r} is not one of {', '.join(LISTS)}")
    taken = {"memory": _MEMORY, **options}
    _kith.check_cluster_options(_words("bags", "run", taken))
    return taken


def _clustered(
    job: Job, bags: Bags, lists: tuple[str, ...], run: str | None, options: dict[str, Any]
) -> Clustered:
    if run is not None:
        os.makedirs(run, exist_ok=True)
    terms = job.spark.sparkContext.broadcast(bags.terms)
    task = ClusterTask(job.version, terms, bags.sorted_by, bags.id_type, options, run, lists)
    job.step("clusters by one task")
    with many_rows_of_batch(job.spark):
        ordered = bags.frame.repartition(1).sortWithinPartitions("key")
        kept = job.persist(ordered.mapInArrow(task, SCHEMA))
        reports = kept.filter(F.col("name") == REPORT).select("data").collect()
    if not reports:
        raise UsageError("there is no bag to cluster")
    report = json.loads(bytes(reports[0]["data"]))

    def table(name: str, is_there: bool) -> DataFrame | None:
        return _table(job, kept, name, schemas(bags.id_type)[name]) if is_there else None

    found = Clustered(
        clusters=_table(job, kept, "clusters", schemas(bags.id_type)["clusters"]),
        topics=table("topics", report["topics"]["topics"] > 0),
        related=table("related", "related" in lists),
        pairs=table("pairs", "pairs" in lists),
        report=report,
        _kept=kept,
    )
    job.hand_over(kept)
    return found


def _table(job: Job, kept: DataFrame, name: str, schema: pa.Schema) -> DataFrame:
    blocks = kept.filter(F.col("name") == name).select("block", "data")
    spread = blocks.repartition(job.partitions, "block").select("data")
    return job.sealed(spread.mapInArrow(unpack, from_arrow_schema(schema)))
