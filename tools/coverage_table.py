#!/usr/bin/python3
"""The table of tools/coverage.sh: reads what llvm-cov exports from standard input."""

import collections
import json
import os
import sys


# Rooms that read foreign bytes or keep what users gave have a row of their own in the table.
STRICT = ("src/crawl/read", "src/jobs/stream")


def rooms_of(path):
    """The rows of the table that a source counts in; none for tests and the like."""
    name = os.path.relpath(path, os.getcwd())
    parts = name.split(os.sep)
    if parts[0] not in ("src", "apps") or len(parts) < 3:
        return []
    strict = [room for room in STRICT if name.startswith(room + os.sep)]
    return ["all of " + parts[0], "/".join(parts[:2]), *strict]


def branches_of(file):
    """Sides of conditions in the source and how many of them were taken. A template counts once, not
    once per instance; the default that a compiler adds to a switch over all values does not count."""
    taken = {}
    for branch in file["branches"]:
        begin, end, counts = tuple(branch[:2]), tuple(branch[2:4]), branch[4:6]
        before = taken.setdefault((begin, end), [0, 0])
        taken[begin, end] = [a + b for a, b in zip(before, counts)]
    with open(file["filename"], encoding="utf-8") as source:
        lines = source.readlines()
    sides = [count for (begin, _), counts in taken.items() for count in counts
             if not lines[begin[0] - 1].lstrip().startswith("switch (")]
    return {"count": len(sides), "covered": sum(count > 0 for count in sides)}


def lines_not_taken(file):
    """Segments [line, column, count, has count, is entry, is gap] become ranges of lines."""
    ranges = []
    segments = file["segments"]
    for segment, after in zip(segments, segments[1:]):
        if segment[3] and not segment[2] and not segment[5]:
            ranges.append((segment[0], after[0]))
    return ranges


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def main():
    files = json.load(sys.stdin)["data"][0]["files"]
    rooms = collections.defaultdict(collections.Counter)
    for file in files:
        names = rooms_of(file["filename"])
        if not names:
            continue
        counts = {"lines": file["summary"]["lines"], "branches": branches_of(file)}
        for name in names:
            for kind, of in counts.items():
                for key in ("count", "covered"):
                    rooms[name][kind, key] += of[key]
        if "--missing" in sys.argv:
            missing = lines_not_taken(file)
            if missing:
                name = os.path.relpath(file["filename"])
                print(name + ": " + ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in missing))
    print(f"{'room':16} {'lines':>8} {'taken':>7} {'branches':>9} {'taken':>7}")
    for room, sums in sorted(rooms.items()):
        print(f"{room:16} {sums['lines', 'count']:8} {percent(sums['lines', 'covered'], sums['lines', 'count']):6.1f}% "
              f"{sums['branches', 'count']:9} {percent(sums['branches', 'covered'], sums['branches', 'count']):6.1f}%")


main()
