#!/usr/bin/python3
"""Fails where a page of the site links to a file or an anchor that is not there, or loads from another server.

    tools/site/check_pages.py FOLDER
"""

import functools
import html
import pathlib
import re
import sys
import urllib.parse

TAG = re.compile(r"<(a|area|link|script|img|iframe|source)\b([^>]*)>")
TARGET = re.compile(r"""\b(?:href|src)=["']?([^"'\s>]*)""")
ANCHOR = re.compile(r"""\b(?:id|name)=["']?([^"'\s>]+)""")


@functools.cache
def anchors(path):
    return set(map(html.unescape, ANCHOR.findall(path.read_text(encoding="utf-8"))))


def offences(folder, path, text):
    for tag, attributes in TAG.findall(text):
        for link in TARGET.findall(attributes):
            link = html.unescape(link)
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                if tag not in ("a", "area") and address.netloc:
                    yield f"{link}: loaded from another server"
                continue
            name, anchor = urllib.parse.unquote(address.path), urllib.parse.unquote(address.fragment)
            target = folder / name[1:] if name.startswith("/") else path.parent / name if name else path
            if not target.is_file():
                yield f"{link}: no such file"
            elif anchor and target.suffix == ".html" and anchor not in anchors(target.resolve()):
                yield f"{link}: no such anchor"


def main(folder):
    pages, found = sorted(folder.rglob("*.html")), []
    for path in pages:
        name = path.relative_to(folder)
        found += [f"{name}: {offence}" for offence in offences(folder, path, path.read_text("utf-8"))]
    print(*found, f"check_pages: {len(pages)} pages, {len(found)} links that lead nowhere or elsewhere", sep="\n")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
