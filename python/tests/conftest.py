"""What the tests share: a small crawl, runs made of it, the command line, a session of Spark."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

import kith

TOPICS = {
    "music": "guitar chord melody rhythm harmony violin piano orchestra sonata tempo",
    "cooking": "oven butter flour recipe sugar vanilla bread dough whisk simmer",
    "astronomy": "galaxy telescope nebula orbit comet quasar supernova planet asteroid eclipse",
}

Command = Callable[..., str]


def topic_pages(per_topic: int = 12) -> list[dict[str, str]]:
    """Pages of three topics on three sites, each with eight of the ten words of its topic."""
    pages = []
    for topic, text in TOPICS.items():
        words = text.split()
        for i in range(per_topic):
            own = " ".join(words[(i + j) % len(words)] for j in range(8))
            pages.append(
                {
                    "url": f"https://{topic}.example/{i}",
                    "title": f"{topic}\t{i} <é>",
                    "text": f"{own} only{3 * chr(ord('a') + i)}",
                }
            )
    return pages


def write_jsonl(path: pathlib.Path, rows: list[dict[str, str]]) -> pathlib.Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs `python -m kith` and returns its standard output."""

    def run(*arguments: object, code: int = 0) -> str:
        words = [sys.executable, "-m", "kith", *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return write_jsonl(tmp_path_factory.mktemp("crawl") / "pages.jsonl", topic_pages())


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Documents with near-duplicates: of every page a copy with one word more."""
    pages = topic_pages()
    rows = [
        *pages,
        *({**page, "url": page["url"] + "?copy", "text": page["text"] + " more"} for page in pages),
    ]
    return write_jsonl(tmp_path_factory.mktemp("copies") / "pages.jsonl", rows)


@pytest.fixture(scope="session")
def run(crawl: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> kith.Run:
    output = tmp_path_factory.mktemp("runs") / "run"
    kith.cluster(crawl, output, bags="content", max_df=0.5, min_words=1)
    opened = kith.open(output)
    assert isinstance(opened, kith.Run)
    return opened


@pytest.fixture(scope="session")
def dedup_run(copies: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> kith.DedupRun:
    output = tmp_path_factory.mktemp("runs") / "copies"
    kith.dedup(copies, output, similarity=0.7)
    opened = kith.open(output)
    assert isinstance(opened, kith.DedupRun)
    return opened


# Code that runs for seconds is not worth compiling, or optimising further.
_QUICK_START = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def new_home(folder: pathlib.Path) -> pathlib.Path:
    """Links to the files of Spark: executors have their folders in its home, those of each process
    of tests in another one."""
    import pyspark

    folder.mkdir()
    for entry in pathlib.Path(pyspark.__file__).parent.iterdir():
        (folder / entry.name).symlink_to(entry)
    return folder


def new_session(home: pathlib.Path) -> Any:
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = str(home)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder
    for name, value in {
        **_QUICK_START,
        "spark.sql.shuffle.partitions": "4",
        "spark.speculation": "true",
        "spark.speculation.multiplier": "2",
        "spark.speculation.quantile": "0.3",
        "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    session = builder.master("local-cluster[2,1,1024]").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def executors_of(spark: Any) -> list[int]:
    """The processes of the executors: children of the JVM of the driver."""
    driver = spark.sparkContext._gateway.proc.pid
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:  # it has ended meanwhile
            continue
        if parent == driver and b"CoarseGrainedExecutorBackend" in words:
            found.append(int(folder.name))
    return sorted(found)


def run_spark_program(program: str, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """A program with a session of its own, whose command line follows `before`."""
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    environment.pop("SPARK_HOME", None)
    settings = [f"--conf '{name}={value}'" for name, value in _QUICK_START.items()]
    environment["PYSPARK_SUBMIT_ARGS"] = " ".join([*settings, "pyspark-shell"])
    return subprocess.run(
        [*before, sys.executable, "-c", program],
        capture_output=True, text=True, check=False, timeout=900, env=environment,
    )  # fmt: skip


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two executors on this machine, for tests of modules that are skipped without Spark."""
    home = new_home(tmp_path_factory.mktemp("spark") / "home")
    session = new_session(home)
    yield session
    session.stop()
    shutil.rmtree(home, ignore_errors=True)
