"""What kith.spark copies in C++, beside the same in NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import kith
import pytest
from kith import _kith

np = pytest.importorskip("numpy")
pytest.importorskip("pyspark")

from kith.spark._exchange.blocks import SetBatch


def test_groups_records_by_slice() -> None:
    rng = np.random.default_rng(1)
    dtype = np.dtype([("row", "<u4"), ("values", "<u2", (5,))])
    for count, slices in itertools.product((0, 1, 1000), (1, 7)):
        records = np.zeros(count, dtype)
        records["row"] = rng.integers(0, 1 << 32, count)
        records["values"][:, 3] = np.arange(count)
        to = rng.integers(0, slices, count).astype(np.uint32)
        grouped, ends = _kith.grouped(records.view(np.uint8), dtype.itemsize, to, slices)
        order = np.argsort(to, kind="stable")
        assert (grouped.view(dtype) == records[order]).all()
        assert (ends == np.cumsum(np.bincount(to, minlength=slices))).all()


def test_finds_the_homes_of_rows() -> None:
    starts = np.array([0, 10, 10, 25], np.int64)
    rows = np.array([3, 4, 9, 10, 24, 25, 4_000_000_000, 0], np.uint32)
    expected = np.searchsorted(starts, rows.astype(np.int64), side="right") - 1
    assert (_kith.homes_of(rows, starts) == expected).all()


def test_selects_sets() -> None:
    offsets = np.array([0, 3, 3, 7], np.uint64)
    elements = np.arange(7, dtype=np.uint64) * 5
    found = _kith.selected(offsets, elements, np.array([2, 1, 0, 2], np.int64))
    assert found.tolist() == [15, 20, 25, 30, 0, 5, 10, 15, 20, 25, 30]


def _joined(batches: list[SetBatch]) -> SetBatch:
    sizes = np.concatenate([np.diff(batch.offsets) for batch in batches])
    return SetBatch(
        np.concatenate([batch.rows for batch in batches]),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64),
        np.concatenate([batch.elements for batch in batches]),
    )


def test_sends_sets() -> None:
    rng = np.random.default_rng(2)
    pieces, expected = [], []
    for rows in (np.array([7, 9, 12], np.uint32), np.array([2], np.uint32)):
        sizes = rng.integers(0, 60, len(rows))
        sizes[0] = 0
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
        batch = SetBatch(rows, offsets, rng.integers(0, 1 << 64, offsets[-1], np.uint64))
        pieces.append(batch.to_bytes() * 2)
        expected.append(batch)
    found = SetBatch.of_pieces(pieces)
    wanted = _joined(expected[::-1])
    for name in ("rows", "offsets", "elements"):
        assert (getattr(found, name) == getattr(wanted, name)).all()


def test_restores_what_it_has_shortened() -> None:
    rng = np.random.default_rng(3)
    sizes = np.array([0, 40, 1, 0, 7], np.uint64)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
    entries = np.concatenate([np.sort(rng.integers(0, 1 << 32, int(n), np.uint64)) for n in sizes])
    entries |= rng.integers(1, 1 << 23, len(entries), np.uint64) << np.uint64(32)
    assert (_kith.restored(_kith.shortened(offsets, entries), sizes) == entries).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: _kith.shortened(np.array([0, 2], np.uint64), np.zeros(1, np.uint64)),
        lambda: _kith.grouped(np.zeros(7, np.uint8), 4, np.zeros(2, np.uint32), 1),
        lambda: _kith.grouped(np.zeros(8, np.uint8), 4, np.array([0, 1], np.uint32), 1),
        lambda: _kith.homes_of(np.zeros(1, np.uint32), np.array([1], np.int64)),
        lambda: _kith.selected(
            np.array([0, 2], np.uint64), np.zeros(1, np.uint64), np.zeros(1, np.int64)
        ),
        lambda: _kith.selected(np.zeros(1, np.uint64), np.zeros(0, np.uint64), np.array([-1])),
    ],
)
def test_refuses_what_does_not_fit_together(call: Any) -> None:
    with pytest.raises(kith.UsageError):
        call()


@pytest.mark.parametrize(
    "data", [b"", b"\x81", b"\x01\x81", b"\x01\x01\x01", b"\xff" * 5 + b"\x01"]
)
def test_names_damaged_bags(data: bytes) -> None:
    with pytest.raises(kith.CorruptError, match="do not fit together"):
        _kith.restored(np.array(list(data), np.uint8), np.ones(1, np.uint64))
