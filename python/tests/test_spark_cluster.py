"""kith.spark.cluster beside one machine: what kith.cluster makes of the same bags, whatever the
partitions."""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import signal
from collections.abc import Sequence
from typing import Any

import kith
import pytest
from conftest import executors_of, run_spark_program, topic_pages, write_jsonl

np = pytest.importorskip("numpy")
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import kith.spark
from kith.spark._cluster.task import ClusterTask
from pyspark.sql.types import StringType

Bag = tuple[str, list[int] | None, list[float] | None]


def word(kind: str, number: int) -> str:
    return kind + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def pages_of_topics(seed: int) -> list[dict[str, str]]:
    """Pages of ten topics, some equal to earlier ones, some of few words or none; and a large family
    of near-duplicates."""
    rng = random.Random(seed)
    pages: list[dict[str, str]] = []

    def add(host: str, *words: str) -> None:
        url = f"https://{host}.example/{len(pages):05}"
        pages.append({"url": url, "title": "", "text": " ".join(words)})

    for i in range(300):
        if i % 9 == 8:
            add("copy", rng.choice(pages)["text"])
        elif i % 13 == 0:
            add("short", *rng.sample(["alpha", "beta", "gamma", "delta"], 3))
        else:
            add("topic", *(word("topic", 40 * (i % 10) + rng.randrange(20)) for _ in range(40)))
    for _ in range(200):
        shared = (word("family", k) for k in range(50))
        add("family", *shared, *(word("own", rng.randrange(400)) for _ in range(6)))
    for _ in range(3):
        add("empty", "!")
    return pages


def table_of(spark: Any, pages: list[dict[str, str]]) -> Any:
    rows = [(page["url"], page["title"], page["text"]) for page in pages]
    return spark.createDataFrame(rows, "url string, title string, text string")


def rows_of(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, table.select(*columns).collect()))


def columns_of(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row[name] for name in columns) for row in table.rows())


def check_tables(found: Any, run: Any) -> None:
    """Those of a run, with ids in the place of URLs."""
    columns: tuple[str, ...] = ("cluster", "role", "similarity", "topic")
    assert rows_of(found.clusters, "id", *columns) == columns_of(run.clusters(), "url", *columns)
    columns = ("topic", "pages", "children", "cohesion", "exemplar")
    assert rows_of(found.topics, *columns) == columns_of(run.topics(), *columns)
    labels = {row["topic"]: row["label"] for row in found.topics.collect()}
    assert labels == {row["topic"]: row["label"] for row in run.topics().rows()}
    pairs = [
        (*sorted(row[:2]), row[2]) for row in rows_of(found.pairs, "id_a", "id_b", "similarity")
    ]
    assert sorted(pairs) == columns_of(run.pairs(), "url_a", "url_b", "similarity")
    assert found.pairs.filter("row_a >= row_b").count() == 0
    rows = found.clusters.collect()
    names = {row["row"]: row["id"] for row in rows}
    assert [names[row] for row in range(len(names))] == [row["url"] for row in run.pages().rows()]
    assert all(names[row["center_row"]] == row["center"] for row in rows)
    related: dict[str, list[tuple[str, float]]] = {}
    for row in sorted(found.related.collect(), key=lambda row: row["rank"]):
        assert (names[row["row"]], names[row["related_row"]]) == (row["id"], row["related"])
        related.setdefault(row["id"], []).append((row["related"], row["similarity"]))
        assert row["rank"] == len(related[row["id"]])
    for url in random.Random(2).sample(sorted(related), 20):
        expected = [
            (row["url"], row["similarity"]) for row in run.related(url, 100, per_site=0).rows()
        ]
        assert set(related[url]) <= set(expected)
        assert len(related[url]) == min(len(expected), 20)


@pytest.mark.parametrize("engine", ["auto", "lsh"])
def test_pages_as_on_one_machine(spark: Any, tmp_path: pathlib.Path, engine: Any) -> None:
    pages = pages_of_topics(3)
    of_bags: dict[str, Any] = {"weighting": "tf", "max_df": 1.0}
    options: dict[str, Any] = {"engine": engine, "threads": 2}
    lines = write_jsonl(tmp_path / "pages.jsonl", pages)
    report = kith.cluster(
        lines, tmp_path / "run", bags="content", boilerplate="keep", **of_bags, **options
    )
    without = {"url": "https://none.example/", "title": "none", "text": ""}
    table = table_of(spark, [*random.Random(1).sample(pages, len(pages)), without])
    made = kith.spark.bags(table, partitions=3, **of_bags)
    kept = tmp_path / "kept"
    found = kith.spark.cluster(made, lists=("related", "pairs"), run=kept, partitions=7, **options)
    # Not the languages and titles of pages: they are not known.
    names = [path.name for path in (tmp_path / "run").glob("*.kith")]
    assert len(names) >= 7
    for name in set(names) - {"urls.kith", "titles.kith"}:
        assert (kept / name).read_bytes() == (tmp_path / "run" / name).read_bytes(), name
    check_tables(found, kith.open(kept))
    for part in ("threshold", "engine", "clusters", "topics"):
        for name, value in report[part].items():
            if not name.endswith("seconds"):
                assert found.report[part][name] == value, (part, name)
    os.kill(executors_of(spark)[0], signal.SIGKILL)
    again = kith.spark.cluster(made, partitions=1, memory="256M", **options)
    columns = again.clusters.columns
    assert rows_of(again.clusters, *columns) == rows_of(found.clusters, *columns)
    assert again.related is None and again.pairs is None
    for tables in (found, again, made):
        tables.unpersist()


