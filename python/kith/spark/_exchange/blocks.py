"""Blocks: how records travel between executors.

A record is a fixed number of bytes, an item of a NumPy array with named fields. A task gathers its
records by the slice of the job that they are for, and gives them to Spark as a few rows of many
records each. So Spark shuffles rows of up to some MiB, and no record becomes an object of Java or
Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
import pyarrow as pa

from kith import _kith

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = "target int, kind int, data binary"
_ARROW = pa.schema([("target", pa.int32()), ("kind", pa.int32()), ("data", pa.binary())])
_FLUSH = 16 << 20  # bytes that a task gathers before it gives them away
# Bytes of a row, unless one piece has more: the JVM copies rows several times, and takes some at once.
_ROW = 4 << 20

_SETS_OF_PIECE = 256

Records = Any  # a NumPy array with named fields
Bytes = Union[bytes, memoryview]


class Slots:
    """The values of the column `target` that lead to the slices, each a partition of Spark."""

    def __init__(self, values: list[int]) -> None:
        self.values = np.array(values, np.int32)
        self._slice_of = {value: number for number, value in enumerate(values)}

    def __len__(self) -> int:
        return len(self.values)

    def slice_of(self, target: int) -> int:
        return self._slice_of[target]


class Outbox:
    """Gathers what a task sends."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._pieces: dict[tuple[int, int], list[Bytes]] = {}
        self._bytes = 0

    def add(self, kind: int, slices: NDArray[np.uint32], records: Records) -> None:
        """Each record goes to the slice of the same place."""
        size = records.dtype.itemsize
        grouped, ends = _kith.grouped(_bytes_of(records), size, slices, len(self._slots))
        begin = 0
        for number in np.flatnonzero(np.diff(ends, prepend=np.uint64(0))).tolist():
            end = int(ends[number]) * size
            self._add_rows(kind, number, grouped[begin:end], size)
            begin = end

    def add_all(self, kind: int, slice_number: int, records: Records) -> None:
        """All of them to one slice."""
        self._add_rows(kind, slice_number, _bytes_of(records), records.dtype.itemsize)

    def _add_rows(self, kind: int, slice_number: int, data: NDArray[np.uint8], size: int) -> None:
        step = max(1, _ROW // size) * size
        for begin in range(0, len(data), step):
            self.add_bytes(kind, slice_number, data[begin : begin + step].data)

    def add_bytes(self, kind: int, slice_number: int, data: Bytes) -> None:
        self._pieces.setdefault((slice_number, kind), []).append(data)
        self._bytes += len(data)

    def flush_full(self) -> Iterator[pa.RecordBatch]:
        """What there is, once it is enough."""
        if self._bytes >= _FLUSH:
            yield from self.flush()

    def flush(self) -> Iterator[pa.RecordBatch]:
        for (number, kind), pieces in self._pieces.items():
            target = pa.array([self._slots.values[number]], pa.int32())
            for data in _rows_of(pieces):
                offsets = pa.py_buffer(np.array([0, len(data)], np.int32))
                value = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(data)])
                columns = [target, pa.array([kind], pa.int32()), value]
                yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)
        self._pieces = {}
        self._bytes = 0


def _bytes_of(records: Records) -> NDArray[np.uint8]:
    return np.ascontiguousarray(records).view(np.uint8).reshape(-1)


def _rows_of(pieces: list[Bytes]) -> Iterator[bytes]:
    waiting: list[Bytes] = []
    size = 0
    for piece in pieces:
        if waiting and size + len(piece) > _ROW:
            yield b"".join(waiting)
            waiting, size = [], 0
        waiting.append(piece)
        size += len(piece)
    yield b"".join(waiting)


class Inbox:
    """All that was sent to the slices of a task, by kind."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self.target: int | None = None
        self._pieces: dict[int, list[Any]] = {}
        for batch in batches:
            for target, kind, data in zip(*(batch.column(i) for i in range(3))):
                self.target = target.as_py()
                self._pieces.setdefault(kind.as_py(), []).append(data.as_buffer())

    def kinds(self) -> list[int]:
        return sorted(self._pieces)

    def take(self, kind: int, dtype: Any) -> Records:
        """The records of a kind, in no particular order; they are forgotten here."""
        pieces = [np.frombuffer(piece, dtype) for piece in self._pieces.pop(kind, [])]
        return np.concatenate(pieces) if pieces else np.empty(0, dtype)

    def take_pieces(self, kind: int) -> list[Any]:
        return self._pieces.pop(kind, [])


class SetBatch(NamedTuple):
    """Documents on their way, with the hashes of their elements."""

    rows: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    elements: NDArray[np.uint64]

    def to_bytes(self) -> bytes:
        head = (len(self.rows).to_bytes(8, "little"), self.rows.astype(np.uint64).tobytes())
        return b"".join((*head, np.diff(self.offsets).tobytes(), self.elements.tobytes()))

    def pieces_of(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Those of some places, some hundred at a time."""
        for begin in range(0, len(places), _SETS_OF_PIECE):
            yield self.select(places[begin : begin + _SETS_OF_PIECE]).to_bytes()

    def select(self, places: NDArray[np.int64]) -> SetBatch:
        """Those of some places, in that order."""
        sizes = np.diff(self.offsets)[places].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        elements = _kith.selected(self.offsets, self.elements, places.astype(np.int64))
        return SetBatch(self.rows[places], offsets.astype(np.uint64), elements)

    @staticmethod
    def each(pieces: list[Any]) -> Iterator[SetBatch]:
        """Those of to_bytes(), of which a piece may hold several."""
        for piece in pieces:
            values = np.frombuffer(piece, np.uint64)
            while len(values) > 0:
                n = int(values[0])
                rows, sizes = values[1 : n + 1].astype(np.uint32), values[n + 1 : 2 * n + 1]
                offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
                end = 2 * n + 1 + int(offsets[-1])
                yield SetBatch(rows, offsets, values[2 * n + 1 : end])
                values = values[end:]

    @staticmethod
    def of_pieces(pieces: list[Any]) -> SetBatch:
        """All that pieces hold, each document once, ascending. Memory: what these take as they are,
        and as one."""
        parts = [part for part in SetBatch.each(pieces) if len(part.rows) > 0]
        parts.sort(key=lambda part: int(part.rows[0]))
        sizes = np.concatenate([np.empty(0, np.uint64), *(np.diff(part.offsets) for part in parts)])
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
        elements = np.concatenate([np.empty(0, np.uint64), *(part.elements for part in parts)])
        rows = np.concatenate([np.empty(0, np.uint32), *(part.rows for part in parts)])
        batch = SetBatch(rows, offsets, elements)
        if (rows[1:] > rows[:-1]).all():
            return batch
        return batch.select(np.unique(rows, return_index=True)[1])
