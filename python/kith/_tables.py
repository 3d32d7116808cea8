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


def arrow_of(source: Any, columns: list[str]) -> Any:
    """These columns by an Arrow library, or the table as it is: an object with __arrow_c_stream__."""
    if isinstance(source, (str, os.PathLike)):
        return _read_parquet(os.fspath(source), columns)
    if hasattr(source, "scanner"):  # a data set of pyarrow: only the columns are read
        _check_columns(source.schema.names, columns)
        return source.scanner(columns=columns).to_reader()
    return source


def _check_columns(there: list[str], columns: list[str]) -> None:
    for name in columns:
        if name not in there:
            raise NotFoundError(f"no column {name!r}; there are {', '.join(map(repr, there))}")


def _read_parquet(path: str, columns: list[str]) -> Any:
    if not os.path.exists(path):
        raise NotFoundError(f"{path}: no such file")
    try:
        # A folder is a data set, of which importing takes longer than reading some files.
        name = "pyarrow.dataset" if os.path.isdir(path) else "pyarrow.parquet"
        library = importlib.import_module(name)
    except ImportError:
        raise UsageError(
            f"{path}: Parquet files are read by pyarrow; install it with pip install 'kith[parquet]'"
        ) from None
    try:
        if os.path.isdir(path):
            return arrow_of(library.dataset(path, format="parquet"), columns)
        with library.ParquetFile(path) as file:
            _check_columns(file.schema_arrow.names, columns)
            return file.read(columns=columns)
    except NotFoundError as error:
        raise NotFoundError(f"{path}: {error}") from None
    except PermissionError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except (OSError, ValueError) as error:  # of a damaged page either
        raise CorruptError(f"{path}: cannot be read as Parquet: {error}") from error


def dedup_table(
    source: object, text: str, id: str | None, words: list[str], progress: Any
) -> _kith.Table:
    """The rows of a table, marked; see kith.dedup."""
    columns = [text] if id is None else [text, id]
    return _kith.dedup_table(arrow_of(source, columns), text, id, words, progress)
