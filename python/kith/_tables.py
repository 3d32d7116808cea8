"""Near-duplicates among the rows of a table."""

from __future__ import annotations

import importlib
import os
from typing import Any

from kith import _kith
from kith._errors import CorruptError, FileError, NotFoundError, UsageError

# What an Arrow library calls a Parquet file by.
_PARQUET = (".parquet", ".pq", ".parq")


def is_table(source: object) -> bool:
    """Whether this is something with columns, and not the path of a crawl."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source).endswith(_PARQUET)
    return (
        hasattr(source, "__arrow_c_stream__")
        or hasattr(source, "__arrow_c_array__")
        or hasattr(source, "to_reader")
        or hasattr(source, "scanner")
    )


def _path_of(source: object) -> str | None:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else None


def arrow_of(source: Any, columns: list[str]) -> Any:
    """The table by an Arrow library, or as it is: an object with __arrow_c_stream__."""
    if isinstance(source, (str, os.PathLike)):
        source = _dataset(os.fspath(source))
    if hasattr(source, "scanner"):  # a data set of pyarrow: only the columns are read
        missing = [name for name in columns if name not in source.schema.names]
        if missing:
            there = ", ".join(repr(name) for name in source.schema.names)
            raise NotFoundError(f"no column {missing[0]!r}; there are {there}")
        return source.scanner(columns=columns).to_reader()
    return source


def _dataset(path: str) -> Any:
    if not os.path.exists(path):
        raise NotFoundError(f"{path}: no such file")
    try:
        dataset = importlib.import_module("pyarrow.dataset")
    except ImportError:
        raise UsageError(
            f"{path}: Parquet files are read by pyarrow; install it with pip install 'kith[parquet]'"
        ) from None
    try:
        return dataset.dataset(path, format="parquet")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CorruptError(f"{path}: cannot be read as Parquet: {error}") from error


def dedup_table(
    source: object, text: str, id: str | None, words: list[str], progress: Any
) -> _kith.Table:
    """The rows of a table, marked; see kith.dedup."""
    columns = [text] if id is None else [text, id]
    try:
        return _kith.dedup_table(arrow_of(source, columns), text, id, words, progress)
    except (CorruptError, NotFoundError) as error:
        path = _path_of(source)
        if path is None or path in str(error):
            raise
        raise type(error)(f"{path}: {error}") from None
