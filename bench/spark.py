#!/usr/bin/python3
"""The jobs of kith.spark beside those of one machine: time, memory, what each step shuffles.

    python bench/spark.py dedup --documents 200000
    python bench/spark.py cluster --documents 1000000 --words 150 --programs build/ci/bin
    python bench/spark.py cluster --bags both --boilerplate remove --crawl FILE --documents PAGES

dedup: documents of 100 to 900 words, a third of them an earlier one with up to five words replaced,
written as Parquet first. cluster: the pages of a crawl in 16 files that synthetic_crawl makes,
whose bags are made and clustered. Bytes are those that Spark wrote for shuffles, by its event log.
Processor time includes the start of Spark, which is shown beside: that of a job that does nothing.
Needs kith-web[spark], and java on the path.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import threading
import time

import kith
import kith.spark
import numpy
import pyarrow
import pyarrow.parquet
import pyspark
from pyspark.sql import SparkSession


def make_documents(count, path):
    """Words of a vocabulary of 50,000, by a distribution like that of Zipf."""
    rng = numpy.random.default_rng(1)
    letters = numpy.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = numpy.array(["".join(rng.choice(letters, 3 + i % 8)) for i in range(50_000)])
    pick = random.Random(1)
    recent = []
    schema = pyarrow.schema([("id", pyarrow.string()), ("text", pyarrow.string())])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, count, 1000):
            texts = []
            for _ in range(min(1000, count - first)):
                if recent and pick.random() < 1 / 3:
                    chosen = pick.choice(recent).copy()
                    for _ in range(pick.randrange(6)):
                        chosen[pick.randrange(len(chosen))] = pick.randrange(len(words))
                else:
                    chosen = (len(words) * rng.random(pick.randrange(100, 900)) ** 3).astype(int)
                    recent.append(chosen)
                    del recent[:-5000]
                texts.append(" ".join(words[chosen]))
            ids = [f"https://example.org/{first + i:09}" for i in range(len(texts))]
            writer.write_table(pyarrow.table({"id": ids, "text": texts}, schema=schema))


class Processes:
    """Of the processes of Spark and of this one: the largest resident memory of one of a kind, in
    bytes, and the processor time of all, in seconds, as far as it was seen."""

    def __init__(self, driver):
        self.peak = collections.Counter()
        self._seconds = {}  # by process, and its kind
        self._driver = driver
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self):
        self._ends.set()
        self._thread.join()

    def seconds(self):
        """By kind."""
        sums = collections.Counter()
        for (_, kind), seconds in self._seconds.items():
            sums[kind] += seconds
        return sums

    def _watch(self):
        while not self._ends.wait(0.5):
            self.look()

    def look(self):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
                status = (folder / "status").read_text()
                times = (folder / "stat").read_text().rsplit(")", 1)[1].split()[11:13]
            except OSError:
                continue
            kind = self._kind(int(folder.name), words)
            if kind and "VmHWM:" in status:
                size = int(status.split("VmHWM:")[1].split()[0]) * 1024
                self.peak[kind] = max(self.peak[kind], size)
                ticks = sum(map(int, times))
                self._seconds[folder.name, kind] = ticks / os.sysconf("SC_CLK_TCK")

    def _kind(self, pid, words):
        if pid == self._driver:
            return "JVM of the driver"
        if pid == os.getpid():
            return "Python of the driver"
        if b"CoarseGrainedExecutorBackend" in words:
            return "JVM of an executor"
        return "Python worker" if b"pyspark.daemon" in words else None


def shuffled(folder):
    """Bytes that were written for shuffles, by the step of the job."""
    step_of_stage, written = {}, collections.Counter()
    for path in pathlib.Path(folder).iterdir():
        for line in path.open(encoding="utf-8"):
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                for stage in event["Stage IDs"]:
                    name = event["Properties"].get("spark.job.description") or "other"
                    step_of_stage.setdefault(stage, name)
            elif event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
                metrics = event["Task Metrics"]["Shuffle Write Metrics"]
                step = step_of_stage.get(event["Stage ID"], "other")
                written[step] += metrics["Shuffle Bytes Written"]
    return written


def session(options, events):
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["SPARK_HOME"] = str(pathlib.Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(options.master).appName("bench")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events.resolve()}",
        "spark.driver.memory": "1g",
        "spark.executor.memory": options.executor_memory,
    }
    settings |= dict(setting.split("=", 1) for setting in options.conf)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def start(spark):
    """Has a task of Python on every executor."""
    tasks = spark.sparkContext.defaultParallelism
    spark.range(0, tasks, 1, tasks).mapInArrow(lambda batches: batches, "id long").count()


class Dedup:
    def __init__(self, options):
        self._pages = options.folder / f"pages-{options.documents}.parquet"
        self._partitions = options.partitions

    def make_input(self, options):
        if not self._pages.exists():
            make_documents(options.documents, self._pages)

    def run(self, spark):
        found = kith.spark.dedup(spark.read.parquet(str(self._pages)), partitions=self._partitions)
        kept = found.marks.filter("keep").count()
        yield f"{kept} documents stay"
        yield {name: value for name, value in found.report.items() if name != "tables"}
        yield next(tables for tables in found.report["tables"] if tables["chosen"])

    def run_alone(self):
        return kith.dedup(self._pages, id="id").report


class Cluster:
    def __init__(self, options):
        made = options.folder / f"crawl-{options.documents}-{options.words}"
        self._crawl = options.crawl or made
        self._run = options.folder / "run"
        self._partitions = options.partitions
        self._memory = options.memory
        self._of_bags = {"bags": options.bags, "boilerplate": options.boilerplate}

    def make_input(self, options):
        if self._crawl.exists():
            return
        unfinished = self._crawl.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        program = options.programs / "synthetic_crawl"
        words = [program, f"--pages={options.documents}", f"--words={options.words}"]
        for shard in range(1, 17):
            with (unfinished / f"{shard:02}.warc").open("wb") as file:
                subprocess.run([*words, f"--shard={shard}/16"], stdout=file, check=True)
        unfinished.rename(self._crawl)

    def run(self, spark):
        made = kith.spark.bags_of_files(
            spark, self._crawl, partitions=self._partitions, **self._of_bags
        )
        yield made.report
        found = kith.spark.cluster(
            made, partitions=self._partitions, memory=self._memory, threads=2
        )
        yield {name: found.report[name] for name in ("clusters", "topics", "stages")}

    def run_alone(self):
        shutil.rmtree(self._run, ignore_errors=True)
        report = kith.cluster(
            self._crawl, self._run, memory=self._memory, threads=2, **self._of_bags
        )
        return report["clusters"]


def processor_seconds():
    """Of this process, but not of Spark."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("job", choices=("dedup", "cluster"))
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--words", type=int, default=150, help="of a page of cluster")
    parser.add_argument("--bags", default="content", help="of cluster, as for bags_of_files")
    parser.add_argument("--boilerplate", default="keep", help="likewise")
    parser.add_argument(
        "--crawl",
        type=pathlib.Path,
        help="files of a crawl for cluster, in the place of a made one",
    )
    parser.add_argument(
        "--memory", default="4G", help="of the task that clusters, and of one machine"
    )
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/spark-bench"))
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("build/ci/bin"))
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--executor-memory", default="1g")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument(
        "--conf", action="append", default=[], help="a setting of Spark, NAME=VALUE"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    job = {"dedup": Dedup, "cluster": Cluster}[options.job](options)
    job.make_input(options)
    events = options.folder / "events"
    shutil.rmtree(events, ignore_errors=True)
    events.mkdir()
    spark = session(options, events)
    processes = Processes(spark.sparkContext._gateway.proc.pid)
    start(spark)
    processes.look()
    print(f"{processes.seconds().total():.1f} s of processor for the start of Spark", flush=True)
    begin = time.perf_counter()
    for line in job.run(spark):
        took, used = time.perf_counter() - begin, processes.seconds().total()
        print(f"after {took:.1f} s, {used:.1f} s of processor: {line}", flush=True)
    processes.end()
    spark.stop()
    seconds = processes.seconds()
    print(f"{seconds.total():.1f} s of processor")
    for kind, size in sorted(processes.peak.items()):
        print(f"{kind}: {size / 1e6:.0f} MB at most, {seconds[kind]:.1f} s of processor")
    for step, size in sorted(shuffled(events).items()):
        print(f"{step}: {size / options.documents:.0f} bytes a document")
    begin, processor = time.perf_counter(), processor_seconds()
    report = job.run_alone()
    seconds, processor = time.perf_counter() - begin, processor_seconds() - processor
    print(f"one machine: {seconds:.1f} s, {processor:.1f} s of processor, {report}")


if __name__ == "__main__":
    main()
