"""What runs give equals what the command line prints of them."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from conftest import Command

import kith


def printed(command: Command, *arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in command(*arguments, "--format", "jsonl").splitlines()]


def same(rows: list[dict[str, Any]], lines: list[dict[str, Any]]) -> None:
    """Shares are printed with six decimals, and lists of words are one string in a table."""
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines):
        for name, value in line.items():
            if isinstance(value, float):
                assert row[name] == pytest.approx(value, abs=1e-6)
            else:
                is_list = isinstance(value, list)
                assert row[name] == (", ".join(value) if is_list else value)


def test_clusters(run: kith.Run, command: Command) -> None:
    same(run.clusters().rows(), printed(command, "clusters", run.directory))


def test_cluster_summary(run: kith.Run, command: Command) -> None:
    rows = run.cluster_summary().rows()
    lines = printed(command, "clusters", run.directory, "--summary")
    assert [
        (row["cluster"], row["size"], row["label"], row["center"], row["title"]) for row in rows
    ] == [
        (line["cluster"], line["size"], ", ".join(line["label"]), line["center"], line["title"])
        for line in lines
    ]
    assert rows[0]["hosts"].endswith(".example")


def test_cluster_of_a_page(run: kith.Run) -> None:
    url = run.pages()["url"][0]
    rows = run.cluster(url).rows()
    number = rows[0]["cluster"]
    assert rows == [row for row in run.clusters().rows() if row["cluster"] == number]
    assert url in [row["url"] for row in rows]


def test_related(run: kith.Run, command: Command) -> None:
    url = run.pages()["url"][3]
    same(
        run.related(url, 5).rows(),
        printed(command, "related", run.directory, url, "-n", 5, "--why"),
    )
    same(
        run.related(url, 4, other_sites=True).rows(),
        printed(command, "related", run.directory, url, "-n", 4, "--other-sites", "--why"),
    )
    same(
        run.related(url, 9, per_site=1).rows(),
        printed(command, "related", run.directory, url, "-n", 9, "--per-site", 1, "--why"),
    )


def test_topics(run: kith.Run, command: Command) -> None:
    lines = printed(command, "topics", run.directory)
    for line in lines:
        del line["hosts"]
    same(run.topics().rows(), lines)
    with pytest.raises(kith.UsageError, match="one of them"):
        run.topics(depth=1, topics=2)
    with pytest.raises(kith.NotFoundError):
        run.topics(under="9.9.9")


def test_pairs(run: kith.Run, command: Command) -> None:
    same(run.pairs().rows(), printed(command, "pairs", run.directory))
    assert run.pairs(threads=1, memory=64 << 20).rows() == run.pairs().rows()


def test_bags(run: kith.Run, command: Command) -> None:
    lines = [json.loads(line) for line in command("bags", run.directory).splitlines()]
    rows = run.bags().rows()
    assert [row["url"] for row in rows] == [line["url"] for line in lines]
    for row, line in zip(rows, lines):
        assert dict(zip(row["terms"], row["weights"])) == pytest.approx(line["terms"], abs=1e-4)
    assert run.bags([rows[2]["url"]]).rows() == [rows[2]]


def test_pages_and_report(run: kith.Run) -> None:
    pages = run.pages().rows()
    assert len(pages) == len(run) == 36
    assert all(page["fetched"] for page in pages)
    assert {page["title"].split("\t")[0] for page in pages} == {"music", "cooking", "astronomy"}
    assert "https://MUSIC.example/0" in run
    assert "https://nowhere.example/" not in run
    assert run.report["version"] == kith.__version__
    run.verify()


def test_unknown_url(run: kith.Run) -> None:
    with pytest.raises(kith.NotFoundError, match="nowhere"):
        run.related("https://nowhere.example/")


def test_damage_is_named(run: kith.Run, tmp_path: pathlib.Path) -> None:
    for path in pathlib.Path(run.directory).iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    damaged = bytearray((tmp_path / "bags.kith").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "bags.kith").write_bytes(damaged)
    with pytest.raises(kith.CorruptError, match="bags.kith"):
        copy = kith.open(tmp_path)
        copy.verify()


def test_dedup_lists(dedup_run: kith.DedupRun) -> None:
    groups = dedup_run.groups().rows()
    assert len(groups) == 72
    assert {row["role"] for row in groups} == {"kept", "removed"}
    assert (
        len(dedup_run.keep())
        == 36
        == dedup_run.report["documents"]["documents"] - dedup_run.report["groups"]["removed"]
    )
    assert all(row["resemblance"] >= 0.7 for row in dedup_run.pairs().rows())
    dedup_run.verify()
    with pytest.raises(kith.NotFoundError, match="against.tsv"):
        dedup_run.against()


def test_lists_as_json_are_the_same(
    dedup_run: kith.DedupRun, copies: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    kith.dedup(copies, tmp_path / "json", similarity=0.7, format="jsonl")
    other = kith.open(tmp_path / "json")
    assert isinstance(other, kith.DedupRun)
    for name in ("groups", "pairs", "keep"):
        same(getattr(other, name)().rows(), getattr(dedup_run, name)().rows())


def test_names_are_unescaped(tmp_path: pathlib.Path) -> None:
    names = ["tab\there", "back\\slash", "line\nend", "mark\u200e\u2028", "é"]
    rows = [
        f'{{"id": {json.dumps(name)}, "text": "some words {3 * chr(97 + i)} that differ"}}\n'
        for i, name in enumerate(names)
    ]
    (tmp_path / "names.jsonl").write_text("".join(rows))
    kith.dedup(tmp_path / "names.jsonl", tmp_path / "run")
    opened = kith.open(tmp_path / "run")
    assert isinstance(opened, kith.DedupRun)
    assert opened.keep()["url"] == names


def test_a_list_that_was_changed_is_an_error(tmp_path: pathlib.Path, copies: pathlib.Path) -> None:
    kith.dedup(copies, tmp_path / "run")
    path = tmp_path / "run" / "keep.tsv"
    path.write_text(path.read_text() + "one field\n")
    opened = kith.open(tmp_path / "run")
    assert isinstance(opened, kith.DedupRun)
    with pytest.raises(kith.CorruptError, match=r"keep.tsv, line 38"):
        opened.keep()


def test_open_of_nothing(tmp_path: pathlib.Path) -> None:
    with pytest.raises(kith.NotFoundError, match="no run directory"):
        kith.open(tmp_path)
