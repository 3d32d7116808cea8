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
from kith.spark._topics import job as topics_job
from kith.spark._topics.run_folder import write_run


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
        rows = write_run(job, made, str(tmp_path / "made"), None)
        job.forget_all()
    assert len(rows) == len(pages)
    for name in ("terms.kith", "bags.kith", "urls.kith"):
        assert (tmp_path / "made" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()
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


def test_refuses_what_topics_cannot_be_made_of(
    spark: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kith.spark.bags(table_of(spark, topic_pages(20)), partitions=2)
    clusters = kith.spark.cluster(made, partitions=2, min_words=2)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"lanes": 64}, "lanes: is no option of topics"),
        ({"min_pages": 0}, "min_pages 0: must be 1 or more"),
        ({"min_pages": 1000}, "no cluster has 1000 pages"),
    ]
    for options, message in refused:
        with pytest.raises(kith.UsageError, match=message):
            kith.spark.topics(made, clusters, tmp_path / "run", partitions=2, **options)
    (tmp_path / "run.bags").mkdir()
    with pytest.raises(kith.UsageError, match="run.bags: is there already"):
        kith.spark.topics(made, clusters, tmp_path / "run", partitions=2)
    (tmp_path / "run.bags").rmdir()
    monkeypatch.setattr(topics_job, "MOST_CENTERS", 1)
    with pytest.raises(kith.UsageError, match="give a larger min_pages"):
        kith.spark.topics(made, clusters, tmp_path / "run", partitions=2)
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
