"""The examples and the tutorial, each as a program of its own in a temporary folder."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
TUTORIAL = pathlib.Path(__file__).parents[2] / "docs" / "tutorial.ipynb"
RUNNER = pathlib.Path(__file__).with_name("run_notebook.py")


def run(folder: pathlib.Path, *words: object) -> str:
    """What a program prints, in this folder and with its temporary files and caches there."""
    own = {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(folder / "matplotlib"),
    }
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("library", "printed"),
    [
        ("polars", "72 pages, 36 kept"),
        ("pandas", "36         2  https://astronomy.example/11"),
        ("duckdb", "[(1, 20, 'https://astronomy.example/1'), "),
        ("datasets", "72 pages, 36 kept"),
    ],
)
def test_example(
    library: str, printed: str, copies: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    pytest.importorskip(library, minversion="3.0" if library == "pandas" else None)
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "pages.jsonl").write_bytes(copies.read_bytes())
    pages = [json.loads(line) for line in copies.read_text(encoding="utf-8").splitlines()]
    arrow: Any = importlib.import_module("pyarrow")
    parquet.write_table(arrow.Table.from_pylist(pages), tmp_path / "pages.parquet")
    assert printed in run(tmp_path, EXAMPLES / f"with_{library}.py")


def test_every_example_is_run() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {"with_polars", "with_pandas", "with_duckdb", "with_datasets"}


def test_tutorial(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("polars")
    out = run(tmp_path, RUNNER, TUTORIAL)
    assert "figures: 3" in out


def test_tutorial_has_no_outputs() -> None:
    cells = json.loads(TUTORIAL.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    for cell in code:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
