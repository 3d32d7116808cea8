"""kith.spark.bags beside kith.cluster of the same rows: terms, their numbers and weights."""

from __future__ import annotations

import pathlib
import random
import shutil
from typing import Any

import kith
import pytest

pyarrow: Any = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import kith.spark
from conftest import write_jsonl
from kith.spark import _dictionary, _page_words

Rows = list[dict[str, str]]

SENTENCES = (
    "The gardens of the old houses were flooded, and gardening in these houses has stopped.",
    "Die Häuser der alten Stadt wurden überflutet, und die Gärten sind nicht mehr da.",
    "Les jardins des maisons anciennes étaient inondés, et l'eau n'est pas partie.",
    "Сады старых домов были затоплены, и вода не ушла из города до весны.",
    "古い家の庭は水に浸かり、町から水が引くことはなかった。",
)


def make_rows(count: int) -> Rows:
    """In several languages, in no order of their URLs; a few have no word that counts."""
    rng = random.Random(5)
    rows = []
    for i in range(count):
        words = [rng.choice(SENTENCES) for _ in range(1 + rng.randrange(4))]
        words += ["".join(rng.choices("abcdefgh", k=3)) for _ in range(rng.randrange(40))]
        rng.shuffle(words)
        rows.append(
            {
                "url": f"HTTP://Site{rng.randrange(7)}.example/./{i}#part",
                "title": "" if i % 3 else f"Old houses, {'q' * (i % 9)}x",
                "text": "of the and 1234" if i % 50 == 7 else " ".join(words),
            }
        )
    return rows


@pytest.fixture(scope="module")
def rows() -> Rows:
    return make_rows(400)


def table_of(spark: Any, rows: Rows) -> Any:
    values = [(row["url"], row["title"], row["text"]) for row in rows]
    return spark.createDataFrame(values, "url string, title string, text string")


def one_machine(rows: Rows, folder: pathlib.Path, **options: Any) -> kith.Run:
    lines = write_jsonl(folder / "pages.jsonl", rows)
    options = {"no_topics": True, "no_check": True, "neighbours": 0, "order": "url", **options}
    kith.cluster(lines, folder / "run", bags="content", boilerplate="keep", **options)
    run = kith.open(folder / "run")
    assert isinstance(run, kith.Run)
    return run


def bags_of(run: kith.Run) -> list[dict[str, float]]:
    """In the order of URLs."""
    return [dict(zip(row["terms"], row["weights"])) for row in run.bags().rows()]


def assert_same(found: kith.spark.Bagged, run: kith.Run) -> None:
    terms = [row.asDict() for row in found.terms.orderBy("term").collect()]
    assert [row["term"] for row in terms] == list(range(len(terms)))
    # By the rule of one machine: the more documents the smaller the number, ties by the stem.
    ranks = [(-row["documents"], row["stem"].encode()) for row in terms]
    assert ranks == sorted(ranks)
    stems = [row["stem"] for row in terms]
    bags = [row.asDict() for row in found.bags.collect()]
    bags.sort(key=lambda row: bytes(row["key"]))
    for row in bags:
        assert row["terms"] == sorted(set(row["terms"]))
        assert sum(row["weights"]) in (0, 100)
    weights = [dict(zip((stems[t] for t in row["terms"]), row["weights"])) for row in bags]
    assert weights == bags_of(run)
    report = run.report["bags"]
    for name in ("vocabulary", "terms", "frequent_terms", "entries"):
        assert found.report[name] == report[name], name
    assert found.report["rows"] == report["urls"]
    assert found.report["empty_bags"] == report["empty"]
    assert found.report["words"] == run.report["text"]["words"]


