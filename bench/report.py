#!/usr/bin/env python3
"""Makes docs/benchmarks.md: times, memory and lower bounds, all of one machine and one commit.

    cmake --preset bench && cmake --build --preset bench
    bench/report.py --crawl demo=build/demo/demo.warc.gz --bags 2000000 > docs/benchmarks.md

Every input is optional, and named by the user:

    --crawl NAME=FILE   a crawl (tools/demo.sh, tools/debian_crawl.py); three rows each
    --texts MB          JSON lines that are made here, for kith dedup; one row
    --bags N            bags of synthetic_bags (700 bytes of disk each, with the run); four rows each
    --paper N           the same for kith paper and Table 1 of the paper, whose N is 20000000
    --scale N,N         pages of synthetic_crawl for bench/scale.py
    --peers PYTHON      a Python with what bench/peers.py compares; its texts are those of the first crawl

Times are of the whole job, its start included, and medians of --repeat runs. *At least* is what must be done, at the
rates that the programs of bench/ show here for unpacking, extraction, words, links, shingles and comparisons of
signatures, on all processors that the job may use. What is not asked for is left out. Exit status 1 where the
document would be longer than 80 lines, or the table of jobs than 15 rows.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import dedup

BENCH = pathlib.Path(__file__).resolve().parent
Row = collections.namedtuple("Row", "job input seconds rate peak least command")
# Rows of Table 1 of the paper: its hours, and the steps of kith (docs/algorithms/paper.md).
PAPER = [("MH-signature generation", 26, ["signatures"]), ("pair generation", 16, ["pairs"]),
         ("filtering", 83, ["filter"]), ("sorting", 107, ["repeats", "sort"]), ("CENTER", 18, ["center"])]


def significant(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Report:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.work)
        self.kith = self.program("kith")
        self.rows = []
        self.rates = {}

    def program(self, name):
        path = pathlib.Path(self.args.bin) / name
        if not path.exists():
            sys.exit(f"report.py: {path} is missing; cmake --preset bench && cmake --build --preset bench makes it")
        return str(path)

    def run(self, command):
        """Seconds and bytes of memory of one run."""
        start = time.monotonic()
        with open(self.work / "messages", "w", encoding="utf-8") as messages:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"report.py: {' '.join(command)}: {(self.work / 'messages').read_text('utf-8')}")
        return time.monotonic() - start, usage.ru_maxrss * 1024

    def job(self, name, shown, job, source, options, amount, unit, least=None):
        """Adds a row for `kith job source`, run some times; returns the report of the last run."""
        print(f"report.py: {name}, {shown}", file=sys.stderr)
        directory = self.work / "run"
        runs = []
        for _ in range(self.args.repeat):
            shutil.rmtree(directory, ignore_errors=True)
            runs.append(self.run([self.kith, job, str(source), "-o", str(directory), *options]))
        report = json.loads(output_of(self.kith, "info", str(directory), "--json"))
        seconds = statistics.median(seconds for seconds, _ in runs)
        command = " ".join(["kith", job, "INPUT", "-o", "run", *options])
        self.rows.append(Row(name, shown, seconds, f"{significant(amount(report) / seconds)} {unit}/s",
                             max(peak for _, peak in runs), least(report) if least else None, command))
        return report

    def rate(self, program, name, counter, environment=None):
        """The best rate that a benchmark shows for a name, for one core."""
        key = (program, name, *sorted((environment or {}).items()))
        if key not in self.rates:
            out = subprocess.run([self.program(program), f"--benchmark_filter={name}", "--benchmark_format=json"],
                                 env={**os.environ, **(environment or {})}, check=True, capture_output=True)
            self.rates[key] = max(each.get(counter, 0) for each in json.loads(out.stdout)["benchmarks"])
        return self.rates[key]

    def least_of_pages(self, path, crawl, words, links):
        """Seconds on one core to unpack pages, extract them, split their words and resolve their links."""
        unpacked = crawl["bytes_unpacked"] / self.rate("bench_crawl_read", "^unpack", "bytes_per_second",
                                                       {"KITH_BENCH_WARC": str(path)})
        return (unpacked + crawl["page_bytes"] / self.rate("bench_text_html", "generated/extract", "bytes_per_second") +
                words / self.rate("bench_text_words", "split_words", "words/s") +
                links / self.rate("bench_text_words", "resolve_urls", "items_per_second"))

    def crawl(self, name, path):
        def least(report):
            return self.least_of_pages(path, report["crawl"], report["text"]["words"],
                                       report["text"]["links"]) / report["threads"]

        report = self.job("clusters, lists, topics", name, "cluster", path, [], lambda r: r["crawl"]["pages"], "pages",
                          least)
        bags = next(stage["seconds"] for stage in report["stages"] if stage["stage"] == "bags")
        rate = report["crawl"]["page_bytes"] / 1e6 / bags
        self.rows.append(Row("the stage bags of it", name, bags, f"{significant(rate)} MB/s", None, least(report), ""))
        self.job("near-duplicates", name, "dedup", path, [], lambda r: r["crawl"]["page_bytes"] / 1e6, "MB",
                 lambda r: self.least_of_pages(path, r["crawl"], 0, 0) / r["threads"])

    def texts(self, megabytes):
        path = self.work / "texts.jsonl"
        dedup.write_documents(path, megabytes)
        self.job("near-duplicates", f"texts, {megabytes} MB", "dedup", path, [],
                 lambda r: r["documents"]["text_bytes"] / 1e6, "MB",
                 lambda r: r["documents"]["text_bytes"] / r["threads"] /
                 self.rate("bench_text_shingles", "make_elements/bytes:6000/bag:0", "bytes_per_second"))
        path.unlink()

    def made_bags(self, urls):
        path = self.work / f"bags{urls}"
        if not path.exists():
            self.run([self.program("synthetic_bags"), "--urls", str(urls), "-o", str(path)])
        return path

    def bags(self, urls):
        def comparisons(count):
            return count / self.rate("bench_sketch_compare", "^select", "items_per_second")

        path, shown, amount = self.made_bags(urls), f"bags, {urls:,}", lambda r: r["bags"]["urls"]
        options = ["--engine", "lsh", "--neighbours", "0", "--no-check"]
        for name, more in (("clusters", []), ("in a quarter of the memory", ["--memory", f"{max(64, urls // 5000)}M"])):
            self.job(name, shown, "cluster", path, options + more, amount, "URLs",
                     lambda r: comparisons(r["clusters"]["candidates"]) / r["threads"])
        self.job("clusters and 20 neighbours", shown, "cluster", path,
                 ["--engine", "lsh", "--neighbours", "20", "--other-sites", "0", "--topics", "none", "--no-check"],
                 amount,
                 "URLs", lambda r: comparisons(r["clusters"]["candidates"] + r["pairs"]["collisions"]) / r["threads"])
        url = output_of(self.kith, "clusters", str(self.work / "run")).splitlines()[1].split("\t")[1]
        # Its memory is less than that of this Python, which the system counts for a child, too.
        seconds = statistics.median(self.run([self.kith, "related", str(self.work / "run"), url])[0] for _ in range(20))
        started = min(self.run([self.kith, "--version"])[0] for _ in range(20))
        self.rows.append(Row("related pages of a URL", shown, seconds, f"{significant(1 / seconds)} questions/s", None,
                             started, "kith related run URL"))

    def table(self):
        yield "| job | input | seconds | rate | peak memory | at least, s | ratio | command |"
        yield "|---|---|---|---|---|---|---|---|"
        for row in self.rows:
            memory = f"{significant(row.peak / 2**20)} MiB" if row.peak else ""
            least, ratio = (significant(row.least), f"{row.seconds / row.least:.1f}") if row.least else ("", "")
            command = f"`{row.command}`" if row.command else ""
            cells = [row.job, row.input, significant(row.seconds), row.rate, memory, least, ratio, command]
            yield f"| {' | '.join(cells)} |"

    def paper(self, urls):
        rows, self.rows = self.rows, []
        report = self.job("paper", f"bags, {urls:,}", "paper", self.made_bags(urls), [],
                          lambda r: r["bags"]["urls"], "URLs")
        whole, self.rows = self.rows[0], rows
        memory = f"{significant(whole.peak / 2**20)} MiB"
        yield f"`{whole.command}` of {urls:,} bags: {significant(whole.seconds)} s, {memory}."
        yield "The paper: 20 million URLs, two Pentium II of 300 MHz and 512 MB; the last two steps 450 MHz and 1 GB."
        yield ""
        yield "| the paper's row | the paper, per URL | kith, seconds | kith, per URL |"
        yield "|---|---|---|---|"
        seconds = {step["stage"]: step["seconds"] for step in report["steps"]}
        for name, hours, steps in PAPER:
            taken = sum(seconds[step] for step in steps)
            yield (f"| {name} | {significant(hours * 3600e6 / 20e6)} us | {significant(taken)} | "
                   f"{significant(taken * 1e6 / urls)} us |")

    def peers(self, python):
        texts = self.work / "peers.jsonl"
        out = output_of(python, str(BENCH / "peers.py"), str(texts), "--kith", self.kith, "--crawl",
                        self.args.crawl[0].partition("=")[2]).splitlines()
        yield f"Near-duplicates of the first crawl, one core (`bench/peers.py`): {out[0]}."
        yield ""
        yield from (line for line in out if line.startswith("|"))

    def scale(self, pages):
        out = output_of(sys.executable, str(BENCH / "scale.py"), "--pages", pages, "--bounds", "bounded",
                        "--kith", self.kith, "--crawl", self.program("synthetic_crawl"), "--place", str(self.work))
        rows = [line.split("\t") for line in out.splitlines()]
        yield f"`bench/scale.py --pages {pages} --bounds bounded`: pages of `synthetic_crawl`, `--memory 2G`."
        yield ""
        yield f"| {' | '.join(rows[0])} |"
        yield "|---" * len(rows[0]) + "|"
        yield from (f"| {' | '.join(row)} |" for row in rows[1:])

    def document(self):
        args = self.args
        for crawl in args.crawl:
            self.crawl(*crawl.split("=", 1))
        if args.texts:
            self.texts(args.texts)
        for urls in args.bags:
            self.bags(urls)
        with open("/proc/cpuinfo", encoding="utf-8") as cpus:
            model = next(line.split(":")[1].strip() for line in cpus if line.startswith("model name"))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        version = output_of(self.kith, "--version").splitlines()[0]
        yield from ["# Benchmarks", "", "Made by `bench/report.py`, which says what is measured and how. One machine:",
                    f"{model}, {os.cpu_count()} processors, {memory:.0f} GiB of memory; {version}.",
                    "Stage by stage, and what was tried without gain: [notes](notes/performance.md)."]
        yield from ["", "## Jobs", *self.table()]
        for title, section, wanted in (("Peers", self.peers, args.peers), ("Table 1", self.paper, args.paper),
                                       ("Scaling", self.scale, args.scale)):
            if wanted:
                yield from ["", f"## {title}", *section(wanted)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crawl", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--texts", type=int, metavar="MB")
    parser.add_argument("--bags", type=int, action="append", default=[], metavar="N")
    parser.add_argument("--paper", type=int, metavar="N")
    parser.add_argument("--scale", metavar="N,N")
    parser.add_argument("--peers", metavar="PYTHON")
    parser.add_argument("--bin", default="build/bench/bin", metavar="FOLDER", help="the programs; default: %(default)s")
    parser.add_argument("--work", default="build/report", metavar="FOLDER", help="for runs; default: %(default)s")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each job; default: %(default)s")
    args = parser.parse_args()
    if any("=" not in crawl for crawl in args.crawl) or args.peers and not args.crawl:
        parser.error("--crawl takes NAME=FILE, and --peers needs a crawl")
    os.makedirs(args.work, exist_ok=True)
    report = Report(args)
    lines = list(report.document())
    print("\n".join(lines))
    if len(lines) > 80 or len(report.rows) > 15:
        sys.exit(f"report.py: {len(lines)} lines with {len(report.rows)} jobs; at most 80 and 15 are wanted")


if __name__ == "__main__":
    main()
