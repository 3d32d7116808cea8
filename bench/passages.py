#!/usr/bin/env python3
"""Times `kith dedup --unit span`, and beside it a suffix array, and compares what they find.

    bench/passages.py [INPUT...] [--kith build/bench/bin/kith] [--repeat 3] [--share 0.1] [--peer] [-- OPTIONS...]

Without INPUT it makes JSON lines of text: documents of some 4.5 KB of random words (Zipf's law over 50,000 of
them), of whose words a share is in passages of 60 to 300 words that stand in several documents. A row is the
median of the runs of a number of threads: MB/s is of the text, MB/s/core over the CPU time of the whole run.

--peer, of what it makes: all words as numbers in one array, with a number of its own after each document;
its suffix array by libdivsufsort and its longest common prefixes (pip install pydivsufsort numpy). What two
documents share for 50 words is marked. It prints time, memory, and whether both find the same words.
"""

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

from dedup import make_words
from timed_runs import add_run_arguments, medians, run_all, split_options

WIDTH = 50


def write_documents(path, megabytes, share, seed=1):
    """JSON lines with "id" and "text", that many megabytes of text."""
    rng = random.Random(seed)
    words = make_words(rng)
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))

    def draw(count):
        return rng.choices(words, cum_weights=weights, k=count)

    passages = [draw(rng.randint(60, 300)) for _ in range(max(20, int(megabytes * share * 50)))]
    size = 0
    with open(path, "w", encoding="utf-8") as file:
        for number in itertools.count():
            if size >= megabytes * 1e6:
                return
            text = draw(rng.randint(400, 1200))
            while rng.random() < share * 4.5:
                place = rng.randint(0, len(text))
                text[place:place] = rng.choice(passages)
                if rng.random() < 0.5:
                    break
            line = " ".join(text)
            size += len(line)
            file.write(json.dumps({"id": number, "text": line}) + "\n")


def peer(path):
    """Words that a suffix array finds repeated, in a process of its own."""
    import numpy
    import pydivsufsort

    numbers, ids, owners = {}, [], []
    with open(path, encoding="utf-8") as file:
        texts = [json.loads(line)["text"].split() for line in file]
    for document, text in enumerate(texts):
        ids += [numbers.setdefault(word, len(numbers)) for word in text]
        owners += [document] * (len(text) + 1)
        ids.append(-1 - document)
    array = numpy.array(ids, dtype=numpy.int64)
    owners = numpy.array(owners, dtype=numpy.int32)
    array[array < 0] = len(numbers) - 1 - array[array < 0]  # each once, so that nothing goes beyond a document
    suffixes = pydivsufsort.divsufsort(array.astype(numpy.uint32))
    common = pydivsufsort.kasai(array.astype(numpy.uint32), suffixes)
    order = owners[suffixes]
    # Groups of neighbours that share WIDTH words; those of two documents or more count.
    is_joined = common[:-1] >= WIDTH
    group = numpy.concatenate([[0], numpy.cumsum(~is_joined)])
    lowest = numpy.full(group[-1] + 1, numpy.iinfo(numpy.int32).max)
    highest = numpy.full(group[-1] + 1, -1)
    numpy.minimum.at(lowest, group, order)
    numpy.maximum.at(highest, group, order)
    begins = suffixes[(lowest < highest)[group]]
    change = numpy.zeros(len(array) + 1, dtype=numpy.int32)
    change[begins] += 1
    numpy.add.at(change, begins + WIDTH, -1)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"repeated": int((numpy.cumsum(change) > 0).sum()),
                      "windows": len(begins),
                      "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}))


def print_table(reports):
    first = next(iter(reports.values()))[0]
    counts = first["passages"]
    text = counts["text_bytes"] / 1e6
    print(f"{counts['documents']} documents, {text:.0f} MB of text, {counts['units']} windows, "
          f"{counts['candidates']} compared, {counts['repeated']} repeated, "
          f"{counts['lost_bytes'] / max(1, counts['text_bytes']):.1%} of the text in passages")
    print("threads\tall_s\tcpu_s\tpeak_MB\tMB/s\tMB/s/core")
    for threads, rows in reports.items():
        _, total, peak, cpu = medians(rows)
        print(f"{threads}\t{total:.2f}\t{cpu:.2f}\t{peak / 1e6:.0f}\t{text / total:.0f}\t{text / cpu:.0f}")
    return first


def main():
    arguments, options = split_options(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="*", help="what is read (default: made documents)")
    parser.add_argument("--megabytes", type=int, default=200, metavar="N",
                        help="of text that is made (default: %(default)s)")
    parser.add_argument("--share", type=float, default=0.1,
                        help="of the made text in passages, about (default: %(default)s)")
    parser.add_argument("--peer", action="store_true", help="also a suffix array, of made documents")
    add_run_arguments(parser, kith="build/bench/bin/kith")
    args = parser.parse_args(arguments)

    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        inputs = args.input
        if not inputs:
            inputs = [os.path.join(folder, "documents.jsonl")]
            write_documents(inputs[0], args.megabytes, args.share)
        first = print_table(run_all(args, "dedup", inputs, ["--unit", "span", *options]))
        if not args.peer:
            return
        answer = subprocess.run([sys.executable, "-c", f"import passages; passages.peer({inputs[0]!r})"],
                                check=True, stdout=subprocess.PIPE, cwd=os.path.dirname(os.path.abspath(__file__)))
        found = json.loads(answer.stdout)
        text = first["passages"]["text_bytes"] / 1e6
        same = found["windows"] == first["passages"]["repeated"]
        print(f"suffix array\t{found['cpu']:.1f} s of CPU\t{found['peak'] / 1e6:.0f} MB\t"
              f"{text / found['cpu']:.1f} MB/s/core\t{found['windows']} windows repeated: "
              f"{'the same' if same else 'OTHERS'}")


if __name__ == "__main__":
    main()
