"""kith.contaminated finds what the command line prints."""

from __future__ import annotations

import json
import pathlib
import random

import pytest
from conftest import Command

import kith
from kith import _kith

made = random.Random(5)
WORDS = ["".join(made.choice("abcdefghij") for _ in range(6)) for _ in range(400)]
ITEM = " ".join(WORDS[:30])


def lines(path: pathlib.Path, *rows: dict[str, object]) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def data(folder: pathlib.Path) -> str:
    return lines(
        folder / "data.jsonl",
        {"id": "d0", "text": " ".join(WORDS[100:200])},
        {"id": "d1", "text": " ".join([*WORDS[200:250], ITEM.upper(), *WORDS[250:300]])},
    )


def test_finds_what_is_printed(tmp_path: pathlib.Path, command: Command) -> None:
    documents = data(tmp_path)
    lines(
        tmp_path / "evals" / "quiz.jsonl",
        {"id": "q", "question": ITEM},
        {"id": "r", "question": "no"},
    )
    found = kith.contaminated(
        documents, tmp_path / "evals", width=10, write=tmp_path / "clean.jsonl"
    )
    assert isinstance(found, kith.Contamination)
    assert repr(found) == "<kith.Contamination: 1 of 2 documents hold an item>"
    arguments = ("contaminated", documents, "--evals", str(tmp_path / "evals"), "--width", "10")
    printed = command(*arguments, "--format", "jsonl").splitlines()
    assert found.hits.rows() == [json.loads(line) for line in printed]
    printed = command(*arguments, "--format", "jsonl", "--summary").splitlines()
    assert found.items.rows() == [json.loads(line) for line in printed]
    assert [(row["item"], row["document"]) for row in found.hits.rows()] == [("q", "d1")]
    (suite,) = found.report["suites"]
    assert (suite["name"], suite["width"], suite["too_short"]) == ("quiz", 10, 1)
    assert (tmp_path / "clean.jsonl").read_text(encoding="utf-8").count("\n") == 1


def test_reads_tables(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "evals").mkdir()
    parquet.write_table(
        pyarrow.table({"n": [1, 2], "prompt": ["", ITEM]}), tmp_path / "evals" / "a.parquet"
    )
    texts = [" ".join(WORDS[100:200]), f"before {ITEM} after"]
    found = kith.contaminated(pyarrow.table({"text": texts}), tmp_path / "evals")
    assert [row["document"] for row in found.hits.rows()] == ["-:2"]
    assert found.report["suites"][0]["fields"] == ["prompt"]
    parquet.write_table(pyarrow.table({"text": texts, "more": [1, 2]}), tmp_path / "data.parquet")
    kith.contaminated(
        tmp_path / "data.parquet",
        [tmp_path / "evals" / "a.parquet"],
        write=tmp_path / "clean.parquet",
    )
    assert parquet.read_table(tmp_path / "clean.parquet").to_pydict() == {
        "text": texts[:1],
        "more": [1],
    }


def test_names_the_columns_of_a_table_without_items(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"n": [1], "mystery": [ITEM]}), tmp_path / "odd.parquet")
    with pytest.raises(kith.UsageError, match="its fields are n, mystery: name that"):
        kith.contaminated(data(tmp_path), tmp_path / "odd.parquet")
    found = kith.contaminated(data(tmp_path), tmp_path / "odd.parquet", suite="odd:field=mystery")
    assert found.report["contaminated"] == 1


def test_options_are_those_of_the_command_line() -> None:
    names = {name.replace("-", "_") for name in _kith.option_names("contaminated")}
    assert {*kith.ContaminationOptions.__annotations__, "evals"} == names


def test_errors_name_arguments(tmp_path: pathlib.Path) -> None:
    documents = data(tmp_path)
    odd = lines(tmp_path / "odd.jsonl", {"mystery": ITEM})
    with pytest.raises(kith.UsageError, match="mystery: name that of the items with .eval_field."):
        kith.contaminated(documents, odd)
    with pytest.raises(kith.UsageError, match="table in memory"):
        kith.contaminated(documents, [{"text": ITEM}])
    with pytest.raises(kith.NotFoundError, match="absent"):
        kith.contaminated(documents, tmp_path / "absent.jsonl")
    found = kith.contaminated(documents, odd, suite="odd:field=mystery,rule=13-gram")
    assert found.report["contaminated"] == 1
    assert kith.contaminated(documents, odd, eval_field="mystery", containment=1.0).items.rows()
    stages: list[str] = []
    kith.contaminated(
        documents, odd, eval_field="mystery", progress=lambda stage, *_: stages.append(stage)
    )
    assert "documents" in stages
