"""The jobs: from a crawl to a run directory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union, cast, overload

from kith import _kith
from kith._errors import UsageError
from kith._options import (
    ClusterOptions,
    DedupOptions,
    MergeOptions,
    PaperOptions,
    Progress,
    ReadOptions,
    StrPath,
)
from kith._tables import dedup_table, is_table

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

    inputs: WARC, ARC, WET, WAT and JSON lines files, folders, zip files (WACZ) and tars of them, or a run directory
    whose bags are used again. output: the run directory, for kith.open(). The same call on the directory of an
    interrupted run goes on after its last finished stage.

    Returns the report: counts, choices and their reasons, times, measured recall. Raises kith.Error,
    and what `progress` raises. Ctrl-C stops it; the run can go on.
    """
    return _report(_kith.cluster(_words(inputs, output, options), progress))


def paper(
    inputs: Inputs,
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[PaperOptions],
) -> dict[str, Any]:
    """Clusters a crawl by the steps of the paper: what `kith paper INPUTS -o OUTPUT` does.

    inputs, output, the report and errors: as of cluster(). The bags of a run that is the input are
    taken as they are; own_bags of the report is then false.
    """
    return _report(_kith.paper(_words(inputs, output, options), progress))


# Options of files, which a table has not.
_OF_FILES = (
    "base_url",
    "status",
    "max_page",
    "language",
    "strict",
    "shard",
    "include",
    "exclude",
    "only",
    "write",
    "against",
    "max_documents",
    "boilerplate",
    "no_distinct_titles",
    "format",
    "list_pairs",
    "no_check",
)


@overload
def dedup(
    inputs: Inputs,
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> dict[str, Any]: ...


@overload
def dedup(
    inputs: object,
    output: None = None,
    *,
    text: str = "text",
    id: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> _kith.Table: ...


def dedup(
    inputs: Any,
    output: StrPath | None = None,
    *,
    text: str = "text",
    id: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> dict[str, Any] | _kith.Table:
    """Finds near-duplicates, in files or in a table.

    With `output` it does what `kith dedup INPUTS -o OUTPUT` does; for inputs, output, report and
    errors see cluster().

    Without, inputs is a table: of polars, pandas, pyarrow, DuckDB or what else has
    __arrow_c_stream__, a reader or data set of pyarrow, or the path of a Parquet file. text: its
    column of documents. id: a column of unique names. The answer is a Table with one row for each, in
    the same order: group (from 1, the largest first; 0 for a document that is like no other), keep,
    kept_row (the row of the document that stays, counted from 0), similarity (the resemblance with
    it), and with id= also kept_id. A null is kept and in no group; Table.report counts them.
    NotFoundError names a column that is missing, UsageError one of another type and a row with an id
    that is null or not unique, CorruptError a Parquet file that is damaged.
    """
    if output is not None:
        return _report(_kith.dedup(_words(inputs, output, options), progress))
    if not is_table(inputs):
        raise UsageError(
            "output: name the run directory; without one, inputs must be a table or a Parquet file"
            f" (.parquet), not {_what(inputs)}"
        )
    for name in _OF_FILES:
        if name in options:
            raise UsageError(f"{name}: is about files, and does nothing for a table")
    words = _words("table", "none", options)
    return dedup_table(inputs, text, id, words, progress)


def merge(
    shards: Iterable[StrPath],
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[MergeOptions],
) -> dict[str, Any]:
    """Makes one run of the shards that cluster(shard="I/N") or dedup(shard="I/N") has left: what
    `kith merge` does."""
    return _report(_kith.merge(_words(shards, output, options), progress))


def pages(
    inputs: Inputs, *, words: bool = True, **options: Unpack[ReadOptions]
) -> _kith.PageReader:
    """The pages of a crawl, one after the other, as cluster() reads them.

    inputs and options: as of cluster(). words: whether Page.words is filled. Raises kith.Error when
    a file does not exist, has no known format or can no longer be read.
    """
    return _kith.page_reader(_words(inputs, "none", options), words)


def _what(inputs: object) -> str:
    is_path = isinstance(inputs, (str, os.PathLike))
    return repr(os.fspath(inputs)) if is_path else f"a {type(inputs).__name__}"  # type: ignore[call-overload]


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
