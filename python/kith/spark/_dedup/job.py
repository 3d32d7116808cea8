"""kith.spark.dedup: the stages in their order."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith._jobs import _OF_FILES, _words
from kith.spark._dedup.families import absorb
from kith.spark._exchange import records as _records
from kith.spark._exchange.records import Kind
from kith.spark._exchange.session import Job, checked_partitions, plain_errors, settings
from kith.spark._join.candidates import find_candidates
from kith.spark._join.centers import find_centers, scan_whole_parts
from kith.spark._join.copies import find_copies
from kith.spark._join.documents import check_ids, check_strings, make_text_documents
from kith.spark._join.marks import (
    ids_of,
    joined_documents,
    listed_pairs,
    marks_of,
    number_groups,
    pairs_with_ids,
)
from kith.spark._join.plan import choose_tables
from kith.spark._join.verify import verify
from kith.spark._refused import check_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from kith._options import DedupOptions

# Options of one machine, which Spark decides here, and such as need all documents in one place.
_REFUSED = {
    **dict.fromkeys(_OF_FILES, "is about files, and does nothing for a table"),
    **dict.fromkeys(("text_field", "id_field"), "is about fields in files; say text and id"),
    "memory": "executors have the memory that Spark gives them (docs/spark.md)",
    "threads": "Spark decides how many tasks run at a time",
    "distance": "is about --method simhash, which compares documents on one machine only",
}
# Of which only one value is for many machines.
_ONLY = {
    "keep": ("first", "the first row of a group by id is kept"),
    "order": ("keep", "rows become centers in the order of their ids"),
}
_ROUNDS_ABOVE = 20_000_000  # pairs that one executor decides by itself


@dataclasses.dataclass(frozen=True)
class Deduped:
    """What dedup() has found. marks: a row for each of the table: id, row (its place by id, from
    0), group (from 1, the largest first; 0 for a document that is like no other), keep, kept_row,
    similarity (the resemblance with that), kept_id. pairs: the similar pairs of different
    documents: id_a, id_b, row_a, row_b, similarity. report: counts, and the tables of the join."""

    marks: DataFrame
    pairs: DataFrame
    report: dict[str, Any]

    def unpersist(self) -> None:
        """Frees what Spark keeps of marks and pairs."""
        self.marks.unpersist()
        self.pairs.unpersist()


def dedup(
    df: DataFrame,
    *,
    text: str = "text",
    id: str = "id",
    partitions: int | None = None,
    **options: Unpack[DedupOptions],
) -> Deduped:
    """Finds near-duplicates among the rows of a table of Spark.

    text: its column of documents. id: a column of strings or integers, each once and none null.
    partitions: into how many slices the job and its tables are cut; by default
    spark.sql.shuffle.partitions. The rows do not depend on it: groups, similarities and pairs are
    those of kith.dedup() for the same rows sorted by id. options: those of kith.dedup(); one that
    is not for many machines is a UsageError that names it.

    Runs the job and keeps marks and pairs in the session (Deduped.unpersist()). NotFoundError names
    a column that is missing, UsageError one of another type, an id that stands in two rows, and an
    executor without kith or with another version.
    """
    words = _checked_words(options)
    spark = df.sparkSession
    partitions = checked_partitions(spark, partitions)
    check_strings(df, text)
    check_ids(df, id)
    with plain_errors(), settings(spark, partitions):
        job = Job(spark, partitions)
        try:
            job.check_executors()
            return _run(job, df, text, id, words, _ROUNDS_ABOVE)
        finally:
            job.forget_all()


def _checked_words(options: Any) -> list[str]:
    check_options(options, _REFUSED, _ONLY)
    words = _words("table", "none", options)
    _kith.DedupSteps(words)
    return words


def _run(
    job: Job, df: DataFrame, text: str, id_column: str, words: list[str], rounds_above: int
) -> Deduped:
    job.step("documents")
    documents = make_text_documents(job, df, text, id_column, words)
    report: dict[str, Any] = {
        "documents": documents.count,
        "null": documents.nulls,
        "empty": documents.empty,
        "partitions": job.partitions,
    }
    job.step("equal documents")
    copies = find_copies(job, documents)
    joined = edges = None
    if _kith.DedupSteps(words).finds_pairs and int((documents.filled - copies.by_part).sum()) > 1:
        job.step("choice of tables")
        tables, considered = choose_tables(documents, copies, words)
        job.step("candidates")
        candidates = find_candidates(job, documents, copies, tables)
        job.step("verification")
        counts = job.collect_records(candidates.candidates, Kind.COUNT, _records.COUNT)
        edges = verify(job, documents, candidates.candidates, words)
        job.step("centers")
        if candidates.places is None:
            joined = find_centers(job, documents, edges, rounds_above)
        else:
            scanned = scan_whole_parts(job, documents, edges, candidates.places, words)
            joined = absorb(job, documents, copies, tables, scanned, words)
            edges = edges.union(joined.filter(F.col("kind") == int(Kind.EDGE)))
        report |= {
            "tables": considered,
            "collisions": int(counts["collisions"].sum()),
            "candidates": int(counts["candidates"].sum()),
            "large_buckets": candidates.large_buckets,
        }
    job.step("marks")
    removed = job.keep(joined_documents(job, documents, copies, joined))
    groups = number_groups(job, removed)
    ids = ids_of(documents)
    marks = marks_of(ids, removed, groups.numbers).persist()
    if edges is None:
        listed = job.spark.createDataFrame([], "a long, b long, similarity double")
    else:
        listed = listed_pairs(edges)
    pairs = pairs_with_ids(listed, ids).persist()
    marks.count()  # which computes all of it
    return Deduped(
        marks,
        pairs,
        report | {"groups": groups.count, "removed": groups.members, "pairs": pairs.count()},
    )
