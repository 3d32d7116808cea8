#!/usr/bin/env python3
r"""Compares kith with other programs that find near-duplicates, on the same texts.

    python3 -m venv build/peers
    build/peers/bin/pip install fastwarc resiliparse gaoya rensa datasketch daft
    build/peers/bin/pip install 'datatrove[processing]' orjson spacy build/wheels/kith_web-*.whl
    build/peers/bin/python bench/peers.py build/peers/pages.jsonl

The documents are the text that resiliparse finds in the pages of --crawl, as it stands: case, numbers
and punctuation too. Every program cuts it as it does by itself; where a program takes shingles, they
are of the runs of letters and digits (\w+), case-folded, which also say what the right pairs are.

Every program runs in a process of its own, bound to core 1. Printed are its processor time (user
and system, start-up and reading of the file included), the largest memory that it had, and the
recall and precision of its pairs.
Right pairs, of exact resemblance --similarity and more, come from a join with prefix filtering
(Bayardo, Ma, Srikant, Scaling up all pairs similarity search, 2007). Scored are pairs of documents
with different sets of shingles, and with at least as many words as a shingle.

    read        nothing: start-up of Python and reading of the file, which Python programs pay, too
    kith        kith dedup with its tokens, which have symbols, too: verified pairs, groups, lists
    kith_py     the same in Python: kith.shingles, kith.Index, its verified pairs
    gaoya       MinHashStringIndex, 16 bands of 8: what query() returns, which compares estimates
    rensa       RMinHash, 128 hashes, RMinHashLSH, 16 bands: the candidates of query_all()
    datasketch  MinHash, 128 hashes, MinHashLSH(threshold): the candidates of query()
    rensa_est, datasketch_est   only those candidates whose estimate is at least the similarity
    daft        128 hashes of every document; no pairs
    datatrove   MinHash of 14 buckets of 8, its four steps: it removes documents, and lists no pairs
"""

import argparse
import collections
import itertools
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

WIDTH = 5  # words in a shingle
HASHES, BANDS = 128, 16


def extract(archive, output):
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    with open(archive, "rb") as stream, open(output, "w", encoding="utf-8") as out:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            payload = record.reader.read()
            text = extract_plain_text(bytes_to_str(payload, detect_encoding(payload)))
            row = {"url": record.headers["WARC-Target-URI"], "text": text}
            out.write(json.dumps(row) + "\n")


def read_texts(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def shingles(text):
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[i:i + WIDTH]) for i in range(max(1, len(words) - WIDTH + 1))}


def run_read(args):  # like all of these: pairs of document numbers, perhaps repeated, or None
    read_texts(args.documents)


