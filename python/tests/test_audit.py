"""kith.audit finds what the command line prints."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from conftest import Command

import kith

MISSING = "<title>Not found</title><h1>Page not found</h1><p>The page you asked for has been removed."
PATHS = ("old/lamp.html", "shop/chair", "news/2015/storm", "team?id=7", "tag/x", "p/9")


def crawl(path: pathlib.Path) -> pathlib.Path:
    pages = [{"url": f"https://dead.test/{name}", "html": MISSING} for name in PATHS]
    for i in range(4):
        words = " ".join(f"word{chr(97 + (i * j) % 26)}" for j in range(1, 60))
        pages.append({"url": f"https://dead.test/own/{i}", "html": f"<title>Own {i}</title><p>{words}"})
    path.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    return path


def printed(command: Command, run: str, what: str) -> list[dict[str, Any]]:
    out = command("audit", run, "--list", what, "--format", "jsonl")
    return [json.loads(line) for line in out.splitlines()]


def test_tables_are_what_is_printed(tmp_path: pathlib.Path, command: Command) -> None:
    pages = crawl(tmp_path / "crawl.jsonl")
    run = tmp_path / "run"
    kith.dedup(pages, run, no_check=True)
    audit = kith.audit(run)
    assert isinstance(audit, kith.Audit)
    assert audit.families.rows() == printed(command, str(run), "families")
    assert audit.urls.rows() == printed(command, str(run), "urls")
    assert audit.hosts.rows() == printed(command, str(run), "hosts")
    assert (audit.pages, audit.no_content) == (10, 6)
    assert repr(audit) == "<kith.Audit: 6 of 10 pages are no content>"
    assert audit.families["kind"] == ["soft_404"]

    opened = kith.open(run)
    assert kith.audit(opened, threads=1).urls.rows() == audit.urls.rows()
    assert kith.audit(run, min_pages=7).no_content == 0
    stages: list[str] = []
    kith.audit(run, progress=lambda stage, *_: stages.append(stage))
    assert stages


def test_list_is_taken_by_jobs(tmp_path: pathlib.Path) -> None:
    pages = crawl(tmp_path / "crawl.jsonl")
    kith.cluster(pages, tmp_path / "run", bags="content")
    audit = kith.audit(tmp_path / "run")
    left_out = tmp_path / "no_content.txt"
    audit.write_exclude_list(left_out)
    assert left_out.read_text(encoding="utf-8").split() == audit.urls["url"]
    report = kith.dedup(pages, tmp_path / "rest", exclude_list=left_out, no_check=True)
    assert report["crawl"]["pages"] == 4
    assert len(list(kith.pages(pages, exclude_list=left_out))) == 4


def test_what_cannot_be_audited(tmp_path: pathlib.Path) -> None:
    with pytest.raises(kith.Error):
        kith.audit(tmp_path / "absent")
    pages = crawl(tmp_path / "crawl.jsonl")
    kith.dedup(pages, tmp_path / "run", no_check=True)
    with pytest.raises(kith.UsageError, match="min_pages"):
        kith.audit(tmp_path / "run", min_pages=1)
    pages.unlink()
    with pytest.raises(kith.NotFoundError, match=r"crawl\.jsonl"):
        kith.audit(tmp_path / "run")
