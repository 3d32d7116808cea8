"""What the task does that clusters all bags: a run of these on its local disk, of which the stages of
`kith cluster` make the rest, and tables of its rows."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType

import kith
from kith import _kith
from kith._errors import UsageError
from kith.spark._cluster.bags import RunTerms
from kith.spark._exchange.records import EDGE
from kith.spark._exchange.session import check_executor, host
from kith.spark._exchange.strings import strings_of
from kith.spark._join.documents import check_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows of a table, some at a time: what tables_of() reads. The report has JSON for data.
SCHEMA = "name string, block int, data binary"
REPORT = "report"
_ROWS_OF_BLOCK = 1 << 16
_ID = "id"  # in the place of the type of ids


def schemas(id_type: DataType) -> dict[str, pa.Schema]:
    """The columns of each table."""
    columns = {
        "clusters": {
            "cluster": pa.int64(), "id": _ID, "role": pa.string(), "similarity": pa.float64(),
            "row": pa.int64(), "center_row": pa.int64(), "center": _ID, "topic": pa.string(),
        },
        "topics": {
            "topic": pa.string(), "pages": pa.int64(), "children": pa.int64(),
            "cohesion": pa.float64(), "label": pa.string(), "exemplar": _ID,
        },
        "related": {
            "id": _ID, "rank": pa.int64(), "related": _ID, "similarity": pa.float64(),
            "row": pa.int64(), "related_row": pa.int64(),
        },
        "pairs": {
            "id_a": _ID, "id_b": _ID, "row_a": pa.int64(), "row_b": pa.int64(),
            "similarity": pa.float64(),
        },
    }  # fmt: skip
    own = to_arrow_type(id_type)
    return {
        name: pa.schema([(n, own if kind is _ID else kind) for n, kind in fields.items()])
        for name, fields in columns.items()
    }


@dataclasses.dataclass(frozen=True)
class ClusterTask:
    """For mapInArrow(), of one partition with all bags, sorted by key. Gives rows of SCHEMA. terms:
    a RunTerms. options: of kith.cluster(). run: the folder of the run, or none: it goes with the task.
    lists: `related`, `pairs`."""

    version: str
    terms: Broadcast[RunTerms]
    sorted_by: str | None
    id_type: DataType
    options: Mapping[str, Any]
    run: str | None
    lists: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(self.version)
        if self.run is not None and not os.path.isdir(self.run):
            raise UsageError(
                f"run {self.run}: the executor on {host()} does not see this folder; name one that"
                " the driver and all executors see"
            )
        with tempfile.TemporaryDirectory(prefix="kith-", dir=_local_folder()) as folder:
            bags, run = os.path.join(folder, "bags"), self.run or os.path.join(folder, "run")
            ids = self._write_bags(batches, bags, os.path.join(folder, "ids"))
            report = kith.cluster(bags, run, **self.options)
            tables = self._tables(_kith.RunRows(run), ids, folder)
            for number, (name, table) in enumerate(tables):
                yield _block(name, number, _packed(table, schemas(self.id_type)[name]))
            yield _block(REPORT, 0, json.dumps(report).encode())

    def _write_bags(self, batches: Iterable[pa.RecordBatch], folder: str, path: str) -> pa.Array:
        """A run of these bags, and the file with their ids. Returns the ids, as they lie there."""
        terms = self.terms.value
        writer = _kith.BagRunWriter.create(
            terms.words, folder, terms.stems, terms.forms, terms.documents
        )
        rows, before, sizes = 0, None, [np.empty(0, np.uint32)]
        with open(path, "wb") as file:
            for batch in batches:
                keys = batch.column("key")
                if self.sorted_by is not None:
                    before = check_keys(keys, before, self.sorted_by)
                    if batch.column("id").null_count > 0:
                        raise UsageError("the column of ids: a row is null")
                    keys = _keys_of_rows(rows, len(keys))
                offsets, entries = _values_of(batch.column("entries"))
                writer.add(keys.to_pylist(), offsets // 8, entries.view(np.uint64))
                offsets, names = _values_of(batch.column("id"))
                file.write(names.data)
                sizes.append(np.diff(offsets).astype(np.uint32))
                rows += len(keys)
        writer.finish()
        if rows == 0:
            raise UsageError("there is no bag to cluster")
        data = pa.memory_map(path).read_buffer() if os.path.getsize(path) > 0 else b""
        return strings_of(data, np.concatenate(sizes))

    def _tables(
        self, rows: _kith.RunRows, ids: pa.Array, folder: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Some rows of each table by their columns; what ids are is told by their rows."""
        number: int | None = 0
        while number is not None:
            found = _columns(rows.clusters(number, _ROWS_OF_BLOCK))
            number = found["cluster"][-1].as_py() if len(found["cluster"]) > 0 else None
            names = {"id": ids.take(found["row"]), "center": ids.take(found["center_row"])}
            yield "clusters", found | names
        if rows.has_topics:
            found = _columns(rows.topics())
            yield "topics", found | {"exemplar": ids.take(found["exemplar_row"])}
        if "related" in self.lists:
            yield from self._related(rows, ids)
        if "pairs" in self.lists:
            yield from self._pairs(rows, ids, folder)

    def _related(self, rows: _kith.RunRows, ids: pa.Array) -> Iterator[tuple[str, dict[str, Any]]]:
        most = 1 << 16
        step = _ROWS_OF_BLOCK // 16
        for begin in range(0, len(rows), step):
            found = _columns(rows.related(begin, min(begin + step, len(rows)), most))
            names = {"id": ids.take(found["row"]), "related": ids.take(found["related_row"])}
            yield "related", found | names

    def _pairs(
        self, rows: _kith.RunRows, ids: pa.Array, folder: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        path = os.path.join(folder, "pairs")
        memory = _kith.bytes_of(str(self.options["memory"]))
        rows.write_pairs(path, folder, memory, int(self.options.get("threads", 0)))
        with open(path, "rb") as file:
            while len(found := np.fromfile(file, EDGE, _ROWS_OF_BLOCK)) > 0:
                a, b = (pa.array(found[name]) for name in "ab")
                yield "pairs", {
                    "id_a": ids.take(a), "id_b": ids.take(b), "row_a": a, "row_b": b,
                    "similarity": pa.array(found["similarity"]),
                }  # fmt: skip


def _local_folder() -> str:
    """Where Spark has its own files of this executor."""
    folders = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir())
    return folders.split(",")[0]


