"""The parts: text, shingles, sketches, the index, clusters of arrays."""

from __future__ import annotations

import json
import math
import pathlib

import pytest
from conftest import Command

import kith

numpy = pytest.importorskip("numpy")

HTML = """<html lang=en><title>A page</title><body><p>Some <b>words</b> stand here for the reader.
<a href="/other#x">the other page</a> <a href="mailto:a@example.org">mail</a>"""


def test_extract_one_page() -> None:
    page = kith.extract(HTML, url="https://Example.org/here")
    assert isinstance(page, kith.Page)
    assert page.title == "A page"
    assert page.text.startswith("Some words stand here for the reader.")
    assert page.links == ["https://example.org/other"]
    assert page.words[:4] == ["some", "words", "stand", "here"]
    assert "A page" in repr(page)


def test_extract_many_pages() -> None:
    table = kith.extract(
        [HTML, b"plain \xe9 text", None],
        url=["https://a.example/", "", ""],
        content_type=["text/html", "text/plain; charset=windows-1252", "text/html"],
    )
    assert isinstance(table, kith.Table)
    rows = table.rows()
    assert [row["title"] for row in rows] == ["A page", "", ""]
    assert rows[1]["text"] == "plain é text"
    assert rows[0]["links"] == ["https://a.example/other"]
    refused = kith.extract(["%PDF"], content_type="application/pdf").rows()
    assert "application/pdf" in refused[0]["error"]
    with pytest.raises(ValueError, match="url: 2 rows for 1 pages"):
        kith.extract([HTML], url=["a", "b"])
    with pytest.raises(kith.UsageError, match="application/pdf"):
        kith.extract("%PDF", content_type="application/pdf")


def test_pages_are_those_of_the_command(command: Command, crawl: pathlib.Path) -> None:
    lines = [json.loads(line) for line in command("crawl", crawl, "--format", "jsonl").splitlines()]
    pages = list(kith.pages(crawl))
    assert [page.url for page in pages] == [line["url"] for line in lines]
    assert pages[0].title == "music\t0 <é>" or pages[0].title == "music 0 <é>"
    with pytest.raises(kith.NotFoundError):
        kith.pages("nowhere.jsonl")
    with pytest.raises(kith.UsageError, match="max-page"):
        kith.pages(crawl, max_page=1)


