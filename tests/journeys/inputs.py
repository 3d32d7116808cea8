"""What the users of the journeys hold: made of the crawl of tests/data.

    inputs.py KIND PATH
"""

import csv
import io
import json
import pathlib
import shutil
import sys
import urllib.parse
import zipfile

DATA = pathlib.Path(__file__).parents[1] / "data" / "crawl"
CRAWL = DATA / "sample.warc.gz"


def pages():
    """URL and HTML of each page."""
    from warcio.archiveiterator import ArchiveIterator

    with CRAWL.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                yield record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read()


def crawl(path):
    shutil.copy(CRAWL, path)


def parquet(path):
    """A folder of four files: texts, with a copy of every fifth that has lost its end."""
    import pyarrow
    import pyarrow.parquet

    import kith

    rows = [{"url": page.url, "text": page.text, "lang": page.language}
            for page in kith.pages(CRAWL, words=False)]
    rows += [{**row, "url": row["url"] + "?copy", "text": row["text"][:-20]} for row in rows[::5]]
    path.mkdir()
    for part in range(4):
        table = pyarrow.Table.from_pylist(rows[part::4])
        pyarrow.parquet.write_table(table, path / f"part-{part}.parquet")


def wacz(path):
    """As crawlers in browsers write it: archives that are stored, and a list of pages."""
    rows = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    rows += [{"url": url, "ts": "2023-01-01T00:00:00Z"} for url, _ in pages()]
    with zipfile.ZipFile(path, "w") as made:
        made.write(CRAWL, "archive/rec-0.warc.gz")
        made.writestr("pages/pages.jsonl", "".join(json.dumps(row) + "\n" for row in rows),
                      zipfile.ZIP_DEFLATED)
        made.writestr("datapackage.json", json.dumps({"profile": "data-package"}))


def site(path):
    """The HTML files of one site, as a crawler for search engine optimisation exports them."""
    for url, body in pages():
        parts = urllib.parse.urlsplit(url)
        if parts.netloc == "cmake.org":
            file = path / parts.path.lstrip("/")
            file = file if file.suffix == ".html" else file / "index.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)


def labels(path):
    shutil.copy(DATA / "labels.tsv", path)


def new_page(path):
    """A line of JSON, of a page that no crawl has."""
    text = "The asynchronous reactor calls deferred callbacks when a connection of the protocol is lost."
    page = {"url": "https://new.example/1", "title": "Reactors", "text": text * 3}
    path.write_text(json.dumps(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    globals()[sys.argv[1]](pathlib.Path(sys.argv[2]))
