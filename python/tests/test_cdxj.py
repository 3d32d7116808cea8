"""The index of `kith crawl --format cdxj` beside that of warcio."""

from __future__ import annotations

import io
import json
import pathlib
from typing import Any

import pytest
from conftest import Command
from warcio.indexer import Indexer

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"
FILES = [DATA / "crawl" / "sample.warc.gz", *sorted((DATA / "warc").glob("**/example.*arc*"))]


def of_warcio(path: pathlib.Path) -> dict[tuple[int, int], str]:
    """The URL of every record, by place and length."""
    out = io.StringIO()
    indexer: Any = Indexer(["offset", "length", "warc-target-uri"], [], "-")
    with open(path, "rb") as file:
        indexer.process_one(file, out, str(path))
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    return {(int(row["offset"]), int(row["length"])): row.get("warc-target-uri", "") for row in rows}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_places_are_those_of_warcio(path: pathlib.Path, command: Command) -> None:
    lines = command("crawl", path, "--format", "cdxj", "--status", "any").splitlines()
    rows = [json.loads(line.split(" ", 2)[2]) for line in lines]
    known = of_warcio(path)
    assert rows
    for row in rows:
        assert known[int(row["offset"]), int(row["length"])].strip("<>") == row["url"]
