"""--format parquet and arrow: files of the lists that the command prints, with the rows of JSON lines."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any, Literal

import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from conftest import Command, topic_pages, write_jsonl

import kith

LISTS = {
    "clusters": ("clusters", "RUN"),
    "summary": ("clusters", "RUN", "--summary"),
    "related": ("related", "RUN", "https://music.example/3", "--why"),
    "scan": ("related", "RUN", "https://music.example/3", "--brute-force"),
    "pairs": ("pairs", "RUN"),
    "topics": ("topics", "RUN"),
    "crawl": ("crawl", "CRAWL"),
    "route": ("route", "RUN", "CRAWL"),
    "no rows": ("pairs", "ALONE"),
}
Form = Literal["parquet", "arrow"]
READERS = {"parquet": pyarrow.parquet.read_table, "arrow": pyarrow.feather.read_table}
COLUMNS = {
    "clusters": {"cluster": "int64", "url": "string", "similarity": "double", "fetched": "bool"},
    "summary": {"size": "int64", "hosts": "list<item: string>", "label": "list<item: string>"},
    "topics": {"pages": "int64", "cohesion": "double", "label": "list<item: string>"},
    "no rows": {"url_a": "string", "url_b": "string", "similarity": "double"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """With a crawl, a run of it that has plain lists, for --brute-force, and one in which no page is like another."""
    path = tmp_path_factory.mktemp("lists")
    pages = topic_pages()
    pages[0]["title"] = 'He said "no",\n\u202e then\x00'
    crawl = write_jsonl(path / "pages.jsonl", pages)
    kith.cluster(crawl, path / "run", bags="content", related="plain", min_words=1)
    kith.cluster(crawl, path / "alone", bags="content", similarity=1.0)
    return path


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("name", LISTS)
def test_a_file_has_the_rows_of_json_lines(folder: pathlib.Path, command: Command, name: str, form: Form) -> None:
    places = {"RUN": folder / "run", "ALONE": folder / "alone", "CRAWL": folder / "pages.jsonl"}
    words = [places.get(word, word) for word in LISTS[name]]
    expected = rows_of(command(*words, "--format", "jsonl"))
    file = folder / f"{name}.{form}"
    assert command(*words, "--format", form, "-o", file) == ""
    table = READERS[form](file)
    assert table.to_pylist() == expected
    assert bool(expected) == (name != "no rows")
    types = {field.name: str(field.type).replace("element", "item") for field in table.schema}
    assert types == types | COLUMNS.get(name, {})
    assert not any(field.nullable for field in table.schema)


@pytest.mark.parametrize("form", READERS)
def test_standard_output_gets_what_a_file_gets(folder: pathlib.Path, form: Form) -> None:
    words = [sys.executable, "-m", "kith", "clusters", str(folder / "run"), "--format", form]
    subprocess.run([*words, "-o", folder / "file"], check=True)
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
    assert printed == (folder / "file").read_bytes()


@pytest.mark.parametrize("form", READERS)
def test_lists_of_dedup(tmp_path: pathlib.Path, command: Command, form: Form) -> None:
    copies = topic_pages()
    crawl = write_jsonl(tmp_path / "copies.jsonl", copies + [{**page, "url": page["url"] + "/2"} for page in copies])
    kith.dedup(crawl, tmp_path / "lines", format="jsonl")
    kith.dedup(crawl, tmp_path / "whole", format=form)
    for part in (1, 2):
        kith.dedup(crawl, tmp_path / f"part{part}", format=form, shard=f"{part}/2")
    kith.merge([tmp_path / "part1", tmp_path / "part2"], tmp_path / "merged")
    for name in ("groups", "pairs", "keep"):
        file = tmp_path / "whole" / f"{name}.{form}"
        expected = rows_of((tmp_path / "lines" / f"{name}.jsonl").read_text(encoding="utf-8"))
        assert READERS[form](file).to_pylist() == expected
        assert (tmp_path / "merged" / f"{name}.{form}").read_bytes() == file.read_bytes()
    assert len(READERS[form](tmp_path / "whole" / f"groups.{form}")) == 2 * len(copies)
    command("info", tmp_path / "whole", "--verify")
    kith.dedup(crawl, tmp_path / "whole", format="tsv")
    assert {path.suffix for path in (tmp_path / "whole").glob("groups.*")} == {".tsv", ".kith"}


def test_a_table_of_many_rows_has_several_parts(tmp_path: pathlib.Path) -> None:
    files = kith._tables.Tables()
    written: list[bytes] = []
    file = files.create("parquet", [("url", "text"), ("words", "words"), ("n", "count")], written.append)
    row = {"url": "http://a.example/" + 100 * "x", "words": ["a", "b"]}
    for start in range(0, 200_000, 1000):
        file.append("".join(json.dumps({**row, "n": n}) + "\n" for n in range(start, start + 1000)).encode())
    file.finish()
    read = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(b"".join(written)))
    assert read.num_row_groups > 1
    assert read.read()["n"].to_pylist() == list(range(200_000))


def test_a_full_disk_is_told(folder: pathlib.Path) -> None:
    words = [sys.executable, "-m", "kith", "clusters", str(folder / "run"), "--format", "parquet"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "cannot write standard output: No space left on device" in done.stderr


def test_a_terminal_gets_no_table(folder: pathlib.Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "kith", "clusters", str(folder / "run"), "--format", "parquet"]
    done = subprocess.run(words, stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "--format parquet: is for files; name one with -o FILE" in done.stderr


def test_merged_shards_of_tables_are_copied(tmp_path: pathlib.Path) -> None:
    texts = [page["text"] for page in topic_pages()]
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        ids = [f"{name}{i}" for i in range(len(texts))]
        pyarrow.parquet.write_table(pyarrow.table({"id": ids, "text": texts}), tmp_path / "in" / f"{name}.parquet")
    kith.dedup(tmp_path / "in", tmp_path / "whole", method="exact", write=tmp_path / "expected")
    for part in (1, 2):
        kith.dedup(tmp_path / "in", tmp_path / f"part{part}", method="exact", shard=f"{part}/2")
    kith.merge([tmp_path / "part1", tmp_path / "part2"], tmp_path / "merged", write=tmp_path / "copy")
    for name, rows in (("a", len(texts)), ("b", 0)):
        copy = tmp_path / "copy" / f"{name}.parquet"
        assert copy.read_bytes() == (tmp_path / "expected" / f"{name}.parquet").read_bytes()
        assert len(pyarrow.parquet.read_table(copy)) == rows
