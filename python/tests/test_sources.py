"""What people hold as inputs: tables in memory, files of tables, patterns, addresses, data sets."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable
from typing import Any

import pandas
import polars
import pyarrow as arrow
import pyarrow.dataset
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as parquet
import pytest
from conftest import TOPICS, Command

import kith


def rows() -> list[dict[str, Any]]:
    """Texts of three topics; the last two of each are equal."""
    made = []
    for topic, text in TOPICS.items():
        words = text.split()
        for i in range(10):
            own = [words[(min(i, 8) + j) % len(words)] for j in range(7)]
            made.append({"id": f"{topic}-{i}", "text": " ".join([*own, *own[:3]]), "n": i})
    return made


ROWS = rows()
TEXTS = [row["text"] for row in ROWS]
TABLE = arrow.Table.from_pylist(ROWS)

# The same rows, as what people hold.
MEMORY: dict[str, Callable[[], Any]] = {
    "table": lambda: TABLE,
    "chunks": lambda: arrow.concat_tables([TABLE.slice(0, 7), TABLE.slice(0, 0), TABLE.slice(7)]),
    "reader": lambda: TABLE.to_reader(4),
    "batch": lambda: TABLE.combine_chunks().to_batches()[0],
    "dataset": lambda: pyarrow.dataset.dataset(TABLE),
    "large strings": lambda: TABLE.set_column(1, "text", TABLE["text"].cast(arrow.large_string())),
    "views": lambda: TABLE.set_column(1, "text", TABLE["text"].cast(arrow.string_view())),
    "bytes": lambda: TABLE.set_column(1, "text", TABLE["text"].cast(arrow.binary())),
    "dictionary": lambda: TABLE.set_column(1, "text", TABLE["text"].dictionary_encode()),
    "polars": lambda: polars.DataFrame(TABLE),
    "lazy": lambda: polars.DataFrame(TABLE).lazy(),
    "pandas": lambda: TABLE.to_pandas(),
    "pandas with odd columns": lambda: TABLE.to_pandas().assign(odd=[{1}, object()] * 15),
    "categories": lambda: TABLE.to_pandas().astype({"text": "category"}),
    "list of dicts": lambda: ROWS,
    "dict of lists": lambda: TABLE.to_pydict(),
}


def hugging_face() -> Any:
    return pytest.importorskip("datasets")


MEMORY["hugging face"] = lambda: hugging_face().Dataset.from_list(ROWS)
MEMORY["hugging face stream"] = lambda: hugging_face().Dataset.from_list(ROWS).to_iterable_dataset()
MEMORY["hugging face selection"] = lambda: hugging_face().Dataset.from_list(
    [{"id": "x", "text": "y", "n": 0}, *ROWS]
).select(range(1, 31))


@pytest.fixture(scope="session")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is made of JSON lines."""
    folder = tmp_path_factory.mktemp("wanted")
    lines = folder / "rows.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    kith.cluster(lines, folder / "clusters")
    kith.dedup(lines, folder / "groups", boilerplate="keep")
    return results(folder)


def results(folder: pathlib.Path) -> dict[str, Any]:
    groups = kith.DedupRun(folder / "groups").groups().rows()
    for row in groups:  # which differ with the input
        del row["file"], row["offset"], row["record"]
    return {"clusters": kith.Run(str(folder / "clusters")).clusters().rows(), "groups": groups}


def marks(source: Any, **options: Any) -> list[Any]:
    found = kith.dedup(source, **options)
    return list(zip(found["group"], found["keep"], found["kept_row"]))


WANTED_MARKS = marks(TABLE)


@pytest.mark.parametrize("kind", MEMORY)
def test_tables_in_memory(kind: str, tmp_path: pathlib.Path, wanted: dict[str, Any]) -> None:
    report = kith.cluster(MEMORY[kind](), tmp_path / "clusters")
    assert report["crawl"]["pages"] == len(ROWS)
    kith.dedup(MEMORY[kind](), tmp_path / "groups", boilerplate="keep")
    assert results(tmp_path) == wanted
    assert marks(MEMORY[kind]()) == WANTED_MARKS
    assert len([mark for mark in WANTED_MARKS if mark[0] > 0]) == 6


