"""Many calls, threads and processes: nothing leaks, and the answers are the same."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import kith

pytest.importorskip("numpy")

TEXTS = ["a rose is a rose is a rose", "a rose is a rose is a lily", "no flower at all", ""]


def parts() -> list[Any]:
    """What the parts answer, of everything that has no file."""
    sets = kith.shingles(TEXTS, width=2)
    index = kith.Index(similarity=0.3)
    index.add(sets)
    signatures = kith.MinHasher().signatures(sets)
    return [
        signatures.tolist(),
        kith.SimHasher().fingerprints(sets).tolist(),
        index.pairs().rows(),
        index.query(sets).rows(),
        kith.extract(TEXTS).rows(),
        kith.compare(TEXTS[0], TEXTS[1]).passages().rows(),
        kith.recall_at(0.8, per_key=4, tables=16),
        kith.estimate_similarity(signatures[0], signatures[1]),
    ]


def errors() -> None:
    for call in (
        lambda: kith.tune(2),
        lambda: kith.shingles(TEXTS, width=0),
        lambda: kith.compare("", ""),
        lambda: kith.Index(similarity=7),
    ):
        with pytest.raises(kith.Error):
            call()


def resident() -> int:
    """Bytes of memory that this process has now."""
    pages = pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


def test_ten_thousand_calls_of_parts_leak_nothing() -> None:
    for _ in range(100):  # of 12 calls each
        parts()
        errors()
    before = resident()
    for _ in range(840):
        parts()
        errors()
    assert resident() - before < 4 << 20


OBJECTS = """
import ctypes, sys, kith
sets = kith.shingles(["a rose", None])
index = kith.Index()
index.add(sets)
table = index.pairs()
hashers = kith.MinHasher(), kith.SimHasher(), kith.BagSketcher(), kith.compare("a b", "a c")
page = kith.extract("<p>text")
try:
    kith.tune(7)
except kith.Error as error:
    kept = error
if sys.argv[1] == "leak":
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(table))
"""


@pytest.mark.parametrize("leak", ["leak", "none"])
def test_objects_are_gone_at_the_end(leak: str) -> None:
    """nanobind names at the exit what is left: here what we leak ourselves, and nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", OBJECTS, leak], capture_output=True, text=True, check=True
    )
    assert ("leaked" in done.stderr) == (leak == "leak"), done.stderr


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str) -> None:
    expected = parts()  # so that a child of fork has a parent that has used kith
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = [pool.apply_async(parts) for _ in range(4)]
        assert all(result.get(timeout=100) == expected for result in results)


def test_threads_share_objects() -> None:
    sets = kith.shingles(TEXTS, width=2)
    hasher, index = kith.MinHasher(), kith.Index(similarity=0.3)
    expected = hasher.signatures(sets).tolist()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: index.add(sets), range(50)))
        signatures = list(pool.map(lambda _: hasher.signatures(sets).tolist(), range(50)))
        found = list(pool.map(lambda _: index.query(sets).rows(), range(50)))
    assert sorted(added) == list(range(0, 50 * len(TEXTS), len(TEXTS)))
    assert all(one == expected for one in signatures)
    assert all(one == found[0] for one in found)
