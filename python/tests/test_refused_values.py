"""Values that would end the interpreter or be taken for others: each raises an error that names it."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest

import kith

numpy: Any = pytest.importorskip("numpy")
pyarrow: Any = pytest.importorskip("pyarrow")

OFFSETS = numpy.array([0, 2, 4], numpy.uint64)
TERMS = numpy.array([7, 8, 7, 8], numpy.uint32)
WEIGHTS = numpy.array([1.0, 3.0, 1.0, 3.0])


def fails(message: str, kind: type[Exception] = kith.UsageError) -> Any:
    """The whole message."""
    return pytest.raises(kind, match="^" + re.escape(message) + "$")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"per_key": 0, "tables": 1}, "per_key 0: must be from 1 to 8"),
        ({"per_key": 9, "tables": 1}, "per_key 9: must be from 1 to 8"),
        ({"per_key": 2**31, "tables": 1}, "per_key 2147483648: must be from 1 to 8"),
        ({"per_key": 4, "tables": 1, "lanes": 3}, "per_key 4: must be from 1 to 3"),
        ({"per_key": 1, "tables": 0}, "tables 0: must be from 1 to 1024"),
        ({"per_key": 1, "tables": 2**32 - 1}, "tables 4294967295: must be from 1 to 1024"),
        ({"per_key": 1, "tables": 1, "lanes": 0}, "lanes 0: must be from 1 to 1024"),
        ({"per_key": 1, "tables": 1, "lanes": 2**32 - 1}, "lanes 4294967295: must be from 1 to 1024"),
    ],
)
def test_tables_that_there_are_not(values: dict[str, int], message: str) -> None:
    with fails(message):
        kith.recall_at(0.5, **values)


@pytest.mark.parametrize("similarity", [float("nan"), float("inf"), -0.5, 1.5])
def test_similarities_that_there_are_not(similarity: float) -> None:
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        kith.recall_at(similarity, per_key=4, tables=16)
    for end in (0.0, 1.0):
        assert kith.recall_at(end, per_key=4, tables=16) == end


class Once:
    """An object that gives the same capsules at each call."""

    def __init__(self, column: Any, method: str) -> None:
        capsules = getattr(column, method)()
        setattr(type(self), method, lambda self, requested_schema=None: capsules)


@pytest.mark.parametrize("method", ["__arrow_c_stream__", "__arrow_c_array__"])
@pytest.mark.parametrize("take", [kith.shingles, kith.MinHasher().signatures])
def test_a_capsule_is_taken_once(method: str, take: Callable[[Any], Any]) -> None:
    is_text = take is kith.shingles
    column = pyarrow.array(["a b c", "d e f"] if is_text else [[1, 2], [3]],
                           None if is_text else pyarrow.list_(pyarrow.uint64()))
    if method == "__arrow_c_stream__":
        column = pyarrow.chunked_array([column])
    once = type("OnceOf", (Once,), {})(column, method)
    take(once)
    for _ in range(2):
        with pytest.raises(kith.UsageError, match="the Arrow capsule '.*' has been taken before"):
            take(once)


def test_the_capsules_of_a_table_are_taken_once() -> None:
    once = type("OnceOf", (Once,), {})(pyarrow.table({"text": ["a", "b"]}), "__arrow_c_stream__")
    kith.dedup(once)
    with pytest.raises(kith.UsageError, match="has been taken before"):
        kith.dedup(once)


def signatures(sets: Any) -> list[list[int]]:
    rows: list[list[int]] = kith.MinHasher(hashed=False).signatures(sets).tolist()
    return rows


def test_items_of_sets() -> None:
    lists = pyarrow.list_(pyarrow.uint64())
    right = pyarrow.array([[1, 2, 3], None, []], lists)
    assert signatures(right) == signatures([[1, 2, 3], [], []])
    with fails("sets: row 1 has an item that is null; leave it out"):
        signatures(pyarrow.array([[1, 2], [1, None, 3]], lists))
    chunks = pyarrow.chunked_array([[[1]], [[2], [None]]], lists)
    with fails("sets: row 2 has an item that is null; leave it out"):
        signatures(chunks)
    # What a list that is null spans is not read.
    values = pyarrow.array([1, None, 3], pyarrow.uint64())
    hidden = pyarrow.ListArray.from_arrays(
        pyarrow.array([0, 1, 2, 3], pyarrow.int32()), values, mask=pyarrow.array([False, True, False])
    )
    assert signatures(hidden) == signatures([[1], [], [3]])
    with fails("sets: row 0 has the item -1, which is not in [0, 2^64)"):
        signatures(pyarrow.array([[-1, 2]], pyarrow.list_(pyarrow.int64())))
    assert signatures(pyarrow.array([[1, 2]], pyarrow.list_(pyarrow.int64()))) == signatures([[1, 2]])


def test_sets_of_codes() -> None:
    codes = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, 1], pyarrow.int64()), pyarrow.array([70, 80], pyarrow.uint64())
    )
    column = pyarrow.ListArray.from_arrays(pyarrow.array([0, 2], pyarrow.int32()), codes)
    with pytest.raises(TypeError, match=r"list of dictionary \(categorical\), not of lists of uint64"):
        signatures(column)


@pytest.mark.parametrize("sets", [[[1, 1, 1, 2, 3]], [[3, 1, 2, 1]], [(2, 3, 1)]])
def test_fingerprints_count_an_element_once(sets: Any) -> None:
    hasher = kith.SimHasher()
    assert hasher.fingerprints(sets).tolist() == hasher.fingerprints([[1, 2, 3]]).tolist()


ARRAYS: list[tuple[dict[str, Any], str]] = [
    ({"terms": numpy.array([2**40, 8, 7, 8])}, "terms: row 0 is 1099511627776, not in [0, 4294967295]"),
    ({"terms": numpy.array([7, 8, -1, 8])}, "terms: row 2 is -1, not in [0, 4294967295]"),
    ({"terms": TERMS + 0.5}, "terms: of type float64, not uint32"),
    ({"terms": numpy.array([True] * 4)}, "terms: of type bool, not uint32"),
    ({"terms": numpy.ma.array(TERMS, mask=[0, 0, 1, 0])},
     "terms: row 2 is masked; give values for all, or leave such rows out"),
    ({"weights": numpy.ma.array(WEIGHTS, mask=[0, 1, 0, 0])},
     "weights: row 1 is masked; give values for all, or leave such rows out"),
    ({"weights": WEIGHTS.astype(complex)}, "weights: of type complex128, not float64"),
    ({"weights": WEIGHTS.astype(object)}, "weights: of type object, not float64"),
    ({"weights": numpy.array([1, 3, 2**60, 3])},
     f"weights: row 2 is {2**60}, not in [-9007199254740992, 9007199254740992]"),
    ({"offsets": numpy.array([0, -2, 4])}, "offsets: row 1 is -2, not in [0, 18446744073709551615]"),
    ({"offsets": OFFSETS.astype(float)}, "offsets: of type float64, not uint64"),
    ({"terms": TERMS.reshape(2, 2)}, "terms: must be an array of one dimension"),
    ({"terms": 7}, "terms: must be an array of one dimension"),
]


@pytest.mark.parametrize(("changed", "message"), ARRAYS)
def test_arrays_that_would_lose_something(changed: dict[str, Any], message: str) -> None:
    arrays = {"offsets": OFFSETS, "terms": TERMS, "weights": WEIGHTS, **changed}
    for call in (kith.BagSketcher().signatures, kith.cluster_bags):
        with fails(message):
            call(arrays["offsets"], arrays["terms"], arrays["weights"])


def test_arrays_that_lose_nothing() -> None:
    right = kith.BagSketcher().signatures(OFFSETS, TERMS, WEIGHTS).tolist()
    for offsets, terms, weights in (
        (OFFSETS.astype(numpy.int32), TERMS.astype(numpy.int64), WEIGHTS.astype(numpy.float32)),
        ([0, 2, 4], [7, 8, 7, 8], [1, 3, 1, 3]),
        (OFFSETS, numpy.ma.array(TERMS), WEIGHTS.astype(">f8")),
        (OFFSETS, numpy.repeat(TERMS, 2)[::2], WEIGHTS),
    ):
        assert kith.BagSketcher().signatures(offsets, terms, weights).tolist() == right
    assert kith.BagSketcher().signatures(OFFSETS[:1], [], []).shape == (0, 128)


def test_signatures_that_lose_something() -> None:
    row = numpy.zeros(128, numpy.uint16)
    with fails("a: of type float64, not uint16"):
        kith.estimate_similarity(numpy.zeros(128), row)
    with fails("b: row 5 is 65536, not in [0, 65535]"):
        other = row.astype(numpy.int64)
        other[5] = 65536
        kith.estimate_similarity(row, other)
    assert kith.estimate_similarity(row, row.astype(numpy.int64))[1] == 1.0


def masked_table() -> Any:
    texts = pyarrow.array(["one two three", "one two three", "four"])
    return pyarrow.StructArray.from_arrays(
        [texts], ["text"], mask=pyarrow.array([False, True, False])
    )


def test_rows_of_a_struct_that_are_null() -> None:
    with fails("texts: row 1 of the struct is null; give its column"):
        kith.shingles(masked_table())
    marks = kith.dedup(masked_table())
    assert marks["keep"] == [True, True, True]
    assert marks.report["null"] == 1


def test_pages_after_fork(crawl: pathlib.Path) -> None:
    whole = [page.url for page in kith.pages(crawl)]
    pages = kith.pages(crawl)
    first = next(pages).url
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            next(pages)
            os.write(theirs, b"a page")
        except kith.UsageError as error:
            os.write(theirs, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(ours, 1000).startswith(b"pages: the iterator is that of another process")
    assert [first, *(page.url for page in pages)] == whole
    os.close(ours)
    os.close(theirs)


def test_files_that_were_cut_off(tmp_path: pathlib.Path, crawl: pathlib.Path) -> None:
    kith.cluster(crawl, tmp_path / "run")
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    url = run.pages()["url"][0]
    for path in (tmp_path / "run").glob("*.kith"):
        os.truncate(path, 100)
    for call in (
        run.pages,
        run.clusters,
        run.cluster_summary,
        run.bags,
        run.pairs,
        run.verify,
        lambda: run.related(url),
        lambda: run.cluster(url),
        lambda: run.bags(urls=[url]),
    ):
        with pytest.raises(kith.CorruptError):
            call()


def test_numbers_of_options(crawl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(kith.UsageError, match="seed.*below 0"):
        kith.cluster(crawl, tmp_path / "run", seed=-1)
    with pytest.raises(kith.UsageError, match="memory 0: must be above 0"):
        kith.cluster(crawl, tmp_path / "run", memory=0)
    with pytest.raises(kith.UsageError, match="seed.*below 0"):
        kith.dedup(pyarrow.table({"text": ["a"]}), seed=-1)
