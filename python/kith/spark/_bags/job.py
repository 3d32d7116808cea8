"""kith.spark.bags: the stages in their order."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from kith import _kith
from kith._errors import UsageError
from kith._jobs import Inputs, _words
from kith.spark._bags.dictionary import make_terms
from kith.spark._bags.files import read_files, read_links
from kith.spark._bags.known import CrawlFiles
from kith.spark._bags.packed import Packed, unpacked, weigh
from kith.spark._bags.page_words import PageWords, read_words
from kith.spark._exchange.session import Job, checked_partitions, plain_errors, settings
from kith.spark._join.documents import check_strings
from kith.spark._refused import check_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from kith._options import ClusterOptions

_OF_FILES = ("status", "strict", "include", "exclude", "only", "exclude_list", "url_rules", "unwrap", "captures")
_OF_FOLDERS = ("base_url", "shard")
_OF_ROWS = ("text_field", "html_field", "id_field", "url_field", "title_field", "time_field")
_OF_LINKS = ("urls", "links", "window", "content_share", "aliases")
_OF_CLUSTERS = (
    "similarity",
    "engine",
    "recall",
    "lanes",
    "max_tables",
    "min_words",
    "order",
    "assign",
    "neighbours",
    "other_sites",
    "related",
    "seed",
    "within",
    "topics",
    "no_check",
)
# Options of kith.cluster, with why they are none of bags on many machines.
_REFUSED = {
    **dict.fromkeys(
        _OF_CLUSTERS, "is about clusters and related pages; kith.spark.bags makes bags alone"
    ),
    "stop_words": "is a file of this machine; leave the words out of the texts",
    "memory": "executors have the memory that Spark gives them (docs/spark.md)",
    "threads": "Spark decides how many tasks run at a time",
}
_REFUSED_OF_TABLES = {
    **_REFUSED,
    **dict.fromkeys((*_OF_FILES, *_OF_FOLDERS), "is about files, and does nothing for a table"),
    **dict.fromkeys(_OF_LINKS, "is about links, which a table of texts has not"),
    **dict.fromkeys(_OF_ROWS, "is about fields in files; name the columns by text and id"),
}
_REFUSED_OF_FILES = {
    **_REFUSED,
    "base_url": "a folder of HTML is read by one machine; write WARC, or a table of texts",
    "shard": "Spark decides which file is read where",
}
# Of which only one value is for a table.
_ONLY_OF_TABLES = {
    "bags": ("content", "bags are made of texts"),
    "boilerplate": ("keep", "templates of sites are found in the files of a crawl only"),
}
_KINDS_OF_FILES = ("both", "content", "anchor")


@dataclasses.dataclass(frozen=True)
class Bagged:
    """What bags() has made. bags: a row for each of the table: id, key (bytes, by which a run of
    kith.cluster orders its URLs), terms (ascending), weights (multiples of 2^-16 that add up to
    100; none where the row has no term, and null for both where it has no text). terms: term
    (from 0, by falling document frequency), stem, word (the form of the stem met most often),
    documents (rows that have it). report: counts. packed: the same bags, which
    kith.spark.cluster() takes."""

    bags: DataFrame
    terms: DataFrame
    report: dict[str, Any]
    packed: Packed
    _terms: DataFrame = dataclasses.field(repr=False)

    def unpersist(self) -> None:
        """Frees what Spark keeps of bags and terms."""
        self.packed.rows.unpersist()
        self._terms.unpersist()


def bags(
    df: DataFrame,
    *,
    text: str = "text",
    id: str = "url",
    title: str | None = None,
    partitions: int | None = None,
    **options: Unpack[ClusterOptions],
) -> Bagged:
    """Makes the weighted bags of the texts of a table of Spark.

    text: its column of texts. id: a column of http or https URLs, each once and none null. title: a
    column of titles, whose words count like those of the text. partitions: into how many slices the
    words are cut where they are counted; by default spark.sql.shuffle.partitions. The result does
    not depend on it: terms, their numbers and weights are those of
    kith.cluster(bags="content", boilerplate="keep") for the same rows as JSON lines. options: those
    of kith.cluster() that are about such bags: language, max_page, weighting, min_df, max_df,
    max_terms; another one is a UsageError that names it.

    Runs the job and keeps bags and terms in the session (Bagged.unpersist()). NotFoundError names a
    column that is missing, UsageError one of another type, an id that is no URL or stands in two
    rows, two ids that are the same URL, more than 10 million terms, and an executor without kith or
    with another version.
    """
    check_options(options, _REFUSED_OF_TABLES, _ONLY_OF_TABLES)
    words = _checked_words({**options, "bags": "content", "boilerplate": "keep"})
    partitions = checked_partitions(df.sparkSession, partitions)
    names = [text, id] if title is None else [text, id, title]
    for name in names:
        check_strings(df, name)
    with plain_errors(), settings(df.sparkSession, partitions):
        job = Job(df.sparkSession, partitions)
        try:
            job.check_executors()
            job.step("words")
            pages = read_words(job, df, text, id, title, words)
            return _bagged(job, pages, words)
        finally:
            job.forget_all()


def bags_of_files(
    spark: SparkSession,
    paths: Inputs,
    *,
    partitions: int | None = None,
    **options: Unpack[ClusterOptions],
) -> Bagged:
    """Makes the weighted bags of the pages of a crawl, or of the links in it.

    paths: WARC, ARC, WET, WAT and JSON lines files, or folders of them, which the driver and every
    executor see under the same names; a file is read by one task, twice. The result is that of
    kith.cluster() for the same inputs: bags, terms, their numbers and weights. By default there is a
    row for every URL that was fetched, or seen in enough links: of the words of the page, and of those
    around the links to it; with bags="anchor" of these alone, and with bags="content" of pages alone.
    Of the captures of a URL one is its page, the first or the last by date. partitions, options: as for
    bags(), and bags, captures, status, strict, boilerplate, filters, rules of URLs and names of fields;
    with links also links, window, urls, aliases and content_share. `null` and
    `empty` of the report are 0, `crawl` has what was read and what was passed over, `boilerplate` what
    was left out, if it was, and `aliases` what was folded; with bags of both kinds `filled` counts
    contents, and `linked` bags with words of links.

    Runs the job and keeps bags and terms in the session (Bagged.unpersist()). NotFoundError names
    an input that does not exist, FileError a file that an executor cannot read, UsageError what
    bags() raises it for.
    """
    kind = _checked_kind(options)
    words = _checked_words({**options, "bags": kind})
    partitions = checked_partitions(spark, partitions)
    reading = _words((), "none", _absolute(options))[:-1]
    found = _kith.crawl_files(_words(paths, "none", options))
    if "-" in found:
        raise UsageError("-: executors have no standard input of the driver; name files")
    removes = options.get("boilerplate", "remove") == "remove"
    # Executors have other working directories.
    files = CrawlFiles(reading, [os.path.abspath(path) for path in found], removes)
    with plain_errors(), settings(spark, partitions):
        job = Job(spark, partitions)
        try:
            job.check_executors()
            if kind == "content":
                pages, report = read_files(job, files)
            else:
                pages, report = read_links(job, files, words)
            made = _bagged(job, pages, words)
            return dataclasses.replace(made, report={**made.report, **report})
        finally:
            job.forget_all()


def _absolute(options: Mapping[str, Any]) -> dict[str, Any]:
    """With the names of files that executors read, too, as these find them."""
    named = dict(options)
    for name in ("only", "exclude_list", "url_rules"):
        if name in named and named[name] != "common":
            named[name] = os.path.abspath(named[name])
    return named


def _checked_kind(options: Mapping[str, Any]) -> Any:
    check_options(options, _REFUSED_OF_FILES, {})
    kind = options.get("bags", "both")
    if kind not in _KINDS_OF_FILES:
        raise UsageError(f"bags {kind}: must be {', '.join(_KINDS_OF_FILES)}")
    for name in _OF_LINKS:
        if name in options and kind == "content":
            raise UsageError(f"{name}: is about links, which bags of contents do not count")
    return kind


def _checked_words(options: Mapping[str, Any]) -> list[str]:
    words = _words("table", "none", options)
    _kith.BagSteps(words)
    return words


def _bagged(job: Job, pages: PageWords, words: list[str]) -> Bagged:
    job.step("terms")
    terms = make_terms(job, pages, words)
    job.step("bags")
    packed = weigh(job, pages, terms, words)
    job.hand_over(terms.kept, packed.rows)
    report = {
        "rows": packed.bags,
        "null": pages.nulls,
        "empty": pages.empty,
        "filled": pages.filled,
        **({"linked": pages.linked} if _kith.BagSteps(words).parts > 1 else {}),
        "words": pages.words,
        "vocabulary": terms.vocabulary,
        "terms": terms.count,
        "frequent_terms": terms.frequent,
        "entries": packed.entries,
        "empty_bags": packed.empty,
        "partitions": job.partitions,
    }
    return Bagged(unpacked(job, packed), terms.frame, report, packed, terms.kept)
