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
    OTHERS,
    SAID,
    SENT,
    SENT_FIELDS,
    Pieces,
    in_slices,
    sent,
)
from kith.spark._exchange.session import Job


def fold_aliases(job: Job, rows: DataFrame, compares: bool) -> tuple[DataFrame, dict[str, Any]]:
    """rows: those of SENT, fragments and aliases. The same without the aliases, with what is said of
    them for where they are folded into, and for each slice which of its URLs are folded. And a
    report. Where it compares, pages that say something else than the page they stand for are not
    folded; then others may stand for these, so that it folds until all say the same."""
    chosen = job.persist(_choose(job, rows.filter(F.col("piece") == ALIASES)))
    fragments = rows.filter(F.col("piece") == FRAGMENTS)
    others: list[bytes] = []
    while True:
        folded, report = _fold_urls(job, chosen, others)
        said = job.persist(_fold_fragments(job, fragments.unionByName(folded)))
        more = _find_others(job, fragments.unionByName(said)) if compares else []
        if not more:
            again = said.withColumn("piece", F.lit(FRAGMENTS))
            return fragments.unionByName(again).unionByName(folded), report
        others += more


def _choose(job: Job, aliases: DataFrame) -> DataFrame:
    """All aliases that count, for the first slice."""
    slots = job.slots

    def choose(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        yield from sent(slots, ALIASES, [_kith.aliases_of_slice(pieces.of(ALIASES))])

    return in_slices(job, aliases, choose, SENT)


def _fold_urls(
    job: Job, chosen: DataFrame, others: list[bytes]
) -> tuple[DataFrame, dict[str, Any]]:
    """Rows of FOLDED, by one executor, and a report. others: URLs that are not to be folded."""
    slots = job.slots

    def fold(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        slices, report = _kith.fold_urls(pieces.of(ALIASES), others, len(slots))
        yield from sent(slots, FOLDED, slices)
        data = json.dumps(report).encode()
        columns = [pa.nulls(1, pa.int32()), pa.nulls(1, pa.int32()), pa.array([data])]
        yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(SENT_FIELDS))

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
            yield from sent(slots, SAID, _kith.fold_fragments(fragments, folded, len(slots)))

    return in_slices(job, rows, fold, SENT)


def _find_others(job: Job, rows: DataFrame) -> list[bytes]:
    """Of all slices, the URLs that say something else than where they are folded into."""
    slots = job.slots

    def find(pieces: Pieces) -> Iterator[pa.RecordBatch]:
        if pieces.of(SAID):
            found = _kith.other_aliases(pieces.of(FRAGMENTS), pieces.of(SAID))
            yield from sent(slots, OTHERS, [found])

    return [bytes(row["data"]) for row in in_slices(job, rows, find, SENT).collect()]
