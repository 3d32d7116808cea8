#!/usr/bin/env python3
"""Times whole runs of kith on a crawl and prints a row per run.

    bench/pipeline.py CRAWL... [--kith build/release/bin/kith] [--repeat 3] [-- OPTIONS...]

Every repetition makes the runs one after the other, so that a machine that grows slower does so for
all of them; the row shows the median. Runs: with one thread and with two, and whatever follows
`--` is given to every run of kith. HTML MB/s is payload bytes over the time of the bags stage.
"""

import argparse
import sys

from timed_runs import add_run_arguments, medians, run_all, split_options, stages_of


def main():
    arguments, options = split_options(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawl", nargs="+")
    add_run_arguments(parser, kith="build/release/bin/kith")
    args = parser.parse_args(arguments)

    reports = run_all(args, "cluster", args.crawl, options)
    first = next(iter(reports.values()))[0]
    print(f"{first['crawl']['pages']} pages, {first['crawl']['page_bytes'] / 1e9:.2f} GB of HTML, "
          f"{first['bags']['urls']} URLs, engine {first['engine']['engine']}, "
          f"threshold {first['threshold']['similarity']:.3f}")
    stages = stages_of(reports)
    print("threads\tall_s\tcpu_s\tpeak_MB\tHTML_MB/s\t" + "\t".join(f"{s}_s" for s in stages))
    for count, rows in reports.items():
        seconds, total, peak, cpu = medians(rows)
        speed = first["crawl"]["page_bytes"] / 1e6 / seconds["bags"]
        print(f"{count}\t{total:.2f}\t{cpu:.2f}\t{peak / 1e6:.0f}\t{speed:.0f}\t" +
              "\t".join(f"{seconds[name]:.2f}" for name in stages))


if __name__ == "__main__":
    main()
