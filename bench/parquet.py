#!/usr/bin/env python3
"""Compares a Parquet file as input of dedup with the same documents as JSON lines.

    build/peers/bin/python bench/parquet.py build/peers/pages.jsonl    # the environment of bench/peers.py

The program, the `kith` of the package and kith.dedup without a run directory run in turns, each in a process of
its own with the same options and number of threads; "copy" is with --write. Printed are the medians of elapsed and
processor seconds (start-up and reading included; the commands also write their lists) and the largest memory. The
program must have the flags of the package.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time


def measured(command):
    """Elapsed and processor seconds, and MiB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_parquet(documents, path):
    import pyarrow.parquet

    with open(documents, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    table = pyarrow.table({name: [row[name] for row in rows] for name in ("url", "text")})
    pyarrow.parquet.write_table(table, path)
    size = sum(len(row["text"].encode()) for row in rows)
    print(f"{len(rows)} documents, {size / 1e6:.0f} MB of text\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", help="JSON lines with url and text")
    parser.add_argument("--kith", default="build/release/bin/kith", metavar="PROGRAM")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as tmp:
        # In a process of its own: what a process has when it starts another counts as memory of that.
        writer = multiprocessing.Process(target=write_parquet,
                                         args=(args.documents, f"{tmp}/pages.parquet"))
        writer.start()
        writer.join()
        call = f"import kith; kith.dedup('{tmp}/pages.parquet', threads={args.threads})"
        threads = ["--threads", str(args.threads)]
        package = [sys.executable, "-m", "kith"]
        parquet = f"{tmp}/pages.parquet"

        def dedup(program, source, *more):
            return lambda place: [*program, "dedup", source, "-o", place, *threads,
                                  *(f"{place}{word}" if word.startswith("-copy") else word for word in more)]

        kinds = {
            "program, JSON lines": dedup([args.kith], args.documents),
            "package, JSON lines": dedup(package, args.documents),
            "package, Parquet": dedup(package, parquet),
            "package, JSON lines, copy": dedup(package, args.documents, "--write", "-copy.jsonl"),
            "package, Parquet, copy": dedup(package, parquet, "--write", "-copy.parquet"),
            "kith.dedup, Parquet": lambda place: [sys.executable, "-c", call],
        }
        runs = {kind: [] for kind in kinds}
        for number in range(args.repeat):
            for place, (kind, command) in enumerate(kinds.items()):
                runs[kind].append(measured(command(f"{tmp}/run{number}-{place}")))
    print("| | seconds | processor seconds | MiB | of all runs, seconds |\n|---|---|---|---|---|")
    for name, values in runs.items():
        elapsed, processor, memory = (statistics.median(value) for value in zip(*values))
        print(f"| {name} | {elapsed:.2f} | {processor:.2f} | {memory:.0f} | "
              f"{' '.join(f'{value[0]:.2f}' for value in values)} |")


if __name__ == "__main__":
    main()