def test_one_partition(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    found = kith.spark.bags(table_of(spark, rows).coalesce(1), title="title", partitions=1)
    assert_same(found, one_machine(rows, tmp_path))
    assert found.report["partitions"] == 1
    assert found.report["empty_bags"] == 5  # three of eight have a title
    found.unpersist()


def test_seven_partitions_without_titles(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    table = table_of(spark, rows).repartition(7)
    options: dict[str, Any] = {
        "weighting": "nmdf", "min_df": 3, "max_df": 0.01, "max_terms": 9, "language": "en",
        "max_page": 1024,
    }  # fmt: skip
    found = kith.spark.bags(table, partitions=7, **options)
    assert_same(found, one_machine([{**row, "title": ""} for row in rows], tmp_path, **options))
    assert found.report["frequent_terms"] > 0
    forms = {row.stem: row.word for row in found.terms.collect()}
    assert forms["hous"] == "houses"


def test_rows_without_a_text(spark: Any) -> None:
    values = [("https://a.example/1", None), ("https://a.example/2", ""),
              ("https://a.example/3", "houses"), ("https://a.example/4", "houses")]  # fmt: skip
    table = spark.createDataFrame(values, "url string, text string")
    found = kith.spark.bags(table, partitions=2)
    bags = {row.id: row for row in found.bags.collect()}
    assert [bags[url].weights for url, _ in values] == [None, None, [100], [100]]
    report = {name: found.report[name] for name in ("rows", "null", "empty", "filled")}
    assert report == {"rows": 4, "null": 1, "empty": 1, "filled": 2}
    none = kith.spark.bags(table.limit(0), partitions=1)
    assert none.bags.collect() == none.terms.collect() == []


def test_names_what_is_wrong_with_a_table(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(spark, make_rows(9)).coalesce(1)
    with pytest.raises(kith.NotFoundError, match="no column 'body'; there are 'url', 'title'"):
        kith.spark.bags(table, text="body")
    with pytest.raises(kith.NotFoundError, match="no column 'name'"):
        kith.spark.bags(table, title="name")
    with pytest.raises(kith.UsageError, match="column 'url': of type int, not of strings"):
        kith.spark.bags(table.selectExpr("1 as url", "text"))
    first = make_rows(9)[0]["url"]
    with pytest.raises(kith.UsageError, match=f"column 'url': '{first}' stands in two rows"):
        kith.spark.bags(table.union(table.limit(1)).coalesce(1), partitions=1)
    monkeypatch.setattr(_dictionary, "MOST_TERMS", 4)
    with pytest.raises(kith.UsageError, match="[0-9]+ words are in enough rows .* larger min_df"):
        kith.spark.bags(table, partitions=1)


def test_names_two_ids_of_a_url(spark: Any) -> None:
    rows = [(["http://a.example/x#1", "http://a.example/y"], [b"x", b"y"]),
            (["HTTP://a.example/x"], [b"x"])]  # fmt: skip
    batches = spark.createDataFrame(rows, "ids array<string>, keys array<binary>").coalesce(1)
    same = "'HTTP://a.example/x' and 'http://a.example/x#1' are the same URL"
    with pytest.raises(kith.UsageError, match=f"column 'url': {same}"):
        _page_words._check_unique(batches, "url")


@pytest.mark.parametrize(
    ("url", "message"), [("17", "'17' is no http or https URL"), (None, "a row is null")]
)
def test_names_what_is_no_url(url: str | None, message: str) -> None:
    with pytest.raises(kith.UsageError, match=f"column 'url': {message}"):
        _page_words._keys_of(pyarrow.array(["http://a.example/", url]), "url")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bags": "both"}, "bags both: .* must be content"),
        ({"boilerplate": "remove"}, "boilerplate remove: .* must be keep"),
        ({"window": 3}, "window: is about links"),
        ({"similarity": 0.5}, "similarity: is about clusters"),
        ({"memory": "4G"}, "memory: executors"),
        ({"threads": 2}, "threads: Spark decides"),
        ({"status": "any"}, "status: is about files"),
        ({"max_df": 2}, "--max-df 2"),
        ({"weighting": "idf"}, "--weighting: 'idf' is not one of"),
        ({"partitions": 0}, "partitions 0"),
    ],
)
def test_refuses_options_of_other_bags(spark: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(kith.UsageError, match=message):
        kith.spark.bags(spark.range(1), **options)


def test_every_option_of_one_machine_is_taken_or_refused() -> None:
    from kith import _kith
    from kith.spark import _bags

    taken = {"language", "max_page", "weighting", "min_df", "max_df", "max_terms"}
    names = {name.replace("-", "_") for name in _kith.option_names("cluster")} - {"output"}
    assert names == set(_bags._REFUSED) | set(_bags._ONLY) | taken


def test_texts_in_several_pieces(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_page_words, "_PAGES", 100)
    table = pyarrow.Table.from_pylist(rows)
    pieces = list(_page_words._pieces(table.to_batches(max_chunksize=64)))
    assert [piece.num_rows for piece in pieces] == [128, 128, 128, 16]
    assert pyarrow.Table.from_batches(pieces).equals(table)
