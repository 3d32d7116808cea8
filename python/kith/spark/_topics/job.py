"""kith.spark.topics: the tree of topics over the centers of clusters, by the code of one machine."""

from __future__ import annotations

import collections
import dataclasses
import os
import shutil
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import kith
from kith._errors import UsageError
from kith.spark._bags.job import Bagged
from kith.spark._cluster.job import Clustered
from kith.spark._exchange.session import Job, checked_partitions, plain_errors, settings
from kith.spark._topics.levels import (
    Levels,
    Limits,
    Upper,
    largest_centers,
    lower_levels,
    pages_of_topics,
)
from kith.spark._topics.run_folder import run_terms, write_run

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import SparkSession
    from typing_extensions import Unpack

    from kith._options import ClusterOptions

# Options of `kith cluster` for the run of the centers.
OPTIONS = ("memory", "threads", "neighbours", "min_words", "topics", "seed")
DRIVER_CENTERS = 20_000_000
TASK_CENTERS = 1_000_000
_BAGS = ".bags"  # behind the name of the folder: what the run is made of


@dataclasses.dataclass(frozen=True)
class Topics:
    """What topics() has made. topics: topic (its path in the tree, as "2.1"), pages (of all clusters
    in it), centers, children, cohesion, label (words that set it apart), exemplar (the center nearest
    to its mean); every topic before its children. pages: id, topic (the leaf of its cluster; null
    where that is in none, empty where the tree has no topic but the root). report: that of the run of
    the centers, and counts."""

    topics: DataFrame
    pages: DataFrame
    report: dict[str, Any]

    def unpersist(self) -> None:
        """Frees what Spark keeps of topics and pages."""
        self.topics.unpersist()
        self.pages.unpersist()


def topics(
    made: Bagged,
    clusters: Clustered,
    folder: str | os.PathLike[str],
    *,
    min_pages: int = 1,
    driver_centers: int = DRIVER_CENTERS,
    task_centers: int = TASK_CENTERS,
    partitions: int | None = None,
    **options: Unpack[ClusterOptions],
) -> Topics:
    """Makes a tree of topics of clusters on many machines, by their centers.

    made, clusters: what bags() or bags_of_files(), and then cluster() have made. folder: of the
    driver, must not exist: becomes a run of the centers, with the pages related to each, which
    `kith topics`, `kith related`, `kith serve` and kith.open() read. min_pages: of a cluster that is
    in a topic. options: memory, threads, neighbours, min_words, topics and seed are those of
    kith.cluster() for that run; another one is a UsageError that names it.

    The tree is that of kith.cluster() for the bags of the centers, each counting once. A page is
    where its center is. Centers come to the driver, to its disk, at most about driver_centers; of
    more the tree is made by levels: the run and the upper topics, with their labels, are of the
    largest clusters; then all centers go down this tree, and executors make the levels below of all
    that come to a topic, each part by one task, of some task_centers centers. Time: that of
    kith.cluster() for driver_centers pages, and for each part.
    """
    for name in options:
        if name not in OPTIONS:
            raise UsageError(
                f"{name}: is no option of topics on many machines; there are {', '.join(OPTIONS)}"
            )
    limits = Limits(min_pages, driver_centers, task_centers)
    for name, limit in dataclasses.asdict(limits).items():
        if limit < 1:
            raise UsageError(f"{name} {limit}: must be 1 or more")
    run = os.fspath(folder).rstrip("/")
    check_folder(run)
    spark = made.bags.sparkSession
    partitions = checked_partitions(spark, partitions)
    with plain_errors(), settings(spark, partitions):
        job = Job(spark, partitions)
        try:
            return _made(job, made, clusters, run, limits, options)
        except BaseException:
            shutil.rmtree(run, ignore_errors=True)
            raise
        finally:
            job.forget_all()


def check_folder(folder: str) -> None:
    """Raises where there is something already, or where the bags will be, which are removed."""
    for path in (folder, folder + _BAGS):
        if os.path.lexists(path):
            raise UsageError(f"{path}: is there already; name a new folder, or remove it")


