"""The command for spark-submit: `python -m kith.spark dedup INPUT OUTPUT --text text --id url`, and
likewise `cluster`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import kith
from kith import ClusterOptions, DedupOptions
from kith._errors import Error, UsageError
from kith.spark._bags import bags
from kith.spark._cluster import OPTIONS, Clustered, cluster
from kith.spark._dedup import dedup
from kith.spark._session import error_of_task

_UNFINISHED = ".unfinished"
_OF_BAGS = ("terms", "weights", "key")
_BAG_OPTIONS = ("language", "max_page", "weighting", "min_df", "max_df", "max_terms")
_OF_TEXTS = ("text", "title", *_BAG_OPTIONS)


def main(arguments: list[str] | None = None) -> int:
    """Runs the job that the arguments name. Returns 0, 1 for an error, 2 for bad usage."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    given = vars(_parser().parse_args(arguments))
    job = given.pop("job")
    source, output = given.pop("input"), given.pop("output")
    spark = SparkSession.builder.appName(f"kith {job}").getOrCreate()
    try:
        folder = _Folder(spark, output)
        frame = _read(spark, source)
        tables, report = _run(job, frame, _set_options(given))
        folder.write(tables, report)
        print(json.dumps(report, indent=2))
    except Error as error:
        print(f"kith.spark: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except PySparkException as error:
        print(f"kith.spark: {error_of_task(str(error)) or error}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def _run(job: str, frame: Any, options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of the result by their names, and the report."""
    if job == "cluster":
        clustered = _cluster(frame, options)
        return {"clusters": clustered.clusters}, clustered.report
    deduped = dedup(frame, **options)
    return {"marks": deduped.marks, "pairs": deduped.pairs}, deduped.report


def _cluster(frame: Any, options: Any) -> Clustered:
    """Of the bags of a table, or of those of its texts."""
    of_texts = {name: options.pop(name) for name in _OF_TEXTS if name in options}
    if "text" not in of_texts:
        for name in of_texts:
            raise UsageError(
                f"--{name.replace('_', '-')}: is about texts; name their column by --text"
            )
        return cluster(frame, **options)
    for name in _OF_BAGS:
        if name in options:
            raise UsageError(f"--{name}: is about bags in a table; there are texts by --text")
    shared = {name: options.pop(name) for name in ("id", "partitions") if name in options}
    made = bags(frame, **of_texts, **shared)
    shared.pop("id", None)
    return cluster(made.bags, key="key", **shared, **options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kith.spark", description="The jobs of kith on a cluster of Spark."
    )
    parser.add_argument("--version", action="version", version=kith.__version__)
    jobs = parser.add_subparsers(dest="job", required=True)
    job = jobs.add_parser(
        "dedup",
        help="near-duplicates among the rows of a table",
        description="Marks near-duplicates. OUTPUT gets marks, pairs (Parquet), report.json.",
        epilog="All other options are those of `kith dedup`, which explains them by --help.",
    )
    _add_table(job)
    job.add_argument("--text", help="the column of documents (default: text)")
    _add_options(job, dict(DedupOptions.__annotations__))
    job = jobs.add_parser(
        "cluster",
        help="clusters of the texts, or of the weighted bags, of a table",
        description="Clusters texts, or bags. OUTPUT gets clusters (Parquet), report.json.",
        epilog="All other options are those of `kith cluster`, which explains them by --help.",
    )
    _add_table(job)
    job.add_argument("--text", help="the column of texts, whose bags are made first")
    job.add_argument("--title", help="the column of their titles")
    job.add_argument("--terms", help="without texts, the column of arrays of numbers of terms")
    job.add_argument("--weights", help="the column of arrays of weights")
    job.add_argument("--key", help="the column that bags are ordered by, in place of the id")
    names = (*_BAG_OPTIONS, *OPTIONS)
    _add_options(job, {name: ClusterOptions.__annotations__[name] for name in names})
    return parser


def _add_table(job: argparse.ArgumentParser) -> None:
    job.add_argument("input", help="Parquet, or JSON lines (a path that ends in .json or .jsonl)")
    job.add_argument("output", help="the folder that is made; it must not exist")
    job.add_argument(
        "--id",
        help="the column of unique names (default: id; url for the texts of cluster)",
    )
    job.add_argument("--partitions", type=int, help="slices of the job")


def _add_options(job: argparse.ArgumentParser, kinds: dict[str, Any]) -> None:
    for name, kind in kinds.items():
        flag = "--" + name.replace("_", "-")
        if "bool" in str(kind):
            job.add_argument(flag, action="store_true", help=argparse.SUPPRESS)
        else:
            job.add_argument(flag, help=argparse.SUPPRESS)


def _set_options(given: dict[str, Any]) -> Any:
    """Those that the command line has."""
    return {
        name: value for name, value in given.items() if value is not None and value is not False
    }


def _read(spark: Any, source: str) -> Any:
    if source.rstrip("/").endswith((".json", ".jsonl", ".json.gz", ".jsonl.gz")):
        return spark.read.json(source)
    return spark.read.parquet(source)


class _Folder:
    """A folder that is there when it is complete: it has another name until then."""

    def __init__(self, spark: Any, path: str) -> None:
        self._java = spark.sparkContext._jvm
        self._path = self._java.org.apache.hadoop.fs.Path(path)
        self._unfinished = self._java.org.apache.hadoop.fs.Path(path.rstrip("/") + _UNFINISHED)
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        self._files = self._path.getFileSystem(configuration)
        if self._files.exists(self._path):
            raise UsageError(f"{path}: is there already; name a new folder, or remove it")

    def write(self, tables: dict[str, Any], found: dict[str, Any]) -> None:
        self._files.delete(self._unfinished, True)
        for name, table in tables.items():
            table.write.parquet(f"{self._unfinished}/{name}")
        report = self._java.org.apache.hadoop.fs.Path(self._unfinished, "report.json")
        stream = self._files.create(report)
        stream.write(bytearray(json.dumps(found, indent=2).encode()))
        stream.close()
        if not self._files.rename(self._unfinished, self._path):
            raise kith.FileError(f"{self._path}: cannot be made from {self._unfinished}")


if __name__ == "__main__":
    sys.exit(main())
