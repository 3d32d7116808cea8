"""Which LSH tables the documents are joined by: chosen on the driver from a sample."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from kith import _kith
from kith.spark._join.candidates import Tables
from kith.spark._join.copies import Copies
from kith.spark._join.documents import Documents, collect_at


@dataclasses.dataclass
class Plan:
    considered: list[dict[str, Any]]
    join: Tables


def choose_tables(documents: Documents, copies: Copies, words: list[str]) -> Plan:
    steps = _kith.DedupSteps(words)
    count = int((documents.filled - copies.by_part).sum())
    queries, others = steps.sample(count)
    places = np.unique(np.concatenate((queries, others)))
    signatures = signatures_at(documents, copies, places)
    lanes = steps.lanes

    def rows(wanted: Any) -> Any:
        return signatures[np.searchsorted(places, wanted)].reshape(-1, lanes).reshape(-1)

    considered = steps.plan(count, rows(queries), rows(others))
    chosen = next(one for one in considered if one["chosen"])
    tables = (chosen["per_key"], chosen["tables"])
    join = Tables(tuple(words), tables, chosen["tables"], lanes, count)
    return Plan(considered, join)


def signatures_at(documents: Documents, copies: Copies, places: Any) -> Any:
    """The signatures of the different documents of some numbers, ascending: a row each."""
    different = documents.filled - copies.by_part
    found = collect_at(
        documents,
        ["sizes", "signatures"],
        copies.flags,
        (different, places),
        lambda one: (one.sizes > 0) & ~one.flags,
        lambda one, at: one.signatures[at].tobytes(),
    )
    lanes = len(found[0]["value"]) // 2 if found else 0
    values = b"".join(bytes(row["value"]) for row in found)
    return np.frombuffer(values, np.uint16).reshape(len(found), lanes)