def _keys_of_rows(first: int, count: int) -> pa.Array:
    """Of bags that are of no page: those of URLs of one host, in the order of rows."""
    urls = pa.array([f"http://bags/{row:010}" for row in range(first, first + count)])
    data, offsets = _kith.url_keys(urls)
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), count, buffers)


def _values_of(column: pa.Array) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The offsets and bytes of strings."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    if len(ends) == 0 or data is None:
        return np.zeros(len(column) + 1, np.uint64), np.empty(0, np.uint8)
    values = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
    return (ends - ends[0]).astype(np.uint64), values


def _columns(table: Any) -> dict[str, Any]:
    found = pa.table(table)
    return {name: found.column(name) for name in found.column_names}


def _packed(columns: dict[str, Any], schema: pa.Schema) -> bytes:
    cast = [pc.cast(columns[field.name], field.type) for field in schema]
    table = pa.table(cast, schema=schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _block(name: str, number: int, data: bytes) -> pa.RecordBatch:
    columns = [pa.array([name]), pa.array([number], pa.int32()), pa.array([data], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, names=["name", "block", "data"])


def unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For mapInArrow(), the rows of a table by `data`."""
    for batch in batches:
        for data in batch.column("data"):
            with pa.ipc.open_stream(data.as_buffer()) as stream:
                yield from stream
