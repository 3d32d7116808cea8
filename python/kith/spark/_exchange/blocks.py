"""Blocks: how records travel between executors.

A record is a fixed number of bytes, an item of a NumPy array with named fields. A task gathers its
records by the slice of the job that they are for, and gives them to Spark as a few rows of many
records each. So Spark shuffles rows of up to some MiB, and no record becomes an object of Java or
Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = "target int, kind int, data binary"
_ARROW = pa.schema([("target", pa.int32()), ("kind", pa.int32()), ("data", pa.binary())])
_FLUSH = 16 << 20  # bytes that a task gathers before it gives them away
# Bytes of a row, unless one piece has more: the JVM copies rows several times, and takes 64 at once.
_ROW = 4 << 20

Records = Any  # a NumPy array with named fields


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
        self._pieces: dict[tuple[int, int], list[bytes]] = {}
        self._bytes = 0

    def add(self, kind: int, slices: NDArray[Any], records: Records) -> None:
        """Each record goes to the slice of the same place."""
        if len(records) == 0:
            return
        order = np.argsort(slices, kind="stable")
        targets = slices[order]
        records = records[order]
        starts = np.flatnonzero(np.r_[True, targets[1:] != targets[:-1]])
        step = max(1, _ROW // records.dtype.itemsize)
        for begin, end in zip(starts, np.r_[starts[1:], len(targets)]):
            for first in range(begin, end, step):
                some = records[first : min(first + step, end)]
                self.add_bytes(kind, int(targets[begin]), some.tobytes())

    def add_bytes(self, kind: int, slice_number: int, data: bytes) -> None:
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
                columns = [target, pa.array([kind], pa.int32()), pa.array([data], pa.binary())]
                yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)
        self._pieces = {}
        self._bytes = 0


def _rows_of(pieces: list[bytes]) -> Iterator[bytes]:
    waiting: list[bytes] = []
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
    """Elements of documents on their way."""

    rows: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    elements: NDArray[np.uint64]

    def to_bytes(self) -> bytes:
        sizes = np.diff(self.offsets)
        count = np.array([len(self.rows)], np.uint64)
        rows = self.rows.astype(np.uint64)
        return b"".join((count.tobytes(), rows.tobytes(), sizes.tobytes(), self.elements.tobytes()))

    def select(self, places: NDArray[np.int64]) -> SetBatch:
        """Those of some places, in that order."""
        sizes = np.diff(self.offsets)[places].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        starts = self.offsets[places].astype(np.int64)
        taken = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
        return SetBatch(self.rows[places], offsets.astype(np.uint64), self.elements[taken])

    @staticmethod
    def each(pieces: list[Any]) -> Iterator[SetBatch]:
        """Those of to_bytes(), of which a piece may hold several."""
        for piece in pieces:
            values = np.frombuffer(piece, np.uint64)
            while len(values) > 0:
                n = int(values[0])
                offsets = np.concatenate(([0], np.cumsum(values[n + 1 : 2 * n + 1])))
                end = 2 * n + 1 + int(offsets[-1])
                rows = values[1 : n + 1].astype(np.uint32)
                yield SetBatch(rows, offsets.astype(np.uint64), values[2 * n + 1 : end])
                values = values[end:]

    @staticmethod
    def of_pieces(pieces: list[Any]) -> SetBatch:
        """All that pieces hold, each document once, ascending."""
        batch = SetBatch.joined(list(SetBatch.each(pieces)))
        return batch.select(np.unique(batch.rows, return_index=True)[1])

    @staticmethod
    def joined(batches: list[SetBatch]) -> SetBatch:
        """One after the other."""
        if not batches:
            return SetBatch(np.empty(0, np.uint32), np.zeros(1, np.uint64), np.empty(0, np.uint64))
        sizes = np.concatenate([np.diff(batch.offsets) for batch in batches])
        return SetBatch(
            np.concatenate([batch.rows for batch in batches]),
            np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64),
            np.concatenate([batch.elements for batch in batches]),
        )
