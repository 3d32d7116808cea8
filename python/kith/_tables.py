"""Near-duplicates among the rows of a table."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kith import _kith
from kith._errors import CorruptError, FileError, NotFoundError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor

# What an Arrow library calls a Parquet file by.
_PARQUET = (".parquet", ".pq", ".parq")
_BATCH = 1024  # rows that are read at a time

_Dedup = Callable[[object], _kith.Table]


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


def dedup_table(
    source: Any, text: str, id: str | None, words: list[str], progress: Any
) -> _kith.Table:
    """The rows of a table, marked; see kith.dedup."""
    columns = [text] if id is None or id == text else [text, id]

    def dedup(table: object) -> _kith.Table:
        return _kith.dedup_table(table, text, id, words, progress)

    if isinstance(source, (str, os.PathLike)):
        return _dedup_parquet(os.fspath(source), columns, dedup)
    return dedup(_arrow_of(source, columns))


def _arrow_of(source: Any, columns: list[str]) -> Any:
    """An object with __arrow_c_stream__: these columns of a data set, or the table as it is."""
    if not hasattr(source, "scanner"):
        return source
    _check_columns(source.schema.names, columns)
    return source.scanner(columns=columns, batch_size=_BATCH).to_reader()


def _check_columns(there: list[str], columns: list[str]) -> None:
    for name in columns:
        if name not in there:
            raise NotFoundError(f"no column {name!r}; there are {', '.join(map(repr, there))}")


def _dedup_parquet(path: str, columns: list[str], dedup: _Dedup) -> _kith.Table:
    if not os.path.exists(path):
        raise NotFoundError(f"{path}: no such file")
    # A folder is a data set, of which importing takes longer than reading some files.
    is_folder = os.path.isdir(path)
    try:
        library = importlib.import_module("pyarrow.dataset" if is_folder else "pyarrow.parquet")
    except ImportError:
        raise UsageError(
            f"{path}: Parquet files are read by pyarrow; install it with pip install 'kith-web[parquet]'"
        ) from None
    if is_folder:
        with _naming(path):
            table = _arrow_of(library.dataset(path, format="parquet"), columns)
        return dedup(table)
    with _naming(path):
        # Not the whole column at once.
        file = library.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    with file:
        with _naming(path):
            _check_columns(file.schema_arrow.names, columns)
        return _dedup_file(path, file, columns, dedup)


def _dedup_file(path: str, file: Any, columns: list[str], dedup: _Dedup) -> _kith.Table:
    # pyarrow is there, and has imported most of what this takes.
    from concurrent.futures import ThreadPoolExecutor

    arrow: Any = importlib.import_module("pyarrow")
    types = arrow.schema([file.schema_arrow.field(name) for name in columns])
    with ThreadPoolExecutor(1) as reader:
        read = file.iter_batches(batch_size=_BATCH, columns=columns)
        batches = _ReadAhead((batch.select(columns) for batch in read), reader)
        try:
            return dedup(arrow.RecordBatchReader.from_batches(types, batches))
        except CorruptError:
            if batches.error is None:
                raise
        with _naming(path):  # the stream has made a line of text of it
            raise batches.error


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """What pyarrow raises about a file, as an error of kith that names it."""
    try:
        yield
    except NotFoundError as error:
        raise NotFoundError(f"{path}: {error}") from None
    except PermissionError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except (OSError, ValueError) as error:  # of a damaged page either
        raise CorruptError(f"{path}: cannot be read as Parquet: {error}") from error


class _ReadAhead:
    """The batches of an iterator, the next of which another thread reads meanwhile."""

    def __init__(self, batches: Iterator[Any], reader: Executor) -> None:
        self._batches = batches
        self._reader = reader
        self._following = reader.submit(next, batches, None)
        self.error: BaseException | None = None  # what has ended it early

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            batch = self._following.result()
        except BaseException as error:
            self.error = error
            raise
        if batch is None:
            raise StopIteration
        self._following = self._reader.submit(next, self._batches, None)
        return batch
