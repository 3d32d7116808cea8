"""What kith.spark copies in C++, beside the same in NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import kith
import pytest
from kith import _kith
from kith._jobs import _words

np = pytest.importorskip("numpy")
pytest.importorskip("pyspark")

from kith.spark._bags.packed import Packed
from kith.spark._cluster import table
from kith.spark._cluster.one_task import fits_one_task
from kith.spark._exchange.blocks import SetBatch, ShortBags
from kith.spark._exchange.records import SIZES
from kith.spark._join import candidates


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


def test_sends_sets_and_bags() -> None:
    rng = np.random.default_rng(2)
    for are_bags in (False, True):
        pieces, expected = [], []
        for rows in (np.array([7, 9, 12], np.uint32), np.array([2], np.uint32)):
            sizes = rng.integers(0, 60, len(rows))
            sizes[0] = 0
            offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint64)
            elements = rng.integers(0, 1 << 64, offsets[-1], np.uint64)
            for begin, end in zip(offsets[:-1].astype(int), offsets[1:].astype(int)):
                elements[begin:end].sort()
                if are_bags:  # the term is the low half
                    elements[begin:end] = elements[begin:end] << 32 | elements[begin:end] >> 32
            batch = SetBatch(rows, offsets, elements)
            pieces.append(batch.to_bytes(are_bags) * 2)
            expected.append(batch)
        found = SetBatch.of_pieces(pieces)
        wanted = _joined(expected[::-1])
        for name in ("rows", "offsets", "elements"):
            assert (getattr(found, name) == getattr(wanted, name)).all()


def test_compares_short_bags_where_they_meet() -> None:
    rng = np.random.default_rng(3)
    steps: Any = _kith.ClusterSteps(_words("bags", "none", {"engine": "lsh"}))
    pieces = []
    bags: dict[int, set[int]] = {}
    for rows in ([7, 9, 12], [2], [30, 31]):
        lists = [np.sort(rng.choice(40, 20, replace=False)) for _ in rows]
        offsets = np.arange(len(rows) + 1, dtype=np.uint64) * 20
        terms = np.concatenate(lists).astype(np.uint32)
        features = steps.features(offsets, terms, np.ones(len(terms)))
        pieces.append(
            SetBatch(np.array(rows, np.uint32), offsets, features[1]).to_bytes(are_bags=True)
        )
        bags.update(zip(rows, map(set, lists)))
    short = ShortBags(pieces)
    assert short.rows.tolist() == [2, 7, 9, 12, 30, 31]
    assert short.sizes.tolist() == [20] * 6
    verifier = steps.verifier(0.3, 0)
    short.move_to(verifier)
    assert len(verifier) == 6
    pairs = [(a, b) for a in range(6) for b in range(a)]
    a, b = (np.array(places, np.uint32) for places in zip(*pairs))
    rows = short.rows.tolist()
    common = [len(bags[rows[i]] & bags[rows[j]]) for i, j in pairs]
    expected = [(5 << 16) * n if n / (40 - n) >= 0.3 else 0 for n in common]
    assert verifier.sums(a, b).tolist() == expected
    assert 0 < expected.count(0) < len(expected)
    with pytest.raises(kith.CorruptError):
        verifier.add_short(np.array([1], np.uint8), np.ones(1, np.uint64))


@pytest.mark.parametrize(
    ("cores", "partitions", "entries", "slices"),
    [
        (2, 24, 160_000_000, 2),  # 1.3 GB in all
        (2, 1, 160_000_000, 1),
        (100, 24, 160_000_000, 24),
        (2, 24, 1_600_000_000, 24),
        (2, 10_000, 1_600_000_000, 202),
    ],
)
def test_cuts_bags_into_few_slices(cores: int, partitions: int, entries: int, slices: int) -> None:
    assert candidates._slices_of_bags(cores, partitions, 27, entries) == slices


def test_bags_fit_one_task_by_terms_and_bags() -> None:
    bags: dict[str, Any] = {"rows": None, "words": [], "empty": 0}
    some = Packed(bags=1000, entries=100_000, **bags)
    assert fits_one_task(some, 3_100_000)
    assert not fits_one_task(some, 3_099_999)
    assert not fits_one_task(Packed(bags=0, entries=0, **bags), 3_100_000)


def test_numbers_clusters_by_size_and_then_by_row() -> None:
    """Of slices with centers whose rows ascend from slice to slice."""
    rng = np.random.default_rng(4)
    of_slice = {number: rng.integers(1, 6, count) for number, count in ((0, 40), (2, 1), (3, 25))}
    sizes = [np.unique(members, return_counts=True) for members in of_slice.values()]
    records = np.zeros(sum(len(size) for size, _ in sizes), SIZES)
    records["table"] = np.repeat([*of_slice], [len(size) for size, _ in sizes])
    records["size"] = np.concatenate([size for size, _ in sizes])
    records["count"] = np.concatenate([count for _, count in sizes])
    first = table._first_numbers(rng.permutation(records))
    found = [table._numbers_of(members, *first[number]) for number, members in of_slice.items()]
    members = np.concatenate([*of_slice.values()])
    order = np.lexsort((np.arange(len(members)), -members))
    assert (np.concatenate(found)[order] == 1 + np.arange(len(members))).all()


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
