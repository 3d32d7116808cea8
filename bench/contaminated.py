#!/usr/bin/env python3
"""Compares kith contaminated with corpus-assay, on the same documents and test sets.

    python3.12 -m venv build/assay && build/assay/bin/pip install corpus-assay
    build/assay/bin/python bench/contaminated.py pages.jsonl

pages.jsonl has a "text" in every line. Test sets are made of it: items that are passages of documents
with other case and punctuation, and items of the same words in random order, which no document holds.

Both programs look for any 13-gram, on core 1. Printed are the processor time of the search (of kith
with the reading of the test sets, of corpus-assay without the building of its index), the bytes of
text in a second of it, the memory at the peak, and how many of the items with a passage, and of the
others, were found; of corpus-assay, which flags documents, the documents. A third is the same by a
set of 13-grams in Python.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

WIDTH = 13
CORE = 1


def texts_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def make_items(path, count, seed):
    """Passages, and words in random order: two lists."""
    made = random.Random(seed)
    texts = [text.split() for text in texts_of(path) if made.random() < 0.2]
    texts = [text for text in texts if len(text) > 100]
    passages, shuffled = [], []
    for items in (passages, shuffled):
        for _ in range(count):
            text = made.choice(texts)
            length = made.randrange(30, 80)
            begin = made.randrange(len(text) - length)
            items.append([made.choice((word, word.upper(), word + ",")) for word in text[begin:begin + length]])
    for words in shuffled:
        made.shuffle(words)
    return ([" ".join(words) for words in items] for items in (passages, shuffled))


def write_evals(folder, **suites):
    for name, items in suites.items():
        with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": f"{name}{number}", "question": item}) + "\n"
                            for number, item in enumerate(items))


def run(command, **more):
    """What a program prints, its processor seconds and the MB at its peak, on one core."""
    def bind():
        os.sched_setaffinity(0, {min(CORE, os.cpu_count() - 1)})

    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=bind, **more)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{out.decode()}\n{err.decode()}")
    return out.decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def run_kith(kith, pages, evals):
    hits = os.path.join(evals, "hits.tsv")
    out, seconds, memory = run([kith, "contaminated", pages, "--evals", evals, "--rule", "13-gram", "-o", hits,
                                "--json", "--threads", "1"])
    os.remove(hits)
    report = json.loads(out)
    found = {suite["name"]: suite["contaminated"] for suite in report["suites"]}
    return seconds, memory, f"{found['passages']} and {found['shuffled']} items, {report['contaminated']} documents"


def run_assay(pages, evals, folder):
    """With an environment of its own, so that it asks no server."""
    program = os.path.join(os.path.dirname(sys.executable), "corpus-assay")
    config = os.path.join(folder, "config.yaml")
    suites = [{"name": name, "dataset": "json", "splits": ["train"], "fields": ["question"],
               "data_files": os.path.join(evals, name + ".jsonl")} for name in ("passages", "shuffled")]
    with open(config, "w", encoding="utf-8") as file:  # YAML has JSON in it
        json.dump({"benchmarks": suites, "ngram": WIDTH, "min_hits": 1, "min_coverage": 0.0}, file)
    index = os.path.join(folder, "index.native")
    environment = {**os.environ, "HF_HOME": folder, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    run([program, "build-index", "--config", config, "--out-index", index, "--allow-unpinned"], env=environment)
    out = os.path.join(folder, "out")
    _, seconds, memory = run([program, "scan", "--input", pages, "--index", index, "--out-dir", out, "--config", config,
                              "--workers", "1", "--max-return-records", "0"], env=environment)
    return seconds, memory, flagged_documents(out)


def flagged_documents(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".json"):
                continue
            with open(os.path.join(path, name), encoding="utf-8") as file:
                summary = json.load(file)
            for key in ("contaminated_docs", "docs_contaminated", "total_contaminated", "contaminated"):
                if isinstance(summary, dict) and isinstance(summary.get(key), int):
                    return f"{summary[key]} documents"
    return "documents are not counted"


def run_python(pages, evals):
    """A set of 13-grams; called in a process of its own."""
    out, seconds, memory = run([sys.executable, __file__, pages, "--python", evals])
    return seconds, memory, out.strip()


def words_of(text):
    return re.findall(r"\w+", text.lower())


def grams(words):
    return (" ".join(words[k:k + WIDTH]) for k in range(len(words) - WIDTH + 1))


def search_in_python(pages, evals):
    items_of = collections.defaultdict(set)
    for suite in ("passages", "shuffled"):
        with open(os.path.join(evals, suite + ".jsonl"), encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                for gram in grams(words_of(row["question"])):
                    items_of[gram].add(row["id"])
    found, documents = set(), 0
    for text in texts_of(pages):
        hits = [items_of[gram] for gram in grams(words_of(text)) if gram in items_of]
        found.update(*hits)
        documents += bool(hits)
    passages = sum(name.startswith("passages") for name in found)
    print(f"{passages} and {len(found) - passages} items, {documents} documents")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--items", type=int, default=5000, help="of each of the two test sets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.python:
        return search_in_python(args.pages, args.python)
    size = sum(len(text.encode()) for text in texts_of(args.pages))
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        evals = os.path.join(folder, "evals")
        os.mkdir(evals)
        passages, shuffled = make_items(args.pages, args.items, args.seed)
        write_evals(evals, passages=passages, shuffled=shuffled)
        print(f"{size / 1e6:.0f} MB of text; test sets of {args.items} passages and {args.items} shuffled items")
        print(f"{'program':<14} {'seconds':>8} {'MB/s':>7} {'memory MB':>10}  found")
        for name, measured in (("kith", lambda: run_kith(args.kith, args.pages, evals)),
                               ("corpus-assay", lambda: run_assay(args.pages, evals, folder)),
                               ("Python", lambda: run_python(args.pages, evals))):
            seconds, memory, found = measured()
            print(f"{name:<14} {seconds:>8.2f} {size / 1e6 / seconds:>7.1f} {memory:>10.0f}  {found}", flush=True)


if __name__ == "__main__":
    main()
