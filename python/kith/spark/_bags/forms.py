"""How often stems and their forms are met: added up by tasks, and then by slices of stems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from kith import _kith
from kith.spark._bags.page_words import PageWords
from kith.spark._exchange.session import Job, check_executor
from kith.spark._exchange.strings import array_of, binary, bytes_of, strings_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kith.spark._exchange.blocks import Slots

# Of forms that a task adds up: some 50 MB.
_FORM_ROWS = 1_000_000
# numbers: three of each form, as _COUNTED has them.
_SENT = (
    "target int, stems binary, stem_sizes binary, words binary, word_sizes binary, numbers binary"
)
_COUNTED = ("documents", "linked", "count")
_STEMS_OF_ROW = 1 << 16

# The stems of a slice that are terms, some thousand in a row. vocabulary: of different stems, those
# that are no terms included. words: the form of each that is met most often, ties by their bytes.
# documents, linked: how many contents, and how many bags of links, have it; linked is 0 but in bags
# of both kinds.
SCHEMA = (
    "vocabulary long, terms long, stems binary, stem_sizes binary, words binary,"
    " word_sizes binary, documents binary, linked binary"
)


def count_stems(job: Job, pages: PageWords, parts: int, min_df: int) -> DataFrame:
    """Rows of SCHEMA, of all pages; terms are met in min_df of them, or of bags of links."""
    version, slots = job.version, job.slots

    def send(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        forms = (_forms_of(batch, row, parts) for batch in batches for row in range(batch.num_rows))
        for added in _added_up(forms):
            yield from _by_slice(added, slots)

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        forms = [_received(batch, row) for batch in batches for row in range(batch.num_rows)]
        if forms:
            yield from _terms_of(pa.Table.from_batches(forms), min_df)

    names = ("stems", "stem_sizes", "documents", "forms", "form_sizes", "form_stems", "form_counts")
    rows = pages.batches.filter("pages is not null").select(*names)
    sent = rows.mapInArrow(send, _SENT)
    return job.keep(sent.repartition(job.partitions, "target").mapInArrow(count, SCHEMA))


def _forms_of(batch: pa.RecordBatch, row: int, parts: int) -> pa.RecordBatch:
    """The words of a row; the documents of a stem stand at the first of its forms."""
    stems = strings_at(batch, "stems", "stem_sizes", row)
    form_stems = array_of(batch, "form_stems", row, np.uint32)
    by_stem = array_of(batch, "documents", row, np.uint32).reshape(-1, parts)
    documents = by_stem[form_stems].astype(np.int64)
    documents[1:][form_stems[1:] == form_stems[:-1]] = 0
    linked = documents[:, 1] if parts > 1 else np.zeros(len(documents), np.int64)
    counts = array_of(batch, "form_counts", row, np.uint64).astype(np.int64)
    return pa.RecordBatch.from_pydict(
        {
            "stem": stems.take(pa.array(form_stems)),
            "word": strings_at(batch, "forms", "form_sizes", row),
            "documents": pa.array(documents[:, 0]),
            "linked": pa.array(linked),
            "count": pa.array(counts),
        }
    )


def strings_at(batch: pa.RecordBatch, data: str, sizes: str, row: int) -> pa.Array:
    return strings_of(batch.column(data)[row].as_buffer(), array_of(batch, sizes, row, np.uint32))


def _added_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same forms with their counts, each less often: most words are in most of the rows."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows < _FORM_ROWS:
            continue
        waiting = _sums(pa.Table.from_batches(waiting)).to_batches(max_chunksize=1 << 16)
        rows = sum(piece.num_rows for piece in waiting)
        if rows > _FORM_ROWS // 2:
            yield from waiting
            waiting, rows = [], 0
    if waiting:
        yield from _sums(pa.Table.from_batches(waiting)).to_batches(max_chunksize=1 << 16)


def _sums(forms: pa.Table) -> pa.Table:
    sums = forms.group_by(["stem", "word"]).aggregate([(name, "sum") for name in _COUNTED])
    columns = [sums.column(name) for name in ("stem", "word", *(f"{n}_sum" for n in _COUNTED))]
    return pa.Table.from_arrays(columns, names=["stem", "word", *_COUNTED])


def _by_slice(forms: pa.RecordBatch, slots: Slots) -> Iterator[pa.RecordBatch]:
    """Rows of _SENT."""
    slices = _kith.slices_of_texts(forms.column("stem"), len(slots))
    order = np.argsort(slices, kind="stable")
    ends = np.cumsum(np.bincount(slices, minlength=len(slots)))
    for number, (begin, end) in enumerate(zip((0, *ends[:-1]), ends)):
        if begin == end:
            continue
        some = forms.take(pa.array(order[begin:end]))
        numbers = np.stack([some.column(name).to_numpy() for name in _COUNTED], axis=1)
        yield _packed(
            {
                "target": pa.array([slots.values[number]], pa.int32()),
                "stems": some.column("stem"),
                "words": some.column("word"),
                "numbers": binary(numbers),
            }
        )


def _packed(columns: dict[str, pa.Array]) -> pa.RecordBatch:
    """A row, of columns of strings their bytes and sizes."""
    packed: dict[str, pa.Array] = {}
    for name, column in columns.items():
        if pa.types.is_large_string(column.type):
            data, sizes = bytes_of(column)
            packed[name] = pa.array([data], pa.binary())
            packed[f"{name[:-1]}_sizes"] = binary(sizes)
        else:
            packed[name] = column
    return pa.RecordBatch.from_pydict(packed)


def _received(batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
    numbers = array_of(batch, "numbers", row, np.int64).reshape(-1, len(_COUNTED))
    return pa.RecordBatch.from_pydict(
        {
            "stem": strings_at(batch, "stems", "stem_sizes", row),
            "word": strings_at(batch, "words", "word_sizes", row),
            **{name: pa.array(numbers[:, at].copy()) for at, name in enumerate(_COUNTED)},
        }
    )


def _terms_of(forms: pa.Table, min_df: int) -> Iterator[pa.RecordBatch]:
    """Rows of SCHEMA: the stems of all forms of a slice."""
    sums = _sums(forms)
    order = [("stem", "ascending"), ("count", "descending"), ("word", "ascending")]
    sums = sums.take(pc.sort_indices(sums, order)).combine_chunks()
    stems, words = (pa.concat_arrays(sums.column(name).chunks) for name in ("stem", "word"))
    changes = pc.not_equal(stems.slice(1), stems.slice(0, len(stems) - 1)).to_numpy(False)
    firsts = np.flatnonzero(np.r_[True, changes])
    documents, linked = (
        np.add.reduceat(sums.column(name).to_numpy(), firsts) for name in ("documents", "linked")
    )
    is_term = np.maximum(documents, linked) >= min_df
    yield from _rows_of(
        stems, words, firsts[is_term], (documents[is_term], linked[is_term]), len(firsts)
    )


def _rows_of(
    stems: pa.Array,
    words: pa.Array,
    places: NDArray[np.int64],
    counts: tuple[NDArray[Any], NDArray[Any]],
    vocabulary: int,
) -> Iterator[pa.RecordBatch]:
    for begin in range(0, max(1, len(places)), _STEMS_OF_ROW):
        some = pa.array(places[begin : begin + _STEMS_OF_ROW])
        documents, linked = (count[begin : begin + _STEMS_OF_ROW] for count in counts)
        yield _packed(
            {
                "vocabulary": pa.array([vocabulary if begin == 0 else 0], pa.int64()),
                "terms": pa.array([len(some)], pa.int64()),
                "stems": stems.take(some),
                "words": words.take(some),
                "documents": binary(documents.astype(np.int64)),
                "linked": binary(linked.astype(np.int64)),
            }
        )
