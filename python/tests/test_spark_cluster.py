"""kith.spark.cluster beside one machine: the clusters of kith.cluster_bags with LSH tables, for any
number of partitions."""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import signal
from typing import Any

import kith
import pytest
from conftest import executors_of, run_spark_program, topic_pages, write_jsonl

np = pytest.importorskip("numpy")
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import kith.spark
from kith._options import CommonClusterOptions
from kith.spark._cluster import job as cluster_job
from kith.spark._exchange.session import Job
from kith.spark._join import candidates

Bag = tuple[str, list[int] | None, list[float] | None]


def topical(count: int, seed: int) -> list[Bag]:
    """Most terms of a bag are those of one of ten topics. Every ninth is equal to an earlier one,
    some have few terms, some none, and some rows no bag."""
    rng = random.Random(seed)
    bags: list[Bag] = []
    for i in range(count):
        id = f"https://a.example/{i:06}"
        if i % 9 == 8:
            bags.append((id, *rng.choice(bags)[1:]))
        elif i % 97 == 0:
            bags.append(rng.choice([(id, None, None), (id, [], [])]))
        else:
            size = 3 if i % 11 == 0 else rng.randrange(15, 30)
            terms = {40 * (i % 10) + min(rng.randrange(40), rng.randrange(40)) for _ in range(size)}
            terms |= {rng.randrange(1000, 3000) for _ in range(i % 5)}
            bags.append((id, list(terms), [float(rng.randrange(1, 9)) for _ in terms]))
    return bags


def family(count: int, first_term: int, common: int, own: int) -> list[Bag]:
    """The same terms in all, and some of each bag alone: one large bucket in every table."""
    bags: list[Bag] = []
    for i in range(count):
        begin = first_term + common + i * own
        terms = [*range(first_term, first_term + common), *range(begin, begin + own)]
        bags.append((f"https://b.example/{first_term}/{i:06}", terms, [1.0] * len(terms)))
    return bags


