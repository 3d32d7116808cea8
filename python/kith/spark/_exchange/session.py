"""The Spark session of a job: its settings, its executors, what is kept between stages."""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import re
import sys
import zipimport
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import kith
from kith._errors import Error, FileError, UsageError
from kith.spark._exchange import blocks as _blocks
from kith.spark._exchange.blocks import Slots

# Rows of a batch between the JVM and Python: rows of blocks are large.
_ROWS_OF_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_FEW_ROWS, _MANY_ROWS = "16", "1024"
_PARTITIONS = "spark.sql.shuffle.partitions"
# Whether Spark joins partitions that are small in a shuffle: their rows unpacked, as joins have them,
# can take many times as much of the memory of an executor.
_JOINS_PARTITIONS = "spark.sql.adaptive.coalescePartitions.enabled"
_DESCRIPTION = "spark.job.description"


def check_executor(version: str) -> None:
    """To be called by tasks: raises when this executor has another version than the driver."""
    _forget_archives()
    _spare_collections()
    if kith.__version__ != version:
        raise UsageError(_other_version(host(), kith.__version__, version))


def _forget_archives() -> None:
    """Spark begins each task with importlib.invalidate_caches(), by which Python 3.11 reads
    the tables of contents of all zip archives on its path, for each package in them: some 60 ms a
    task with those of pyspark, more than most tasks take. What is not in this cache is not read."""
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            del sys.path_importer_cache[path]


@functools.cache
def _spare_collections() -> None:
    """Spark has the garbage of Python collected after each task, which visits all objects of all
    modules: some 20 ms, unless they are passed over. Once in a process, before there is garbage."""
    gc.freeze()
    atexit.register(gc.unfreeze)


def host() -> str:
    import socket

    return socket.gethostname()


def _other_version(host: str, found: str, wanted: str) -> str:
    return f"executor on {host} has kith {found}, the driver {wanted}: install the same on all"


