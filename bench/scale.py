#!/usr/bin/env python3
"""Whether kith keeps its promises on a large crawl: memory, time for a page, disk, at growing sizes.

    bench/scale.py --pages 20000,200000 [--jobs cluster,dedup] [--memory 2G] [-- OPTIONS...]

The crawl is made while it is read (`synthetic_crawl --pages N | kith JOB -`), so that it takes no
room on the disk. The job `shards` writes it in --shards files, runs `kith cluster --shard` on each and
then `kith merge`, and needs 20 KB of disk for a page. Whatever follows `--` is given to every run.

Every job is run twice: as it is, and with the memory it may have bounded by the system to 1.05 times
--memory: in a cgroup by systemd-run where that works, else the data segment by prlimit, which counts
every private page that is mapped for writing, touched or not. A row says how the run ended, its CPU
seconds, pages for a CPU second, the largest resident set and its anonymous part (sampled), the most
bytes in the run directory (sampled), and the most open files. Exit status 1 where a run ends
badly or takes more memory than it was given.
"""

import argparse
import dataclasses
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from timed_runs import split_options

COLUMNS = ["job", "pages", "bound", "ended", "wall_s", "cpu_s", "pages/cpu_s", "limit_MiB", "peak_MiB", "anon_MiB",
           "disk_MB", "files"]
UNITS = {"M": 1 << 20, "G": 1 << 30}
HEADROOM = 1.05


def parse_size(text):
    return int(float(text[:-1]) * UNITS[text[-1]])


@dataclasses.dataclass
class Usage:
    """Of one process, or of several one after the other."""

    ended: str = "well"
    wall: float = 0
    cpu: float = 0
    peak: int = 0  # bytes of the resident set
    anonymous: int = 0
    disk: int = 0
    files: int = 0

    def add(self, other):
        if self.ended == "well":
            self.ended = other.ended
        self.wall += other.wall
        self.cpu += other.cpu
        for name in ("peak", "anonymous", "disk", "files"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))


def disk_used(folder):
    """Bytes that the files below take, as far as they are there when they are looked at."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def sample(pid, folder, usage):
    """What the process takes at the moment; nothing where it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            fields = dict(line.split(":", 1) for line in status)
        usage.anonymous = max(usage.anonymous, 1024 * int(fields.get("RssAnon", "0 kB").split()[0]))
        usage.files = max(usage.files, len(os.listdir(f"/proc/{pid}/fd")))
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        pass
    usage.disk = max(usage.disk, disk_used(folder))


def has_systemd_run():
    if not shutil.which("systemd-run"):
        return False
    tried = subprocess.run(["systemd-run", "--scope", "--quiet", "-p", "MemoryMax=64M", "true"], capture_output=True,
                           check=False)
    return tried.returncode == 0


def bounded(command, limit, way):
    """The command, and what the child does before it, so that it has `limit` bytes."""
    if way == "cgroup":
        scope = ["systemd-run", "--scope", "--quiet", "-p", f"MemoryMax={limit}", "-p", "MemorySwapMax=0"]
        return [*scope, *command], None
    if way == "data segment":
        return command, lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    return command, None


def run(command, folder, limit, way, source=None):
    """Runs a command on what `source` writes, if there is one, and watches it."""
    usage = Usage()
    start = time.monotonic()
    crawl = subprocess.Popen(source, stdout=subprocess.PIPE) if source else None
    command, prepare = bounded(command, limit, way)
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdin=crawl.stdout if crawl else subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=prepare)
        if crawl:
            crawl.stdout.close()
        done = 0
        while done == 0:
            sample(child.pid, folder, usage)
            time.sleep(0.1)
            done, status, rusage = os.wait4(child.pid, os.WNOHANG)
        code = child.returncode = os.waitstatus_to_exitcode(status)
        usage.disk = max(usage.disk, disk_used(folder))
        if crawl:
            crawl.wait()
        errors.seek(0)
        if code != 0:
            lines = errors.read().decode(errors="replace").strip().splitlines()
            print(f"{' '.join(command)}: status {code}: {lines[-1] if lines else 'no message'}", file=sys.stderr)
    usage.ended = "well" if code == 0 else f"status {code}"
    usage.wall = time.monotonic() - start
    usage.cpu = rusage.ru_utime + rusage.ru_stime
    usage.peak = rusage.ru_maxrss * 1024
    return usage