def on_one_machine(bags: list[Bag], **options: Any) -> list[tuple[Any, ...]]:
    """id, role, similarity and center of all bags, and their clusters."""
    ordered = sorted(bag for bag in bags if bag[1] is not None)
    terms = [bag[1] or [] for bag in ordered]
    center, similarity = kith.cluster_bags(
        np.cumsum([0, *map(len, terms)]).astype(np.uint64),
        np.array([term for bag in terms for term in bag], np.uint32),
        np.array([weight for bag in ordered for weight in bag[2] or []], np.float64),
        engine="lsh",
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


def on_spark(spark: Any, bags: list[Bag], **options: Any) -> tuple[list[Any], dict[str, Any]]:
    shuffled = random.Random(1).sample(bags, len(bags))
    schema = "id string, terms array<bigint>, weights array<double>"
    found = kith.spark.cluster(spark.createDataFrame(shuffled, schema), **options)
    columns = ("id", "cluster", "role", "similarity", "center")
    rows = [tuple(row) for row in found.clusters.select(*columns).orderBy("id").collect()]
    report = found.report
    found.unpersist()
    return rows, report


def test_clusters_by_a_threshold_that_follows_the_bags(spark: Any) -> None:
    bags = topical(700, 3)
    rows, report = on_spark(spark, bags, partitions=7)
    assert rows == on_one_machine(bags)
    assert report["bags"] == len(rows)
    assert report["duplicates"] > 60
    assert report["clusters"] == len({row[1] for row in rows if row[2] == "center"})
    assert report["singles"] == len([row for row in rows if row[2] == "single"])
    assert report["large_buckets"] == 0
    assert "of the median" in report["threshold"]


def test_a_hundred_thousand_bags(spark: Any, tmp_path: pathlib.Path) -> None:
    """Half of the terms of a bag are of one of 8,000 topics; every ninth is equal to another one."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    count, words = 100_000, 16
    rng = np.random.default_rng(6)
    own, noise = rng.integers(0, 8_000, (count, 1)), rng.integers(0, 10_000_000, (count, 1))
    starts, steps = rng.integers(0, 14, (count, 1)), np.arange(words // 2)
    near = 14 * own + (starts + 3 * steps) % 14
    terms = np.concatenate((near, 1_000_000 + 8 * noise + steps), axis=1)
    terms[::9] = terms[rng.integers(0, count, len(terms[::9]))]
    sizes = rng.integers(6, words + 1, count)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    flat = terms[np.arange(words) < sizes[:, None]].astype(np.uint32)
    weights = np.ones(len(flat))
    lists = [
        pyarrow.ListArray.from_arrays(
            pyarrow.array(offsets, pyarrow.int32()), pyarrow.array(values)
        )
        for values in (flat.astype(np.int64), weights)
    ]
    table = pyarrow.table({"id": np.arange(count), "terms": lists[0], "weights": lists[1]})
    parquet.write_table(table, tmp_path / "bags.parquet")
    center, similarity = kith.cluster_bags(
        offsets.astype(np.uint64), flat, weights, engine="lsh", similarity=0.3
    )
    found = kith.spark.cluster(
        spark.read.parquet(str(tmp_path / "bags.parquet")), partitions=4, similarity=0.3
    )
    columns = ("row", "center_row", "similarity")
    rows: Any = found.clusters.select(*columns).orderBy("row").toPandas()
    assert (rows["row"].to_numpy() == np.arange(count)).all()
    assert (rows["center_row"].to_numpy() == center).all()
    assert (rows["similarity"].to_numpy() == similarity).all()
    assert np.count_nonzero(center != np.arange(count)) > count // 3
    found.unpersist()


def test_clusters_in_rounds(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bags = topical(500, 4)
    monkeypatch.setattr(cluster_job, "_ROUNDS_ABOVE", 40)
    options: dict[str, Any] = {"similarity": 0.3, "min_words": 2, "seed": 5}
    found = []
    for assign in ("first", "best"):
        rows, _ = on_spark(spark, bags, partitions=2, assign=assign, **options)
        assert rows == on_one_machine(bags, assign=assign, **options)
        found.append(rows)
    assert found[0] != found[1]


def test_bags_go_only_where_they_are_needed(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do where there are many slices; in the other tests they go to all."""
    bags = topical(300, 8) + family(2500, 2_000_000, 30, 15)  # buckets that are split
    monkeypatch.setattr(candidates, "_FEW_SLICES", 0)
    rows, report = on_spark(spark, bags, partitions=3, similarity=0.3)
    assert rows == on_one_machine(bags, similarity=0.3)
    assert report["large_buckets"] > 0


def test_large_families_and_a_lost_executor(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole parts, and buckets that are split. In the middle of the job one executor is killed,
    with what it has computed so far."""
    keep = Job.keep
    stages: list[Any] = []

    def keep_and_lose(job: Job, frame: Any) -> Any:
        stages.append(frame)
        if len(stages) == 6:
            os.kill(executors_of(spark)[0], signal.SIGKILL)
        return keep(job, frame)

    monkeypatch.setattr(Job, "keep", keep_and_lose)
    bags = topical(300, 5) + family(600, 1_000_000, 50, 3) + family(2500, 2_000_000, 30, 15)
    rows, report = on_spark(spark, bags, similarity=0.5)
    assert rows == on_one_machine(bags, similarity=0.5)
    assert report["large_buckets"] > 0
    assert len(stages) > 6


def counts_of(found: Any) -> dict[str, Any]:
    """The report without the slices, and without the reasons for the tables: one machine says besides
    how long comparisons of all bags would take."""
    return {k: v for k, v in found.report.items() if k not in ("partitions", "engine")}


def test_pages_as_on_one_machine(spark: Any, tmp_path: pathlib.Path) -> None:
    """From texts to bags to clusters: those of kith.cluster for the same pages."""
    pages = topic_pages(30)
    lines = tmp_path / "pages.jsonl"
    write_jsonl(lines, pages)
    empty = [(f"https://music.example/{name}", "no text", "") for name in "abc"]
    options: dict[str, Any] = {"similarity": 0.3, "min_words": 2, "order": "url"}
    kith.cluster(
        lines, tmp_path / "run", bags="content", boilerplate="keep", engine="lsh", neighbours=0,
        **options,
    )  # fmt: skip
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    expected = [(r["cluster"], r["url"], r["role"], r["similarity"]) for r in run.clusters().rows()]
    table = spark.createDataFrame(
        [(page["url"], page["title"], page["text"]) for page in pages] + empty,
        "url string, title string, text string",
    )
    made = kith.spark.bags(table, title="title", partitions=3)
    with pytest.raises(kith.UsageError, match="id, key, terms, weights: are columns of a table"):
        kith.spark.cluster(made, key="key")
    with pytest.raises(kith.UsageError, match="task_memory: .*much"):
        kith.spark.cluster(made, task_memory="much")
    by_table = kith.spark.cluster(made.bags, key="key", partitions=3, **options)
    in_slices = kith.spark.cluster(made, partitions=7, task_memory="1K", **options)
    by_one_task = kith.spark.cluster(made, partitions=7, **options)
    columns = [name for name in by_table.clusters.columns if name != "id"]
    tables = []
    for found in (by_table, in_slices, by_one_task):
        rows = found.clusters.select("cluster", "id", "role", "similarity").orderBy("id").collect()
        assert [tuple(row) for row in rows] == sorted(expected, key=lambda row: row[1])
        assert found.report["clusters"] == run.report["clusters"]["clusters"]
        tables.append(found.clusters.select("id", *columns).orderBy("id").collect())
    assert tables[0] == tables[1] == tables[2]
    assert "candidates" in in_slices.report
    assert counts_of(by_one_task).items() <= counts_of(in_slices).items()
    for found in (by_table, in_slices, by_one_task):
        found.unpersist()
    made.unpersist()


def test_clusters_by_one_task(spark: Any) -> None:
    """Large families, equal pages, empty ones, and those of few words; in both orders, by the first and
    the best center. An executor is killed in the middle."""
    pages = pages_in_large_buckets(4)
    pages += [{"url": f"https://empty.example/{i}", "title": "", "text": "!"} for i in range(3)]
    table = spark.createDataFrame(
        [(page["url"], page["text"]) for page in pages], "url string, text string"
    )
    made = kith.spark.bags(table, partitions=3, weighting="tf", max_df=1.0)
    every: list[CommonClusterOptions] = [{"order": "url"}, {"assign": "best", "similarity": 0.3}]
    found = []
    for options in every:
        in_slices = kith.spark.cluster(made, partitions=3, task_memory="1K", **options)
        by_one_task = kith.spark.cluster(made, partitions=3, task_memory="1G", **options)
        found.append(by_one_task.clusters.orderBy("id").collect())
        assert found[-1] == in_slices.clusters.orderBy("id").collect()
        assert counts_of(by_one_task).items() <= counts_of(in_slices).items()
        assert by_one_task.report["empty"] == 3
        assert in_slices.report["large_buckets"] > 0
        in_slices.unpersist()
        by_one_task.unpersist()
    os.kill(executors_of(spark)[0], signal.SIGKILL)
    again = kith.spark.cluster(made, partitions=3, **every[1])
    assert again.clusters.orderBy("id").collect() == found[1] != found[0]
    again.unpersist()
    made.unpersist()


def word(kind: str, number: int) -> str:
    return kind + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def pages_in_large_buckets(seed: int) -> list[dict[str, str]]:
    """Pages of ten topics, some equal to earlier ones, some of few words; a family of
    near-duplicates, which is a whole part; and pages with half of their words in common."""
    rng = random.Random(seed)
    pages: list[dict[str, str]] = []

    def add(host: str, *words: str) -> None:
        url = f"https://{host}.example/{len(pages):05}"
        pages.append({"url": url, "title": "", "text": " ".join(words)})

    for i in range(250):
        if i % 9 == 8:
            add("copy", rng.choice(pages)["text"])
        elif i % 13 == 0:
            add("short", *rng.sample(["alpha", "beta", "gamma", "delta"], 3))
        else:
            add("topic", *(word("topic", 40 * (i % 10) + rng.randrange(20)) for _ in range(40)))
    for host, count, common, own in (("family", 600, 50, 6), ("wide", 600, 20, 15)):
        for _ in range(count):
            shared = (word(host, k) for k in range(common))
            add(host, *shared, *(word("own", rng.randrange(2 * count)) for _ in range(own)))
    return pages


def test_pairs_as_on_one_machine(spark: Any, tmp_path: pathlib.Path) -> None:
    """Those of kith.Run.pairs(), of equal bags and of few words too, and the nearest by them."""
    pages = pages_in_large_buckets(3)
    of_bags: dict[str, Any] = {"weighting": "tf", "max_df": 1.0}
    lines = write_jsonl(tmp_path / "pages.jsonl", pages)
    kith.cluster(
        lines, tmp_path / "run", bags="content", boilerplate="keep", engine="lsh", neighbours=0,
        similarity=0.5, **of_bags,
    )  # fmt: skip
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    expected = sorted((r["url_a"], r["url_b"], r["similarity"]) for r in run.pairs().rows())
    table = spark.createDataFrame(
        [(page["url"], page["text"]) for page in pages], "url string, text string"
    )
    made = kith.spark.bags(table, partitions=3, **of_bags)
    found = kith.spark.cluster(made, partitions=3, similarity=0.5, pairs=True, related=4)
    assert found.pairs is not None and found.related is not None
    pairs = [tuple(row) for row in found.pairs.select("id_a", "id_b", "similarity").collect()]
    assert sorted(pairs) == expected
    assert found.pairs.filter("row_a >= row_b").count() == 0
    assert found.report["large_buckets"] > 0
    assert found.report["pairs_of_different_bags"] < len(pairs)
    clusters = [(r["url"], r["cluster"], r["similarity"]) for r in run.clusters().rows()]
    rows = found.clusters.select("id", "cluster", "similarity").collect()
    assert sorted(map(tuple, rows)) == sorted(clusters)
    row_of = {row["id"]: row["row"] for row in found.clusters.select("id", "row").collect()}
    near: dict[str, list[tuple[float, int, str]]] = {}
    for a, b, similarity in expected:
        near.setdefault(a, []).append((-similarity, row_of[b], b))
        near.setdefault(b, []).append((-similarity, row_of[a], a))
    lists = {
        (id, place + 1, other, -less)
        for id, others in near.items()
        for place, (less, _, other) in enumerate(sorted(others)[:4])
    }
    columns = ("id", "rank", "related", "similarity")
    assert {tuple(row) for row in found.related.select(*columns).collect()} == lists
    found.unpersist()
    made.unpersist()


def test_small_tables(spark: Any) -> None:
    tables: list[list[Bag]] = [[], [("a", None, None)], [("b", [1], [1.0]), ("a", [1], [2.0])]]
    for bags in tables:
        rows, _ = on_spark(spark, bags, min_words=1, partitions=2)
        assert rows == on_one_machine(bags, min_words=1) if bags else rows == []
    schema = "id string, terms array<int>, weights array<double>"
    equal = spark.createDataFrame(tables[-1], schema)
    found = kith.spark.cluster(equal, partitions=2, pairs=True)
    assert found.related is None and found.pairs is not None
    assert [tuple(row) for row in found.pairs.collect()] == [("a", "b", 0, 1, 1.0)]
    # So low a threshold that signatures need not agree at all.
    alike = spark.createDataFrame([("a", [1, 2], [1.0, 1.0]), ("b", [1, 3], [1.0, 1.0])], schema)
    found = kith.spark.cluster(alike, partitions=2, pairs=True, similarity=0.02)
    assert found.pairs is not None
    assert [tuple(row) for row in found.pairs.collect()] == [("a", "b", 0, 1, 1 / 3)]
    # Nothing for one task.
    schema = "url string, text string"
    for texts, count in (([], 0), ([None], 0), (["!"], 1)):
        pages = [(f"https://a.example/{i}", text) for i, text in enumerate(texts)]
        found = kith.spark.cluster(kith.spark.bags(spark.createDataFrame(pages, schema)))
        assert (found.report["bags"], found.clusters.count()) == (count, count)


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
    with pytest.raises(kith.UsageError, match="'[ab]': the weight -1 of term 1"):
        kith.spark.cluster(table.selectExpr("id", "array(1) as terms", "array(-1D) as weights"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "exact"}, "engine exact"),
        ({"order": "degree"}, "order degree"),
        ({"similarity": 2}, "similarity = 2"),
        ({"memory": "4G"}, "memory: is no option"),
        ({"task_memory": "1G"}, "task_memory: is about bags that bags()"),
        ({"partitions": 0}, "partitions 0"),
        ({"related": -1}, "related -1"),
    ],
)
def test_refuses_what_is_not_for_many_machines(
    spark: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(kith.UsageError, match=message):
        kith.spark.cluster(spark.range(1), **options)


def test_command(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pages = topic_pages(8)
    write_jsonl(tmp_path / "pages.jsonl", pages)
    words = [str(tmp_path / "pages.jsonl"), str(tmp_path / "found"), "--id=url", "--partitions=1"]
    program = (
        "import sys; from kith.spark.__main__ import main\n"
        f"words = {words!r}\n"
        "bad = main(['cluster', *words, '--min-df=2'])\n"
        "table = main(['cluster', *words, '--task-memory=1G'])\n"
        "worse = main(['cluster', *words, '--text=text', '--key=key'])\n"
        "options = ['--similarity=0.3', '--min-words=2']\n"
        "lists = ['--pairs', '--related=2']\n"
        "done = main(['cluster', *words, '--text=text', '--title=title', *options, *lists])\n"
        "words[1] += '-of-files'\n"
        "worst = main(['cluster', *words, '--crawl'])\n"
        "words.remove('--id=url')\n"
        "crawl = ['--bags=content', '--boilerplate=keep']\n"
        "files = main(['cluster', *words, '--crawl', *crawl, *options])\n"
        "print([bad, table, worse, done, worst, files], file=sys.stderr)\n"
    )
    done = run_spark_program(program)
    assert done.stderr.splitlines()[-1] == "[2, 2, 2, 0, 2, 0]", done.stderr
    assert "--min-df: is about texts" in done.stderr
    assert "task_memory: is about bags that bags()" in done.stderr
    assert "--key: is about bags" in done.stderr
    assert "--id: is about a table" in done.stderr
    rows = parquet.read_table(tmp_path / "found" / "clusters").to_pylist()
    of_files = parquet.read_table(tmp_path / "found-of-files" / "clusters").to_pylist()
    assert sorted(map(repr, of_files)) == sorted(map(repr, rows))
    assert sorted(row["id"] for row in rows) == sorted(page["url"] for page in pages)
    pairs = parquet.read_table(tmp_path / "found" / "pairs").to_pylist()
    related = parquet.read_table(tmp_path / "found" / "related").to_pylist()
    members = [row for row in rows if row["role"] == "member"]
    listed = {frozenset((pair["id_a"], pair["id_b"])) for pair in pairs}
    assert {frozenset((row["id"], row["center"])) for row in members} <= listed
    assert {frozenset((row["id"], row["related"])) for row in related} <= listed
    assert max(row["rank"] for row in related) == 2
    assert not (tmp_path / "found-of-files" / "pairs").exists()
    report = json.loads((tmp_path / "found" / "report.json").read_text())
    assert (
        report["clusters"] == len({row["cluster"] for row in rows if row["role"] == "center"}) > 0
    )
