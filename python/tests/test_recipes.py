"""The recipes of docs/recipes.md, as they stand there, on small inputs of each kind."""

from __future__ import annotations

import functools
import gzip
import http.server
import importlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import TOPICS

RECIPES = pathlib.Path(__file__).parents[2] / "docs" / "recipes.md"
# Hosts that the recipes fetch from: folders of a server of this machine in their place.
FETCHED = ("data.commoncrawl.org", "archive.org", "docs.example")

# A stand-in for Slurm: each job of an array at once, one after the other.
SBATCH = """#!/bin/sh
if [ "$1" = --parsable ]; then
  for SLURM_ARRAY_TASK_ID in 1 2 3 4; do
    export SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT=4
    sh "$2" >&2 || exit 1
  done
  echo 17
else
  [ "$1" = --dependency=afterok:17 ] && [ "$2" = --wrap ] && sh -c "$3"
fi
"""


def recipes() -> dict[str, list[tuple[str, str]]]:
    """Of each heading the blocks of code below it, with their languages."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part in re.split(r"^### ", RECIPES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name = part.splitlines()[0]
        found[name] = re.findall(r"^```(\w+)\n(.*?)^```", part, flags=re.MULTILINE | re.DOTALL)
    return found


def html_pages(per_topic: int = 8) -> list[dict[str, str]]:
    """Pages of three sites with links to each other; the last of each site is like the first."""
    pages = []
    for topic, text in TOPICS.items():
        words = text.split()
        for i in range(per_topic):
            own = " ".join(words[(i % (per_topic - 1) + j) % len(words)] for j in range(8))
            links = "".join(
                f'<p><a href="{j}.html">{words[j % len(words)]} {topic}</a>'
                for j in range(per_topic)
            )
            html = f"<html><title>{topic} {i}</title><p>{own} {own}.{links}</html>"
            pages.append({"url": f"https://{topic}.example/{topic}/{i}", "html": html, "text": own})
    return pages


def write_warc(path: pathlib.Path, pages: list[dict[str, str]], kind: str = "response") -> None:
    """As the crawlers do it: a record of the request before and one of metadata behind each page."""
    writer_of: Any = importlib.import_module("warcio.warcwriter").WARCWriter
    headers: Any = importlib.import_module("warcio.statusandheaders").StatusAndHeaders
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        writer = writer_of(file, gzip=True)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "a crawler"}))
        for page in pages:
            if kind == "conversion":
                text = io.BytesIO(page["text"].encode())
                record = writer.create_warc_record(
                    page["url"], kind, payload=text, warc_content_type="text/plain"
                )
                writer.write_record(record)
                continue
            answer = headers("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            body = io.BytesIO(page["html"].encode())
            record = writer.create_warc_record(page["url"], kind, payload=body, http_headers=answer)
            ask = headers("GET / HTTP/1.1", [("Host", "x.example")], is_http_request=True)
            request = writer.create_warc_record(page["url"], "request", http_headers=ask)
            writer.write_request_response_pair(request, record)
            fetched = io.BytesIO(b"fetchTimeMs: 7\r\n")
            writer.write_record(
                writer.create_warc_record(
                    page["url"], "metadata", payload=fetched,
                    warc_content_type="application/warc-fields",
                )
            )  # fmt: skip


def write_arc(path: pathlib.Path, pages: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    version = b"1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n\n"
    head = b"filedesc://%s 0.0.0.0 20080101000000 text/plain %d\n" % (
        path.name.encode(),
        len(version),
    )
    records = [head + version]
    for page in pages:
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page["html"].encode()
        line = f"{page['url']} 10.0.0.1 20080101000000 text/html {len(body)}\n"
        records.append(line.encode() + body + b"\n")
    path.write_bytes(b"".join(map(gzip.compress, records)))


def common_crawl(folder: pathlib.Path) -> None:
    crawl = folder / "data.commoncrawl.org" / "crawl-data" / "CC-MAIN-2025-05"
    pages = html_pages()
    for kind, record in (("warc", "response"), ("wet", "conversion")):
        paths = []
        for part in range(2):
            path = crawl / "segments" / kind / f"part-{part}.{kind}.gz"
            write_warc(path, pages[part::2], record)
            paths.append(str(path.relative_to(folder / "data.commoncrawl.org")) + "\n")
        (crawl / f"{kind}.paths.gz").write_bytes(gzip.compress("".join(paths).encode()))


def internet_archive(folder: pathlib.Path) -> None:
    item = folder / "archive.org" / "download" / "EXAMPLE-20200101"
    pages = html_pages()
    write_warc(item / "EXAMPLE-20200101-00000.warc.gz", pages[:16])
    write_arc(item / "EXAMPLE-20080101-00000.arc.gz", pages[8:])


def browsertrix(folder: pathlib.Path) -> None:
    collection = folder / "crawls" / "collections" / "example"
    pages = html_pages()
    for part in range(2):
        write_warc(collection / "archive" / f"rec-{part}.warc.gz", pages[part::2])
    (collection / "pages").mkdir()
    rows = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    rows += [{"url": page["url"], "title": "A title"} for page in pages]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (collection / "pages" / "pages.jsonl").write_text(text, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "wacz.main", "create", "-o", collection / "example.wacz", "-p",
         collection / "pages" / "pages.jsonl", *(collection / "archive").iterdir()],
        check=True, capture_output=True,
    )  # fmt: skip


def site(folder: pathlib.Path) -> None:
    root = folder / "docs.example"
    root.mkdir()
    index = ""
    for page in html_pages():
        _, _, _, topic, number = page["url"].split("/")
        (root / topic).mkdir(exist_ok=True)
        (root / topic / f"{number}.html").write_text(page["html"], encoding="utf-8")
        index += f'<a href="{topic}/{number}.html">{topic} {number}</a> '
    (root / "index.html").write_text(f"<title>Index</title>{index}", encoding="utf-8")


def heritrix(folder: pathlib.Path) -> None:
    jobs = folder / "jobs" / "weekly"
    pages = html_pages()
    write_warc(jobs / "20200101000000" / "warcs" / "WEB-20200101-00000.warc.gz", pages[:12])
    write_warc(jobs / "20200101000000" / "warcs" / "WEB-20200101-00001.warc.gz.open", pages[12:])
    write_warc(jobs / "20200108000000" / "warcs" / "WEB-20200108-00000.warc.gz", pages)
    (jobs / "latest").symlink_to("20200101000000")


def nutch(folder: pathlib.Path) -> None:
    write_warc(folder / "warcs" / "part-r-00000.warc.gz", html_pages())


def texts(folder: pathlib.Path) -> None:
    parquet: Any = importlib.import_module("pyarrow.parquet")
    arrow: Any = importlib.import_module("pyarrow")
    for name, own in (("pages", "text"), ("html", "html")):
        (folder / name).mkdir()
        for part in range(2):
            rows = [{"url": page["url"], own: page[own]} for page in html_pages()[part::2]]
            table = arrow.Table.from_pylist(rows)
            parquet.write_table(table, folder / name / f"part-{part}.parquet")


def crawl_of_many_files(folder: pathlib.Path) -> None:
    for part in range(5):
        write_warc(folder / "crawl" / f"part-{part}.warc.gz", html_pages()[part::5])
    (folder / "sbatch").write_text(SBATCH, encoding="utf-8")
    (folder / "sbatch").chmod(0o755)


# Of each recipe what makes its input, and what it must print, or leave.
INPUTS: dict[str, tuple[Callable[[pathlib.Path], None], list[str]]] = {
    "Common Crawl": (common_crawl, ["clusters.csv", "clean/part-0.wet.gz"]),
    "Internet Archive": (internet_archive, ["report.html", "copies/groups.tsv"]),
    "Browsertrix": (browsertrix, ["clusters.csv", "copies/groups.tsv"]),
    "wget": (site, ["site-00000.warc.gz", "copies/groups.tsv"]),
    "Heritrix": (heritrix, ["second/against.tsv"]),
    "Nutch": (nutch, ["copies/groups.tsv"]),
    "Hugging Face datasets": (texts, ["24 rows, 21 kept", "clean.parquet"]),
    "Polars": (texts, ["24 rows, 21 kept", "clean.parquet"]),
    "DuckDB": (texts, ["[(1, 2), (2, 2), (3, 2)]", "clean.parquet"]),
    "Dask": (texts, ["24 rows, 21 kept", "clean.parquet"]),
    "Ray": (texts, ["24 rows, 21 kept", "clean.parquet"]),
    "Daft": (texts, ["24 rows, 21 kept", "clean"]),
    "GNU parallel": (crawl_of_many_files, ["run/report.json", "copies/groups.tsv"]),
    "Slurm": (crawl_of_many_files, ["run/report.json"]),
}
# What they need beside the programs of every system: of PyPI, or a program.
NEEDED = {
    "Hugging Face datasets": ["datasets"],
    "Polars": ["polars"],
    "DuckDB": ["duckdb"],
    "Dask": ["dask.dataframe"],
    "Ray": ["ray.data"],
    "Daft": ["daft"],
}
PROGRAMS = {
    "GNU parallel": "parallel",
    "Common Crawl": "wget",
    "wget": "wget",
    "Internet Archive": "wget",
}


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[str]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()
        thread.join()


def run(folder: pathlib.Path, short: pathlib.Path, language: str, code: str) -> str:
    """What a block prints, in this folder, with all that it writes elsewhere there, too."""
    script = folder / f"recipe.{language}"
    script.write_text(code, encoding="utf-8")
    interpreter = [sys.executable] if language == "python" else ["bash", "-euo", "pipefail"]
    own = {
        "PATH": f"{folder}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "RAY_TMPDIR": str(short),
        "no_proxy": "127.0.0.1",
    }
    done = subprocess.run(
        [*interpreter, script],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def short() -> Iterator[pathlib.Path]:
    """A folder for Ray, whose sockets have paths of 107 bytes at most."""
    with tempfile.TemporaryDirectory(
        prefix="kith-", dir="/tmp", ignore_cleanup_errors=True
    ) as name:
        yield pathlib.Path(name)


@pytest.mark.parametrize("name", INPUTS)
def test_recipe(name: str, tmp_path: pathlib.Path, server: str, short: pathlib.Path) -> None:
    for library in ["pyarrow", "warcio", "wacz", *NEEDED.get(name, [])]:
        pytest.importorskip(library)
    if name in PROGRAMS and shutil.which(PROGRAMS[name]) is None:
        pytest.skip(f"{PROGRAMS[name]} is not installed")
    make, expected = INPUTS[name]
    make(tmp_path)
    printed = ""
    for language, code in recipes()[name]:
        for host in FETCHED:
            code = code.replace(f"https://{host}/", f"{server}{host}/")
        printed += run(tmp_path, short, language, code)
    for one in expected:
        left = list(tmp_path.glob(one)) or list(tmp_path.glob(f"**/{one}"))
        assert one in printed or left, f"{one} is neither printed nor made:\n{printed}"


def test_every_recipe_is_run() -> None:
    assert set(recipes()) == set(INPUTS)
    for name, blocks in recipes().items():
        assert 1 <= len(blocks) <= 2, name
        for _, code in blocks:
            assert code.count("\n") <= 16, name
