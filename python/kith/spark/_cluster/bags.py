"""Bags as the task that clusters them takes them: a row each, and the terms that they are of."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
)
from pyspark.sql.window import Window

from kith import _kith
from kith._errors import UsageError
from kith._jobs import _words
from kith.spark._bags.dictionary import MOST_TERMS
from kith.spark._bags.job import Bagged
from kith.spark._bags.packed import BAGS, entries_of
from kith.spark._exchange.session import Job, check_executor, many_rows_of_batch
from kith.spark._exchange.strings import array_of, binary, offsets_of, strings_of
from kith.spark._join.documents import check_ids, column_named, column_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBERS = ("term", "documents")  # columns of terms that are no strings


@dataclasses.dataclass(frozen=True)
class RunTerms:
    """The terms of a run by their numbers, and the options that its bags were made by."""

    words: list[str]
    stems: pa.Array
    forms: pa.Array
    documents: NDArray[np.uint64]


@dataclasses.dataclass(frozen=True)
class Bags:
    """frame: key, id (as a string), entries (those of distributed::PageBags). id_type: what ids are.
    sorted_by: the column of a table that keys are of; none where they are those of URLs."""

    frame: DataFrame
    terms: RunTerms
    id_type: DataType
    sorted_by: str | None


def bags_of_pages(job: Job, made: Bagged) -> Bags:
    """Those of pages that have a text."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        for batch in batches:
            for row in range(batch.num_rows):
                yield _single_bags(batch, row)

    rows = made.packed.rows.select("ids", "keys", "without", *BAGS)
    single = rows.mapInArrow(run, "key binary, id string, entries binary")
    return Bags(job.sealed(single), _run_terms(made.terms, made.packed.words), StringType(), None)


