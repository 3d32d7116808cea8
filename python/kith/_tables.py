"""Tables as inputs and lists: what opens and makes them for the jobs."""

from __future__ import annotations

import bisect
import contextlib
import importlib
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kith import _kith
from kith._errors import CorruptError, Error, FileError, NotFoundError, UsageError

# What Arrow libraries call their files by.
PARQUET = (".parquet", ".pq", ".parq")
TABLES = (*PARQUET, ".arrow", ".feather", ".ipc")
# The columns that are looked for where none is named, in this order.
TEXTS = ("text", "content", "raw_content", "html", "markdown")

_BATCH = 1024  # rows that are read at a time
_PART = 32 << 20  # bytes of a row group that are held at a time
_SLICE = 4096  # bytes from which on it is cheaper to point at rows than to copy them


def is_path(source: object) -> bool:
    return isinstance(source, (str, os.PathLike))


def is_url(name: str) -> bool:
    return "://" in name


def is_table_file(name: str) -> bool:
    return name.lower().endswith(TABLES)


def library(name: str, what: str) -> Any:
    """A library that the package does without, until something needs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(
            f"{what} needs pyarrow; install it with pip install 'kith-web[parquet]'"
        ) from None


class Memory:
    """A table in memory: anything with columns of an Arrow library, and what becomes such a table."""

    def __init__(self, source: Any, wanted: Sequence[str] = ()) -> None:
        self._source = _with_columns(source, wanted)
        self._names = _names_of(source if hasattr(source, "iloc") else self._source)

    def names(self) -> list[str] | None:
        """Of the columns, if they are known without reading."""
        return self._names

    def schema(self) -> Any:
        """Of the columns; or a stream, which is then what is read."""
        source = self._source
        if hasattr(source, "scanner"):
            return source.schema
        if _is_lazy(source):
            schema = source.collect_schema()
            if hasattr(schema, "__arrow_c_schema__"):
                return schema
            return source.head(0).collect().to_arrow().schema  # of older releases of polars
        if _is_hugging_face(source):
            known = getattr(source, "features", None)
            return known.arrow_schema if known else self.read([])
        return self.read([])

    def read(self, columns: Sequence[str]) -> Any:
        """The rows, with these columns at least."""
        source = self._source
        if hasattr(source, "scanner"):
            return source.scanner(columns=list(columns) or None, batch_size=_BATCH).to_reader()
        if _is_lazy(source):
            return (source.select(list(columns)) if columns else source).collect(engine="streaming")
        if _is_hugging_face(source):
            return _of_hugging_face(source, columns)
        return source


def _names_of(source: Any) -> list[str] | None:
    if hasattr(source, "collect_schema"):
        return list(source.collect_schema().names())
    names = getattr(source, "column_names", None)
    if names is None:
        names = getattr(source, "columns", None)
    if names is None and hasattr(source, "schema"):
        names = getattr(source.schema, "names", None)
    if names is None or callable(names):
        return None
    return [name for name in names if isinstance(name, str)]


def _with_columns(source: Any, wanted: Sequence[str]) -> Any:
    """A table, of what may have no names: texts, a series, an array."""
    if isinstance(source, Mapping):
        if all(hasattr(split, "with_format") for split in source.values()):
            splits = ", ".join(map(repr, source))
            raise UsageError(f"a dict of data sets: name one of its splits ({splits})")
        return library("pyarrow", "a dict of columns").table(dict(source))
    if isinstance(source, (list, tuple)):
        if source and isinstance(source[0], Mapping):
            return library("pyarrow", "a list of dicts").Table.from_pylist(list(source))
        return _of_texts(source)
    if hasattr(source, "to_frame"):  # a series of polars or pandas
        return source.to_frame("text")
    is_struct = str(getattr(source, "type", "")).startswith("struct")
    if is_struct and type(source).__module__.startswith("pyarrow"):  # rows, some of them perhaps null
        return source
    if type(source).__module__.startswith("pyarrow") and hasattr(source, "dictionary_encode"):
        return importlib.import_module("pyarrow").table({"text": source})
    if hasattr(source, "iloc") and wanted:  # pandas: other columns may hold what Arrow has no type of
        there = [name for name in dict.fromkeys(wanted) if name in source.columns]
        return source[there] if there else source
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "scanner"):
        return source
    if hasattr(source, "__arrow_c_array__"):
        return library("pyarrow", "an Arrow array").record_batch(source)
    if hasattr(source, "to_reader"):
        return source.to_reader()
    return source


def _of_texts(texts: Sequence[object]) -> Any:
    for row, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise UsageError(f"texts: row {row} is of type {type(text).__name__}, not str")
    return _kith.table_of([("text", "text")], ({"text": text or ""} for text in texts))


def is_memory(source: object) -> bool:
    """Whether this is a table, and no path and no list of paths."""
    if is_path(source):
        return False
    if isinstance(source, (list, tuple)):
        return _are_texts(source)
    tables = ("__arrow_c_stream__", "__arrow_c_array__", "to_reader", "scanner", "to_frame")
    return (
        isinstance(source, Mapping)
        or _is_lazy(source)
        or _is_hugging_face(source)
        or any(hasattr(source, name) for name in tables)
    )


def _are_texts(items: Sequence[object]) -> bool:
    """Texts have blanks, and paths are there."""
    if any(isinstance(item, Mapping) for item in items[:1]):
        return True
    if not items or not all(item is None or isinstance(item, str) for item in items):
        return False
    texts = [item for item in items if isinstance(item, str)]
    if any(is_url(text) or is_table_file(text) for text in texts if not _has_blank(text)):
        return False
    return any(map(_has_blank, texts)) and not any(
        len(text) < 4096 and "\0" not in text and os.path.exists(text) for text in texts
    )


def _has_blank(text: str) -> bool:
    return any(character.isspace() for character in text)


def _is_lazy(source: object) -> bool:
    return type(source).__name__ == "LazyFrame" and hasattr(source, "collect_schema")


def _is_hugging_face(source: object) -> bool:
    return hasattr(source, "with_format") and hasattr(source, "select_columns")


def _of_hugging_face(source: Any, columns: Sequence[str]) -> Any:
    """Dataset and IterableDataset give tables of pyarrow, which is there where these are."""
    arrow: Any = importlib.import_module("pyarrow")
    if columns:
        source = source.select_columns(list(columns))
    tables = iter(source.with_format("arrow").iter(batch_size=_BATCH))
    first = next(tables, None)
    if first is None:
        return arrow.table({name: arrow.nulls(0, arrow.string()) for name in columns or ["text"]})

    def batches() -> Iterator[Any]:
        yield from first.to_batches()
        for table in tables:
            yield from table.cast(first.schema).to_batches()

    return arrow.RecordBatchReader.from_batches(first.schema, batches())


class Tables:
    """What the library asks for tables: files, what fsspec opens, and one in memory, named "-"."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory
        self.failures: list[BaseException] = []  # that have ended the reading of files

    def has(self, name: str) -> bool:
        return self._memory is not None if name == "-" else is_url(name) and is_table_file(name)

    def schema(self, name: str) -> Any:
        if name == "-" and self._memory is not None:
            return self._memory.schema()
        with _opened(name) as file:
            return file.schema

    def read(self, name: str, columns: list[str]) -> Any:
        if name == "-" and self._memory is not None:
            return self._memory.read(columns)
        return read_files([name], columns, self.failures)

    def copy(
        self,
        name: str,
        removed: list[int],
        write: Callable[[bytes], None],
        added: Sequence[tuple[str, str]] = (),
        lines: Callable[[int, int], bytes] | None = None,
    ) -> None:
        """Writes the file without these rows: its columns, their types and their order stay. Added are columns by
        name and type, whose values in rows are JSON lines."""
        arrow: Any = importlib.import_module("pyarrow")
        rows = 0
        with _opened(name) as file, _naming(name):
            columns = _Added(added, lines, file.schema) if lines and added else None
            schema = columns.schema if columns else file.schema
            with file.writer(_Sink(write), schema) as writer:
                for batches in file.parts():
                    kept: list[Any] = []
                    for batch in batches:
                        end = rows + len(batch)
                        here = removed[bisect.bisect_left(removed, rows) : bisect.bisect_left(removed, end)]
                        whole = columns.to(batch, rows) if columns else batch
                        kept += _without(whole, [row - rows for row in here])
                        rows = end
                    file.write(writer, arrow.Table.from_batches(kept, schema))
        if removed and removed[-1] >= rows:
            raise CorruptError(
                f"{name} does not hold the rows that were read of it: it has changed since; run"
                " again on a file that stays as it is"
            )

    def create(self, form: str, columns: Sequence[tuple[str, str]], write: Callable[[bytes], None]) -> ListFile:
        """A file of a list, with columns by name and type."""
        return ListFile(form, columns, write)


