"""Which LSH tables the documents are joined by: chosen on the driver from a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from kith import _kith
from kith.spark._join.candidates import Tables
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Documents, signatures_at


def choose_tables(
    documents: Documents, copies: Copies, words: list[str]
) -> tuple[Tables, list[dict[str, Any]]]:
    """And all that were considered."""
    steps = _kith.DedupSteps(words)
    different = documents.filled - copies.by_part
    count = int(different.sum())
    queries, others = steps.sample(count)
    places = np.unique(np.concatenate((queries, others)))
    signatures = signatures_at(documents, copies.flags, different, places)

    def rows(wanted: Any) -> Any:
        return signatures[np.searchsorted(places, wanted)].reshape(-1)

    considered = steps.plan(count, rows(queries), rows(others))
    chosen = next(one for one in considered if one["chosen"])
    tables = Tables(tuple(words), chosen["per_key"], chosen["tables"], steps.lanes, count)
    return tables, considered