class Bench:
    def __init__(self, args, options):
        self.args = args
        self.options = options
        self.limit = parse_size(args.memory)

    def source(self, pages, *options):
        return [self.args.crawl, "--pages", str(pages), "--seed", str(self.args.seed), *options]

    def kith(self, job, *arguments):
        return [self.args.kith, job, *arguments, "--memory", self.args.memory]

    def stream(self, job, pages, folder, way):
        command = self.kith(job, "-", "-o", os.path.join(folder, "run"), *self.options)
        return run(command, folder, int(self.limit * HEADROOM), way, self.source(pages))

    def shards(self, pages, folder, way):
        count = self.args.shards
        parts = os.path.join(folder, "crawl")
        runs = os.path.join(folder, "runs")
        os.makedirs(parts)
        os.makedirs(runs)
        for i in range(1, count + 1):
            with open(os.path.join(parts, f"{i:04}.warc"), "wb") as out:
                subprocess.run(self.source(pages, "--shard", f"{i}/{count}"), check=True, stdout=out)
        usage = Usage()
        limit = int(self.limit * HEADROOM)
        made = [os.path.join(runs, f"shard-{i}") for i in range(1, count + 1)]
        for i, shard in enumerate(made, 1):
            command = self.kith("cluster", parts, "--shard", f"{i}/{count}", "-o", shard, *self.options)
            usage.add(run(command, runs, limit, way))
        usage.add(run(self.kith("merge", *made, "-o", os.path.join(folder, "run")), folder, limit, way))
        return usage

    def report(self, folder, name):
        """The report of the run, kept in the file that was asked for."""
        if not self.args.reports:
            return
        info = subprocess.run([self.args.kith, "info", os.path.join(folder, "run"), "--json"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if info.returncode == 0:
            with open(os.path.join(self.args.reports, name + ".json"), "w", encoding="utf-8") as out:
                json.dump(json.loads(info.stdout), out, indent=1)

    def row(self, job, pages, way):
        with tempfile.TemporaryDirectory(prefix="kith-scale-", dir=self.args.place) as folder:
            usage = self.shards(pages, folder, way) if job == "shards" else self.stream(job, pages, folder, way)
            self.report(folder, f"{job}-{pages}-{way.replace(' ', '-')}")
        values = [job, pages, way, usage.ended, f"{usage.wall:.1f}", f"{usage.cpu:.1f}",
                  f"{pages / usage.cpu:.0f}", self.limit >> 20, usage.peak >> 20, usage.anonymous >> 20,
                  f"{usage.disk / 1e6:.0f}", usage.files]
        print("\t".join(map(str, values)), flush=True)
        return usage.ended == "well" and usage.peak <= self.limit


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", default="20000", help="sizes, e.g. 20000,200000 (default: %(default)s)")
    parser.add_argument("--jobs", default="cluster,dedup", help="of cluster, dedup, shards (default: %(default)s)")
    parser.add_argument("--memory", default="2G", help="e.g. 512M or 2G (default: %(default)s)")
    parser.add_argument("--shards", type=int, default=4, help="of the job shards (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bounds", choices=["both", "none", "bounded"], default="both",
                        help="run as it is, bounded by the system, or both (default)")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--crawl", default="build/bench/bin/synthetic_crawl")
    parser.add_argument("--place", help="the folder for run directories (default: where temporary files are)")
    parser.add_argument("--reports", metavar="DIR", help="also keep report.json of every run there")
    return parser.parse_args(arguments)


def main():
    arguments, options = split_options(sys.argv[1:])
    args = parse_arguments(arguments)
    if args.reports:
        os.makedirs(args.reports, exist_ok=True)
    system = "cgroup" if args.bounds != "none" and has_systemd_run() else "data segment"
    ways = {"both": ["none", system], "none": ["none"], "bounded": [system]}[args.bounds]
    bench = Bench(args, options)
    print("\t".join(COLUMNS), flush=True)
    rows = [bench.row(job, int(pages), way)
            for job in args.jobs.split(",") for pages in args.pages.split(",") for way in ways]
    return 0 if all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