def test_a_run_that_is_kept(spark: Any, tmp_path: pathlib.Path) -> None:
    made = kith.spark.bags(table_of(spark, topic_pages(20)), title="title", partitions=2)
    run = tmp_path / "run"
    found = kith.spark.cluster(made, run=run, topics="none", min_words=2)
    assert found.topics is None
    again = kith.spark.cluster(made, run=str(run), topics="none", min_words=2)
    assert rows_of(again.clusters, "id", "cluster") == rows_of(found.clusters, "id", "cluster")
    with pytest.raises(kith.UsageError, match="min_words = 2 instead of min_words = 3"):
        kith.spark.cluster(made, run=run, min_words=3)
    opened = kith.open(run)
    assert isinstance(opened, kith.Run)
    assert len(opened) == 60
    words = [
        word for row in opened.bags(["https://music.example/1"]).rows() for word in row["terms"]
    ]
    assert "melodi" in words
    terms: Any = None
    task = ClusterTask(kith.__version__, terms, None, StringType(), {}, str(tmp_path / "no"), ())
    with pytest.raises(kith.UsageError, match="does not see this folder"):
        next(task(iter([])))
    for tables in (found, again, made):
        tables.unpersist()


def topical(count: int, seed: int) -> list[Bag]:
    """Most terms of a bag are those of one of ten topics. Every ninth is equal to an earlier one,
    some have few terms, some none, and some rows no bag."""
    rng = random.Random(seed)
    bags: list[Bag] = []
    for i in range(count):
        id = f"{'ab'[i % 2]}{i:06}"
        if i % 9 == 8:
            bags.append((id, *rng.choice(bags)[1:]))
        elif i % 97 == 0:
            bags.append(rng.choice([(id, None, None), (id, [], [])]))
        else:
            size = 3 if i % 11 == 0 else rng.randrange(15, 30)
            terms = {40 * (i % 10) + min(rng.randrange(40), rng.randrange(40)) for _ in range(size)}
            terms |= {rng.randrange(1000, 1 << 40) for _ in range(i % 5)}
            bags.append((id, list(terms), [float(rng.randrange(1, 9)) for _ in terms]))
    return bags


def on_one_machine(bags: list[Bag], **options: Any) -> list[tuple[Any, ...]]:
    """id, role, similarity and center of all bags, and their clusters; terms by their frequency."""
    ordered = sorted(bag for bag in bags if bag[1] is not None)
    lists = [bag[1] or [] for bag in ordered]
    terms, place, counts = np.unique(
        np.array([term for bag in lists for term in bag], np.int64),
        return_inverse=True,
        return_counts=True,
    )
    order = np.lexsort((terms, -counts))
    center, similarity = kith.cluster_bags(
        np.cumsum([0, *map(len, lists)]).astype(np.uint64),
        np.argsort(order)[place].astype(np.uint32),
        np.array([weight for bag in ordered for weight in bag[2] or []], np.float64),
        **options,
    )
    sizes = np.bincount(center, minlength=len(ordered))
    centers = sorted(np.flatnonzero(sizes), key=lambda row: (-sizes[row], row))
    number = {int(row): place + 1 for place, row in enumerate(centers)}
    found = []
    for row, own in enumerate(center.tolist()):
        role = "member" if own != row else "center" if sizes[row] > 1 else "single"
        found.append((ordered[row][0], number[own], role, similarity[row], ordered[own][0]))
    return found


def bags_in_spark(spark: Any, bags: Sequence[tuple[Any, ...]], id: str = "string") -> Any:
    shuffled = random.Random(1).sample(bags, len(bags))
    return spark.createDataFrame(shuffled, f"id {id}, terms array<bigint>, weights array<double>")


def test_a_table_of_bags(spark: Any) -> None:
    bags = topical(500, 3)
    columns = ("id", "cluster", "role", "similarity", "center")
    every: list[Any] = [
        {"engine": "lsh"},
        {"engine": "lsh", "similarity": 0.3, "min_words": 2, "assign": "best", "seed": 5},
        {"engine": "exact"},
    ]
    for partitions, options in zip((1, 4, 7), every):
        table = bags_in_spark(spark, bags)
        found = kith.spark.cluster(table, partitions=partitions, **options)
        assert rows_of(found.clusters, *columns) == on_one_machine(bags, **options)
        found.unpersist()