def _single_bags(batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
    ends = offsets_of(array_of(batch, "sizes", row, np.uint32))
    columns = {
        "key": batch.column("keys")[row].values,
        "id": batch.column("ids")[row].values,
        "entries": _binary_of(entries_of(batch, row), ends),
    }
    without = array_of(batch, "without", row, np.uint8)
    return pa.RecordBatch.from_pydict(columns).filter(pa.array(without == 0))


def _binary_of(entries: NDArray[np.uint64], ends: NDArray[np.uint64]) -> pa.Array:
    buffers = [None, pa.py_buffer((8 * ends).astype(np.int32)), pa.py_buffer(entries)]
    return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def bags_of_table(
    job: Job, df: DataFrame, id: str, key: str | None, terms: str, weights: str
) -> Bags:
    """Those of a table of one's own. Terms are numbered as those of a run are, by falling document
    frequency, of equally frequent ones by their numbers in the table."""
    given = _checked_columns(df, id, key, terms, weights)
    numbered = _numbered_terms(job, given)
    words = _words("table", "none", {"bags": "content", "boilerplate": "keep"})
    run_terms = _run_terms(numbered, words)
    old = np.array(run_terms.stems.cast(pa.int64()))
    order = np.argsort(old)
    shared = job.spark.sparkContext.broadcast((old[order], order.astype(np.uint32)))
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        old, new = shared.value
        for batch in batches:
            ends, entries = _entries_of_lists(batch, old, new)
            columns = [batch.column("key"), batch.column("id"), _binary_of(entries, ends)]
            yield pa.RecordBatch.from_arrays(columns, names=["key", "id", "entries"])

    key_type = given.schema["key"].dataType.simpleString()
    with many_rows_of_batch(job.spark):
        frame = job.sealed(given.mapInArrow(run, f"key {key_type}, id string, entries binary"))
    return Bags(frame, run_terms, column_type(df, id), key or id)


def _checked_columns(
    df: DataFrame, id: str, key: str | None, terms: str, weights: str
) -> DataFrame:
    check_ids(df, id)
    if key is not None and not isinstance(column_type(df, key), BinaryType):
        check_ids(df, key)
    kinds = (
        (terms, (IntegerType, LongType), "integers"),
        (weights, (DoubleType, FloatType), "doubles"),
    )
    for name, elements, what in kinds:
        found = column_type(df, name)
        if not isinstance(found, ArrayType) or not isinstance(found.elementType, elements):
            raise UsageError(
                f"column {name!r}: of type {found.simpleString()}, not of arrays of {what}"
            )
    return df.filter(column_named(terms).isNotNull()).select(
        column_named(key or id).alias("key"),
        column_named(id).cast("string").alias("id"),
        column_named(terms).cast("array<bigint>").alias("terms"),
        column_named(weights).cast("array<double>").alias("weights"),
    )


def _numbered_terms(job: Job, given: DataFrame) -> DataFrame:
    """term, stem, word, documents: as Bagged.terms; stem and word are the number in the table."""
    old = given.select(F.explode("terms").alias("old")).filter("old is not null")
    counted = job.persist(old.groupBy("old").agg(F.count("*").alias("documents")))
    count = counted.count()
    if count > MOST_TERMS:
        raise UsageError(f"{count} different terms: a table has at most {MOST_TERMS}")
    place = F.row_number().over(Window.orderBy(F.desc("documents"), F.asc("old")))
    name = F.col("old").cast("string")
    return counted.select(
        (place - 1).alias("term"), name.alias("stem"), name.alias("word"), "documents"
    )


def _entries_of_lists(
    batch: pa.RecordBatch, old: NDArray[np.int64], new: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The offsets and entries of bags. old: numbers of terms in the table, ascending, with their
    new ones."""
    offsets, terms = _lists(batch.column("terms"))
    of_weights, weights = _lists(batch.column("weights"))
    unequal = np.flatnonzero(np.diff(offsets) != np.diff(of_weights))
    if len(unequal) > 0:
        id = batch.column("id")[int(unequal[0])].as_py()
        raise UsageError(f"{id!r}: has arrays of different lengths; give a weight for each term")
    try:
        return offsets, _kith.bag_entries(offsets, new[np.searchsorted(old, terms)], weights)
    except UsageError as error:
        raise _named(error, batch.column("id"), old[np.argsort(new)]) from None


def _lists(column: pa.Array) -> tuple[NDArray[np.uint64], Any]:
    """The offsets and values of lists; a null is an empty one."""
    values = column.drop_null().flatten()
    if values.null_count > 0:
        raise UsageError("an array of terms or weights has a null; leave such entries out")
    return offsets_of(column.value_lengths().fill_null(0).to_numpy()), values.to_numpy()


def _named(error: UsageError, ids: pa.Array, old: NDArray[np.int64]) -> UsageError:
    """The same with the id in place of the number of a bag, and with the number of a term in the
    table."""
    found = re.match(r"bag (\d+): (.*?)(?:( term )(\d+)(.*))?$", str(error))
    if found is None:
        return error
    what = found[2] if found[3] is None else f"{found[2]}{found[3]}{old[int(found[4])]}{found[5]}"
    return UsageError(f"{ids[int(found[1])].as_py()!r}: {what}")


def _run_terms(terms: DataFrame, words: list[str]) -> RunTerms:
    """terms: term, stem, word, documents."""

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            packed = {
                name: binary(batch.column(name).to_numpy().astype(np.int64)) for name in _NUMBERS
            }
            for name in ("stem", "word"):
                texts = [text.encode() for text in batch.column(name).to_pylist()]
                packed[name] = pa.array([b"".join(texts)], pa.binary())
                packed[f"{name}_sizes"] = binary(np.array([len(t) for t in texts], np.uint32))
            yield pa.RecordBatch.from_pydict(packed)

    schema = (
        "term binary, documents binary, stem binary, stem_sizes binary, word binary,"
        " word_sizes binary"
    )
    pieces: Any = terms.mapInArrow(pack, schema).collect()

    def joined(name: str) -> bytes:
        return b"".join(bytes(piece[name]) for piece in pieces)

    order = pa.array(np.argsort(np.frombuffer(joined("term"), np.int64)))
    stems, forms = (
        strings_of(joined(name), np.frombuffer(joined(f"{name}_sizes"), np.uint32)).take(order)
        for name in ("stem", "word")
    )
    documents = np.frombuffer(joined("documents"), np.int64)[order.to_numpy()].astype(np.uint64)
    return RunTerms(words, stems, forms, documents)
