#!/usr/bin/env python3
"""Whether runs survive being killed and full disks: the same command again must give the same bytes.

    bench/crash.py --kills 200 --full-disks 20 [--seed 1] [--jobs NAME,NAME...] [--place DIR]

Every job runs undisturbed once, on a small made crawl. A kill is a run that gets SIGKILL at a random
moment (one to three times, each time started again), and then runs to its end; a full disk is a
run in a tmpfs that is too small, then made larger step by step until the run ends well. What is compared: every
file of the run directory, of OUT and of standard output, byte for byte, but for the times in report.json; and
that nothing else is left. Full disks need root and mount(8), else they are skipped, and the table says so. The
seed gives the jobs and moments; how far a job is at a moment depends on the machine. Exit status 1
after any difference.
"""

import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CONTENT = ["--bags", "content", "--min-df", "1", "--max-df", "1"]
TABLES = ["--engine", "lsh", "--lanes", "1024"]
LITTLE = ["--memory", "64M"]
CRAWL = "../input/crawl.warc"

# Of a job: what is typed in a folder beside the folder `input`, and leaves all it makes there.
JOBS = {
    "cluster": [["cluster", CRAWL, "-o", "run"]],
    "cluster lsh": [["cluster", CRAWL, "-o", "run", *TABLES]],
    "cluster content": [["cluster", CRAWL, "-o", "run", *CONTENT]],
    "cluster 64M": [["cluster", CRAWL, "-o", "run", *TABLES, *LITTLE]],
    "cluster aliases": [["cluster", CRAWL, "-o", "run", "--aliases", "fold", "--neighbours", "0"]],
    "paper": [["paper", CRAWL, "-o", "run", *LITTLE]],
    "shards": [["cluster", "../input/parts", "--shard", "1/2", "-o", "shard-1"],
               ["cluster", "../input/parts", "--shard", "2/2", "-o", "shard-2"],
               ["merge", "shard-1", "shard-2", "-o", "run"]],
    "dedup": [["dedup", CRAWL, "-o", "run"]],
    "dedup 64M": [["dedup", CRAWL, "-o", "run", *LITTLE]],
    "dedup write": [["dedup", CRAWL, "-o", "run", "--write", "kept.warc"]],
    "dedup containment": [["dedup", CRAWL, "-o", "run", "--method", "containment"]],
    "dedup simhash": [["dedup", CRAWL, "-o", "run", "--method", "simhash", "--distance", "5"]],
    "dedup supershingle": [["dedup", CRAWL, "-o", "run", "--method", "supershingle"]],
    "dedup against": [["dedup", CRAWL, "-o", "run", "--against", "../input/earlier"]],
    "pairs": [["pairs", "../input/run", *LITTLE]],
    "recluster": [["cluster", "../input/run", "-o", "run", "--similarity", "0.4", *TABLES]],
}

# Of the clock and of the way to the result; everything else in a report must be equal. Fragments hold words by
# numbers in the order of their arrival, and these are shorter or longer by it.
TIMES = {"seconds", "peak_memory", "reused", "damage", "fragment_bytes", "checksum"}


def timeless(value):
    if isinstance(value, dict):
        return {key: timeless(part) for key, part in value.items() if key not in TIMES}
    return [timeless(part) for part in value] if isinstance(value, list) else value


def content_of(folder):
    """Every file below, by its path."""
    content = {}
    for place, folders, names in os.walk(folder):
        for name in folders:
            content[os.path.relpath(os.path.join(place, name), folder)] = "a folder"
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                data = file.read()
            content[os.path.relpath(path, folder)] = timeless(json.loads(data)) if name == "report.json" else data
    return content


def difference(found, expected):
    """What is missing, left over or other, in words; empty where nothing is."""
    words = [f"no {name}" for name in expected if name not in found]
    words += [f"left over: {name}" for name in found if name not in expected]
    words += [f"other bytes: {name}" for name in expected if name in found and found[name] != expected[name]]
    return ", ".join(words)