def test_ids_of_numbers(spark: Any) -> None:
    bags = [(id, [7, 9], [1.0, weight]) for id, weight in ((-5, 1.0), (10, 1.0), (9, 5.0))]
    found = kith.spark.cluster(bags_in_spark(spark, bags, "int"), min_words=1, lists=["pairs"])
    rows = found.clusters.orderBy("row").collect()
    assert [(row["id"], row["row"], row["center"]) for row in rows[::2]] == [
        (-5, 0, -5),
        (10, 2, -5),
    ]
    assert found.pairs is not None
    assert (-5, 10) in rows_of(found.pairs, "id_a", "id_b")
    # In the order of another column.
    table = bags_in_spark(spark, bags, "int").selectExpr("*", "cast(-id as string) as place")
    found = kith.spark.cluster(table, key="place", min_words=1)
    assert [row["id"] for row in found.clusters.orderBy("row").collect()] == [10, 9, -5]


def test_names_what_is_wrong_with_a_table(spark: Any) -> None:
    table = spark.createDataFrame(
        [("a", [1, 2], [1.0, 1.0]), ("b", [1], [1.0, 2.0])],
        "id string, terms array<int>, weights array<double>",
    )
    with pytest.raises(kith.NotFoundError, match="no column 'url'"):
        kith.spark.cluster(table, id="url")
    with pytest.raises(kith.UsageError, match="column 'id': of type string, not of arrays of int"):
        kith.spark.cluster(table, terms="id")
    with pytest.raises(kith.UsageError, match="'b': has arrays of different lengths"):
        kith.spark.cluster(table)
    with pytest.raises(kith.UsageError, match="column 'id': 'a' stands in two rows"):
        kith.spark.cluster(table.filter("id = 'a'").union(table.filter("id = 'a'")))
    with pytest.raises(kith.UsageError, match="'[ab]': the weight -1 of term 77"):
        kith.spark.cluster(table.selectExpr("id", "array(77) as terms", "array(-1D) as weights"))
    for none in (table.filter("false"), table.selectExpr("id", "null as terms", "weights")):
        typed = none.selectExpr("id", "cast(terms as array<int>) as terms", "weights")
        with pytest.raises(kith.UsageError, match="there is no bag to cluster"):
            kith.spark.cluster(typed)


def test_says_how_much_memory_is_needed(spark: Any) -> None:
    many = spark.range(700_000).selectExpr("id", "array(1) as terms", "array(1D) as weights")
    with pytest.raises(kith.UsageError, match="64 MiB of memory are too few for 700000 URLs"):
        kith.spark.cluster(many, memory="64M")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "inlinks"}, "order inlinks"),
        ({"similarity": 2}, "similarity = 2"),
        ({"memory": "1M"}, "memory = 1048576: must be at least 64M"),
        ({"weighting": "tf"}, "weighting: is no option"),
        ({"partitions": 0}, "partitions 0"),
        ({"lists": ["clusters"]}, "lists: 'clusters' is not one of"),
    ],
)
def test_refuses_what_is_not_for_many_machines(
    spark: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(kith.UsageError, match=message):
        kith.spark.cluster(spark.range(1), **options)


def test_command(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pages = topic_pages(20)
    write_jsonl(tmp_path / "pages.jsonl", pages)
    words = [str(tmp_path / "pages.jsonl"), str(tmp_path / "found"), "--id=url", "--partitions=1"]
    program = (
        "import sys; from kith.spark.__main__ import main\n"
        f"words = {words!r}\n"
        "bad = main(['cluster', *words, '--min-df=2'])\n"
        "worse = main(['cluster', *words, '--text=text', '--key=key'])\n"
        "options = ['--similarity=0.3', '--min-words=2', '--threads=2']\n"
        f"lists = ['--list=pairs', '--list=related', '--run={tmp_path}/run']\n"
        "done = main(['cluster', *words, '--text=text', '--title=title', *options, *lists])\n"
        "words[1] += '-of-files'\n"
        "worst = main(['cluster', *words, '--crawl'])\n"
        "words.remove('--id=url')\n"
        "crawl = ['--bags=content', '--boilerplate=keep']\n"
        "files = main(['cluster', *words, '--crawl', *crawl, *options])\n"
        "print([bad, worse, done, worst, files], file=sys.stderr)\n"
    )
    done = run_spark_program(program)
    assert done.stderr.splitlines()[-1] == "[2, 2, 0, 2, 0]", done.stderr
    assert "--min-df: is about texts" in done.stderr
    assert "--key: is about bags" in done.stderr
    assert "--id: is about a table" in done.stderr
    rows = parquet.read_table(tmp_path / "found" / "clusters").to_pylist()
    of_files = parquet.read_table(tmp_path / "found-of-files" / "clusters").to_pylist()
    assert sorted(map(repr, of_files)) == sorted(map(repr, rows))
    assert sorted(row["id"] for row in rows) == sorted(page["url"] for page in pages)
    for name in ("topics", "related", "pairs"):
        assert parquet.read_table(tmp_path / "found" / name).num_rows > 0
    assert not (tmp_path / "found-of-files" / "pairs").exists()
    report = json.loads((tmp_path / "found" / "report.json").read_text())
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    assert report["clusters"] == run.report["clusters"]
    assert report["spark_bags"]["rows"] == len(run) == len(pages)
