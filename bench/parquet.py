#!/usr/bin/env python3
"""Compares kith.dedup on a Parquet file with `kith dedup` on the same documents as JSON lines.

    build/peers/bin/python bench/parquet.py build/peers/pages.jsonl    # the environment of bench/peers.py

Both run in turns, each in a process of its own with the same options and number of threads. Printed
are the medians of elapsed and processor seconds (start-up and reading included; the command also
writes its lists) and the largest memory. The program must have the flags of the package.
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
        runs = {"command": [], "package": []}
        for number in range(args.repeat):
            runs["command"].append(measured(
                [args.kith, "dedup", args.documents, "-o", f"{tmp}/run{number}",
                 "--threads", str(args.threads)]))
            runs["package"].append(measured([sys.executable, "-c", call]))
    print("| | seconds | processor seconds | MiB | of all runs, seconds |\n|---|---|---|---|---|")
    for name, values in runs.items():
        elapsed, processor, memory = (statistics.median(value) for value in zip(*values))
        print(f"| {name} | {elapsed:.2f} | {processor:.2f} | {memory:.0f} | "
              f"{' '.join(f'{value[0]:.2f}' for value in values)} |")


if __name__ == "__main__":
    main()