def end_with_parent():
    """So that nothing stays at work when the bench is stopped."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Workshop:
    """The inputs, and what every job leaves when nobody disturbs it."""

    def __init__(self, args, place):
        self.args = args
        self.place = place
        self.input = os.path.join(place, "input")
        os.makedirs(os.path.join(self.input, "parts"))
        self.write_crawl("crawl.warc")
        for i in "12":
            self.write_crawl(f"parts/{i}.warc", "--shard", f"{i}/2")
        self.write_crawl("earlier.warc", "--shard", "1/3")
        self.check(["dedup", "earlier.warc", "-o", "earlier"], self.input)
        self.check(["cluster", "crawl.warc", "-o", "run", *CONTENT], self.input)
        self.expected = {}
        self.seconds = {}

    def write_crawl(self, name, *options):
        with open(os.path.join(self.input, name), "wb") as out:
            subprocess.run([self.args.crawl, "--pages", str(self.args.pages), "--words", "150", "--near-duplicates",
                            "0.3", *options], check=True, stdout=out)

    def start(self, command, folder):
        """A run whose standard output is kept beside what it makes."""
        with open(os.path.join(folder, "output"), "ab") as out, open(os.path.join(self.place, "errors"), "wb") as err:
            return subprocess.Popen([self.args.kith, *command], cwd=folder, stdout=out, stderr=err,
                                    preexec_fn=end_with_parent)

    def message(self):
        with open(os.path.join(self.place, "errors"), encoding="utf-8", errors="replace") as errors:
            lines = errors.read().strip().splitlines()
        return lines[-1] if lines else "no message"

    def check(self, command, folder):
        child = self.start(command, folder)
        if child.wait() != 0:
            raise SystemExit(f"crash: kith {' '.join(command)}: status {child.returncode}: {self.message()}")
        os.remove(os.path.join(folder, "output"))

    def folder(self, job):
        path = os.path.join(self.place, job.replace(" ", "-"))
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def run_undisturbed(self, job):
        folder = self.folder(job)
        self.seconds[job] = []
        for number, command in enumerate(JOBS[job]):
            start = time.monotonic()
            status = self.run_to_the_end(command, folder, number)
            self.seconds[job].append(time.monotonic() - start)
            if status:
                raise SystemExit(f"crash: {job}, undisturbed: {status}")
        self.expected[job] = content_of(folder)
        shutil.rmtree(folder)

    def run_to_the_end(self, command, folder, number):
        """What went wrong, in words; the output of the number-th command becomes a file of its own."""
        child = self.start(command, folder)
        child.wait()
        if child.returncode != 0:
            os.remove(os.path.join(folder, "output"))
            return f"status {child.returncode}: {self.message()}"
        os.replace(os.path.join(folder, "output"), os.path.join(folder, f"output-{number}"))
        return ""

    def kill(self, job, draw):
        """Runs the job with a kill in one of its commands. (kills that hit a running command, what went wrong)"""
        folder = self.folder(job)
        hit = 0
        victim = draw.randrange(len(JOBS[job]))
        for number, command in enumerate(JOBS[job]):
            for _ in range(draw.randint(1, 3) if number == victim else 0):
                child = self.start(command, folder)
                time.sleep(draw.uniform(0, 1.1) * self.seconds[job][number])
                child.kill()
                hit += child.wait() == -signal.SIGKILL
                os.remove(os.path.join(folder, "output"))
            status = self.run_to_the_end(command, folder, number)
            if status:
                return hit, status
        wrong = difference(content_of(folder), self.expected[job])
        shutil.rmtree(folder)
        return hit, wrong

    def fill_disk(self, job, draw):
        """Runs the job on a disk that is full, and fuller later. (how often it was full, what went wrong)"""
        folder = self.folder(job)
        needed = sum(len(data) for data in self.expected[job].values() if isinstance(data, bytes)) >> 10
        size = 4 + draw.randrange(max(1, needed))  # KiB
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "kith-crash", folder], check=True)
        try:
            return self.run_on_small_disk(job, folder, size, max(16, needed // 4))
        finally:
            subprocess.run(["umount", folder], check=True)
            os.rmdir(folder)

    def run_on_small_disk(self, job, folder, size, step):
        full = 0
        for number, command in enumerate(JOBS[job]):
            while status := self.run_to_the_end(command, folder, number):
                if "No space left" not in status:
                    return full, status
                full += 1
                size += step
                if full > 200:
                    return full, f"still full at {size} KiB: {status}"
                subprocess.run(["mount", "-o", f"remount,size={size}k", folder], check=True)
        return full, difference(content_of(folder), self.expected[job])


def can_mount(place):
    if os.geteuid() != 0 or not shutil.which("mount"):
        return False
    with tempfile.TemporaryDirectory(dir=place) as folder:
        tried = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "kith-crash", folder], capture_output=True,
                               check=False)
        return tried.returncode == 0 and subprocess.run(["umount", folder], check=False).returncode == 0


def disturb(what, jobs, times, work, draw):
    """Prints a row per job; the number of tries that went wrong."""
    rows = {job: [0, 0, 0] for job in jobs}
    for turn in range(times):
        job = jobs[turn % len(jobs)]
        hit, wrong = work(job, draw)
        rows[job][0] += 1
        rows[job][1] += hit
        rows[job][2] += bool(wrong)
        if wrong:
            print(f"{what} {turn}, {job}: {wrong}", file=sys.stderr, flush=True)
    for job, (tries, hit, wrong) in rows.items():
        if tries:
            print(f"{what}\t{job}\t{tries}\t{hit}\t{wrong}", flush=True)
    return sum(wrong for _, _, wrong in rows.values())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40, help="runs that are killed (default: %(default)s)")
    parser.add_argument("--full-disks", type=int, default=6, help="runs on a small disk (default: %(default)s)")
    parser.add_argument("--jobs", help=f"of {', '.join(JOBS)} (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=400, help="of the crawl (default: %(default)s)")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--crawl", default="build/bench/bin/synthetic_crawl")
    parser.add_argument("--place", help="a folder for all of it (default: where temporary files are)")
    args = parser.parse_args()
    args.kith, args.crawl = os.path.abspath(args.kith), os.path.abspath(args.crawl)
    return args


def main():
    args = parse_arguments()
    jobs = args.jobs.split(",") if args.jobs else list(JOBS)
    if unknown := [job for job in jobs if job not in JOBS]:
        raise SystemExit(f"crash: no job {unknown[0]!r}; there are: {', '.join(JOBS)}")
    draw = random.Random(args.seed)
    with tempfile.TemporaryDirectory(prefix="kith-crash-", dir=args.place) as place:
        workshop = Workshop(args, place)
        for job in jobs:
            workshop.run_undisturbed(job)
        print("what\tjob\truns\ttimes\twrong")
        wrong = disturb("kill", jobs, args.kills, workshop.kill, draw)
        if args.full_disks and not can_mount(place):
            print("full disk\tskipped: needs root, and mount(8) to be allowed")
        elif args.full_disks:
            draw.shuffle(jobs)  # else the first few would always be those that are tried
            wrong += disturb("full disk", jobs, args.full_disks, workshop.fill_disk, draw)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
