"""The parts: text, shingles, sketches, the index, clusters of arrays."""

from __future__ import annotations

import json
import math
import pathlib

import pytest
from conftest import Command, write_jsonl

import kith

numpy = pytest.importorskip("numpy")

HTML = """<html lang=en><title>A page</title><body><p>Some <b>words</b> stand here for the reader.
<a href="/other#x">the other page</a> <a href="mailto:a@example.org">mail</a>"""


def test_extract_one_page() -> None:
    page = kith.extract(HTML, url="https://Example.org/here")
    assert isinstance(page, kith.Page)
    assert page.title == "A page"
    assert (page.language, page.charset) == ("en", "UTF-8")
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
    with pytest.raises(kith.UsageError, match="url: 2 values for 1 pages"):
        kith.extract([HTML], url=["a", "b"])
    with pytest.raises(kith.UsageError, match="application/pdf"):
        kith.extract("%PDF", content_type="application/pdf")


def test_pages_have_the_dates_of_their_captures(tmp_path: pathlib.Path) -> None:
    page = {"url": "http://a.example/", "text": "some words", "warc_date": "2020-01-02T03:04:05Z"}
    crawl = write_jsonl(tmp_path / "dated.jsonl", [page])
    assert [page.date for page in kith.pages(crawl)] == ["2020-01-02T03:04:05Z"]


def test_pages_are_those_of_the_command(command: Command, crawl: pathlib.Path) -> None:
    lines = [json.loads(line) for line in command("crawl", crawl, "--format", "jsonl").splitlines()]
    reader = kith.pages(crawl)
    assert isinstance(reader, kith.PageReader)
    pages = list(reader)
    assert all(isinstance(page, kith.CrawledPage) for page in pages)
    assert {page.charset for page in pages} == {"UTF-8"}
    assert {page.status for page in pages} == {0}  # JSON lines have none
    assert {page.language for page in pages} == {"en"}
    assert not any(page.is_cut for page in pages)
    assert [page.url for page in pages] == [line["url"] for line in lines]
    assert pages[0].title == "music\t0 <é>" or pages[0].title == "music 0 <é>"
    assert {page.date for page in pages} == {""}
    with pytest.raises(kith.NotFoundError):
        kith.pages("nowhere.jsonl")
    with pytest.raises(kith.UsageError, match="max_page = 1"):
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
    with pytest.raises(TypeError, match="a table of 2 columns"):
        kith.shingles(pyarrow.table({"a": ["x"], "b": ["y"]}))


def resemblance(a: set[int], b: set[int]) -> float:
    return len(a & b) / len(a | b)


def test_minhash_estimates_resemblance() -> None:
    sets = kith.shingles([words(0), words(100)])
    hasher = kith.MinHasher(lanes=256)
    rows = hasher.signatures(sets)
    assert rows.shape == (2, hasher.lanes) == (2, 256)
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
    sketcher = kith.BagSketcher(lanes=512)
    rows = sketcher.signatures(offsets, terms, weights)
    assert rows.shape == (len(offsets) - 1, sketcher.lanes)
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
    with pytest.raises(kith.UsageError, match="assign x: must be first or best"):
        kith.cluster_bags(offsets, terms, weights, assign="x")


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


def test_compare_is_that_of_the_command(command: Command, tmp_path: pathlib.Path) -> None:
    first, second = words(0, 60), words(0, 30) + " " + words(40, 40)
    (tmp_path / "a.txt").write_text(first)
    (tmp_path / "b.txt").write_text(second)
    line = json.loads(command("compare", tmp_path / "a.txt", tmp_path / "b.txt", "--json"))
    found = kith.compare(first, second.encode())
    assert isinstance(found, kith.Comparison)
    assert found.resemblance == line["resemblance"]
    assert found.containment_of_a == line["containment_of_a"]
    assert found.containment_of_b == line["containment_of_b"]
    assert found.bag_similarity == line["bag_similarity"]
    assert found.common == line["common"]
    assert found.word_distance == line["simhash_of_words"]["distance"]
    assert found.word_cosine == line["simhash_of_words"]["cosine"]
    assert found.shingle_distance == line["simhash_of_shingles"]["distance"]
    assert found.shingle_cosine == line["simhash_of_shingles"]["cosine"]
    assert 0 < found.resemblance < found.containment_of_a < 1
    assert found.common == round(found.containment_of_b * len(kith.shingles(second)))
    assert "resemblance" in repr(found)
    of_files = kith.compare(tmp_path / "a.txt", tmp_path / "b.txt")
    assert of_files.passages().rows() == found.passages().rows()
    for row in found.estimates().rows():
        assert row["lower"] <= row["value"] <= row["upper"]


def test_passages_of_compare_are_the_texts() -> None:
    found = kith.compare("<p>one two three four</p>", "<p>four one two three five</p>", width=3)
    assert found.text_a.split() == ["one", "two", "three", "four"]
    assert found.text_b.split() == ["four", "one", "two", "three", "five"]
    rows = found.passages().rows()
    for name in ("a", "b"):
        other = "elsewhere_b" if name == "a" else "elsewhere_a"
        own = [row[f"text_{name}"] for row in rows if row["kind"] != other]
        assert "".join(own) == getattr(found, f"text_{name}")
    assert "shared" in {row["kind"] for row in rows}