@pytest.mark.parametrize(
    "texts",
    [TEXTS, tuple(TEXTS), polars.Series("x", TEXTS), pandas.Series(TEXTS), arrow.array(TEXTS),
     arrow.chunked_array([TEXTS[:3], TEXTS[3:]])],
    ids=lambda texts: type(texts).__name__,
)  # fmt: skip
def test_texts_without_names(texts: Any, tmp_path: pathlib.Path) -> None:
    assert marks(texts) == WANTED_MARKS
    kith.cluster(texts, tmp_path / "run")
    names = [row["url"] for row in kith.Run(str(tmp_path / "run")).clusters().rows()]
    assert sorted(names) == sorted(f"-:{i + 1}" for i in range(len(TEXTS)))


def write_tables(folder: pathlib.Path) -> list[pathlib.Path]:
    folder.mkdir()
    parquet.write_table(TABLE.slice(0, 10), folder / "a.parquet", row_group_size=3)
    with arrow.ipc.new_file(str(folder / "b.arrow"), TABLE.schema) as writer:
        writer.write_table(TABLE.slice(10, 8), max_chunksize=3)
    with arrow.ipc.new_stream(str(folder / "c.arrow"), TABLE.schema) as writer:
        writer.write_table(TABLE.slice(18, 4))
    large = TABLE.slice(22).set_column(1, "text", TABLE.slice(22)["text"].cast(arrow.large_string()))
    arrow.feather.write_feather(large, folder / "d.feather")
    return sorted(folder.iterdir())


def test_files(tmp_path: pathlib.Path, wanted: dict[str, Any], command: Command) -> None:
    files = write_tables(tmp_path / "in")
    for i, source in enumerate([files, tmp_path / "in", f"{tmp_path}/in/*", [str(f) for f in files]]):
        kith.cluster(source, tmp_path / f"{i}" / "clusters")
        kith.dedup(source, tmp_path / f"{i}" / "groups", boilerplate="keep")
        assert results(tmp_path / f"{i}") == wanted
        assert marks(source) == WANTED_MARKS
    # The command of the package.
    command("cluster", *files, "-o", tmp_path / "5" / "clusters")
    command("dedup", tmp_path / "in", "-o", tmp_path / "5" / "groups", "--boilerplate", "keep")
    assert results(tmp_path / "5") == wanted
    # A name does not matter.
    (tmp_path / "unnamed").write_bytes(files[0].read_bytes())
    assert len(command("crawl", tmp_path / "unnamed").splitlines()) > 1
    assert len(list(kith.pages(tmp_path / "in"))) == len(ROWS)


def test_addresses(tmp_path: pathlib.Path, wanted: dict[str, Any]) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for file in write_tables(tmp_path / "in"):
        memory.pipe(f"/rows/{file.name}", file.read_bytes())
    memory.pipe("/rows/notes.md", b"no table")
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    memory.pipe("/lines/rows.jsonl", lines.encode())
    try:
        sources = ["memory://rows", "memory://rows/*.[paf]*", "memory://lines/rows.jsonl", "memory://lines"]
        for i, source in enumerate(sources):
            kith.cluster(source, tmp_path / f"{i}" / "clusters")
            kith.dedup(source, tmp_path / f"{i}" / "groups", boilerplate="keep")
            assert results(tmp_path / f"{i}") == wanted
        assert marks("memory://rows") == WANTED_MARKS
        for url in ("memory://none.parquet", "memory://none.jsonl", "memory://none/*.parquet"):
            with pytest.raises(kith.NotFoundError, match="none"):
                kith.cluster(url, tmp_path / "none")
        with pytest.raises(kith.UsageError, match="no file: a copy of the input needs files"):
            kith.dedup("memory://rows", tmp_path / "x", write=tmp_path / "y")
        with pytest.raises(kith.UsageError, match="odd://"):
            kith.cluster("odd://bucket/x.parquet", tmp_path / "odd")
    finally:
        memory.rm("/rows", recursive=True)
        memory.rm("/lines", recursive=True)


