"""kith.spark beside one machine: the same rows, groups and pairs for any number of partitions, on two
executors, one of which is killed."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import threading
import zipfile
from typing import Any

import kith
import pytest
from conftest import executors_of, run_spark_program, write_jsonl

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import kith.spark
from kith.spark._dedup import job as dedup_job
from kith.spark._exchange import blocks, session
from kith.spark._exchange.session import Job, settings

Row = dict[str, Any]
Rows = list[Row]


def make_word(rng: random.Random) -> str:
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=4))


def families(count: int, seed: int) -> list[str]:
    """Two of three texts are an earlier one with some words replaced, perhaps none."""
    rng = random.Random(seed)
    texts: list[list[str]] = []
    for i in range(count):
        if i % 3 == 0:
            words = [make_word(rng) for _ in range(1 + rng.randrange(120))]
        else:
            words = list(rng.choice(texts))
            for _ in range(rng.randrange(4)):
                words[rng.randrange(len(words))] = make_word(rng)
        texts.append(words)
    return [" ".join(words) for words in texts]


def frame(count: int, own_words: int, seed: int) -> list[str]:
    """The same 60 words in all, and some of each text alone: one large bucket in every table."""
    rng = random.Random(seed)
    words = " ".join(make_word(rng) for _ in range(60))
    return [" ".join([words, *(make_word(rng) for _ in range(own_words))]) for _ in range(count)]


def rows_of(texts: list[str]) -> Rows:
    """In no order of their ids; with a null and texts without a word."""
    rng = random.Random(1)
    rows: Rows = [
        {"url": f"https://a.example/{i:06}", "body": text} for i, text in enumerate(texts)
    ]
    for i in range(0, len(rows), 97):
        rows[i]["body"] = rng.choice([None, "", " .!"])
    rng.shuffle(rows)
    return rows


@pytest.fixture(scope="module")
def few() -> Rows:
    return rows_of(families(900, 7))


@pytest.fixture(scope="module")
def many() -> Rows:
    """With families larger than a bucket whose pairs are all compared: one of near-duplicates, and
    one of texts that are less alike."""
    texts = families(300, 3) + frame(600, 2, 4) + frame(2500, 8, 5)
    return rows_of(texts)


def test_settings_are_those_of_before_afterwards(spark: Any) -> None:
    names = (
        "spark.sql.execution.arrow.maxRecordsPerBatch",
        "spark.sql.shuffle.partitions",
        "spark.sql.adaptive.coalescePartitions.enabled",
    )

    def now() -> list[str]:
        return [spark.conf.get(name) for name in names]

    before = now()
    with settings(spark, 3):
        assert now() == ["16", "3", "false"]
    assert now() == before
    assert before[2] == "true"


def table_of(spark: Any, rows: Rows) -> Any:
    return spark.createDataFrame(
        [(row["url"], row["body"]) for row in rows], "url string, body string"
    )


def marks_of(found: kith.spark.Deduped) -> Rows:
    return [row.asDict() for row in found.marks.orderBy("row").collect()]


def pairs_of(found: kith.spark.Deduped) -> list[tuple[str, str, float]]:
    return sorted((row.id_a, row.id_b, row.similarity) for row in found.pairs.collect())


class OneMachine:
    """The same rows by kith.dedup, sorted by id."""

    def __init__(self, rows: Rows, folder: pathlib.Path, **options: Any) -> None:
        ordered = sorted(rows, key=lambda row: row["url"])
        table = pyarrow.Table.from_pylist(ordered)
        marks = kith.dedup(table, text="body", id="url", **options)
        self.report = marks.report
        self.marks = [
            {"id": row["url"], "row": number, **mark}
            for number, (row, mark) in enumerate(zip(ordered, marks.rows()))
        ]
        lines = folder / "pages.jsonl"
        lines.write_text(
            "".join(json.dumps({"url": r["url"], "text": r["body"] or ""}) + "\n" for r in ordered)
        )
        kith.dedup(lines, folder / "run", **options)
        run = kith.open(folder / "run")
        assert isinstance(run, kith.DedupRun)
        # The list has equal documents, too; different ones are never as alike.
        self.pairs = sorted(
            (row["url_a"], row["url_b"], row["resemblance"])
            for row in run.pairs().rows()
            if row["resemblance"] < 1
        )


def assert_same(found: kith.spark.Deduped, expected: OneMachine) -> None:
    marks = marks_of(found)
    assert [{name: row[name] for name in expected.marks[0]} for row in marks] == expected.marks
    pairs = pairs_of(found)
    assert [pair[:2] for pair in pairs] == [pair[:2] for pair in expected.pairs]
    for own, other in zip(pairs, expected.pairs):
        assert own[2] == pytest.approx(other[2], abs=1e-6)
    for name in ("documents", "null", "empty", "groups", "removed", "pairs"):
        assert found.report[name] == expected.report[name], name


def run(spark: Any, rows: Rows, **options: Any) -> kith.spark.Deduped:
    return kith.spark.dedup(table_of(spark, rows), text="body", id="url", **options)


def test_columns_with_dots_in_their_names(spark: Any, few: Rows) -> None:
    table = table_of(spark, few[:60])
    other = table.toDF("at.url", "the `body`")
    found = kith.spark.dedup(other, text="the `body`", id="at.url", partitions=2)
    same = kith.spark.dedup(table, text="body", id="url", partitions=2)
    assert marks_of(found) == marks_of(same)


def test_small_families(spark: Any, few: Rows, tmp_path: pathlib.Path) -> None:
    found = run(spark, few, partitions=7)
    assert_same(found, OneMachine(few, tmp_path))
    assert found.report["large_buckets"] == 0
    assert found.report["partitions"] == 7
    assert found.marks.rdd.getNumPartitions() == found.pairs.rdd.getNumPartitions() == 7
    assert any(tables["chosen"] for tables in found.report["tables"])
    found.unpersist()


def test_equal_documents_in_many_partitions(spark: Any, few: Rows, tmp_path: pathlib.Path) -> None:
    found = run(spark, few, partitions=64, method="exact")
    assert_same(found, OneMachine(few, tmp_path, method="exact"))


def test_centers_in_rounds(
    spark: Any, few: Rows, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedup_job, "_ROUNDS_ABOVE", 40)
    options: dict[str, Any] = {"similarity": 0.5, "no_verify": True, "width": 3}
    assert_same(run(spark, few, **options), OneMachine(few, tmp_path, **options))


def test_large_families_and_lost_executors(
    spark: Any, many: Rows, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole parts, buckets that are split, and families that take what belongs to them. In the
    middle of the job one executor is killed, with what it has computed so far; later one stands
    still for a while, so that others do its tasks as well."""
    keep = Job.keep
    stages: list[Any] = []
    lost: list[tuple[int, int]] = []

    def send(name: int) -> None:
        pid = executors_of(spark)[0]
        lost.append((name, pid))
        os.kill(pid, name)

    def go_on() -> None:
        os.kill(lost[-1][1], signal.SIGCONT)

    def keep_and_lose(job: Job, frame: Any) -> Any:
        stages.append(frame)
        if len(stages) == 4:
            send(signal.SIGKILL)
        if len(stages) == 7:
            threading.Timer(0.2, send, [signal.SIGSTOP]).start()
            threading.Timer(3, go_on).start()
        return keep(job, frame)

    monkeypatch.setattr(Job, "keep", keep_and_lose)
    found = run(spark, many, similarity=0.9)
    assert [name for name, _ in lost] == [signal.SIGKILL, signal.SIGSTOP]
    assert len(stages) > 7
    assert found.report["large_buckets"] > 0
    assert_same(found, OneMachine(many, tmp_path, similarity=0.9))


