#!/usr/bin/env python3
"""Times whole runs of kith on a crawl and prints a row a run.

    bench/pipeline.py CRAWL... [--kith build/release/bin/kith] [--repeat 3] [-- OPTIONS...]

Every repetition makes the runs one after the other, so that a machine that grows slower does so for
all of them; the row shows the median. Runs: with one thread and with two, and whatever follows
`--` is given to every run of kith. HTML MB/s is payload bytes over the time of the bags stage.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile


def run_once(kith, inputs, options, threads):
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        run = os.path.join(folder, "run")
        command = [kith, "cluster", *inputs, "-o", run, "--threads", str(threads), *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stderr=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        info = subprocess.run([kith, "info", run, "--json"], check=True, stdout=subprocess.PIPE)
        report = json.loads(info.stdout)
        report["cpu"] = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        return report


def median(reports, value):
    return statistics.median(value(report) for report in reports)


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, options = arguments[:cut], arguments[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawl", nargs="+")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", default="1,2", help="thread counts, e.g. 1,2,4")
    args = parser.parse_args(arguments)
    counts = [int(count) for count in args.threads.split(",")]

    reports = {count: [] for count in counts}
    for _ in range(args.repeat):
        for count in counts:
            reports[count].append(run_once(args.kith, args.crawl, options, count))

    first = reports[counts[0]][0]
    print(f"{first['crawl']['pages']} pages, {first['crawl']['page_bytes'] / 1e9:.2f} GB of HTML, "
          f"{first['bags']['urls']} URLs, engine {first['engine']['engine']}, "
          f"floor {first['floor']['similarity']:.3f}")
    stages = [stage["stage"] for stage in first["stages"]]
    print("threads\tall_s\tcpu_s\tpeak_MB\tHTML_MB/s\t" + "\t".join(f"{s}_s" for s in stages))
    for count in counts:
        rows = reports[count]
        seconds = {name: median(rows, lambda r: next(s["seconds"] for s in r["stages"]
                                                     if s["stage"] == name)) for name in stages}
        total = median(rows, lambda r: sum(s["seconds"] for s in r["stages"]))
        peak = median(rows, lambda r: max(s["peak_memory"] for s in r["stages"]))
        cpu = median(rows, lambda r: r["cpu"])
        speed = first["crawl"]["page_bytes"] / 1e6 / seconds["bags"]
        print(f"{count}\t{total:.2f}\t{cpu:.2f}\t{peak / 1e6:.0f}\t{speed:.0f}\t" +
              "\t".join(f"{seconds[name]:.2f}" for name in stages))


if __name__ == "__main__":
    main()
