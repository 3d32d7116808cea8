"""The records of the job, and the kinds of blocks that hold them."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np


class Kind(enum.IntEnum):
    CONTENT = 1  # what tells equal documents
    COPY = 2  # a document with the elements of an earlier one
    SIZES = 3  # buckets by size
    MEMBER = 4  # a document in a bucket with others
    SIGNATURE = 5
    LARGE = 6  # a document in a bucket that may be split
    PLACE = 7  # where it is then
    WHOLE = 8  # a document in a whole part
    PAIR = 9  # a candidate
    NEED = 10  # which slices need the elements of a document
    SET = 11  # the elements of documents
    COUNT = 12
    EDGE = 13  # a pair
    JOINED = 14  # a document with its center
    CENTER = 15
    CHECKED = 16  # a member of a group that may join a family
    MOVED = 17  # a document that has joined a family
    TABLE = 1000  # and the number of a table: keys of documents there


ROW = np.dtype([("row", "<u4")])
CONTENT = np.dtype([("high", "<u8"), ("low", "<u8"), ("row", "<u4")])
COPY = np.dtype([("row", "<u4"), ("first", "<u4")])
SIZES = np.dtype([("table", "<u4"), ("size", "<u8"), ("count", "<u8")])
MEMBER = np.dtype([("row", "<u4"), ("table", "<u4"), ("key", "<u4"), ("size", "<u4")])
PLACE = np.dtype(
    [("row", "<u4"), ("table", "<u4"), ("part", "<u8"), ("key", "<u4"), ("whole", "<u4")]
)
WHOLE = np.dtype([("name", "<u8"), ("row", "<u4")])
PAIR = np.dtype([("a", "<u4"), ("b", "<u4")])
NEED = np.dtype([("row", "<u4"), ("slice", "<u4")])
COUNT = np.dtype([("collisions", "<u8"), ("candidates", "<u8")])
EDGE = np.dtype([("a", "<u4"), ("b", "<u4"), ("similarity", "<f8")])
JOINED = np.dtype([("row", "<u4"), ("center", "<u4"), ("similarity", "<f8")])
CHECKED = np.dtype([("row", "<u4"), ("center", "<u4"), ("family", "<u4"), ("similarity", "<f8")])


def signature(lanes: int) -> Any:
    return np.dtype([("row", "<u4"), ("values", "<u2", (lanes,))])


def large(lanes: int) -> Any:
    return np.dtype([("table", "<u4"), ("key", "<u4"), ("row", "<u4"), ("values", "<u2", (lanes,))])


def made(dtype: Any, **fields: Any) -> Any:
    """Records of arrays of one length, or of a value for all of them."""
    length = next(len(values) for values in fields.values() if np.ndim(values) > 0)
    records = np.empty(length, dtype)
    for name, values in fields.items():
        records[name] = values
    return records
