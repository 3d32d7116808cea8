"""Tables in the libraries that people use, by the Arrow PyCapsule interface."""

from __future__ import annotations

import gc
import resource

import pytest

import kith


def test_polars(run: kith.Run) -> None:
    polars = pytest.importorskip("polars")
    table = run.bags()
    assert polars.DataFrame(table).to_dicts() == table.rows()


def test_pyarrow(run: kith.Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for table in (run.pages(), run.bags(), run.cluster_summary(), run.clusters()):
        arrow = pyarrow.table(table)
        arrow.validate(full=True)
        assert arrow.to_pylist() == table.rows()


def test_data_outlives_the_run_and_the_table(dedup_run: kith.DedupRun) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = dedup_run.groups().rows()
    arrow = pyarrow.table(kith.open(dedup_run.directory).groups())  # type: ignore[union-attr]
    column = arrow.column("url")
    del arrow
    gc.collect()
    assert column.to_pylist() == [row["url"] for row in rows]


def test_pandas(run: kith.Run) -> None:
    pandas = pytest.importorskip("pandas", minversion="3.0")
    frame = pandas.DataFrame.from_arrow(run.pages())
    assert list(frame["url"]) == run.pages()["url"]


def test_duckdb(run: kith.Run) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    pages = run.pages()
    found = duckdb.sql("select count(*), min(url) from pages").fetchall()
    assert found == [(len(pages), min(pages["url"]))]


def test_a_table_by_itself(run: kith.Run) -> None:
    table = run.pages()
    assert table.columns == ["url", "title", "fetched", "language", "inlinks", "topic"]
    assert len(table) == len(run)
    assert "36 rows" in repr(table)
    with pytest.raises(KeyError, match="no column 'nothing'; there are 'url'"):
        table["nothing"]


def test_empty_tables(tmp_path: object, run: kith.Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = run.bags([])
    assert len(table) == 0
    arrow = pyarrow.table(table)
    arrow.validate(full=True)
    assert arrow.num_rows == 0


def test_capsules_that_nobody_takes_are_released(run: kith.Run) -> None:
    table = run.pages()
    for _ in range(10):
        table.__arrow_c_stream__()
        table.__arrow_c_schema__()


def peak() -> int:
    """Of this process, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_ten_thousand_calls_leak_nothing(run: kith.Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    url = run.pages()["url"][0]

    def call() -> None:
        assert pyarrow.table(run.related(url, 10)).num_rows > 0
        run.cluster(url).rows()
        with pytest.raises(kith.NotFoundError):
            run.related("https://nowhere.example/")

    for _ in range(500):
        call()
    before = peak()
    for _ in range(10000):
        call()
    assert peak() - before < 8192