def _without(batch: Any, removed: Sequence[int]) -> list[Any]:
    """What stays of a batch, in parts that share its memory where these are not small."""
    ends = [*removed, len(batch)]
    starts = [0, *(row + 1 for row in removed)]
    runs = [(start, end - start) for start, end in zip(starts, ends) if start < end]
    if len(runs) <= 1 or batch.nbytes >= _SLICE * len(runs):
        return [batch.slice(*run) for run in runs]
    arrow: Any = importlib.import_module("pyarrow")
    mask = [True] * len(batch)
    for row in removed:
        mask[row] = False
    return [batch.filter(arrow.array(mask))]


def _arrow_types(arrow: Any) -> dict[str, Any]:
    """By the names of RowColumn::Type."""
    return {
        "text": arrow.string(),
        "words": arrow.list_(arrow.string()),
        "count": arrow.int64(),
        "share": arrow.float64(),
        "boolean": arrow.bool_(),
    }


def _from_json(lines: bytes, schema: Any) -> Any:
    """A table of JSON lines, as one block: a row may be long."""
    json: Any = importlib.import_module("pyarrow.json")
    read = json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    parse = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    return json.read_json(io.BytesIO(lines), read, parse)


class _Added:
    """Columns at the end of a table, in place of its own of the same names; null where a row has no value."""

    def __init__(
        self, columns: Sequence[tuple[str, str]], lines: Callable[[int, int], bytes], schema: Any
    ) -> None:
        self._arrow: Any = importlib.import_module("pyarrow")
        types = _arrow_types(self._arrow)
        self._own = self._arrow.schema([(name, types[kind]) for name, kind in columns])
        self._lines = lines
        fields = [field for field in schema if field.name not in self._own.names]
        self._kept = [field.name for field in fields]
        self.schema = self._arrow.schema([*fields, *self._own], metadata=schema.metadata)

    def to(self, batch: Any, row: int) -> Any:
        """A batch with the columns, whose first row this is."""
        table = _from_json(self._lines(row, row + len(batch)), self._own) if len(batch) else self._own.empty_table()
        columns = [table.column(name).combine_chunks() for name in self._own.names]
        return self._arrow.RecordBatch.from_arrays(
            [*(batch.column(name) for name in self._kept), *columns], schema=self.schema
        )