def test_names_what_is_wrong_with_a_table(spark: Any, few: Rows) -> None:
    table = table_of(spark, few[:40])
    with pytest.raises(kith.NotFoundError, match="no column 'text'; there are 'url', 'body'"):
        kith.spark.dedup(table, id="url")
    with pytest.raises(kith.UsageError, match="column 'url': of type double, not of strings or"):
        kith.spark.dedup(table.selectExpr("double(1) as url", "body"), text="body", id="url")
    with pytest.raises(kith.UsageError, match="column 'body': of type int, not of strings"):
        kith.spark.dedup(table.selectExpr("url", "1 as body"), text="body", id="url")
    twice = table.union(table.limit(1))
    with pytest.raises(kith.UsageError, match="column 'url': 'https.*' stands in two rows"):
        kith.spark.dedup(twice, text="body", id="url")
    first = few[0]["url"]
    null = table.selectExpr(f"if(url = '{first}', null, url) as url", "body")
    with pytest.raises(kith.UsageError, match="column 'url': a row is null"):
        kith.spark.dedup(null, text="body", id="url")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "simhash"}, "method = simhash"),
        ({"groups": "components"}, "groups = components"),
        ({"keep": "longest"}, "keep longest"),
        ({"order": "degree"}, "order degree"),
        ({"method": "containment"}, "method = containment"),
        ({"memory": "4G"}, "memory: executors"),
        ({"write": "out"}, "write: is about files"),
        ({"captures": "first"}, "captures: is about files"),
        ({"url_rules": "common"}, "url_rules: is about files"),
        ({"similarity": 2}, "similarity = 2"),
        ({"partitions": 100000}, "partitions 100000"),
        ({"partitions": 0}, "partitions 0"),
    ],
)
def test_refuses_what_is_not_for_many_machines(
    spark: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(kith.UsageError, match=message):
        kith.spark.dedup(spark.range(1), **options)


def test_names_an_executor_with_another_version(
    spark: Any, few: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kith, "__version__", "9.9")
    with pytest.raises(kith.UsageError, match="executor on .* has kith .*, the driver 9.9"):
        run(spark, few)


def test_small_tables(spark: Any) -> None:
    for texts, removed in (([], 0), (["same words", None, "same words"], 1)):
        rows: Rows = [{"url": str(i), "body": text} for i, text in enumerate(texts)]
        found = run(spark, rows)
        assert found.report["removed"] == removed
        assert [row["kept_row"] for row in marks_of(found)] == [0, 1, 0][: len(texts)]
        assert pairs_of(found) == []


def test_rows_of_blocks_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy")
    monkeypatch.setattr(blocks, "_ROW", 64)
    records = numpy.arange(100, dtype=numpy.uint32).astype([("row", numpy.uint32)])
    outbox = blocks.Outbox(blocks.Slots([5, 9]))
    outbox.add(1, numpy.arange(100) % 2, records)
    outbox.add_bytes(2, 1, b"a piece is never divided".center(100))
    rows = list(outbox.flush())
    assert sorted(len(row["data"][0].as_py()) for row in rows)[-5:] == [64, 64, 64, 64, 100]
    for target, first in ((5, 0), (9, 1)):
        inbox = blocks.Inbox(row for row in rows if row["target"][0].as_py() == target)
        found = inbox.take(1, records.dtype)["row"]
        assert sorted(found.tolist()) == list(range(first, 100, 2))
    assert list(outbox.flush()) == []


def test_command(few: Rows, tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(few), tmp_path / "pages.parquet")
    words = [str(tmp_path / "pages.parquet"), str(tmp_path / "found"), "--id=url"]
    program = (
        "import sys; from kith.spark.__main__ import main\n"
        f"words = {words!r}\n"
        "bad = main(['dedup', *words, '--text=nothing'])\n"
        "done = main(['dedup', *words, '--text=body', '--similarity=0.7', '--partitions=1'])\n"
        "again = main(['dedup', *words, '--text=body'])\n"
        "print([bad, done, again], file=sys.stderr)\n"
    )
    done = run_spark_program(program)
    assert done.stderr.splitlines()[-1] == "[1, 0, 2]", done.stderr
    assert "kith.spark: no column 'nothing'" in done.stderr
    assert "found: is there already" in done.stderr
    expected = OneMachine(few, tmp_path, similarity=0.7)
    marks = parquet.read_table(tmp_path / "found" / "marks").sort_by("row").to_pylist()
    assert [{name: row[name] for name in expected.marks[0]} for row in marks] == expected.marks
    assert (tmp_path / "found" / "pairs" / "_SUCCESS").exists()
    report = json.loads((tmp_path / "found" / "report.json").read_text())
    assert report["pairs"] == expected.report["pairs"]
    assert not (tmp_path / "found.unfinished").exists()


def test_names_an_executor_whose_disk_is_full(tmp_path: pathlib.Path) -> None:
    """Its local folders are in a file system of two megabytes, which only the program sees."""
    small = tmp_path / "small"
    small.mkdir()
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    mount = f'mount -t tmpfs -o size=2m tmpfs {small} || exit 77; exec "$@"'
    before = ["unshare", "--mount", *user, "sh", "-c", mount, "sh"]
    rng = random.Random(7)
    pages = [
        {"id": str(i), "text": " ".join(str(rng.random()) for _ in range(200))} for i in range(2000)
    ]
    write_jsonl(tmp_path / "pages.jsonl", pages)
    words = ["dedup", str(tmp_path / "pages.jsonl"), str(tmp_path / "found"), "--partitions=2"]
    program = (
        "import sys; from kith.spark.__main__ import main\n"
        "from pyspark.sql import SparkSession\n"
        f"SparkSession.builder.config('spark.local.dir', {str(small)!r}).getOrCreate()\n"
        f"sys.exit(main({words!r}))\n"
    )
    done = run_spark_program(program, before)
    if done.returncode == 77:
        pytest.skip("may not mount a tmpfs")
    assert done.returncode == 1, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("kith.spark: executor driver on "), done.stderr
    assert "No space left on device; its local folders (spark.local.dir)" in last
    assert not (tmp_path / "found").exists()


def test_archives_on_the_path_are_not_read_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next invalidate_caches(), once a task of kith has begun; they can still be imported."""
    archive = tmp_path / "modules.zip"
    with zipfile.ZipFile(archive, "w") as modules:
        modules.writestr("first_of_archive.py", "")
        modules.writestr("second_of_archive.py", "")
    monkeypatch.syspath_prepend(str(archive))
    importlib.import_module("first_of_archive")
    assert str(archive) in sys.path_importer_cache
    session.check_executor(kith.__version__)
    assert str(archive) not in sys.path_importer_cache
    importlib.import_module("second_of_archive")
