"""What people hold, as the inputs of jobs: paths, patterns, folders, addresses, tables in memory."""

from __future__ import annotations

import contextlib
import glob
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kith import _kith
from kith._errors import FileError, NotFoundError, UsageError
from kith._tables import (
    TEXTS,
    Memory,
    Tables,
    check_columns,
    file_systems,
    is_memory,
    is_path,
    is_table_file,
    is_url,
    raising,
    read_files,
)

# What is read of a folder behind an address; of one on this machine the library knows itself.
_CRAWLS = (".warc", ".wet", ".wat", ".arc", ".jsonl", ".ndjson", ".csv", ".tsv")
_PACKED = ("", ".gz", ".zst")
_FIELDS = ("text_field", "html_field", "id_field", "url_field", "title_field", "time_field")
_USUAL = (*TEXTS, "url", "warc_target_uri", "id", "doc_id", "title", "time")


@contextlib.contextmanager
def job_inputs(inputs: Any, options: Mapping[str, Any]) -> Iterator[tuple[list[str], Tables]]:
    """The words that name the inputs of a job, and what opens the tables among them. What has to be
    fetched for it is there while this lasts."""
    if is_memory(inputs):
        named = [options[name].split(".")[0] for name in _FIELDS if options.get(name)]
        yield ["-"], Tables(Memory(inputs, [*named, *_USUAL]))
        return
    with contextlib.ExitStack() as stack:
        yield [_fetched(name, stack) for name in expanded(inputs)], Tables()


def expanded(inputs: Any) -> list[str]:
    """Paths and addresses, patterns replaced by what they match."""
    if is_path(inputs):
        inputs = [inputs]
    elif not isinstance(inputs, Iterable):
        raise UsageError(f"inputs: {_what(inputs)} is neither a path, nor a list of them, nor a table")
    names: list[str] = []
    for one in inputs:
        if not is_path(one):
            raise UsageError(f"inputs: a list of paths, or of texts, has {_what(one)} in it")
        names += _expanded(os.fspath(one))
    return names


def _expanded(name: str) -> list[str]:
    if is_url(name):
        return _expanded_url(name)
    if glob.has_magic(name) and not os.path.exists(name):
        found = sorted(glob.glob(name, recursive=True))
        if not found:
            raise NotFoundError(f"{name}: the pattern matches no file")
        return found
    return [name]


def _expanded_url(url: str) -> list[str]:
    fsspec = file_systems(url)
    protocol = url.split("://")[0]
    try:
        system, path = fsspec.url_to_fs(url)
        if glob.has_magic(path):
            found = sorted(system.glob(path))
        elif system.isdir(path):
            found = sorted(filter(_is_crawl, system.find(path)))
        else:
            return [url]
    except (ImportError, ValueError) as error:  # of the library for this kind of address
        raise UsageError(f"{url}: {error}") from None
    except OSError as error:
        raise FileError(f"{url}: {error}") from error
    if not found:
        raise NotFoundError(f"{url}: there is no file to read")
    return [f"{protocol}://{str(one).lstrip('/') if protocol != 'file' else one}" for one in found]


def _is_crawl(name: str) -> bool:
    endings = tuple(crawl + packed for crawl in _CRAWLS for packed in _PACKED)
    return is_table_file(name) or name.lower().endswith(endings)


def _fetched(name: str, stack: contextlib.ExitStack) -> str:
    """Tables are read where they are; another file comes to this machine first."""
    if not is_url(name) or is_table_file(name):
        return name
    system, path = file_systems(name).url_to_fs(name)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kith-"))
    own = os.path.join(folder, os.path.basename(path.rstrip("/")) or "input")
    try:
        system.get_file(path, own)
    except FileNotFoundError:
        raise NotFoundError(f"{name}: no such file") from None
    except OSError as error:
        raise FileError(f"{name}: {error}") from error
    return own


def dedup_rows(
    inputs: Any, text: str | None, id: str | None, words: list[str], progress: Any
) -> _kith.Table:
    """The rows of a table, marked; see kith.dedup."""
    columns = [name for name in (text, id) if name is not None]
    if is_memory(inputs):
        names = Memory(inputs).names()
        if text is None:
            text = _text_among(names)
        columns = list(dict.fromkeys([text, *columns]))
        memory = Memory(inputs, _whole(columns))
        if names is not None:
            check_columns("", names, columns)
        return _kith.dedup_table(memory.read(_whole(columns)), text, id, words, progress)
    files = _table_files(inputs)
    if text is None:
        text = _text_among(list(Tables().schema(files[0]).names))
    columns = list(dict.fromkeys([text, *columns]))
    failures: list[BaseException] = []
    rows = read_files(files, _whole(columns), failures)
    with raising(failures):
        return _kith.dedup_table(rows, text, id, words, progress)


def _whole(columns: list[str]) -> list[str]:
    """The columns that hold these, which may be paths into structs."""
    return list(dict.fromkeys(name.split(".")[0] for name in columns))


def _text_among(names: list[str] | None) -> str:
    if names is None:
        return TEXTS[0]
    for name in TEXTS:
        if name in names:
            return name
    if len(names) == 1:
        return names[0]
    listed = ", ".join(map(repr, names))
    raise NotFoundError(f"none of the columns {listed} is known to hold texts: name one with text=")


def _table_files(inputs: Any) -> list[str]:
    files: list[str] = []
    for name in expanded(inputs):
        if os.path.isdir(name):
            below = sorted(
                os.path.join(folder, one) for folder, _, ones in os.walk(name) for one in ones
            )
            files += filter(is_table_file, below)
        else:
            files.append(name)
    if files and all(map(is_table_file, files)):
        return files
    raise UsageError(
        "output: name the run directory; without one, inputs must be a table, texts, or files of"
        f" tables (.parquet, .arrow, .feather), not {_what(inputs)}"
    )


def _what(inputs: object) -> str:
    return repr(os.fspath(inputs)) if is_path(inputs) else f"a {type(inputs).__name__}"  # type: ignore[call-overload]