def _made(
    job: Job,
    made: Bagged,
    clusters: Clustered,
    folder: str,
    limits: Limits,
    options: Any,
) -> Topics:
    job.step("centers of topics")
    sizes = clusters.clusters.groupBy("center_row").agg(F.count("*").alias("pages"))
    large = job.keep(sizes.filter(F.col("pages") >= limits.min_pages))
    count = large.count()
    if count == 0:
        raise UsageError(f"no cluster has {limits.min_pages} pages: give a smaller min_pages")
    own = clusters.clusters.filter(F.col("row") == F.col("center_row"))
    centers = own.join(large, "center_row").select("id", "row")
    most = limits.driver_centers
    some = centers if count <= most else own.join(largest_centers(large, most), "center_row")
    terms = run_terms(made)
    try:
        rows = write_run(job, made, folder + _BAGS, some, terms)
        if len(rows) == 0:
            raise UsageError(
                f"driver_centers {most}: a sample so small has none; give a larger one"
            )
        job.step("topics")
        report = kith.cluster(folder + _BAGS, folder, no_check=True, **options)
    finally:
        shutil.rmtree(folder + _BAGS, ignore_errors=True)
    run = cast("kith.Run", kith.open(folder))
    report = {**report, "centers": count, "centers_on_driver": len(rows)}
    if count <= most:
        return _of_driver(job, clusters, run, rows, report)
    upper = Upper(run, folder, len(rows), terms)
    levels = lower_levels(job, made, centers, count, upper, limits, options)
    return _of_levels(clusters, levels, report)


def _of_driver(
    job: Job, clusters: Clustered, run: kith.Run, rows: NDArray[np.int64], report: dict[str, Any]
) -> Topics:
    pages = _pages(clusters, _leaves_of(job, run, rows))
    counts = {row["topic"]: row["count"] for row in pages.groupBy("topic").count().collect()}
    counts = {leaf: number for leaf, number in counts.items() if leaf is not None}
    found = {**report, "pages_in_topics": sum(counts.values())}
    return Topics(_table_of(job.spark, run, counts), pages, found)


def _of_levels(clusters: Clustered, levels: Levels, report: dict[str, Any]) -> Topics:
    pages = _pages(clusters, levels.leaves)
    counts = pages_of_topics(pages)
    topics = levels.topics.join(counts, "topic", "left").withColumn(
        "pages", F.coalesce("pages", F.lit(0))
    )
    found = {
        **report,
        "parts": levels.parts,
        "largest_part": levels.largest,
        "pages_in_topics": pages.filter("topic is not null").count(),
    }
    columns = ("topic", "pages", "centers", "children", "cohesion", "label", "exemplar")
    listed = topics.select(*columns).orderBy("topic").persist()
    found["topics_of_levels"] = listed.count()
    return Topics(listed, pages, found)


def _pages(clusters: Clustered, leaves: DataFrame) -> DataFrame:
    """id, topic: of all pages, by those of centers."""
    joined = clusters.clusters.join(leaves, "center_row", "left")
    return joined.select("id", "topic").persist()


def _leaves_of(job: Job, tree: kith.Run, rows: NDArray[np.int64]) -> DataFrame:
    """center_row, topic: of the centers that are in a topic."""
    paths = pa.table(tree.pages()).column("topic").combine_chunks().dictionary_encode()
    paths = paths.chunk(0) if isinstance(paths, pa.ChunkedArray) else paths
    names, numbers = paths.dictionary.to_pylist(), paths.indices.to_numpy()
    # A page without a topic has an empty path, and so has one whose topic is the root.
    if tree.report["topics"]["topics"] > 1 and "" in names:
        has_topic = numbers != names.index("")
        rows, numbers = rows[has_topic], numbers[has_topic]
    shared = job.spark.sparkContext.broadcast((rows, numbers, names))
    slices = job.partitions

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, numbers, names = shared.value
        for batch in batches:
            for number in batch.column("id").to_pylist():
                topic = pa.DictionaryArray.from_arrays(numbers[number::slices], pa.array(names))
                columns = [pa.array(rows[number::slices]), topic.cast(pa.string())]
                yield pa.RecordBatch.from_arrays(columns, names=["center_row", "topic"])

    return job.spark.range(0, slices, 1, slices).mapInArrow(run, "center_row long, topic string")


def _table_of(spark: SparkSession, tree: kith.Run, pages_of_leaf: dict[str, int]) -> DataFrame:
    pages: collections.Counter[str] = collections.Counter()
    for leaf, count in pages_of_leaf.items():
        path = leaf
        while path:
            pages[path] += count
            path = path.rpartition(".")[0]
    names = ("pages", "children", "cohesion", "label", "exemplar")
    rows = [
        (topic["topic"], pages[topic["topic"]], *(topic[name] for name in names))
        for topic in tree.topics().rows()
    ]
    schema = (
        "topic string, pages long, centers long, children long, cohesion double,"
        " label array<string>, exemplar string"
    )
    return spark.createDataFrame(rows, schema)
