#!/usr/bin/python3
"""The table of tools/coverage.sh: reads what llvm-cov exports from standard input."""

import collections
import json
import os
import sys


def room_of(path):
    """"src/ROOM" of a source of the library, or None. Other folders are no part of the table."""
    parts = os.path.relpath(path, os.getcwd()).split(os.sep)
    return "/".join(parts[:2]) if parts[0] == "src" and len(parts) > 2 else None


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
        room = room_of(file["filename"])
        if room is None:
            continue
        for kind in ("lines", "branches"):
            for key in ("count", "covered"):
                rooms[room][kind, key] += file["summary"][kind][key]
                rooms["all of src"][kind, key] += file["summary"][kind][key]
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
