"""Fields that say what group a row is in, in copies of tables; rules of what stays; losses."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

import kith

STORY = " ".join(f"word{i}" for i in range(100))
ROWS = [
    {"id": "a", "text": STORY, "q": 0.5, "n": 1},
    {"id": "b", "text": STORY + " end", "q": 0.75, "n": 2},
    {"id": "c", "text": None, "q": None, "n": 3},
    {"id": "d", "text": "a text that is like no other", "q": 1.0, "n": 4},
    {"id": "e", "text": STORY, "q": None, "n": 5},
]


def write(path: pathlib.Path, **options: Any) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path, **options)


def test_annotated_copies_of_tables(tmp_path: pathlib.Path) -> None:
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    write(source, row_group_size=2)
    kith.dedup(source, tmp_path / "run", annotate=True, weights="cap2", write=out)
    table = pyarrow.parquet.read_table(out)
    assert table.select(["id", "text", "q", "n"]).to_pylist() == ROWS
    assert table["kith_group"].to_pylist() == [1, 1, 0, 0, 1]
    assert table["kith_group_size"].to_pylist() == [3, 3, 1, 1, 3]
    assert table["kith_kept_id"].to_pylist() == ["a", "a", "c", "d", "a"]
    assert table["kith_weight"].to_pylist() == [2, 0, 1, 1, 0]
    assert table["kith_similarity"].to_pylist()[4] == 1
    with open(tmp_path / "run/documents.tsv", encoding="utf-8") as file:
        header, *rows = [line.rstrip("\n").split("\t") for line in file]
    for name in ("kith_group", "kith_similarity", "kith_weight"):
        assert [float(row[header.index(name)]) for row in rows] == table[name].to_pylist()
    # Columns of these names are replaced.
    kith.dedup(out, tmp_path / "again", annotate=True, weights="cap2", write=tmp_path / "again.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "again.parquet").equals(table)


def test_weights_of_kept_rows(tmp_path: pathlib.Path) -> None:
    source, out = tmp_path / "in.feather", tmp_path / "out.feather"
    pyarrow.feather.write_feather(pyarrow.Table.from_pylist(ROWS), source, compression="uncompressed")
    kith.dedup(source, tmp_path / "run", weights="cap9", write=out)
    table = pyarrow.feather.read_table(out)
    assert table["id"].to_pylist() == ["a", "c", "d"]
    assert table["kith_weight"].to_pylist() == [3, 1, 1]


def test_scores_of_tables(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "in.parquet"
    write(source)
    rules: list[tuple[str | list[str], str]] = [
        ("score:q", "b"), (["score:n"], "e"), (["longest", "first"], "b"), ("first", "a")
    ]
    for keep, kept in rules:
        run = tmp_path / f"run-{kept}-{len(keep)}"
        kith.dedup(source, run, keep=keep)
        assert kept in list(kith.DedupRun(run).keep()["url"])
    with pytest.raises(kith.NotFoundError, match="no column 'rank'"):
        kith.dedup(source, tmp_path / "x", keep="score:rank")
    with pytest.raises(kith.UsageError, match="keep"):
        kith.dedup(source, tmp_path / "x", keep="best")


def test_in_memory_quality_is_a_rule(tmp_path: pathlib.Path) -> None:
    good = ". ".join(f"The river number {'abcdefghij'[i]} rises in the hills north of town" for i in range(10)) + "."
    table = pyarrow.table({"text": [good[:-30] + "...", good]})
    assert list(kith.dedup(table, keep="quality")["keep"]) == [False, True]
    with pytest.raises(kith.UsageError, match="quality"):
        kith.dedup(table, keep="newest")


def test_too_much_loss(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"id": i, "text": STORY}) + "\n" for i in range(12)), encoding="utf-8")
    with pytest.raises(kith.Error, match="max_loss: the source .*in.jsonl would lose 11 of its 12 documents"):
        kith.dedup(source, tmp_path / "run", max_loss="20%", write=tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    report = kith.dedup(source, tmp_path / "run", max_loss=0.95, dry_run=True, write=tmp_path / "out.jsonl")
    assert report["losses"][0]["removed"] == 11
    assert not (tmp_path / "out.jsonl").exists()
