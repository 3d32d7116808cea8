"""Near-duplicates among the rows of tables."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import kith

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def documents(copies: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in copies.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def marks(documents: list[dict[str, Any]]) -> kith.Table:
    return kith.dedup(pyarrow.Table.from_pylist(documents), id="url", similarity=0.7)


def test_marks_are_the_groups_of_the_command(
    marks: kith.Table, documents: list[dict[str, Any]], dedup_run: kith.DedupRun
) -> None:
    groups = {row["url"]: row for row in dedup_run.groups().rows()}
    assert len(marks) == len(documents)
    for document, row in zip(documents, marks.rows()):
        listed = groups.get(document["url"])
        assert (listed is None) == (row["group"] == 0)
        if listed is not None:
            assert row["group"] == listed["group"]
            assert row["keep"] == (listed["role"] == "kept")
            assert row["similarity"] == pytest.approx(listed["resemblance"], abs=1e-6)
            assert row["kept_id"] == documents[row["kept_row"]]["url"]
    assert marks.report["groups"] == dedup_run.report["groups"]["groups"]


def test_every_kind_of_table(
    marks: kith.Table, documents: list[dict[str, Any]], tmp_path: pathlib.Path
) -> None:
    table = pyarrow.Table.from_pylist(documents)
    kinds: list[Any] = [table, table.to_reader(max_chunksize=7), table.slice(0)]
    polars = pytest.importorskip("polars")
    kinds.append(polars.DataFrame(documents))
    pandas = pytest.importorskip("pandas", minversion="3.0")
    kinds.append(pandas.DataFrame(documents))
    duckdb = pytest.importorskip("duckdb")
    kinds.append(duckdb.from_arrow(table))
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(table, tmp_path / "pages.parquet", row_group_size=10)
    kinds += [tmp_path / "pages.parquet", str(tmp_path / "pages.parquet")]
    dataset = pytest.importorskip("pyarrow.dataset")
    kinds.append(dataset.dataset(tmp_path / "pages.parquet"))
    (tmp_path / "many.parquet").mkdir()
    for i in range(2):
        half = table.slice(i * len(documents) // 2, len(documents) // 2)
        parquet.write_table(half, tmp_path / "many.parquet" / f"{i}.parquet")
    kinds.append(tmp_path / "many.parquet")
    for kind in kinds:
        assert kith.dedup(kind, id="url", similarity=0.7).rows() == marks.rows(), type(kind)


def test_without_ids_rows_are_named(documents: list[dict[str, Any]], marks: kith.Table) -> None:
    rows = kith.dedup(pyarrow.Table.from_pylist(documents), similarity=0.7).rows()
    assert [row["kept_row"] for row in rows] == marks["kept_row"]
    assert "kept_id" not in rows[0]


def test_numbers_as_ids_and_other_names() -> None:
    table = pyarrow.table(
        {"body": ["one text of some words", "one text of some words"], "number": [7, 9]}
    )
    rows = kith.dedup(table, text="body", id="number").rows()
    assert [row["kept_id"] for row in rows] == ["7", "7"]
    assert [row["keep"] for row in rows] == [True, False]


def test_documents_in_many_batches(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [f"the same words but for one that is number{i % 1500}" for i in range(5000)]
    table = pyarrow.table({"number": range(5000), "text": texts})
    parquet.write_table(table, tmp_path / "pages.parquet", row_group_size=1700)
    seen: list[float] = []
    marks = kith.dedup(
        tmp_path / "pages.parquet",
        id="number",
        raw=True,
        method="exact",
        progress=lambda stage, done, total, unit, note: seen.append(done),
    )
    assert marks["kept_row"] == [i % 1500 for i in range(5000)]
    assert marks["kept_id"] == [str(i % 1500) for i in range(5000)]
    assert len(set(seen)) > 4  # it tells so after each of the batches
    assert kith.dedup(table, id="number", raw=True, method="exact").rows() == marks.rows()
    empty = tmp_path / "empty.parquet"
    parquet.write_table(table.slice(0, 0), empty)
    assert len(kith.dedup(empty, id="number")) == 0


def test_progress_of_a_table_can_stop(documents: list[dict[str, Any]]) -> None:
    def stop(stage: str, done: float, total: float, unit: str, note: str) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        kith.dedup(pyarrow.Table.from_pylist(documents), progress=stop)
