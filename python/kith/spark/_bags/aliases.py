"""URLs that stand for another one: found in the slice of the URL, followed to where they end by one
executor, and said again in the slice of that URL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kith import _kith
from kith.spark._exchange.pieces import (
    ALIASES,
    FOLDED,
    FRAGMENTS,
    SENT,
    SENT_FIELDS,
    Pieces,
    in_slices,
    sent,
)
from kith.spark._exchange.session import Job


def fold_aliases(job: Job, rows: DataFrame) -> tuple[DataFrame, dict[str, Any]]:
    """rows: those of SENT, fragments and aliases. The same without the aliases, with what is said of
    them for where they are folded into, and for each slice which of its URLs are folded. And a
    report."""
    folded, report = _fold_urls(job, rows.filter(F.col("piece") == ALIASES))
    fragments = rows.filter(F.col("piece") == FRAGMENTS)
    said = job.persist(_fold_fragments(job, fragments.unionByName(folded)))
    return fragments.unionByName(said).unionByName(folded), report


def _fold_urls(job: Job, aliases: DataFrame) -> tuple[DataFrame, dict[str, Any]]:
    """Rows of FOLDED, by one executor, and a report."""
    slots = job.slots

    def choose(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        # All that count go to the first slice.
        yield from sent(slots, ALIASES, [_kith.aliases_of_slice(pieces.of(ALIASES))])

    def fold(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        slices, report = _kith.fold_urls(pieces.of(ALIASES), len(slots))
        yield from sent(slots, FOLDED, slices)
        data = json.dumps(report).encode()
        columns = [pa.nulls(1, pa.int32()), pa.nulls(1, pa.int32()), pa.array([data])]
        yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(SENT_FIELDS))

    chosen = in_slices(job, aliases, choose, SENT)
    made = job.persist(in_slices(job, chosen, fold, SENT))
    reports: Any = made.filter("target is null").collect()
    nothing = {"folded": 0, "targets": 0, "largest": 0, "largest_target": ""}
    report = json.loads(bytes(reports[0]["data"])) if reports else nothing
    return made.filter("target is not null"), report


def _fold_fragments(job: Job, rows: DataFrame) -> DataFrame:
    """What is said of URLs that are folded, said again for where they are folded into."""
    slots = job.slots

    def fold(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        folded = pieces.one(FOLDED)
        if folded:
            fragments = pieces.of(FRAGMENTS)
            yield from sent(slots, FRAGMENTS, _kith.fold_fragments(fragments, folded, len(slots)))

    return in_slices(job, rows, fold, SENT)
