"""The jobs: from a crawl to a run directory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union, cast

from kith import _kith
from kith._options import ClusterOptions, DedupOptions, MergeOptions, Progress, StrPath

if TYPE_CHECKING:
    from typing_extensions import Unpack

Inputs = Union[StrPath, Iterable[StrPath]]


def cluster(
    inputs: Inputs,
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[ClusterOptions],
) -> dict[str, Any]:
    """Clusters a crawl: what `kith cluster INPUTS -o OUTPUT` does.

    inputs: WARC, ARC, WET, WAT and JSON lines files, folders of them, or a run directory whose bags
    are used again. output: the run directory, for kith.open(). The same call on the directory of an
    interrupted run goes on after its last finished stage.

    Returns the report: counts, choices and their reasons, times, measured recall. Raises kith.Error,
    and what `progress` raises. Ctrl-C stops it; the run can go on.
    """
    return _report(_kith.cluster(_words(inputs, output, options), progress))


def dedup(
    inputs: Inputs,
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> dict[str, Any]:
    """Finds near-duplicates: what `kith dedup INPUTS -o OUTPUT` does.

    For inputs, output, report and errors see cluster().
    """
    return _report(_kith.dedup(_words(inputs, output, options), progress))


def merge(
    shards: Iterable[StrPath],
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[MergeOptions],
) -> dict[str, Any]:
    """Makes one run of the shards that cluster(shard="I/N") has left: what `kith merge` does."""
    return _report(_kith.merge(_words(shards, output, options), progress))


def _report(text: str) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(text))


def _words(inputs: Inputs, output: StrPath, options: Mapping[str, Any]) -> list[str]:
    """The arguments of the command line."""
    words = [f"--output={os.fspath(output)}"]
    for name, value in options.items():
        words += _option_words("--" + name.replace("_", "-"), value)
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    return [*words, "--", *(os.fspath(path) for path in paths)]


def _option_words(flag: str, value: object) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple)):
        return [word for one in value for word in _option_words(flag, one)]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return [f"{flag}={value}"]
