"""Runs of kith with their times, for bench/pipeline.py and bench/dedup.py."""

import json
import os
import resource
import statistics
import subprocess
import tempfile


def split_options(arguments):
    """What stands before `--`, and behind it."""
    if "--" not in arguments:
        return arguments, []
    cut = arguments.index("--")
    return arguments[:cut], arguments[cut + 1:]


def add_run_arguments(parser, kith):
    parser.add_argument("--kith", default=kith)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", default="1,2", help="thread counts, e.g. 1,2,4")


def run_once(kith, job, inputs, options, threads):
    """The report of a run, with the CPU seconds that it took as "cpu"."""
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        run = os.path.join(folder, "run")
        command = [kith, job, *inputs, "-o", run, "--threads", str(threads), *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stderr=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        info = subprocess.run([kith, "info", run, "--json"], check=True, stdout=subprocess.PIPE)
        report = json.loads(info.stdout)
        report["cpu"] = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        return report


def run_all(args, job, inputs, options):
    """Reports by thread count, in turns: a machine that grows slower does so for all of them."""
    counts = [int(count) for count in args.threads.split(",")]
    reports = {count: [] for count in counts}
    for _ in range(args.repeat):
        for count in counts:
            reports[count].append(run_once(args.kith, job, inputs, options, count))
    return reports


def stages_of(reports):
    return [stage["stage"] for stage in next(iter(reports.values()))[0]["stages"]]


def medians(rows):
    """Of some runs: seconds by stage, all seconds, bytes of memory at the peak, CPU seconds."""
    def median(value):
        return statistics.median(value(row) for row in rows)

    stages = [stage["stage"] for stage in rows[0]["stages"]]
    seconds = {name: median(lambda r: next(s["seconds"] for s in r["stages"] if s["stage"] == name))
               for name in stages}
    return (seconds, median(lambda r: sum(s["seconds"] for s in r["stages"])),
            median(lambda r: max(s["peak_memory"] for s in r["stages"])), median(lambda r: r["cpu"]))
