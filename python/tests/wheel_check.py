"""Run by tools/wheel.sh in an environment that has only the wheel: clusters a crawl, calls each part
that needs no other package, and fails when kith has loaded a library from outside of the wheel that
not every Linux has.

    python wheel_check.py CRAWL
"""

from __future__ import annotations

import importlib
import pathlib
import re
import sys
import tempfile
from typing import Any

EVERY_LINUX = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z))[.-].*")


def libraries() -> set[pathlib.Path]:
    """The shared libraries of this process."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {pathlib.Path(line.split(maxsplit=5)[5]) for line in maps if ".so" in line}


def cluster(crawl: str) -> Any:
    kith = importlib.import_module("kith")
    with tempfile.TemporaryDirectory() as folder:
        report = kith.cluster(crawl, folder)
        run = kith.open(folder)
        assert len(run) == len(run.pages()) > 0
        print(
            f"{len(run)} URLs, {report['clusters']['clusters']} clusters, {len(run.topics())} topics"
        )
        try_parts(kith, crawl)
    return kith


def try_parts(kith: Any, crawl: str) -> None:
    texts = [page.text for page in kith.pages(crawl, words=False)]
    sets = kith.shingles(texts)
    index = kith.Index(similarity=0.8)
    index.add(sets)
    marks = kith.dedup(kith.extract(texts), text="text", similarity=0.8)
    pairs = index.pairs()
    assert len(marks) == len(texts) == len(sets)
    assert marks.report["removed"] > 0 < len(pairs)
    alike = kith.compare(texts[pairs["a"][0]], texts[pairs["b"][0]])
    assert alike.resemblance == pairs["similarity"][0]
    assert len(kith.tune(0.8)) > 0
    print(f"{len(texts)} texts, {len(pairs)} pairs, {marks.report['removed']} removed")


def main() -> None:
    before = libraries()
    package = pathlib.Path(cluster(sys.argv[1]).__file__).parent.parent
    foreign = sorted(
        str(path)
        for path in libraries() - before
        if package not in path.parents
        and path.parent.name != "lib-dynload"
        and not EVERY_LINUX.fullmatch(path.name)
    )
    if foreign:
        sys.exit("the wheel is not self-contained, it uses " + ", ".join(foreign))


if __name__ == "__main__":
    main()