class ListFile:
    """A Parquet or Arrow file of the rows of a list, which come as JSON lines."""

    _PART = 8 << 20  # bytes of lines that become a row group or a batch

    def __init__(self, form: str, columns: Sequence[tuple[str, str]], write: Callable[[bytes], None]) -> None:
        self._arrow = arrow = library("pyarrow", f"--format {form}")
        types = _arrow_types(arrow)
        self._schema = arrow.schema([arrow.field(name, types[kind], nullable=False) for name, kind in columns])
        sink = _Sink(write)
        if form == "parquet":
            self._writer = importlib.import_module("pyarrow.parquet").ParquetWriter(sink, self._schema)
        else:
            self._writer = importlib.import_module("pyarrow.ipc").new_file(sink, self._schema)
        self._lines: list[bytes] = []
        self._size = 0

    def append(self, lines: bytes) -> None:
        self._lines.append(lines)
        self._size += len(lines)
        if self._size >= self._PART:
            self._write()

    def finish(self) -> None:
        self._write()
        self._writer.close()

    def _write(self) -> None:
        if self._size:
            table = _from_json(b"".join(self._lines), self._schema)
            self._writer.write_table(self._arrow.Table.from_arrays(table.columns, schema=self._schema))
        self._lines, self._size = [], 0


