"""Jobs: the same bytes as the command line, progress, interruption, errors."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import Command, topic_pages, write_jsonl

import kith


def files_of(directory: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.glob("*.kith"))}


def test_cluster_equals_the_command(
    crawl: pathlib.Path, tmp_path: pathlib.Path, command: Command
) -> None:
    report = kith.cluster(crawl, tmp_path / "a", bags="content", similarity=0.3, no_check=True)
    command(
        "cluster",
        crawl,
        "-o",
        tmp_path / "b",
        "--bags",
        "content",
        "--similarity",
        0.3,
        "--no-check",
    )
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    assert report["check"]["queries"] == 0


def test_paper_equals_the_command(
    crawl: pathlib.Path, tmp_path: pathlib.Path, command: Command
) -> None:
    report = kith.paper(crawl, tmp_path / "a", bags="content", similarity=0.3, no_check=True)
    command(
        "paper", crawl, "-o", tmp_path / "b", "--bags=content", "--similarity=0.3", "--no-check"
    )
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    assert report["own_bags"]
    assert not kith.paper(tmp_path / "a", tmp_path / "c")["own_bags"]


def test_dedup_equals_the_command(
    copies: pathlib.Path, tmp_path: pathlib.Path, command: Command
) -> None:
    kith.dedup([copies], tmp_path / "a", width=3, raw=True)
    command("dedup", copies, "-o", tmp_path / "b", "--width", 3, "--raw")
    for name in ("groups.tsv", "pairs.tsv", "keep.tsv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_passages_equal_the_command(
    copies: pathlib.Path, tmp_path: pathlib.Path, command: Command
) -> None:
    report = kith.dedup(
        copies, tmp_path / "a", unit="span", min_tokens=5, passages="first", write=tmp_path / "a.jsonl"
    )
    command("dedup", copies, "-o", tmp_path / "b", "--unit", "span", "--min-tokens", 5)
    for name in ("passages.tsv", "losses.tsv"):
        assert (tmp_path / "b" / name).exists()
    assert report["options"]["unit"] == "span"
    assert report["passages"]["changed"] > 0
    assert (tmp_path / "a.jsonl").stat().st_size == report["written_bytes"]
    lines = kith.dedup(
        copies, tmp_path / "c", unit="line", sentences=False, high_loss=0.1, examples=3
    )
    assert lines["options"]["examples"] == 3
    with pytest.raises(kith.UsageError, match="similarity: has no effect with unit span"):
        kith.dedup(copies, tmp_path / "d", unit="span", similarity=0.5)
    with pytest.raises(kith.UsageError, match="unit: is about files"):
        kith.dedup(["a text"], unit="span")


def test_captures_of_all_spellings_of_a_url(tmp_path: pathlib.Path) -> None:
    replayed = "https://web.archive.org/web/2020id_/http://a.test/?b&a"
    urls = ["http://a.test/?a&b&gclid=1", "http://a.test/?a&b", replayed]
    rows = [
        {"url": url, "text": f"some words {i}", "date": f"2020-01-0{i + 1}"}
        for i, url in enumerate(urls)
    ]
    pages = write_jsonl(tmp_path / "pages.jsonl", rows)
    (tmp_path / "rules").write_text("common\nunwrap\n", encoding="utf-8")
    for name, options, kept in (
        ("first", {"url_rules": "common", "captures": "first"}, [0, 2]),
        ("last", {"url_rules": tmp_path / "rules", "captures": "last"}, [2]),
        ("unwrapped", {"unwrap": True, "captures": "last"}, [0, 1, 2]),
    ):
        report = kith.dedup(pages, tmp_path / name, **options)
        lines = (tmp_path / name / "keep.tsv").read_text(encoding="utf-8").splitlines()
        assert [line.split("\t")[0] for line in lines[1:]] == [urls[i] for i in kept]
        skipped = dict(report["crawl"]["skipped"])
        assert skipped.get("joined", 0) == 3 - len(kept)


def test_merge_equals_the_whole(crawl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    pages = topic_pages()
    for i in range(3):
        write_jsonl(folder / f"{i}.jsonl", pages[i::3])
    for i in (1, 2):
        kith.cluster(folder, tmp_path / f"shard-{i}", shard=f"{i}/2", bags="content")
        kith.dedup(folder, tmp_path / f"dedup-{i}", shard=f"{i}/2")
    kith.merge([tmp_path / "shard-1", tmp_path / "shard-2"], tmp_path / "merged", threads=1)
    kith.cluster(folder, tmp_path / "whole", bags="content")
    assert files_of(tmp_path / "merged") == files_of(tmp_path / "whole")
    report = kith.merge([tmp_path / "dedup-1", tmp_path / "dedup-2"], tmp_path / "merged-dedup")
    assert report["documents"]["documents"] == len(pages)
    kith.dedup(folder, tmp_path / "whole-dedup")
    assert files_of(tmp_path / "merged-dedup") == files_of(tmp_path / "whole-dedup")


def test_progress_names_stages(crawl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    stages: list[str] = []

    def progress(stage: str, done: float, total: float, unit: str, note: str) -> None:
        assert 0 <= done
        assert total == 0 or done <= total
        assert isinstance(unit, str)
        assert isinstance(note, str)
        if stage not in stages:
            stages.append(stage)

    typed: kith.Progress = progress
    kith.cluster(crawl, tmp_path / "run", bags="content", progress=typed)
    assert "bags" in stages
    assert "cluster" in stages


def test_what_progress_raises_stops_the_job_which_goes_on(
    crawl: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    class Enough(Exception):
        pass

    def stop_at_cluster(stage: str, done: float, total: float, unit: str, note: str) -> None:
        if stage == "cluster":
            raise Enough(stage)

    with pytest.raises(Enough, match="cluster"):
        kith.cluster(crawl, tmp_path / "run", bags="content", progress=stop_at_cluster)
    with pytest.raises(kith.NotFoundError):
        kith.open(tmp_path / "run")
    report = kith.cluster(crawl, tmp_path / "run", bags="content")
    assert [stage["reused"] for stage in report["stages"] if stage["stage"] == "bags"] == [True]
    kith.cluster(crawl, tmp_path / "whole", bags="content")
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")


LONG_JOB = """
import sys, time, kith
started = time.monotonic()
try:
    kith.dedup(sys.argv[1], sys.argv[2],
               progress=lambda *_: (print("working", flush=True), time.sleep(0.05)))
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_stops_within_a_second(tmp_path: pathlib.Path) -> None:
    pages = [{"id": str(i), "text": f"{i} {i * 7919 % 10007} " * 40} for i in range(40000)]
    write_jsonl(tmp_path / "many.jsonl", pages)
    words = [sys.executable, "-c", LONG_JOB, str(tmp_path / "many.jsonl"), str(tmp_path / "run")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == "working\n"
        sent = time.monotonic()
        job.send_signal(signal.SIGINT)
        out = job.stdout.read()
    assert "interrupted" in out
    assert "finished" not in out
    assert time.monotonic() - sent < 10  # a second, on a machine that does nothing else


def test_errors_have_kinds(tmp_path: pathlib.Path, crawl: pathlib.Path) -> None:
    with pytest.raises(kith.NotFoundError, match="nothing.jsonl"):
        kith.cluster(tmp_path / "nothing.jsonl", tmp_path / "run")
    with pytest.raises(kith.UsageError, match="at least 64M"):
        kith.cluster(crawl, tmp_path / "run", memory="1M")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(kith.Error):
        kith.cluster(crawl, tmp_path / "file" / "run")
    for kind in (
        kith.UsageError,
        kith.NotFoundError,
        kith.FileError,
        kith.CorruptError,
        kith.MemoryLimitError,
    ):
        assert issubclass(kind, kith.Error)


def test_jobs_run_in_a_forked_process(crawl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    kith.cluster(crawl, tmp_path / "parent", bags="content")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        jobs = [
            pool.apply_async(cluster_in_child, (crawl, tmp_path / f"child-{i}")) for i in range(2)
        ]
        counts = [job.get(timeout=100) for job in jobs]
    assert len(set(counts)) == 1
    for i in range(2):
        assert files_of(tmp_path / f"child-{i}") == files_of(tmp_path / "parent")


def cluster_in_child(crawl: pathlib.Path, output: pathlib.Path) -> int:
    return int(kith.cluster(crawl, output, bags="content")["clusters"]["clusters"])


def test_jobs_run_beside_each_other(crawl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda i: kith.cluster(crawl, tmp_path / str(i), bags="content"), range(3)))
    assert files_of(tmp_path / "0") == files_of(tmp_path / "1") == files_of(tmp_path / "2")


def test_the_lock_of_the_interpreter_is_released(tmp_path: pathlib.Path) -> None:
    """Another thread goes on while a job works: not once or twice, as before and behind it."""
    pages = [{"id": str(i), "text": f"{i * 7919 % 10007} word " * 40} for i in range(20000)]
    write_jsonl(tmp_path / "many.jsonl", pages)
    ticks = 0
    is_over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not is_over.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    kith.dedup(tmp_path / "many.jsonl", tmp_path / "run", threads=1)
    during = ticks - before
    is_over.set()
    thread.join()
    assert during > 5