def words(first: int, count: int = 500) -> str:
    """Words of letters, since digits are none."""
    return " ".join(
        chr(97 + i % 26) * 2 + chr(97 + i // 26 % 26) + chr(97 + i // 676 % 26)
        for i in range(first, first + count)
    )


def test_shingles_of_one_and_of_many() -> None:
    one = kith.shingles("a rose is a rose is a rose", width=3)
    assert one.dtype == numpy.uint64
    assert len(one) == 3
    assert list(one) == sorted(one)
    many = kith.shingles(["a rose is a rose is a rose", b"", None], width=3)
    assert isinstance(many, kith.Sets)
    assert len(many) == 3
    assert list(many[0]) == list(one)
    assert len(many[1]) == len(many[-1]) == 0
    with pytest.raises(IndexError, match="there are 3 sets"):
        many[3]
    with pytest.raises(kith.UsageError, match="width"):
        kith.shingles("x", width=0)
    with pytest.raises(kith.UsageError, match="'lines' is not one of words, characters"):
        kith.shingles("x", unit="lines")
    with pytest.raises(TypeError, match="texts: row 1 is a int, not str or bytes"):
        kith.shingles(["x", 3])
    with pytest.raises(ValueError, match="row 0 has a lone surrogate"):
        kith.shingles(["\ud800"])


def test_arrow_columns_of_texts() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    texts = [words(0, 30), "short", None, "é" * 40, ""]
    plain = kith.shingles(texts)
    columns = [
        pyarrow.array(texts),
        pyarrow.array(texts, pyarrow.large_string()),
        pyarrow.chunked_array(
            [
                pyarrow.array(["left out", *texts[:2]]).slice(1),
                pyarrow.array(texts[2:], pyarrow.string()),
            ]
        ),
        pyarrow.array(texts, pyarrow.string_view()),
        pyarrow.table({"text": texts}),
        polars.Series(texts),
    ]
    for column in columns:
        assert pyarrow.array(kith.shingles(column)) == pyarrow.array(plain)
    with pytest.raises(TypeError, match="Arrow format 'l', not of strings"):
        kith.shingles(pyarrow.array([1, 2]))
    with pytest.raises(TypeError, match="a table of 2 columns"):
        kith.shingles(pyarrow.table({"a": ["x"], "b": ["y"]}))


def resemblance(a: set[int], b: set[int]) -> float:
    return len(a & b) / len(a | b)


def test_minhash_estimates_resemblance() -> None:
    sets = kith.shingles([words(0), words(100)])
    hasher = kith.MinHasher(lanes=256)
    rows = hasher.signatures(sets)
    assert rows.shape == (2, 256)
    assert rows.dtype == numpy.uint16
    truth = resemblance(set(sets[0].tolist()), set(sets[1].tolist()))
    lower, value, upper = kith.estimate_similarity(rows[0], rows[1], confidence=0.999)
    assert lower <= truth <= upper
    assert lower <= value <= upper
    again = hasher.signatures([set(sets[0].tolist()), sets[1].tolist()], threads=1)
    assert (again == rows).all()
    pyarrow = pytest.importorskip("pyarrow")
    assert (hasher.signatures(pyarrow.array(sets)) == rows).all()
    lists = pyarrow.array(
        [[1], [int(x) for x in sets[0]], [int(x) for x in sets[1]]], pyarrow.list_(pyarrow.uint64())
    )
    assert (hasher.signatures(lists.slice(1)) == rows).all()
    with pytest.raises(kith.UsageError, match="lanes"):
        kith.MinHasher(lanes=100)
    with pytest.raises(TypeError, match="sets: row 1 is no set of integers"):
        hasher.signatures([{1}, {"x"}])
    with pytest.raises(TypeError, match="not of lists of uint64"):
        hasher.signatures(pyarrow.array(["x"]))


def test_simhash() -> None:
    sets = kith.shingles([words(0), words(0), words(5), words(5000)])
    prints = kith.SimHasher().fingerprints(sets)
    assert prints.dtype == numpy.uint64
    distances = [int(prints[0] ^ other).bit_count() for other in prints]
    assert distances[1] == 0
    assert distances[2] < distances[3]


def test_bags_as_arrays() -> None:
    offsets = numpy.array([0, 6, 12, 18], numpy.uint64)
    terms = numpy.array([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 6, 10, 11, 12, 13, 14, 15], numpy.uint32)
    weights = numpy.ones(18)
    rows = kith.BagSketcher(lanes=512).signatures(offsets, terms, weights)
    _, value, _ = kith.estimate_similarity(rows[0], rows[1])
    assert value == pytest.approx(5 / 7, abs=0.1)
    center, similarity = kith.cluster_bags(offsets, terms, weights, similarity=0.5)
    assert center[0] == center[1] != center[2]
    assert sorted(similarity.tolist())[0] == pytest.approx(5 / 7, abs=1e-4)
    with pytest.raises(kith.UsageError, match="bag 1"):
        kith.cluster_bags(
            offsets,
            numpy.zeros(18, numpy.uint32) + numpy.array([*range(6), *[1] * 12], numpy.uint32),
            weights,
        )


def test_index_finds_what_brute_force_finds() -> None:
    texts = [words(20 * i, 200) for i in range(30)]
    sets = kith.shingles(texts)
    index = kith.Index(similarity=0.7)
    assert index.add(sets) == 0
    assert len(index) == 30
    own = [set(sets[i].tolist()) for i in range(30)]
    truth = {(i, j) for i in range(30) for j in range(30) if resemblance(own[i], own[j]) >= 0.7}
    found = index.query(sets).rows()
    assert {(row["row"], row["id"]) for row in found} <= truth
    assert len(found) >= 0.9 * len(truth)
    for row in found:
        assert row["similarity"] == pytest.approx(resemblance(own[row["row"]], own[row["id"]]))
    pairs = {(row["a"], row["b"]) for row in index.pairs().rows()}
    assert pairs <= {(i, j) for i, j in truth if i < j}
    assert len(index.query(kith.shingles([words(9000)]))) == 0


def test_tune() -> None:
    plans = kith.tune(0.8, recall=0.95).rows()
    assert [plan["per_key"] for plan in plans] == sorted(plan["per_key"] for plan in plans)
    for plan in plans:
        assert plan["recall"] >= 0.95
        assert kith.recall_at(0.8, per_key=plan["per_key"], tables=plan["tables"]) == pytest.approx(
            plan["recall"]
        )
    curve = [kith.recall_at(s / 10, per_key=3, tables=20) for s in range(11)]
    assert curve == sorted(curve)
    assert math.isclose(curve[-1], 1)
    with pytest.raises(kith.UsageError, match="similarity"):
        kith.tune(1.5)
