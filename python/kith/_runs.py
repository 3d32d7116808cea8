"""Finished runs, to be read."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any, cast

from kith import _kith
from kith._options import StrPath

_LISTS = {
    "groups": [
        ("group", "count"),
        ("url", "text"),
        ("role", "text"),
        ("resemblance", "number"),
        ("containment", "number"),
        ("containment_of_kept", "number"),
        ("date", "text"),
        ("file", "text"),
        ("offset", "count"),
        ("record", "count"),
        ("digest", "text"),
    ],
    "pairs": [
        ("url_a", "text"),
        ("url_b", "text"),
        ("resemblance", "number"),
        ("containment_ab", "number"),
        ("containment_ba", "number"),
    ],
    "keep": [
        ("url", "text"),
        ("file", "text"),
        ("record", "count"),
        ("group", "count"),
        ("group_size", "count"),
        ("min_similarity", "number"),
        ("max_similarity", "number"),
        ("hosts", "count"),
        ("first_date", "text"),
        ("last_date", "text"),
        ("weight", "number"),
    ],
    "against": [
        ("url", "text"),
        ("match", "text"),
        ("match_run", "text"),
        ("resemblance", "number"),
        ("containment", "number"),
        ("containment_of_match", "number"),
    ],
}


class Run(_kith.Run):
    """A finished run of kith.cluster or kith.merge; kith.open() makes it."""

    @functools.cached_property
    def report(self) -> dict[str, Any]:
        """Counts, choices and their reasons, times, measured recall."""
        return cast("dict[str, Any]", json.loads(self._report))

    def pairs(self, *, memory: int = 0, threads: int = 0) -> _kith.Table:
        """All pairs at or above the threshold, each once: url_a < url_b, similarity.

        They are computed anew. memory: bytes, 0 for three quarters of the machine; what it does not
        hold goes to a temporary folder. threads: 0 for one per processor.
        """
        with tempfile.TemporaryDirectory(prefix="kith-") as scratch:
            return self._pairs(scratch, memory, threads)

    def __repr__(self) -> str:
        return f"<kith.Run {self.directory!r}: {len(self)} URLs>"


class DedupRun:
    """A finished run of kith.dedup; kith.open() makes it.

    Its lists are tables with the columns that docs/formats/dedup.md describes.
    """

    def __init__(self, directory: StrPath) -> None:
        self.directory: str = os.fspath(directory)
        self.report: dict[str, Any] = json.loads(_kith.dedup_report(self.directory))

    def groups(self) -> _kith.Table:
        """Groups of two and more, the largest first, in each what is kept before what is removed."""
        return self._list("groups")

    def pairs(self) -> _kith.Table:
        """Verified pairs of similar documents."""
        return self._list("pairs")

    def keep(self) -> _kith.Table:
        """Every document that is not removed, in the order of the input."""
        return self._list("keep")

    def against(self) -> _kith.Table:
        """Documents that were removed because an earlier run has one like them."""
        return self._list("against")

    def verify(self) -> None:
        """Reads every file and compares checksums. CorruptError names a damaged one."""
        _kith.verify_dedup_run(self.directory)

    def __repr__(self) -> str:
        return f"<kith.DedupRun {self.directory!r}>"

    def _list(self, name: str) -> _kith.Table:
        path = pathlib.Path(self.directory, name + ".tsv")
        as_json = path.with_suffix(".jsonl")
        if as_json.exists() and not path.exists():
            return _kith.table_of(_LISTS[name], _json_rows(as_json))
        return _kith.read_tsv(str(path), _LISTS[name])


def _json_rows(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def open(directory: StrPath) -> Run | DedupRun:
    """Opens the run directory of kith.cluster, kith.merge or kith.dedup.

    Raises NotFoundError when there is no run, CorruptError when it is damaged.
    """
    path = os.fspath(directory)
    return DedupRun(path) if _kith.is_dedup_run(path) else Run(path)
