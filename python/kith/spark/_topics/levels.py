"""Topics by levels: the upper ones by the driver, of the largest clusters; what is below, of all
clusters, by executors, each part of the tree by one task (docs/algorithms/spark.md)."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import kith
from kith import _kith
from kith._errors import UsageError
from kith.spark._bags.job import Bagged
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import offsets_of
from kith.spark._topics.run_folder import RunTerms, single_bags, writer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from pyspark import Broadcast

# Of a part of the tree: a row with its counts, which has neither of the first two; one for each
# topic below it; one for each of its centers.
_PARTS = pa.schema(
    [
        ("topic", pa.string()),
        ("center_row", pa.int64()),
        ("part", pa.int32()),
        ("centers", pa.int64()),
        ("children", pa.int64()),
        ("cohesion", pa.float64()),
        ("label", pa.list_(pa.string())),
        ("exemplar", pa.string()),
    ]
)
_PARTS_IN_SPARK = (
    "topic string, center_row long, part int, centers long, children long, cohesion double,"
    " label array<string>, exemplar string"
)
_TOPICS = (
    "topic string, centers long, children long, cohesion double, label array<string>,"
    " exemplar string"
)
_OF_TOPIC = ("children", "cohesion", "label", "exemplar")
_SCALE = 1 << 30


@dataclasses.dataclass(frozen=True)
class Limits:
    """Pages of a cluster that is in a topic, at least; centers that come to the driver; centers of a
    part of the tree that one task makes, about."""

    min_pages: int
    driver_centers: int
    task_centers: int


@dataclasses.dataclass(frozen=True)
class Upper:
    """The run of the largest clusters, with its folder, how many they are, and its terms."""

    run: kith.Run
    folder: str
    centers: int
    terms: RunTerms


@dataclasses.dataclass(frozen=True)
class Levels:
    """topics: topic, centers, children, cohesion, label, exemplar. leaves: center_row, topic. parts,
    largest: how many parts the tree was made in, and centers of the largest."""

    topics: DataFrame
    leaves: DataFrame
    parts: int
    largest: int


def largest_centers(sizes: DataFrame, most: int) -> DataFrame:
    """Of center_row, pages those of the largest clusters, at most about so many: of clusters of the
    size where the limit falls a sample, by a hash."""
    counts = sizes.groupBy("pages").count().orderBy(F.desc("pages")).collect()
    left, smallest = most, counts[0]["pages"] + 1
    for row in counts:
        if row["count"] > left:
            break
        left, smallest = left - row["count"], row["pages"]
    below = next((row for row in counts if row["pages"] < smallest), None)
    if below is None:
        return sizes
    # A sample has seldom more than two standard deviations above what is expected.
    share = max(left - 2 * left**0.5, 0) / below["count"]
    is_drawn = F.pmod(F.xxhash64("center_row"), F.lit(_SCALE)) < int(share * _SCALE)
    return sizes.filter(
        (F.col("pages") >= smallest) | ((F.col("pages") == below["pages"]) & is_drawn)
    )


def lower_levels(
    job: Job,
    made: Bagged,
    centers: DataFrame,
    count: int,
    upper: Upper,
    limits: Limits,
    options: Any,
) -> Levels:
    """centers: id, row, of the centers of all clusters, so many."""
    few = limits.task_centers * upper.centers // count
    directions = _kith.topic_directions(upper.folder, few)
    paths = _paths_of(directions)
    min_words = upper.run.report["options"]["min_words"]
    routed = job.persist(_routed(job, made, centers, directions, min_words))
    sizes = {row["part"]: row["count"] for row in routed.groupBy("part").count().collect()}
    largest = max(sizes.values(), default=0)
    for part, size in sizes.items():
        if size > limits.driver_centers:
            raise UsageError(
                f"topic {paths[part] or 'of all pages'}: {size} clusters belong to it, more than the"
                f" {limits.driver_centers} that one executor takes; give a larger min_pages or"
                " driver_centers"
            )
    job.step("topics of executors")
    shared = job.spark.sparkContext.broadcast((upper.terms, paths))
    slices = max(1, min(job.partitions, len(sizes)))
    by_part = routed.repartition(slices, "part").sortWithinPartitions("part", "key")
    trees = by_part.mapInArrow(_trees(job.version, shared, options), _PARTS_IN_SPARK)
    found = job.sealed(job.persist(trees))
    roots = found.filter("part is not null").select("part", "centers", "children").collect()
    below = {row["part"]: (row["centers"], row["children"]) for row in roots}
    rows = _upper_rows(upper.run, directions, paths, below)
    above = job.spark.createDataFrame(rows, _TOPICS)
    names = ("topic", "centers", "children", "cohesion", "label", "exemplar")
    topics = found.filter("part is null and center_row is null").select(*names)
    leaves = found.filter("center_row is not null").select("center_row", "topic")
    return Levels(above.union(topics), leaves, len(sizes), largest)


def pages_of_topics(leaves: DataFrame) -> DataFrame:
    """topic, pages: of pages with their leaves those of each topic, leaf or not."""
    steps = F.split("topic", "\\.")
    depth = F.explode(F.sequence(F.lit(1), F.size("steps")))
    counts = leaves.filter("topic is not null").groupBy("topic").count()
    paths = counts.select("count", steps.alias("steps")).select(
        "count", "steps", depth.alias("depth")
    )
    path = F.array_join(F.slice("steps", F.lit(1), F.col("depth")), ".").alias("topic")
    return paths.select(path, "count").groupBy("topic").agg(F.sum("count").alias("pages"))


def _paths_of(directions: Mapping[str, NDArray[Any]]) -> dict[int, str]:
    """The paths of the topics of the upper part, by their numbers in the tree."""
    paths = {int(directions["numbers"][0]): ""}
    for i, number in enumerate(directions["numbers"]):
        first = int(directions["first_child"][i])
        for child in range(int(directions["children"][i])):
            below = paths[int(number)]
            path = f"{below}.{child + 1}" if below else str(child + 1)
            paths[int(directions["numbers"][first + child])] = path
    return paths


def _routed(
    job: Job,
    made: Bagged,
    centers: DataFrame,
    directions: Mapping[str, NDArray[Any]],
    min_words: int,
) -> DataFrame:
    """row, key, entries, part: of bags that are in a topic."""
    shared, version = job.spark.sparkContext.broadcast(dict(directions)), job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        routes = _kith.TopicRoutes.make(**shared.value)
        for batch in batches:
            offsets, entries = _entries_of(batch)
            parts = routes.find(offsets, entries)
            columns = [batch.column(name) for name in ("row", "key", "entries")]
            routed = pa.RecordBatch.from_arrays(
                [*columns, pa.array(parts.astype(np.int32))], ["row", "key", "entries", "part"]
            )
            yield routed.filter(pa.array(np.diff(offsets) >= min_words))

    bags = single_bags(made.packed).join(centers.select("id", "row"), "id")
    schema = "row long, key binary, entries binary, part int"
    return bags.mapInArrow(run, schema)


def _entries_of(batch: pa.RecordBatch) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Where each bag begins, and the last ends; the entries of all."""
    bags = batch.column("entries").to_pylist()
    sizes = np.array([len(bag) // 8 for bag in bags], np.uint32)
    return offsets_of(sizes), np.frombuffer(b"".join(bags), np.uint64)


def _trees(version: str, shared: Broadcast[tuple[RunTerms, dict[int, str]]], options: Any) -> Any:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        terms, paths = shared.value
        part: _Part | None = None
        for batch in batches:
            numbers = batch.column("part").to_numpy()
            ends = [*(np.flatnonzero(np.diff(numbers)) + 1), len(numbers)]
            begin = 0
            for end in ends if len(numbers) else ():
                number = int(numbers[begin])
                if part is not None and part.number != number:
                    yield from part.rows(options)
                    part = None
                part = part or _Part(number, paths[number], terms)
                part.add(batch.slice(begin, end - begin))
                begin = end
        if part is not None:
            yield from part.rows(options)

    return run


class _Part:
    """The centers of a part of the tree, which become a run of this executor for a moment."""

    def __init__(self, number: int, path: str, terms: RunTerms) -> None:
        self.number = number
        self._path = path
        self._folder = tempfile.TemporaryDirectory(prefix="kith-topic-")
        self._writer = writer_of(self._folder.name + "/bags", terms)
        self._rows: list[NDArray[np.int64]] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Keys ascend."""
        self._writer.add(batch.column("key").to_pylist(), *_entries_of(batch))
        self._rows.append(batch.column("row").to_numpy())

    def rows(self, options: Any) -> Iterator[pa.RecordBatch]:
        """Of _PARTS. To be called once."""
        with self._folder as folder:
            self._writer.finish()
            try:
                of_one_task = {**options, "no_check": True, "threads": 1}
                kith.cluster(folder + "/bags", folder + "/run", **of_one_task)
                run = cast("kith.Run", kith.open(folder + "/run"))
                topics, leaves = pa.table(run.topics()), pa.table(run.pages()).column("topic")
            except UsageError as error:
                where = self._path or "of all pages"
                raise UsageError(f"topic {where}, made by an executor: {error}") from error
            yield from self._listed(topics, leaves)

    def _listed(self, topics: pa.Table, leaves: pa.ChunkedArray) -> Iterator[pa.RecordBatch]:
        rows = np.concatenate(self._rows)
        paths = topics.column("topic").to_pylist()
        first = sum("." not in path for path in paths)
        yield _batch(part=[self.number], centers=[len(rows)], children=[first])
        yield _batch(
            topic=[self._below(path) for path in paths],
            centers=topics.column("pages").to_pylist(),
            **{name: topics.column(name).to_pylist() for name in _OF_TOPIC},
        )
        yield _batch(topic=[self._below(path) for path in leaves.to_pylist()], center_row=rows)

    def _below(self, path: str) -> str:
        return ".".join(name for name in (self._path, path) if name)


def _batch(**columns: Any) -> pa.RecordBatch:
    """Rows of _PARTS, null where a column is not given."""
    rows = len(next(iter(columns.values())))
    arrays = [
        pa.array(columns[name], kind) if name in columns else pa.nulls(rows, kind)
        for name, kind in zip(_PARTS.names, _PARTS.types)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=_PARTS)


def _upper_rows(
    upper: kith.Run,
    directions: Mapping[str, NDArray[Any]],
    paths: dict[int, str],
    below: dict[int, tuple[int, int]],
) -> list[tuple[Any, ...]]:
    """topic, centers, children and _OF_TOPIC but children, of the topics of the upper part. below: of
    each part how many centers it has, and topics at its first level."""
    centers = _centers_above(directions, below)
    wanted = {paths[int(number)]: i for i, number in enumerate(directions["numbers"])}
    rows = []
    for topic in upper.topics().rows():
        i = wanted.get(topic["topic"])
        if i is None:
            continue
        children = (
            int(directions["children"][i]) or below.get(int(directions["numbers"][i]), (0, 0))[1]
        )
        of_sample = (topic[name] for name in ("cohesion", "label", "exemplar"))
        rows.append((topic["topic"], centers[i], children, *of_sample))
    return rows


def _centers_above(
    directions: Mapping[str, NDArray[Any]], below: dict[int, tuple[int, int]]
) -> list[int]:
    """By topic of the upper part: the centers of all parts in it. Children stand behind parents."""
    centers = [below.get(int(number), (0, 0))[0] for number in directions["numbers"]]
    for i in reversed(range(len(centers))):
        first, children = int(directions["first_child"][i]), int(directions["children"][i])
        if children > 0:
            centers[i] = sum(centers[first : first + children])
    return centers
