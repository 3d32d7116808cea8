"""The terms of all bags: counted on executors, numbered on the driver, known to all executors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith._errors import UsageError
from kith.spark._bags.page_words import PageWords
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of, strings_of

MOST_TERMS = 10_000_000
# Of forms that a task adds up: some 50 MB.
_FORM_ROWS = 1_000_000


class Dictionary:
    """What makes a BagDictionary, which each process that needs it makes once."""

    def __init__(
        self, words: list[str], filled: list[int], stems: bytes, sizes: bytes, documents: bytes
    ) -> None:
        self._given = (words, filled, stems, sizes, documents)
        self._made: _kith.BagDictionary | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Dictionary, self._given

    @property
    def made(self) -> _kith.BagDictionary:
        if self._made is None:
            words, filled, stems, sizes, documents = self._given
            names = strings_of(stems, np.frombuffer(sizes, np.uint32))
            numbers = np.frombuffer(documents, np.uint64)
            self._made = _kith.BagSteps(words).dictionary(filled, names, numbers)
        return self._made


@dataclasses.dataclass
class Terms:
    """frame: term, stem, word, documents (of contents, in bags of both kinds). shared: a Dictionary.
    vocabulary: different stems, those that are no terms included."""

    frame: DataFrame
    shared: Broadcast[Dictionary]
    count: int
    frequent: int
    vocabulary: int


def make_terms(job: Job, pages: PageWords, words: list[str], parts: int) -> Terms:
    """parts: 2 for bags of both kinds."""
    stems = job.keep(_count_stems(job, pages, parts))
    is_term = F.greatest("documents", "linked") >= _kith.BagSteps(words).min_df
    sums = (F.count("*").alias("all"), F.sum(is_term.cast("long")).alias("terms"))
    counts = stems.agg(*sums).collect()[0]
    if (counts["terms"] or 0) > MOST_TERMS:
        raise UsageError(
            f"{counts['terms']} words are in enough rows to be terms, more than {MOST_TERMS}: give"
            " a larger min_df"
        )
    within = stems.filter(is_term)
    filled = [pages.filled, pages.linked][:parts]
    dictionary = Dictionary(words, filled, *_collected(within, parts))
    shared = job.spark.sparkContext.broadcast(dictionary)
    return Terms(
        frame=_number(within, shared),
        shared=shared,
        count=dictionary.made.terms,
        frequent=dictionary.made.frequent_terms,
        vocabulary=counts["all"],
    )


def _count_stems(job: Job, pages: PageWords, parts: int) -> DataFrame:
    """stem, word, documents, linked: of all rows; word is the form met most often, ties by its
    bytes. linked: 0, but for links in bags of both kinds."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        forms = (_forms_of(batch, row, parts) for batch in batches for row in range(batch.num_rows))
        yield from _added_up(forms)

    names = ("stems", "stem_sizes", "documents", "forms", "form_sizes", "form_stems", "form_counts")
    rows = pages.batches.filter("pages is not null").select(*names)
    forms = rows.mapInArrow(
        run, "stem string, word string, documents long, linked long, count long"
    )
    documents = [F.sum(name).alias(name) for name in ("documents", "linked")]
    by_form = forms.groupBy("stem", "word").agg(*documents, F.sum("count").alias("count"))
    best = F.min(F.struct((-F.col("count")).alias("falling"), F.col("word"))).alias("best")
    by_stem = by_form.groupBy("stem").agg(*documents, best)
    return by_stem.select("stem", F.col("best.word").alias("word"), "documents", "linked")


def _added_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same forms with their counts, each less often: most words are in most of the rows, and
    Spark takes longer to add them up."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows < _FORM_ROWS:
            continue
        waiting = _sums(waiting)
        rows = sum(piece.num_rows for piece in waiting)
        if rows > _FORM_ROWS // 2:
            yield from waiting
            waiting, rows = [], 0
    yield from _sums(waiting)


def _sums(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    if not batches:
        return []
    groups = pa.Table.from_batches(batches).group_by(["stem", "word"])
    added = ["documents", "linked", "count"]
    sums = groups.aggregate([(name, "sum") for name in added])
    columns = [sums.column(name) for name in ("stem", "word", *(f"{name}_sum" for name in added))]
    table = pa.Table.from_arrays(columns, names=["stem", "word", *added])
    batches_of_sums: list[pa.RecordBatch] = table.to_batches(max_chunksize=1 << 16)
    return batches_of_sums


def _forms_of(batch: pa.RecordBatch, row: int, parts: int) -> pa.RecordBatch:
    """The words of a row; the documents of a stem stand at the first of its forms."""
    stems = _strings(batch, "stems", "stem_sizes", row)
    form_stems = array_of(batch, "form_stems", row, np.uint32)
    by_stem = array_of(batch, "documents", row, np.uint32).reshape(-1, parts)
    documents = by_stem[form_stems].astype(np.int64)
    documents[1:][form_stems[1:] == form_stems[:-1]] = 0
    linked = documents[:, 1] if parts > 1 else np.zeros(len(documents), np.int64)
    counts = array_of(batch, "form_counts", row, np.uint64).astype(np.int64)
    return pa.RecordBatch.from_pydict(
        {
            "stem": stems.take(pa.array(form_stems)).cast(pa.string()),
            "word": _strings(batch, "forms", "form_sizes", row).cast(pa.string()),
            "documents": pa.array(documents[:, 0]),
            "linked": pa.array(linked),
            "count": pa.array(counts),
        }
    )


def _strings(batch: pa.RecordBatch, data: str, sizes: str, row: int) -> pa.Array:
    return strings_of(batch.column(data)[row].as_buffer(), array_of(batch, sizes, row, np.uint32))


def stems_of(batch: pa.RecordBatch, row: int) -> pa.Array:
    """The stems of a row of PageWords.batches."""
    return _strings(batch, "stems", "stem_sizes", row)


def _collected(terms: DataFrame, parts: int) -> tuple[bytes, bytes, bytes]:
    """The stems of all terms, their sizes and their documents, from a row of each partition."""
    names = ["documents", "linked"][:parts]

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        stems: list[bytes] = []
        documents = [np.empty((0, parts), np.uint64)]
        for batch in batches:
            stems += [stem.encode() for stem in batch.column("stem").to_pylist()]
            columns = [batch.column(name).to_numpy().astype(np.uint64) for name in names]
            documents.append(np.stack(columns, axis=1))
        sizes = np.array([len(stem) for stem in stems], np.uint32)
        packed = (b"".join(stems), sizes.tobytes(), np.concatenate(documents).tobytes())
        columns = [pa.array([data], pa.binary()) for data in packed]
        yield pa.RecordBatch.from_arrays(columns, names=["stems", "sizes", "documents"])

    rows = terms.select("stem", *names).mapInArrow(
        pack, "stems binary, sizes binary, documents binary"
    )
    pieces = rows.collect()
    stems, sizes, documents = (b"".join(bytes(row[i]) for row in pieces) for i in range(3))
    return stems, sizes, documents


def _number(terms: DataFrame, shared: Broadcast[Dictionary]) -> DataFrame:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = pa.array(shared.value.made.find(batch.column("stem")), pa.int32())
            columns = [numbers, *(batch.column(name) for name in ("stem", "word", "documents"))]
            names = ["term", "stem", "word", "documents"]
            yield pa.RecordBatch.from_arrays(columns, names=names)

    schema = "term int, stem string, word string, documents long"
    return terms.select("stem", "word", "documents").mapInArrow(run, schema)
