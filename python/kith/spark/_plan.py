"""Which LSH tables the documents are joined by: chosen on the driver from a sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from kith import _kith
from kith.spark._copies import Copies
from kith.spark._documents import Batch, Documents, with_flags
from kith.spark._session import Job


@dataclasses.dataclass
class Plan:
    considered: list[dict[str, Any]]
    per_key: int
    tables: int
    documents: int  # different ones with elements, which are joined


def choose_tables(job: Job, documents: Documents, copies: Copies, words: list[str]) -> Plan:
    steps = _kith.DedupSteps(words)
    different = documents.filled - copies.by_part
    count = int(different.sum())
    queries, others = steps.sample(count)
    places = np.unique(np.concatenate((queries, others)))
    signatures = _signatures_at(job, documents, copies, different, places)
    lanes = steps.lanes

    def rows(wanted: Any) -> Any:
        return signatures[np.searchsorted(places, wanted)].reshape(-1, lanes).reshape(-1)

    considered = steps.plan(count, rows(queries), rows(others))
    chosen = next(one for one in considered if one["chosen"])
    return Plan(considered, chosen["per_key"], chosen["tables"], count)


def _signatures_at(
    job: Job, documents: Documents, copies: Copies, different: Any, places: Any
) -> Any:
    """The signatures of the different documents of some numbers, ascending."""
    begins = np.concatenate(([0], np.cumsum(different)))
    starts = documents.starts

    def pick(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        place = None  # among the different documents
        for batch in batches:
            for row in batch.to_pylist():
                one = Batch(row, starts)
                if place is None:
                    place = begins[one.part]
                joined = np.flatnonzero((one.sizes > 0) & ~one.flags)
                numbers = place + np.arange(len(joined))
                place += len(joined)
                at = np.minimum(np.searchsorted(places, numbers), len(places) - 1)
                wanted = places[at] == numbers
                if not wanted.any():
                    continue
                signatures = one.signatures[joined[wanted]]
                yield pa.RecordBatch.from_pydict(
                    {
                        "place": pa.array(numbers[wanted].astype(np.int64)),
                        "signature": pa.array([s.tobytes() for s in signatures], pa.binary()),
                    }
                )

    frame = with_flags(documents, ["sizes", "signatures"], copies.flags)
    found = frame.mapInArrow(pick, "place long, signature binary").collect()
    found.sort(key=lambda row: row["place"])
    lanes = len(found[0]["signature"]) // 2 if found else 0
    values = b"".join(bytes(row["signature"]) for row in found)
    return np.frombuffer(values, np.uint16).reshape(len(found), lanes)