def run_gaoya(args):
    import gaoya

    texts = read_texts(args.documents)
    index = gaoya.minhash.MinHashStringIndex(
        hash_size=32, jaccard_threshold=args.similarity, num_bands=BANDS,
        band_size=HASHES // BANDS, analyzer="word", ngram_range=(WIDTH, WIDTH))
    for number, text in enumerate(texts):
        index.insert_document(number, text)
    return [(a, b) for a, text in enumerate(texts) for b in index.query(text)]


def run_rensa(args):
    from rensa import RMinHash, RMinHashLSH

    texts = read_texts(args.documents)
    sketches = RMinHash.from_token_sets(map(shingles, texts), num_perm=HASHES, seed=42)
    index = RMinHashLSH(threshold=args.similarity, num_perm=HASHES, num_bands=BANDS)
    index.insert_many(sketches)
    pairs = [(a, b) for a, found in enumerate(index.query_all(sketches)) for b in found]
    return by_estimate(pairs, sketches, args)


def run_datasketch(args):
    from datasketch import MinHash, MinHashLSH

    texts = read_texts(args.documents)
    sets = ([shingle.encode() for shingle in shingles(text)] for text in texts)
    sketches = list(MinHash.generator(sets, num_perm=HASHES))
    index = MinHashLSH(threshold=args.similarity, num_perm=HASHES)
    for number, sketch in enumerate(sketches):
        index.insert(number, sketch)
    pairs = [(a, b) for a, sketch in enumerate(sketches) for b in index.query(sketch)]
    return by_estimate(pairs, sketches, args)


def by_estimate(pairs, sketches, args):
    if not args.once.endswith("_est"):
        return pairs
    return [(a, b) for a, b in pairs
            if a < b and sketches[a].jaccard(sketches[b]) >= args.similarity]


def run_daft(args):
    import daft
    from daft.functions import minhash

    frame = daft.read_json(args.documents)
    frame.select(minhash(frame["text"], num_hashes=HASHES, ngram_size=WIDTH)).collect()


def run_datatrove(args):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline import dedup
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    config = dedup.MinhashConfig(n_grams=WIDTH, num_buckets=14, hashes_per_bucket=8)
    folder, name = os.path.split(args.documents)
    reader = JsonlReader(folder, glob_pattern=name)
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as tmp:
        steps = [
            [reader, dedup.MinhashDedupSignature(f"{tmp}/signatures", config=config)],
            [dedup.MinhashDedupBuckets(f"{tmp}/signatures", f"{tmp}/buckets", config=config)],
            [dedup.MinhashDedupCluster(f"{tmp}/buckets", f"{tmp}/removed", config=config)],
            [reader, dedup.MinhashDedupFilter(f"{tmp}/removed"),
             JsonlWriter(f"{tmp}/kept", output_filename="kept.jsonl", compression=None)]]
        for number, pipeline in enumerate(steps):
            tasks = config.num_buckets if number == 1 else 1
            LocalPipelineExecutor(pipeline, tasks=tasks, workers=1,
                                  logging_dir=f"{tmp}/log{number}").run()
        kept = sum(1 for _ in open(f"{tmp}/kept/kept.jsonl", "rb"))
        print(f"datatrove keeps {kept} documents", file=sys.stderr)


def run_kith(args):
    with open(args.documents, encoding="utf-8") as lines:
        numbers = {json.loads(line)["url"]: number for number, line in enumerate(lines)}
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as tmp:
        before = processor_seconds()
        subprocess.run([args.kith, "dedup", args.documents, "-o", f"{tmp}/run", "--threads", "1",
                        "--width", str(WIDTH), "--similarity", str(args.similarity)],
                       check=True, stderr=subprocess.DEVNULL)
        # Not of this process, which reads the answer.
        args.seconds = processor_seconds() - before
        args.memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        kept = sum(1 for _ in open(f"{tmp}/run/keep.tsv", "rb")) - 1
        print(f"kith keeps {kept} documents", file=sys.stderr)
        with open(f"{tmp}/run/pairs.tsv", encoding="utf-8") as rows:
            next(rows)
            return [[numbers[url] for url in row.split("\t")[:2]] for row in rows]


def run_kith_py(args):
    import kith

    sets = kith.shingles(read_texts(args.documents), width=WIDTH, threads=1)
    index = kith.Index(similarity=args.similarity)
    index.add(sets, threads=1)
    pairs = index.pairs(threads=1)
    return list(zip(pairs["a"], pairs["b"]))


TOOLS = {"read": run_read, "kith": run_kith, "kith_py": run_kith_py, "gaoya": run_gaoya,
         "rensa": run_rensa, "rensa_est": run_rensa,
         "datasketch": run_datasketch, "datasketch_est": run_datasketch,
         "daft": run_daft, "datatrove": run_datatrove}


def processor_seconds():
    """User and system seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def peak_mib():
    """The largest resident memory of this process since it began to run this program: getrusage()
    counts what the process that has started it had, too."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def exact_join(sets, similarity):
    """All pairs (i, j), i > j, of resemblance at least `similarity`, of sets in order of size.

    Two such sets share one of the rarest n - ceil(similarity n) + 1 elements of each.
    """
    counts = collections.Counter(itertools.chain.from_iterable(sets))
    postings, pairs = collections.defaultdict(list), set()
    for i, elements in enumerate(sets):
        rarest = sorted(elements, key=lambda element: (counts[element], element))
        prefix = rarest[:len(rarest) - math.ceil(similarity * len(rarest) - 1e-9) + 1]
        for j in {j for element in prefix for j in postings[element]}:
            shared = len(elements & sets[j])
            if shared / (len(elements) + len(sets[j]) - shared) >= similarity:
                pairs.add((i, j))
        for element in prefix:
            postings[element].append(i)
    return pairs


def right_pairs(texts, similarity):
    """The class of every document (of equal sets the same; None: too short), and its pairs."""
    sets = {number: frozenset(map(hash, shingles(text))) for number, text in enumerate(texts)
            if len(re.findall(r"\w+", text)) >= WIDTH}
    of_set, classes = {}, [None] * len(texts)
    for number in sorted(sets, key=lambda number: len(sets[number])):
        classes[number] = of_set.setdefault(sets[number], len(of_set))
    print(f"{len(texts)} documents, {len(sets)} of {WIDTH} words or more, {len(of_set)} different")
    return classes, exact_join(list(of_set), similarity)


def measure(args):
    classes, right = right_pairs(read_texts(args.documents), args.similarity)
    print(f"{len(right)} pairs\n")
    print("| tool | seconds | of all runs | MiB | pairs | recall | precision |\n|---|---|---|---|---|---|---|",
          flush=True)
    for tool in args.tools.split(","):
        command = ["taskset", "-c", "1", sys.executable, __file__, args.documents,
                   "--once", tool, "--similarity", str(args.similarity), "--kith", args.kith]
        runs = [subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
                for _ in range(args.repeat)]
        answers = [json.loads(run.splitlines()[-1]) for run in runs]
        seconds = [answer["seconds"] for answer in answers]
        quality = " | | "
        if answers[0]["pairs"] is not None:
            found = {(max(classes[a], classes[b]), min(classes[a], classes[b]))
                     for a, b in answers[0]["pairs"]
                     if None not in (classes[a], classes[b]) and classes[a] != classes[b]}
            both = len(found & right)
            quality = (f"{len(found):,} | {both / len(right):.3f} | "
                       f"{both / max(1, len(found)):.3f}")
        memory = max(answer["memory"] for answer in answers)
        print(f"| {tool} | {statistics.median(seconds):.2f} | "
              f"{' '.join(f'{value:.2f}' for value in seconds)} | {memory:.0f} | {quality} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", help="JSON lines; made from --crawl where it is missing")
    parser.add_argument("--crawl", default="build/demo/demo.warc.gz", metavar="WARC")
    parser.add_argument("--kith", default="build/release/bin/kith", metavar="PROGRAM")
    parser.add_argument("--similarity", type=float, default=0.8)
    parser.add_argument("--tools", default=",".join(TOOLS), help="default: %(default)s")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the median counts")
    parser.add_argument("--once", choices=TOOLS, metavar="TOOL",
                        help="run it once, here, and print seconds and pairs as JSON")
    args = parser.parse_args()
    args.documents = os.path.abspath(args.documents)
    if not os.path.exists(args.documents):
        extract(args.crawl, args.documents)
    if args.once:
        args.seconds = args.memory = None
        pairs = TOOLS[args.once](args)
        print(json.dumps({"seconds": args.seconds or processor_seconds(),
                          "memory": args.memory or peak_mib(),
                          "pairs": pairs}))
    else:
        measure(args)


if __name__ == "__main__":
    main()
