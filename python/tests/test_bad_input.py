"""What a person reads when a table or a document is not as it should be."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

import kith

pyarrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")

TABLE = pyarrow.table(
    {"text": ["a", "b", "c"], "id": ["x", "y", "x"], "n": [1, 2, 3], "f": [0.5, 1.5, 2.5]}
)


def fails(kind: type[Exception], message: str) -> Any:
    """The whole message; of paths the end."""
    return pytest.raises(kind, match=re.escape(message) + "$")


def test_missing_column(tmp_path: pathlib.Path) -> None:
    there = "no column 'body'; there are 'text', 'id', 'n', 'f'"
    with fails(kith.NotFoundError, there):
        kith.dedup(TABLE, text="body")
    with fails(kith.NotFoundError, there):
        kith.dedup(TABLE, id="body")
    parquet.write_table(TABLE, tmp_path / "pages.parquet")
    with fails(kith.NotFoundError, "pages.parquet: " + there):
        kith.dedup(tmp_path / "pages.parquet", text="body")


@pytest.mark.parametrize(
    ("column", "type_name"),
    [
        ([1, 2], "int64"),
        ([0.5, 1], "float64"),
        ([True, False], "bool"),
        ([["a"], ["b"]], "list"),
        (pyarrow.array([1, 2], pyarrow.timestamp("s")), "date or time"),
    ],
)
def test_wrong_type_of_texts(column: Any, type_name: str) -> None:
    with fails(kith.UsageError, f"column 'text' is of type {type_name}, not of strings"):
        kith.dedup(pyarrow.table({"text": column}))


def test_wrong_type_of_ids() -> None:
    with fails(
        kith.UsageError,
        "column 'f' is of type float64, not of strings or integers",
    ):
        kith.dedup(TABLE, id="f")
    codes = pyarrow.array(["x", "y", "x"]).dictionary_encode()
    with fails(kith.UsageError, "column 'id': 'x' stands in row 0 and in row 2"):
        kith.dedup(pyarrow.table({"text": ["a", "b", "c"], "id": codes}), id="id")


def test_ids_that_are_not_unique() -> None:
    with fails(kith.UsageError, "column 'id': 'x' stands in row 0 and in row 2"):
        kith.dedup(TABLE, id="id")
    with fails(kith.UsageError, "column 'id': row 1 is null"):
        kith.dedup(pyarrow.table({"text": ["a", "b"], "id": ["x", None]}), id="id")


def test_null_and_empty_texts_are_kept_and_counted() -> None:
    marks = kith.dedup(pyarrow.table({"text": ["same words here", None, "same words here", "", None]}))
    assert marks["keep"] == [True, True, False, True, True]
    assert marks["group"] == [1, 0, 1, 0, 0]
    assert (marks.report["null"], marks.report["empty"]) == (2, 1)


def test_a_column_of_nothing_but_nulls() -> None:
    marks = kith.dedup(pyarrow.table({"text": pyarrow.array([None, None], pyarrow.null())}))
    assert marks["keep"] == [True, True]
    assert marks.report["null"] == 2


def test_no_table() -> None:
    needed = (
        "output: name the run directory; without one, inputs must be a table, texts, or files of "
        "tables (.parquet, .arrow, .feather), not "
    )
    with fails(kith.UsageError, needed + "'pages.jsonl'"):
        kith.dedup("pages.jsonl")
    with fails(kith.UsageError, needed + "a list"):
        kith.dedup(["pages.jsonl", "others.jsonl"])


def test_files_that_cannot_be_read(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fails(kith.NotFoundError, "nothing.parquet: no such file"):
        kith.dedup(tmp_path / "nothing.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(kith.CorruptError, match="broken.parquet: cannot be read as Parquet"):
        kith.dedup(tmp_path / "broken.parquet")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pyarrow.parquet.ParquetFile", refuse)
    with fails(kith.FileError, "broken.parquet: Permission denied"):
        kith.dedup(tmp_path / "broken.parquet")


def test_a_file_that_is_damaged_within(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "damaged.parquet"
    parquet.write_table(pyarrow.table({"text": [f"some words {i}" for i in range(5000)]}), path)
    content = bytearray(path.read_bytes())
    content[100:4000] = b"\xff" * 3900
    path.write_bytes(content)
    with pytest.raises(kith.CorruptError, match="damaged.parquet: cannot be read as Parquet: .*snappy"):
        kith.dedup(path)


def test_what_stops_the_reading_of_a_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pages.parquet"
    parquet.write_table(TABLE, path)

    def iter_batches(*_: object, **__: object) -> Iterator[Any]:
        yield TABLE.to_batches()[0]
        raise KeyboardInterrupt  # as Ctrl-C does where Python code runs

    monkeypatch.setattr("pyarrow.parquet.ParquetFile.iter_batches", iter_batches)
    with pytest.raises(KeyboardInterrupt):
        kith.dedup(path)

    def stop(stage: str, done: float, total: float, unit: str, note: str) -> None:
        raise OSError("of the callable, not of the file")

    with fails(OSError, "of the callable, not of the file"):
        kith.dedup(path, progress=stop)


def test_a_reader_that_fails() -> None:
    def batches() -> Iterator[Any]:
        yield pyarrow.record_batch({"text": ["a"]})
        raise RuntimeError("the disk is gone")

    schema = pyarrow.schema([("text", pyarrow.string())])
    with pytest.raises(kith.CorruptError, match="read to its end: .*the disk is gone"):
        kith.dedup(pyarrow.RecordBatchReader.from_batches(schema, batches()))


def test_options_of_a_table() -> None:
    for options in ({"captures": "first"}, {"url_rules": "common"}, {"unwrap": True}):
        with pytest.raises(kith.UsageError, match="is about files, and does nothing for a table"):
            kith.dedup(["a text"], **options)
    with fails(kith.UsageError, "write: is about files, and does nothing for a table"):
        kith.dedup(TABLE, write="copy")
    with pytest.raises(kith.UsageError, match="no argument simmilarity"):
        kith.dedup(TABLE, simmilarity=0.5)  # type: ignore[call-overload]


def test_texts() -> None:
    with fails(TypeError, "texts: row 1 is of type int, not str or bytes"):
        kith.shingles(["x", 3])
    with fails(TypeError, "texts: a column of type int64, not of strings"):
        kith.shingles(pyarrow.array([1, 2]))
    with pytest.raises(TypeError, match="texts: of type int, not str or bytes, a sequence"):
        kith.shingles(3)
    with pytest.raises(kith.UsageError, match="texts: row 0 has a lone surrogate"):
        kith.shingles(["\ud800"])
    with fails(TypeError, "sets: a column of type list of float64, not of lists of uint64"):
        kith.MinHasher().signatures(pyarrow.array([[1.5]]))


def test_documents_of_compare(tmp_path: pathlib.Path) -> None:
    with pytest.raises(kith.NotFoundError, match="no.txt: No such file"):
        kith.compare(tmp_path / "no.txt", "a text")
    with pytest.raises(kith.CorruptError, match="a: has no words"):
        kith.compare("", "a text")
    with fails(TypeError, "a: of type int, not str, bytes or a path"):
        kith.compare(3, "a text")  # type: ignore[arg-type]
    with fails(kith.UsageError, "input: 'pdf' is not one of auto, text, html"):
        kith.compare("a text", "a text", input="pdf")
    with pytest.raises(kith.UsageError, match="lanes = 3: must be a multiple of 16"):
        kith.compare("a text", "a text", lanes=3)