def wide() -> Any:
    """A table with columns of many types."""
    numbers = range(len(ROWS))
    return (
        TABLE.append_column("list", arrow.array([[i, i] for i in numbers]))
        .append_column("nested", arrow.array([{"a": {"b": f"x{i}"}} for i in numbers]))
        .append_column("category", arrow.array(["u", "v", None] * 10).dictionary_encode())
        .append_column("when", arrow.array(list(numbers), arrow.timestamp("us", "UTC")))
        .replace_schema_metadata({"origin": "here"})
    )


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather"])
def test_copies_keep_columns(name: str, tmp_path: pathlib.Path, command: Command) -> None:
    table = wide()
    path = tmp_path / name
    if name.endswith("parquet"):
        parquet.write_table(table, path, row_group_size=7, compression="zstd")
    elif name.endswith("arrow"):
        with arrow.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=7)
    else:
        arrow.feather.write_feather(table, path, compression="uncompressed")
    read_table = (parquet if name.endswith("parquet") else arrow.feather).read_table
    original = read_table(path)
    keep = [mark[1] for mark in marks(path)]
    kith.dedup(path, tmp_path / "run", write=tmp_path / f"1-{name}")
    command("dedup", path, "-o", tmp_path / "run-2", "--write", tmp_path / f"2-{name}")
    for number in (1, 2):
        copy = tmp_path / f"{number}-{name}"
        read = read_table(copy)
        assert read.schema.equals(original.schema, check_metadata=True)
        assert read.to_pylist() == original.filter(arrow.array(keep)).to_pylist()
    assert (tmp_path / f"1-{name}").read_bytes() == (tmp_path / f"2-{name}").read_bytes()
    if name.endswith("parquet"):
        groups = parquet.ParquetFile(tmp_path / f"1-{name}").metadata
        assert groups.num_row_groups == 5
        assert groups.row_group(0).column(0).compression == "ZSTD"


def test_columns_by_name(tmp_path: pathlib.Path) -> None:
    table = arrow.table(
        {
            "doc": [{"body": text, "key": i} for i, text in enumerate(TEXTS)],
            "n": range(len(TEXTS)),
        }
    )
    parquet.write_table(table, tmp_path / "x.parquet")
    for source in (table, tmp_path / "x.parquet", table.to_pandas(), polars.DataFrame(table).lazy()):
        report = kith.cluster(source, tmp_path / "run", text_field="doc.body", id_field="doc.key")
        fields = {row["part"]: row["field"] for row in report["crawl"]["rows"]["fields"]}
        assert fields == {"text": "doc.body", "id": "doc.key"}
        (tmp_path / "run").rename(tmp_path / f"run-{id(source)}")
        assert marks(source, text="doc.body", id="doc.key") == WANTED_MARKS


def test_usual_names() -> None:
    for name in ("text", "content", "raw_content", "html", "markdown", "the only one"):
        assert marks(arrow.table({name: TEXTS})) == WANTED_MARKS
    assert marks(arrow.table({"content": ["x"] * 30, "text": TEXTS})) == WANTED_MARKS
    with pytest.raises(kith.NotFoundError, match="none of the columns 'a', 'b' is known .* text="):
        kith.dedup(arrow.table({"a": TEXTS, "b": TEXTS}))


def test_nulls(tmp_path: pathlib.Path) -> None:
    table = arrow.table({"text": [None, "", TEXTS[0], TEXTS[0], None], "id": [1, None, 3, 4, 5]})
    report = kith.dedup(table, tmp_path / "run")
    assert report["documents"]["documents"] == 5
    assert report["documents"]["empty"] == 3
    names = [row["url"] for row in kith.DedupRun(tmp_path / "run").groups().rows()]
    assert names == ["3", "4"]
    report = kith.cluster(table, tmp_path / "clusters", min_df=1, max_df=1)
    assert report["crawl"]["pages"] == 2


