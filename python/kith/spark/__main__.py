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
from kith.spark._bags.job import Bagged, bags, bags_of_files
from kith.spark._cluster.job import LISTS, OPTIONS, Clustered, cluster
from kith.spark._dedup.job import dedup
from kith.spark._exchange.session import error_of_task

_UNFINISHED = ".unfinished"
_OF_BAGS = ("terms", "weights", "key")
_BAG_OPTIONS = ("language", "max_page", "weighting", "min_df", "max_df", "max_terms")
_OF_TEXTS = ("text", "title", *_BAG_OPTIONS)
_FILE_OPTIONS = (
    "status",
    "strict",
    "bags",
    "boilerplate",
    "links",
    "window",
    "urls",
    "content_share",
    "aliases",
    "captures",
    "include",
    "exclude",
    "only",
    "exclude_list",
    "url_rules",
    "unwrap",
    "text_field",
    "html_field",
    "id_field",
    "url_field",
    "title_field",
    "time_field",
)


def main(arguments: list[str] | None = None) -> int:
    """Runs the job that the arguments name. Returns 0, 1 for an error, 2 for bad usage."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    given = vars(_parser().parse_args(arguments))
    job = given.pop("job")
    inputs, output = given.pop("input"), given.pop("output")
    spark = SparkSession.builder.appName(f"kith {job}").getOrCreate()
    try:
        folder = _Folder(spark, output)
        tables, report = _run(job, spark, inputs, _set_options(given))
        folder.write(tables, report)
        print(json.dumps(report, indent=2))
    except Error as error:
        print(f"kith.spark: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except (PySparkException, Py4JJavaError) as error:
        print(f"kith.spark: {error_of_task(str(error)) or error}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def _run(
    job: str, spark: Any, inputs: list[str], options: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of the result by their names, and the report."""
    if job == "cluster":
        return _cluster(spark, inputs, options)
    deduped = dedup(_read(spark, inputs), **options)
    return {"marks": deduped.marks, "pairs": deduped.pairs}, deduped.report


def _cluster(spark: Any, inputs: list[str], options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the bags of a table, of those of its texts, or of those of the pages of a crawl."""
    if options.pop("crawl", False):
        _refuse(
            options, ("text", "title", "id", *_OF_BAGS), "is about a table; --crawl names files"
        )
        shared = {name: options.pop(name) for name in ("partitions",) if name in options}
        names = (*_BAG_OPTIONS, *_FILE_OPTIONS)
        of_files = {name: options.pop(name) for name in names if name in options}
        made = bags_of_files(spark, inputs, **of_files, **shared)
        return _of_pages(made, {**shared, **options})
    _refuse(options, _FILE_OPTIONS, "is about files of a crawl; say --crawl")
    frame = _read(spark, inputs)
    of_texts = {name: options.pop(name) for name in _OF_TEXTS if name in options}
    if "text" not in of_texts:
        _refuse(of_texts, _OF_TEXTS, "is about texts; name their column by --text")
        found = cluster(frame, **options)
        return _tables_of(found), found.report
    _refuse(options, _OF_BAGS, "is about bags in a table; there are texts by --text")
    shared = {name: options.pop(name) for name in ("id", "partitions") if name in options}
    made = bags(frame, **of_texts, **shared)
    shared.pop("id", None)
    return _of_pages(made, {**shared, **options})


def _of_pages(made: Bagged, options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    found = cluster(made, **options)
    return _tables_of(found), {**found.report, "spark_bags": made.report}


def _tables_of(found: Clustered) -> dict[str, Any]:
    tables = {name: getattr(found, name) for name in ("clusters", "topics", *LISTS)}
    return {name: table for name, table in tables.items() if table is not None}


def _refuse(options: Any, names: tuple[str, ...], reason: str) -> None:
    for name in names:
        if name in options:
            raise UsageError(f"--{name.replace('_', '-')}: {reason}")


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
        help="clusters of the pages of a crawl, or of the texts or bags of a table",
        description="Clusters pages, texts or bags. OUTPUT gets clusters and topics, and related"
        " pages and pairs if asked for (Parquet), report.json.",
        epilog="All other options are those of `kith cluster`, which explains them by --help.",
    )
    _add_table(job)
    job.add_argument(
        "--crawl",
        action="store_true",
        help="INPUT is files or folders of WARC, WET or JSON lines, which all executors see",
    )
    job.add_argument("--text", help="the column of texts, whose bags are made first")
    job.add_argument("--title", help="the column of their titles")
    job.add_argument("--terms", help="without texts, the column of arrays of numbers of terms")
    job.add_argument("--weights", help="the column of arrays of weights")
    job.add_argument("--key", help="the column that bags are ordered by, in place of the id")
    job.add_argument(
        "--list",
        dest="lists",
        action="append",
        choices=LISTS,
        help="make this long table as well; may be repeated",
    )
    job.add_argument(
        "--run", metavar="FOLDER", help="keep the run in this folder, which all executors see"
    )
    names = (*_BAG_OPTIONS, *_FILE_OPTIONS, *OPTIONS)
    _add_options(job, {name: ClusterOptions.__annotations__[name] for name in names})
    return parser


def _add_table(job: argparse.ArgumentParser) -> None:
    job.add_argument(
        "input", nargs="+", help="Parquet, or JSON lines (a path that ends in .json or .jsonl)"
    )
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


def _read(spark: Any, inputs: list[str]) -> Any:
    if len(inputs) > 1:
        raise UsageError(f"{inputs[1]}: a table is one path; several files of a crawl need --crawl")
    if inputs[0].rstrip("/").endswith((".json", ".jsonl", ".json.gz", ".jsonl.gz")):
        return spark.read.json(inputs[0])
    return spark.read.parquet(inputs[0])


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
