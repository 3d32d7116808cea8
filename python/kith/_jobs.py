"""The jobs: from a crawl to a run directory."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Union, cast, overload

from kith import _kith
from kith._errors import Error, UsageError
from kith._inputs import dedup_rows, expanded, job_inputs
from kith._options import (
    ClusterOptions,
    DedupOptions,
    MergeOptions,
    PaperOptions,
    Progress,
    ReadOptions,
    StrPath,
)

from kith._tables import Memory, Tables, is_memory, raising

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Paths, patterns, addresses, or a list of them; or a table in memory.
Inputs = Union[StrPath, Iterable[StrPath], object]


def cluster(
    inputs: Inputs,
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[ClusterOptions],
) -> dict[str, Any]:
    """Clusters a crawl: what `kith cluster INPUTS -o OUTPUT` does.

    inputs: WARC, ARC, WET, WAT, JSON lines, CSV, Parquet, Arrow and Feather files, folders, zip files
    (WACZ) and tars of them, patterns ("data/*.parquet"), addresses that fsspec opens ("s3://..."), a
    list of these, or a run directory whose bags are used again; or a table in memory: of polars (also
    a LazyFrame), pandas, pyarrow, DuckDB or what else has __arrow_c_stream__, a series, a reader or
    data set of pyarrow, a data set of Hugging Face, or a list of texts. Its rows are named by url or
    id, else "-:ROW", and text_field and the like name its columns. output: the run directory, for
    kith.open(). The same call on the directory of an interrupted run goes on after its last finished
    stage, unless the input is a table in memory.

    Returns the report: counts, choices and their reasons, times, measured recall. Raises kith.Error,
    and what `progress` raises. Ctrl-C stops it; the run can go on.
    """
    return _run("cluster", inputs, output, options, progress)


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
    return _run("paper", inputs, output, options, progress)


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
    "exclude_list",
    "url_rules",
    "unwrap",
    "captures",
    "revisit",
    "write",
    "annotate",
    "weights",
    "max_loss",
    "dry_run",
    "source_field",
    "against",
    "max_documents",
    "boilerplate",
    "no_distinct_titles",
    "format",
    "list_pairs",
    "unit",
    "min_tokens",
    "passages",
    "sentences",
    "high_loss",
    "examples",
    "no_check",
    "html_field",
    "url_field",
    "title_field",
    "time_field",
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
    text: str | None = None,
    id: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> _kith.Table: ...


def dedup(
    inputs: Any,
    output: StrPath | None = None,
    *,
    text: str | None = None,
    id: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[DedupOptions],
) -> dict[str, Any] | _kith.Table:
    """Finds near-duplicates, in files or in a table.

    With `output` it does what `kith dedup INPUTS -o OUTPUT` does; for inputs, output, report and
    errors see cluster(). With unit="span", "line" or "paragraph" it finds passages that stand in
    several documents, and with write= makes JSON lines of the texts without them. keep: a rule, or a
    list of rules in order. Error says which source or host loses more than max_loss.

    Without, inputs is a table in memory, as of cluster(), or files of tables (Parquet, Arrow,
    Feather), folders, patterns or addresses of them. text: its column of documents (the first of
    text, content, raw_content, html and markdown that there is; a path with dots into a struct). id:
    a column of unique names. The answer is a Table with one row for each, in
    the same order: group (from 1, the largest first; 0 for a document that is like no other), keep,
    kept_row (the row of the document that stays, counted from 0), similarity (the resemblance with
    it), and with id= also kept_id. A null is kept and in no group; Table.report counts them.
    NotFoundError names a column that is missing, UsageError one of another type and a row with an id
    that is null or not unique, CorruptError a Parquet file that is damaged.
    """
    if output is not None:
        if text is not None or id is not None:
            raise UsageError("text and id: with output name columns by text_field and id_field")
        report = _run("dedup", inputs, output, options, progress)
        for loss in report.get("over_max_loss", []):
            raise Error(
                f"max_loss: the {loss['part']} {loss['name']} would lose {loss['removed']} of its {loss['documents']}"
                f" documents; nothing was written. {output} has the list losses"
            )
        return report
    for name in _OF_FILES:
        if name in options:
            raise UsageError(f"{name}: is about files, and does nothing for a table")
    for name in ("text_field", "id_field"):
        if name in options:
            raise UsageError(f"{name}: without output it is called {name.removesuffix('_field')}")
    with _in_python("dedup"):
        return dedup_rows(inputs, text, id, _words(["table"], "none", options), progress)


def merge(
    shards: Iterable[StrPath],
    output: StrPath,
    *,
    progress: Progress | None = None,
    **options: Unpack[MergeOptions],
) -> dict[str, Any]:
    """Makes one run of the shards that cluster(shard="I/N") or dedup(shard="I/N") has left: what
    `kith merge` does."""
    with _in_python("merge"):
        return _report(_kith.merge(_words(expanded(shards), output, options), Tables(), progress))


def pages(
    inputs: Inputs, *, words: bool = True, **options: Unpack[ReadOptions]
) -> _kith.PageReader:
    """The pages of a crawl, one after the other, as cluster() reads them.

    inputs and options: as of cluster(). words: whether Page.words is filled. Raises kith.Error when
    a file does not exist, has no known format or can no longer be read.
    """
    # What had to be fetched would be gone before it is read.
    if is_memory(inputs):
        inputs, tables = ["-"], Tables(Memory(inputs))
    else:
        inputs, tables = expanded(inputs), Tables()
    with _in_python("cluster"):
        return _kith.page_reader(_words(inputs, "none", options), tables, words)


def _run(
    job: Literal["cluster", "paper", "dedup"],
    inputs: Any,
    output: StrPath,
    options: Mapping[str, Any],
    progress: Progress | None,
) -> dict[str, Any]:
    with _in_python(job), job_inputs(inputs, options) as (names, tables):
        run = getattr(_kith, job)
        with raising(tables.failures):
            return _report(run(_words(names, output, options), tables, progress))


_FLAG = re.compile(r"'[^']*'|(?<![^\s(])(?:option )?--([a-z][a-z-]*)")
_HELP = re.compile(r" \(see 'kith [a-z]+ --help'\)")


@contextlib.contextmanager
def _in_python(job: str) -> Iterator[None]:
    """Speaks of arguments where the library speaks of options of the command line."""
    try:
        yield
    except Error as error:
        known = _kith.option_names(job)

        def argument(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0]
            name = match[1].replace("-", "_")
            if match[0].startswith("option "):
                return f"argument {name}"
            return name if match[1] in known else match[0]

        text = _FLAG.sub(argument, _HELP.sub("", str(error)))
        if text == str(error):
            raise
        raise type(error)(text) from None


def _report(text: str) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(text))


def _words(inputs: Any, output: StrPath, options: Mapping[str, Any]) -> list[str]:
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
