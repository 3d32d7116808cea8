"""The files of a crawl in the place of a table of texts. Executors read them; of their pages nothing
but words passes through the JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._bags import page_words
from kith.spark._bags.known import CrawlFiles, known_of
from kith.spark._bags.links import fragment_rows, words_of_urls
from kith.spark._bags.page_words import PageWords, counted, row_of_pages
from kith.spark._exchange.pieces import SENT, SENT_FIELDS
from kith.spark._exchange.session import Job, check_executor

if TYPE_CHECKING:
    from kith.spark._exchange.blocks import Slots

# Of the hosts that a report lists, as on one machine.
_LISTED_HOSTS = 10


def read_files(job: Job, files: CrawlFiles) -> tuple[PageWords, dict[str, Any]]:
    """The words of all pages, one capture of every URL, and counts of what was read."""
    known, blocks = _start(job, files)
    made = job.keep(_read(job, files, known))
    return counted(made), _report(files, made, blocks)


def read_links(
    job: Job, files: CrawlFiles, words: list[str]
) -> tuple[PageWords, dict[str, Any]]:
    """The words around the links to every URL and those of its title, and with bags of both kinds
    those of its page."""
    known, blocks = _start(job, files)
    read = job.persist(_read(job, files, known, job.slots))
    of_files = read.filter("target is null").drop("target", "piece", "data")
    job.step("links")
    sent = read.filter("target is not null").select("target", "piece", "data")
    of_urls, aliases = words_of_urls(job, sent, words)
    made = job.keep(of_files.unionByName(of_urls, allowMissingColumns=True))
    report = {**_report(files, made, blocks), **dict(_sums_of(made, "urls"))}
    if _kith.BagSteps(words).folds_aliases:
        report["aliases"] = {**dict(_sums_of(made, "aliases")), **aliases}
    return counted(made), report


def _start(job: Job, files: CrawlFiles) -> tuple[DataFrame, int]:
    job.step("templates" if files.removes else "captures")
    known = known_of(job, files)
    job.step("words")
    return known


def _report(files: CrawlFiles, made: DataFrame, blocks: int) -> dict[str, Any]:
    report = {"crawl": _sums(made)}
    if files.removes:
        report["boilerplate"] = {**_left_out(made), "blocks": blocks}
    return report


def _read(
    job: Job, files: CrawlFiles, known: DataFrame, slots: Slots | None = None
) -> DataFrame:
    """Rows of words, and for each file one of counts of what was read in it; with slots rows of
    SENT besides. known: that of known_of()."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for batch in batches:
            columns = (batch.column(name).to_pylist() for name in names)
            for number, several, templates in zip(*columns):
                urls = None if several is None else [of["url"] for of in several]
                ranks = [of["rank"] for of in several or ()]
                file = files.open(number, urls, ranks, False, templates)
                rows = _word_rows(file) if slots is None else fragment_rows(file, slots)
                yield from _with_counts(file, rows, sent)

    sent = [] if slots is None else SENT_FIELDS
    names = ("file", "several", "templates")
    numbers = job.spark.range(0, len(files.paths), 1, files.tasks).withColumnRenamed("id", "file")
    listed = numbers.join(known, "file", "left").select(*names)
    # Of which each has a task of its own, as far as there are so many.
    spread = listed.repartitionByRange(files.tasks, "file")
    schema = [page_words.SCHEMA, *_COUNTS] + ([] if slots is None else [SENT])
    return spread.mapInArrow(run, ", ".join(schema))


# Bytes of the bodies that become a row, whose words are fewer: the larger a row, the less often do its
# words stand in others too.
_ROW_BODIES = 32 << 20
# Of a file, after its words.
_COUNTS = {
    "crawl map<string,long>": pa.map_(pa.string(), pa.int64()),
    "left_out map<string,long>": pa.map_(pa.string(), pa.int64()),
    "aliases map<string,long>": pa.map_(pa.string(), pa.int64()),
    "hosts array<struct<host:string,words:long,left_out:long>>": pa.list_(
        pa.struct([("host", pa.string()), ("words", pa.int64()), ("left_out", pa.int64())])
    ),
}


def _word_rows(file: _kith.PageFile) -> Iterator[pa.RecordBatch]:
    while True:
        urls, found = file.next_words(page_words.ROW_PAGES, _ROW_BODIES)
        yield row_of_pages(urls, found)
        if len(found["offsets"]) == 1:
            return


def _with_counts(
    file: _kith.PageFile, rows: Iterator[pa.RecordBatch], more: list[pa.Field]
) -> Iterator[pa.RecordBatch]:
    """The same with all columns, and after them one of counts alone. The first row has words."""
    first = next(rows)
    counts = [pa.field(name.partition(" ")[0], kind) for name, kind in _COUNTS.items()]
    schema = pa.schema([*first.schema, *counts, *more])
    yield _completed(first, schema)
    for row in rows:
        yield _completed(row, schema)
    values = [pa.array([value], field.type) for field, value in zip(counts, _counts(file))]
    yield _completed(pa.RecordBatch.from_arrays(values, schema=pa.schema(counts)), schema)


def _completed(row: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """With nulls for the columns that it lacks."""
    names = row.schema.names
    columns = [
        row.column(field.name) if field.name in names else pa.nulls(row.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _counts(file: _kith.PageFile) -> tuple[Any, ...]:
    """Values of _COUNTS. Of those of the crawl, records that were passed over have the name of their
    kind after a colon."""
    crawl = file.counts()
    skipped = crawl.pop("skipped")
    passed_over = ((f"skipped:{kind}", count) for kind, count in skipped.items())
    left_out = file.boilerplate()
    names = ("host", "words", "left_out")
    hosts = [dict(zip(names, host)) for host in left_out.pop("hosts")]
    aliases = [*file.aliases().items()]
    return [*crawl.items(), *passed_over], [*left_out.items()], aliases, hosts


def _sums(rows: DataFrame) -> dict[str, Any]:
    report: dict[str, Any] = {"skipped": {}}
    for name, count in _sums_of(rows, "crawl"):
        kind = name.partition(":")[2]
        if kind:
            report["skipped"][kind] = count
        else:
            report[name] = count
    return report


def _sums_of(rows: DataFrame, column: str) -> list[tuple[str, int]]:
    counts = rows.select(F.explode(column).alias("name", "count"))
    sums = counts.groupBy("name").agg(F.sum("count").alias("count")).collect()
    return sorted((row["name"], row["count"]) for row in sums)


def _left_out(rows: DataFrame) -> dict[str, Any]:
    """The report of one machine, without the blocks."""
    listed = rows.select(F.explode("hosts").alias("of")).select("of.*").groupBy("host")
    hosts = listed.agg(F.sum("words").alias("words"), F.sum("left_out").alias("left_out"))
    most = hosts.orderBy(F.desc("left_out"), "host").limit(_LISTED_HOSTS).collect()
    return {
        **dict(_sums_of(rows, "left_out")),
        "hosts": hosts.count(),
        "most": [row.asDict() for row in most],
    }
