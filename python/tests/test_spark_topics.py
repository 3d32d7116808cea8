"""Bags of kith.spark as a run of one machine, and topics of clusters."""

from __future__ import annotations

import json
import pathlib
import shutil
from typing import Any

import kith
import pytest
from conftest import run_spark_program, topic_pages, write_jsonl

pytest.importorskip("numpy")
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import kith.spark
from kith.spark._exchange.session import Job, settings
from kith.spark._topics.run_folder import run_terms, write_run


def table_of(spark: Any, pages: list[dict[str, str]]) -> Any:
    rows = [(page["url"], page["title"], page["text"]) for page in pages]
    return spark.createDataFrame(rows, "url string, title string, text string")


def test_writes_the_bags_of_one_machine(spark: Any, tmp_path: pathlib.Path) -> None:
    pages = topic_pages(30)
    lines = write_jsonl(tmp_path / "pages.jsonl", pages)
    kith.cluster(lines, tmp_path / "run", bags="content", boilerplate="keep")
    without = [{"url": "https://music.example/none", "title": "none", "text": ""}]
    made = kith.spark.bags(table_of(spark, pages + without), title="title", partitions=3)
    with settings(spark, 3):
        job = Job(spark, 3)
        rows = write_run(job, made, str(tmp_path / "made"), None, run_terms(made))
        job.forget_all()
    assert len(rows) == len(pages)
    for name in ("terms.kith", "bags.kith"):
        assert (tmp_path / "made" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()
    # The languages of pages are not known there.
    sizes = [(tmp_path / run / "urls.kith").stat().st_size for run in ("made", "run")]
    assert sizes[0] == sizes[1]
    made.unpersist()


def test_topics_of_clusters(spark: Any, tmp_path: pathlib.Path) -> None:
    pages = topic_pages(26)
    made = kith.spark.bags(table_of(spark, pages), title="title", partitions=3)
    clusters = kith.spark.cluster(made, partitions=3, similarity=0.6, min_words=2)
    found = kith.spark.topics(
        made, clusters, tmp_path / "centers", min_pages=2, partitions=3, min_words=2
    )
    first = found.topics.filter("not topic like '%.%'").orderBy("topic").collect()
    assert [row["topic"] for row in first] == ["1", "2", "3"]
    assert sum(row["pages"] for row in first) == found.report["pages_in_topics"]
    assert sum(row["centers"] for row in first) == found.report["centers"]
    assert len(pages) // 2 < found.report["pages_in_topics"] <= len(pages)
    # A topic of the first level is a site, and a page is where its center is.
    sites: dict[str, set[str]] = {}
    rows = found.pages.collect()
    for row in rows:
        if row["topic"] is not None:
            sites.setdefault(row["topic"][0], set()).add(row["id"].split("/")[2])
    assert sorted(len(names) for names in sites.values()) == [1, 1, 1]
    leaf = {row["id"]: row["topic"] for row in rows}
    assert len(rows) == len(leaf) == len(pages)
    for row in clusters.clusters.select("id", "center").collect():
        assert leaf[row["id"]] == leaf[row["center"]]
    run = kith.open(tmp_path / "centers")
    assert isinstance(run, kith.Run)
    assert len(run) == found.report["centers"]
    assert not (tmp_path / "centers.bags").exists()
    with pytest.raises(kith.UsageError, match="is there already"):
        kith.spark.topics(made, clusters, tmp_path / "centers", partitions=3)
    found.unpersist()
    clusters.unpersist()
    made.unpersist()


def test_topics_by_levels(spark: Any, tmp_path: pathlib.Path) -> None:
    made = kith.spark.bags(table_of(spark, topic_pages(26)), title="title", partitions=3)
    clusters = kith.spark.cluster(made, partitions=3, similarity=0.9, min_words=2)
    limits: dict[str, Any] = {
        "driver_centers": 70,
        "task_centers": 40,
        "min_words": 2,
        "threads": 2,
    }
    found = []
    for partitions in (1, 5):
        folder = tmp_path / f"upper{partitions}"
        tree = kith.spark.topics(made, clusters, folder, partitions=partitions, **limits)
        found.append((tree.topics.collect(), sorted(tree.pages.collect()), tree.report))
        tree.unpersist()
    topics, pages, report = found[0]
    assert found[1][:2] == (topics, pages)
    assert report["centers_on_driver"] <= 70 < report["centers"]
    assert report["parts"] == 3
    assert report["topics_of_levels"] == len(topics)
    check_tree(topics, pages)
    # Two centers have no topics, so that all come to one executor; one is no sample.
    for centers, message in ((8, "topic of all pages: 78 clusters"), (1, "a sample so small")):
        with pytest.raises(kith.UsageError, match=message):
            kith.spark.topics(made, clusters, tmp_path / "few", driver_centers=centers)
        assert not (tmp_path / "few").exists()
    check_parts(spark, tmp_path, made, clusters, {row["id"]: row["topic"] for row in pages})
    clusters.unpersist()
    made.unpersist()


def check_tree(topics: list[Any], pages: list[Any]) -> None:
    """Every topic has as many children and pages as there are, and comes behind its parent."""
    seen: set[str] = set()
    for topic in topics:
        path = topic["topic"]
        assert path.rpartition(".")[0] in seen | {""}
        seen.add(path)
        children = [row for row in topics if row["topic"].rpartition(".")[0] == path]
        assert topic["children"] == len(children)
        leaves = [row["topic"] for row in pages]
        assert topic["pages"] == sum(f"{leaf}.".startswith(f"{path}.") for leaf in leaves)
        assert topic["centers"] >= sum(row["centers"] for row in children)
        assert topic["label"] and topic["exemplar"].startswith("https://")
    assert {row["topic"] for row in pages} <= seen


def check_parts(
    spark: Any, tmp_path: pathlib.Path, made: Any, clusters: Any, leaves: dict[str, str]
) -> None:
    """What is below each topic of the first level is what one machine makes of its centers."""
    centers = clusters.clusters.filter("row = center_row").select("id", "row").persist()
    ids = [row["id"] for row in centers.collect()]
    for first in sorted({leaf.partition(".")[0] for leaf in leaves.values()}):
        below = [name for name in ids if leaves[name].partition(".")[0] == first]
        folder = tmp_path / f"bags{first}"
        with settings(spark, 2):
            job = Job(spark, 2)
            wanted = centers.filter(centers.id.isin(below))
            write_run(job, made, str(folder), wanted, run_terms(made))
            job.forget_all()
        kith.cluster(folder, tmp_path / f"run{first}", no_check=True, min_words=2)
        run = kith.open(tmp_path / f"run{first}")
        assert isinstance(run, kith.Run)
        for page in run.pages().rows():
            assert leaves[page["url"]] == ".".join(name for name in (first, page["topic"]) if name)
    centers.unpersist()


def test_refuses_what_topics_cannot_be_made_of(spark: Any, tmp_path: pathlib.Path) -> None:
    made = kith.spark.bags(table_of(spark, topic_pages(20)), partitions=2)
    clusters = kith.spark.cluster(made, partitions=2, min_words=2)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"lanes": 64}, "lanes: is no option of topics"),
        ({"min_pages": 0}, "min_pages 0: must be 1 or more"),
        ({"driver_centers": 0}, "driver_centers 0: must be 1 or more"),
        ({"task_centers": -1}, "task_centers -1: must be 1 or more"),
        ({"min_pages": 1000}, "no cluster has 1000 pages"),
    ]
    for options, message in refused:
        with pytest.raises(kith.UsageError, match=message):
            kith.spark.topics(made, clusters, tmp_path / "run", partitions=2, **options)
    (tmp_path / "run.bags").mkdir()
    with pytest.raises(kith.UsageError, match="run.bags: is there already"):
        kith.spark.topics(made, clusters, tmp_path / "run", partitions=2)
    (tmp_path / "run.bags").rmdir()
    assert list(tmp_path.iterdir()) == []
    clusters.unpersist()
    made.unpersist()


def run_command(*words: object) -> Any:
    arguments = [*map(str, words)]
    return run_spark_program(
        f"import sys; from kith.spark.__main__ import main; sys.exit(main({arguments!r}))"
    )


def test_command(tmp_path: pathlib.Path) -> None:
    lines = write_jsonl(tmp_path / "pages.jsonl", topic_pages(26))
    done = run_command(
        "cluster", lines, tmp_path / "found", "--crawl", "--bags", "content", "--boilerplate",
        "keep", "--similarity", 0.6, "--min-words", 2, "--partitions", 2, "--min-pages", 2,
        "--topics", tmp_path / "centers",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "found" / "report.json").read_text())
    assert report["topics"]["centers"] > 0
    for name in ("clusters", "topics", "pages"):
        assert (tmp_path / "found" / name / "_SUCCESS").exists()
    done = run_command("cluster", lines, tmp_path / "x", "--crawl", "--min-pages", 2)
    assert done.returncode == 2
    assert "--min-pages: is about topics" in done.stderr
