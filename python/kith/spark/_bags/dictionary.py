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
from kith.spark._bags.forms import count_stems, strings_at
from kith.spark._bags.page_words import PageWords
from kith.spark._exchange.session import Job
from kith.spark._exchange.strings import array_of, strings_of

MOST_TERMS = 10_000_000


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
    """frame: term, stem, word, documents (of contents, in bags of both kinds), of rows that are kept.
    shared: a Dictionary. vocabulary: different stems, those that are no terms included."""

    frame: DataFrame
    kept: DataFrame
    shared: Broadcast[Dictionary]
    count: int
    frequent: int
    vocabulary: int


def make_terms(job: Job, pages: PageWords, words: list[str]) -> Terms:
    steps = _kith.BagSteps(words)
    kept = count_stems(job, pages, steps.parts, steps.min_df)
    counted = job.sealed(kept)
    sums = counted.agg(F.sum("vocabulary").alias("all"), F.sum("terms").alias("terms"))
    counts = sums.collect()[0]
    if (counts["terms"] or 0) > MOST_TERMS:
        raise UsageError(
            f"{counts['terms']} words are in enough rows to be terms, more than {MOST_TERMS}: give"
            " a larger min_df"
        )
    filled = [pages.filled, pages.linked][: steps.parts]
    dictionary = Dictionary(words, filled, *_collected(counted, steps.parts))
    shared = job.spark.sparkContext.broadcast(dictionary)
    return Terms(
        frame=_listed(job, counted, shared),
        kept=kept,
        shared=shared,
        count=dictionary.made.terms,
        frequent=dictionary.made.frequent_terms,
        vocabulary=counts["all"] or 0,
    )


def stems_of(batch: pa.RecordBatch, row: int) -> pa.Array:
    """The stems of a row of PageWords.batches."""
    return strings_at(batch, "stems", "stem_sizes", row)


def _collected(counted: DataFrame, parts: int) -> tuple[bytes, bytes, bytes]:
    """The stems of all terms, their sizes and their documents."""
    columns = ("stems", "stem_sizes", "documents", "linked")
    rows = counted.filter("terms > 0").select(*columns).collect()
    stems, sizes = (b"".join(bytes(row[name]) for row in rows) for name in columns[:2])
    numbers = [
        np.frombuffer(b"".join(bytes(row[name]) for row in rows), np.int64)
        for name in columns[2 : 2 + parts]
    ]
    return stems, sizes, np.stack(numbers, axis=1).astype(np.uint64).tobytes()


def _listed(job: Job, counted: DataFrame, shared: Broadcast[Dictionary]) -> DataFrame:
    """term, stem, word, documents."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in range(batch.num_rows):
                stems = stems_of(batch, row)
                columns = {
                    "term": pa.array(shared.value.made.find(stems), pa.int32()),
                    "stem": stems.cast(pa.string()),
                    "word": strings_at(batch, "words", "word_sizes", row).cast(pa.string()),
                    "documents": pa.array(array_of(batch, "documents", row, np.int64)),
                }
                yield pa.RecordBatch.from_pydict(columns)

    columns = counted.select("stems", "stem_sizes", "words", "word_sizes", "documents")
    return job.sealed(columns.mapInArrow(run, "term int, stem string, word string, documents long"))
