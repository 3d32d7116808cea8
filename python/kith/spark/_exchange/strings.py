"""Strings and arrays in columns of bytes: what a row of many words is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


def binary(values: NDArray[Any]) -> pa.Array:
    """A column of one row, the bytes of an array."""
    return pa.array([values.tobytes()], pa.binary())


def array_of(batch: pa.RecordBatch, column: str, row: int, dtype: Any) -> NDArray[Any]:
    return np.frombuffer(batch.column(column)[row].as_buffer(), dtype)


def offsets_of(sizes: NDArray[Any]) -> NDArray[np.uint64]:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.uint64))).astype(np.uint64)


def strings_of(data: Any, sizes: NDArray[Any]) -> pa.Array:
    """Strings that lie one after the other, as a column."""
    offsets = pa.py_buffer(offsets_of(sizes).astype(np.int64))
    return pa.LargeStringArray.from_buffers(len(sizes), offsets, pa.py_buffer(data))


def list_of(found: tuple[bytes, NDArray[Any]], kind: pa.DataType) -> pa.Array:
    """What C++ gives as bytes and offsets, of less than 2 GiB, as Spark takes it. kind:
    pa.string() or pa.binary()."""
    data, offsets = found
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)