def test_tables_without_texts(tmp_path: pathlib.Path) -> None:
    table = arrow.table({"id": [1, 2], "body": ["a b", "c d"], "list": [["a"], ["b"]]})
    parquet.write_table(table, tmp_path / "x.parquet")
    for source in (tmp_path / "x.parquet", table, table.to_reader()):
        with pytest.raises(kith.NotFoundError, match=r"columns \(id, body, list\) none .* text_field"):
            kith.cluster(source, tmp_path / "run")
    for name, why in (("list", "of type list"), ("id", "of type int64")):
        with pytest.raises(kith.UsageError, match=f"column '{name}' is {why}, not of strings"):
            kith.cluster(table, tmp_path / "run", text_field=name)
    with pytest.raises(kith.NotFoundError, match="no column 'none'; there are id, body, list"):
        kith.cluster(table, tmp_path / "run", text_field="body", url_field="none")
    empty = arrow.table({"text": arrow.array([], arrow.string())})
    parquet.write_table(empty, tmp_path / "empty.parquet")
    for source in (empty, tmp_path / "empty.parquet"):
        assert kith.cluster(source, tmp_path / f"run-{id(source)}")["crawl"]["pages"] == 0
        assert marks(source) == []


def test_broken_files(tmp_path: pathlib.Path, command: Command) -> None:
    parquet.write_table(TABLE.select(["text"]), tmp_path / "x.parquet")
    whole = (tmp_path / "x.parquet").read_bytes()
    broken = {
        "cut.parquet": whole[:-20],
        "short.parquet": whole[:4],
        "empty.parquet": b"",
        "text.parquet": b"no table at all",
        "text.arrow": b"no table at all",
        "page.parquet": whole[:40] + bytes(60) + whole[100:],
    }
    for name, content in broken.items():
        (tmp_path / name).write_bytes(content)
        for call in (
            lambda name=name: kith.cluster(tmp_path / name, tmp_path / f"run-{name}"),
            lambda name=name: kith.dedup(tmp_path / name),
        ):
            with pytest.raises((kith.CorruptError, kith.FileError), match=name):
                call()
        command("crawl", tmp_path / name, code=1)
    with pytest.raises(kith.NotFoundError, match=r"none\.parquet"):
        kith.cluster(tmp_path / "none.parquet", tmp_path / "run")


def test_large_values(tmp_path: pathlib.Path) -> None:
    large = "word " * 2_000_000
    table = arrow.table({"id": ["a", "b", "c"], "text": [large, "x y z", "x y z"]})
    parquet.write_table(table, tmp_path / "x.parquet")
    report = kith.dedup(tmp_path / "x.parquet", tmp_path / "run")
    assert report["documents"]["cut"] == 1
    assert [row["url"] for row in kith.DedupRun(tmp_path / "run").groups().rows()] == ["b", "c"]


def test_what_is_no_input(tmp_path: pathlib.Path) -> None:
    for source, why in (
        (5, "a int is neither a path"),
        ([5], "has a int in it"),
        (["a b", 5], "has a int in it"),
        ([{"text": "a"}, 5], "."),
        ({"train": hugging_face().Dataset.from_list(ROWS)}, "name one of its splits"),
    ):
        with pytest.raises((kith.UsageError, AttributeError, TypeError), match=why):
            kith.cluster(source, tmp_path / "run")
    with pytest.raises(kith.NotFoundError, match="matches no file"):
        kith.cluster(f"{tmp_path}/*.parquet", tmp_path / "run")
    with pytest.raises(kith.NotFoundError):
        kith.cluster(["no-such-file.jsonl"], tmp_path / "run")
    # Texts look like paths if they are.
    (tmp_path / "a b.jsonl").write_text('{"text": "x"}\n')
    os.chdir(tmp_path)
    assert kith.dedup(["a b.jsonl"], "run")["documents"]["documents"] == 1


def test_arguments_are_called_arguments(tmp_path: pathlib.Path) -> None:
    with pytest.raises(kith.UsageError, match="no argument similarty; did you mean similarity"):
        kith.dedup(TABLE, similarty=0.8)  # type: ignore[call-overload]
    with pytest.raises(kith.UsageError, match="no argument threshold"):
        kith.cluster(TABLE, tmp_path / "run", threshold=0.8)  # type: ignore[call-arg]
    with pytest.raises(kith.UsageError, match="^lanes: has no effect with method exact"):
        kith.dedup(TABLE, tmp_path / "run", method="exact", lanes=64)
    with pytest.raises(kith.UsageError, match="without output it is called text"):
        kith.dedup(TABLE, text_field="text")
    with pytest.raises(kith.UsageError, match="by text_field and id_field"):
        kith.dedup(TABLE, tmp_path / "run", text="text")  # type: ignore[call-overload]