class Job:
    """What the stages of a job share."""

    def __init__(self, spark: SparkSession, partitions: int) -> None:
        self.spark = spark
        self.partitions = partitions
        self.version = kith.__version__
        self._kept: list[DataFrame] = []

    @functools.cached_property
    def slots(self) -> Slots:
        return Slots(_slot_values(self.spark, self.partitions))

    def check_executors(self) -> None:
        """Raises an error that names an executor without kith, or with another version."""

        def probe(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            # Nothing of kith is named here but what is imported below: the executor may lack it.
            import socket

            import pyarrow

            for _ in batches:
                pass
            try:
                import kith as package

                found = package.__version__
            except ImportError as error:
                found = f"no kith ({error})"
            yield pyarrow.RecordBatch.from_pydict(
                {"host": [socket.gethostname()], "found": [found]}
            )

        tasks = self.spark.sparkContext.defaultParallelism
        rows = self.spark.range(0, tasks, 1, tasks).mapInArrow(probe, "host string, found string")
        for row in rows.collect():
            if row.found.startswith("no kith"):
                raise UsageError(
                    f"executor on {row.host} has {row.found}: install kith {self.version} in the"
                    " environment of the executors (docs/spark.md)"
                )
            if row.found != self.version:
                raise UsageError(_other_version(row.host, row.found, self.version))

    def step(self, name: str) -> None:
        """What the interface and the event log of Spark call the work from now on."""
        self.spark.sparkContext.setLocalProperty(_DESCRIPTION, f"kith: {name}")

    def persist(self, frame: DataFrame) -> DataFrame:
        """The same, computed once; what a lost executor had is computed again."""
        kept = frame.persist(StorageLevel.DISK_ONLY)
        self._kept.append(kept)
        return kept

    def keep(self, frame: DataFrame) -> DataFrame:
        """The same, computed once, and for Spark a table of which it does not know what it is made
        of: the plans of all stages inside each other take more time than the stages."""
        return self.sealed(self.persist(frame))

    def sealed(self, frame: DataFrame) -> DataFrame:
        """The same, planned now and so by the settings of the job, whenever it is read."""
        rows: Any = frame._jdf
        java: Any = self.spark._jsparkSession
        bare = java.internalCreateDataFrame(rows.queryExecution().toRdd(), rows.schema(), False)
        return type(frame)(bare, self.spark)

    def hand_over(self, *frames: DataFrame) -> None:
        """Leaves to the caller of the job what persist() has given: it outlives forget_all()."""
        self._kept = [frame for frame in self._kept if frame not in frames]

    def forget_all(self) -> None:
        for frame in self._kept:
            frame.unpersist()
        self._kept = []

    def exchange(self, *blocks: DataFrame) -> DataFrame:
        """Blocks, each in the partition of its slice."""
        all_blocks = blocks[0]
        for more in blocks[1:]:
            all_blocks = all_blocks.union(more)
        return all_blocks.repartition(self.partitions, "target")

    def gather(self, *blocks: DataFrame) -> DataFrame:
        """All blocks in the first slice: for what one executor does."""
        first = F.lit(int(self.slots.values[0])).cast("int")
        return self.exchange(*(some.withColumn("target", first) for some in blocks))

    def map_blocks(self, frame: DataFrame, work: Any) -> DataFrame:
        """What work(inbox, outbox) sends, called once for each slice that has blocks."""
        slots, version = self.slots, self.version

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            check_executor(version)
            inbox = _blocks.Inbox(batches)
            if inbox.target is None:
                return
            outbox = _blocks.Outbox(slots)
            for _ in work(inbox, outbox, slots.slice_of(inbox.target)) or ():
                yield from outbox.flush_full()
            yield from outbox.flush()

        return frame.mapInArrow(run, _blocks.SCHEMA)

    def collect_records(self, blocks: DataFrame, kind: int, dtype: Any) -> Any:
        """All records of a kind, on the driver: for counts."""
        import numpy as np

        rows = blocks.filter(F.col("kind") == int(kind)).select("data").collect()
        pieces = [np.frombuffer(bytes(row.data), dtype) for row in rows]
        return np.concatenate(pieces) if pieces else np.empty(0, dtype)


def _slot_values(spark: SparkSession, partitions: int) -> list[int]:
    """For every partition a number that Spark's hash leads to it."""
    found: dict[int, int] = {}
    tried = 0
    while len(found) < partitions:
        count = 16 * partitions
        ids = spark.range(tried, tried + count, 1, 1).select(F.col("id").cast("int").alias("id"))
        slot = F.pmod(F.hash("id"), F.lit(partitions))
        for row in ids.select("id", slot.alias("slot")).collect():
            found.setdefault(row.slot, row.id)
        tried += count
    return [found[number] for number in range(partitions)]


def checked_partitions(spark: SparkSession, partitions: int | None) -> int:
    """Into how many slices a job is cut; without a number as Spark's settings say."""
    if partitions is None:
        partitions = int(spark.conf.get(_PARTITIONS) or 200)
    if partitions < 1 or partitions > 1 << 15:
        raise UsageError(f"partitions {partitions}: must be between 1 and {1 << 15}")
    return partitions


@contextlib.contextmanager
def settings(spark: SparkSession, partitions: int) -> Iterator[None]:
    """The settings of Spark that a job needs, and afterwards those before. partitions: of what
    Spark shuffles by itself."""
    needed = {
        _ROWS_OF_BATCH: _FEW_ROWS,
        _PARTITIONS: str(partitions),
        _JOINS_PARTITIONS: "false",
    }
    before = {name: str(spark.conf.get(name)) for name in needed}
    description = spark.sparkContext.getLocalProperty(_DESCRIPTION)
    for name, value in needed.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
        context: Any = spark.sparkContext
        context.setLocalProperty(_DESCRIPTION, description)


@contextlib.contextmanager
def many_rows_of_batch(spark: SparkSession) -> Iterator[None]:
    """For what is planned meanwhile, inside of settings(): where rows are small."""
    spark.conf.set(_ROWS_OF_BATCH, _MANY_ROWS)
    try:
        yield
    finally:
        spark.conf.set(_ROWS_OF_BATCH, _FEW_ROWS)


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """What kith has raised in a task, or a disk of an executor that is full, without the traces of Spark
    around it."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException  # type: ignore[attr-defined,unused-ignore]

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        plain = error_of_task(str(error))
        if plain is None:
            raise
        raise plain from error


def error_of_task(text: str) -> Error | None:
    """The error of kith that a trace of Spark ends in, or that of a full disk."""
    for line in text.splitlines():
        name, colon, message = line.strip().partition(": ")
        if colon and name.startswith("kith._errors."):
            kind = getattr(kith, name.rpartition(".")[2], None)
            if isinstance(kind, type) and issubclass(kind, Error):
                return kind(message)
    return _error_of_full_disk(text)


def _error_of_full_disk(text: str) -> Error | None:
    """Of a task that has failed as often as Spark tries, by its last failure."""
    found = re.search(r"\(TID \d+\) \((\S+) executor (\w+)\): (.*No space left on device.*)", text)
    if found is None:
        return None
    host, executor, why = found.groups()
    return FileError(
        f"executor {executor} on {host}: {why}; its local folders (spark.local.dir) or the output have"
        " no room: free some, or name other disks (docs/spark.md)"
    )
