#!/usr/bin/python3
"""Fails on a link between documents that leads nowhere, and where a source names a document that is not there.

    tools/check_links.py [--root FOLDER]

Checked are the relative links of every *.md file to files, folders and headings (#anchors, by GitHub's rule), and
the documents below docs/ that sources name. Exit status 1 if anything is missing.
"""

import argparse
import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.md\b")
SKIPPED = {".git", "build", "tests", "node_modules"}
SOURCES = (".md", ".h", ".cc", ".py", ".sh", ".cmake", ".ts", ".txt")


def anchors(text):
    """What #... may name in a document: its headings in small letters, without signs."""
    found = set()
    for heading in re.findall(r"^#+ +(.+)$", CODE.sub(lambda code: code[0].strip("`").replace("#", ""), text), re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", heading).lower()).strip().replace(" ", "-")
        copies = (f"{name}-{n}" for n in range(1, 100))
        found.add(next(copy for copy in copies if copy not in found) if name in found else name)
    return found


def missing(root, path, text):
    """Yields what the file names and is not there."""
    yield from (name for name in NAMED.findall(text) if not os.path.exists(os.path.join(root, name)))
    for link in LINK.findall(CODE.sub("", text)) if path.endswith(".md") else []:
        name, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(root, os.path.dirname(path), name)) if name else os.path.join(root, path)
        if not re.match(r"[a-z]+:", link) and (not os.path.exists(target) or anchor and target.endswith(".md") and
                                               anchor not in anchors(open(target, encoding="utf-8").read())):
            yield link


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), ".."), help="the project's folder")
    root, offences, documents = parser.parse_args(arguments).root, [], 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for path in (os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith(SOURCES)):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                offences += [f"{path}: {name}: no such file or heading" for name in missing(root, path, file.read())]
            documents += path.endswith(".md")
    print(*sorted(offences), f"check_links: {documents} documents, {len(offences)} links that lead nowhere", sep="\n")
    return 1 if offences or not documents else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
