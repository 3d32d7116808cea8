"""Tables in the libraries that people use, by the Arrow PyCapsule interface."""

from __future__ import annotations

import gc
import html.parser
import pathlib
import resource
import sys

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
    assert table.columns == ["url", "title", "fetched", "language", "inlinks", "topic", "date"]
    assert len(table) == len(run)
    assert "36 rows" in repr(table)
    with pytest.raises(KeyError, match="no column 'nothing'; there are 'url'"):
        table["nothing"]


def test_other_libraries_by_name(run: kith.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    table = run.clusters()
    for library, convert in (
        ("polars", lambda: table.to_polars().to_dicts()),
        ("pandas", lambda: table.to_pandas().to_dict("records")),
        ("pyarrow", lambda: table.to_arrow().to_pylist()),
    ):
        pytest.importorskip(library)
        assert convert() == table.rows()
        with monkeypatch.context() as without:
            without.setitem(sys.modules, library, None)
            with pytest.raises(kith.UsageError, match=f"pip install {library}"):
                convert()


def test_pandas_before_3(run: kith.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.delattr(pandas.DataFrame, "from_arrow", raising=False)
    assert list(run.pages().to_pandas()["url"]) == run.pages()["url"]


def test_head(run: kith.Run, dedup_run: kith.DedupRun) -> None:
    for table in (run.pages(), run.clusters(), run.bags(), dedup_run.pairs()):
        assert table.head().rows() == table.rows()[:5]
        assert table.head(2).columns == table.columns
        assert len(table.head(0)) == 0
        assert table.head(10**9).rows() == table.rows()
    with pytest.raises(TypeError):
        run.pages().head(-1)


def test_tables_of_runs_are_flat(
    run: kith.Run, dedup_run: kith.DedupRun, tmp_path: pathlib.Path
) -> None:
    pytest.importorskip("polars")
    url = run.pages()["url"][0]
    tables = (
        run.pages(), run.clusters(), run.cluster(url), run.cluster_summary(), run.related(url),
        run.topics(), run.pairs(), dedup_run.groups(), dedup_run.keep(),
    )  # fmt: skip
    for table in tables:
        table.to_polars().write_csv(tmp_path / "table.csv")
    assert all(isinstance(label, str) for label in run.cluster_summary()["label"])


class Cells(html.parser.HTMLParser):
    """The texts of the cells of a table, by rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_cell = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self._is_cell = tag in ("td", "th")

    def handle_endtag(self, _tag: str) -> None:
        self._is_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[-1][-1] += data


def test_notebooks_show_a_table(run: kith.Run) -> None:
    table = run.pages()
    shown = table._repr_html_()
    head, *rows = Cells(shown).rows
    assert head == table.columns
    assert [row[:2] for row in rows] == [
        [row["url"], row["title"]] for row in table.head(10).rows()
    ]
    assert "36 rows, of which 10 are shown" in shown
    assert "1 row<" in table.head(1)._repr_html_()
    long = kith.extract(["<p>" + "word " * 99], url=["https://example.org/"])
    assert max(map(len, Cells(long._repr_html_()).rows[1])) == 100
    assert Cells(table.head(0)._repr_html_()).rows == [table.columns]


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