class _Sink:
    """A file of Python that hands on what is written."""

    closed = False

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._size = 0

    def write(self, data: Any) -> int:
        view = bytes(data)
        self._write(view)
        self._size += len(view)
        return len(view)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


class _Parquet:
    """A Parquet file."""

    def __init__(self, source: Any) -> None:
        self._parquet: Any = importlib.import_module("pyarrow.parquet")
        # Not the whole column at once.
        self._file = self._parquet.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20)
        self.schema = self._file.schema_arrow

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The file gives the columns in its own order."""
        read = self._file.iter_batches(batch_size=_BATCH, columns=list(columns) or None)
        return (batch.select(columns) if columns else batch for batch in read)

    def parts(self) -> Iterator[list[Any]]:
        """The batches of row groups, and of parts of large ones."""
        for group in range(self._file.num_row_groups):
            part: list[Any] = []
            size = 0
            for batch in self._file.iter_batches(batch_size=_BATCH, row_groups=[group]):
                part.append(batch)
                size += batch.nbytes
                if size >= _PART:
                    yield part
                    part, size = [], 0
            if part:
                yield part

    def write(self, writer: Any, table: Any) -> None:
        writer.write_table(table)

    def writer(self, sink: _Sink, schema: Any) -> Any:
        return self._parquet.ParquetWriter(sink, schema, compression=self._codecs())

    def _codecs(self) -> dict[str, str] | str:
        groups = self._file.metadata
        if groups.num_row_groups == 0:
            return "snappy"
        first = groups.row_group(0)
        columns = map(first.column, range(first.num_columns))
        names = {column.path_in_schema: column.compression for column in columns}
        return {path: "none" if name == "UNCOMPRESSED" else name for path, name in names.items()}


class _Ipc:
    """An Arrow file, with or without an index of its batches, or a Feather file."""

    def __init__(self, source: Any, start: bytes) -> None:
        ipc: Any = importlib.import_module("pyarrow.ipc")
        self._is_feather = start.startswith(b"FEA1")
        self._has_index = start.startswith(b"ARROW1")
        self._reader: Any
        if self._is_feather:
            self._reader = importlib.import_module("pyarrow.feather").read_table(source)
        else:
            self._reader = (ipc.open_file if self._has_index else ipc.open_stream)(source)
        self.schema = self._reader.schema

    def parts(self) -> Iterator[list[Any]]:
        for batch in self._all():
            yield [batch]

    def write(self, writer: Any, table: Any) -> None:
        """As one batch."""
        writer.write_table(table.combine_chunks())

    def _all(self) -> Iterator[Any]:
        if self._is_feather:
            yield from self._reader.to_batches()
        elif self._has_index:
            yield from map(self._reader.get_batch, range(self._reader.num_record_batches))
        else:
            yield from self._reader

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        return (batch.select(columns) if columns else batch for batch in self._all())

    def writer(self, sink: _Sink, schema: Any) -> Any:
        ipc: Any = importlib.import_module("pyarrow.ipc")
        is_stream = not (self._is_feather or self._has_index)
        return (ipc.new_stream if is_stream else ipc.new_file)(sink, schema)


@contextlib.contextmanager
def _opened(name: str) -> Iterator[Any]:
    """A file of a table by its path or URL, open while this lasts."""
    arrow = library("pyarrow", name)
    with contextlib.ExitStack() as stack:
        if is_url(name):
            source = stack.enter_context(open_url(name))
        elif not os.path.exists(name):
            raise NotFoundError(f"{name}: no such file")
        else:
            with _naming(name):
                source = stack.enter_context(open(name, "rb"))
        start = source.read(8)
        source.seek(0)
        with _naming(name):
            if start.startswith(b"PAR1"):
                opened: Any = _Parquet(source if is_url(name) else name)
            elif name.lower().endswith(PARQUET):
                raise CorruptError(f"{name}: is no Parquet file: it does not begin with PAR1")
            else:
                mapped = source if is_url(name) else stack.enter_context(arrow.memory_map(name))
                opened = _Ipc(mapped, start)
        yield opened


def read_files(names: Sequence[str], columns: Sequence[str], failures: list[BaseException]) -> Any:
    """The rows of files one behind the other, as a reader; all have the types of the first. What
    ends it early becomes a line of text on its way through Arrow, and is added to the failures."""
    arrow = library("pyarrow", names[0])
    with _opened(names[0]) as file:
        check_columns(names[0], file.schema.names, columns)
        schema = file.schema
    if columns:
        schema = arrow.schema([schema.field(name) for name in columns])
    batches = _read_ahead(_batches(names, columns, schema), failures)
    return arrow.RecordBatchReader.from_batches(schema, batches)


def _batches(names: Sequence[str], columns: Sequence[str], schema: Any) -> Iterator[Any]:
    arrow: Any = importlib.import_module("pyarrow")
    for name in names:
        with _opened(name) as file, _naming(name):
            check_columns(name, file.schema.names, columns)
            for batch in file.batches(columns):
                if batch.schema.equals(schema):
                    yield batch
                else:
                    yield from arrow.Table.from_batches([batch]).cast(schema).to_batches()


def _read_ahead(batches: Iterator[Any], failures: list[BaseException]) -> Iterator[Any]:
    """The batches, the next of which another thread reads meanwhile."""
    # pyarrow is there, and has imported most of what this takes.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, batches, None)
        while True:
            try:
                batch = following.result()
            except BaseException as error:
                failures.append(error)
                raise
            if batch is None:
                return
            following = reader.submit(next, batches, None)
            yield batch


@contextlib.contextmanager
def raising(failures: list[BaseException]) -> Iterator[None]:
    """Raises what has failed itself, in place of the line that Arrow has made of it."""
    try:
        yield
    except Error:
        if not failures:
            raise
        raise failures[0] from None


def check_columns(name: str, there: Sequence[str], columns: Sequence[str]) -> None:
    """name: of a file; empty for a table in memory."""
    for column in columns:
        if column in there or column.split(".")[0] in there:
            continue
        where = f"{name}: " if name else ""
        raise NotFoundError(f"{where}no column {column!r}; there are {', '.join(map(repr, there))}")


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """What pyarrow raises about a file, as an error of kith that names it."""
    try:
        yield
    except Error:
        raise
    except PermissionError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except (OSError, ValueError) as error:  # of a damaged page either
        what = "Parquet" if path.lower().endswith(PARQUET) else "Arrow"
        raise CorruptError(f"{path}: cannot be read as {what}: {error}") from error


def open_url(url: str) -> Any:
    """What fsspec opens for reading."""
    fsspec = file_systems(url)
    try:
        return fsspec.open(url, "rb").open()
    except FileNotFoundError:
        raise NotFoundError(f"{url}: no such file") from None
    except ImportError as error:  # of the library for this kind of address
        raise UsageError(f"{url}: {error}") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{url}: {error}") from error


def file_systems(url: str) -> Any:
    try:
        return importlib.import_module("fsspec")
    except ImportError:
        raise UsageError(f"{url}: addresses are read by fsspec; install it with pip install fsspec") from None
