#!/usr/bin/env python3
"""Times whole runs of `kith dedup` and prints a row per run.

    bench/dedup.py [INPUT...] [--kith build/bench/bin/kith] [--repeat 3] [-- OPTIONS...]

Without INPUT it makes JSON lines of text: documents of some 4.5 KB of random words (Zipf's law over
50,000 of them), of which a third are earlier ones with a few words changed. INPUT may be a crawl, e.g. of
tools/debian_crawl.py.

Every repetition makes the runs one after the other, so that a machine that grows slower does so for
all of them; the row shows the median. Whatever follows `--` is given to every run. MB/s is of the payload
(HTML, or text) over the time of all stages; MB/s/core over the CPU time of the whole run, the check
and the lists included, which says more where the machine is busy.
"""

import argparse
import itertools
import json
import os
import random
import sys
import tempfile

from timed_runs import add_run_arguments, medians, run_all, split_options, stages_of

VOCABULARY = 50_000
WORDS = 800  # of a document, in the mean


def make_words(rng):
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = set()
    while len(words) < VOCABULARY:
        words.add("".join(rng.choices(letters, range(52, 0, -2), k=rng.randint(2, 9))))
    return sorted(words)


def write_documents(path, megabytes, seed=1):
    """JSON lines with "id" and "text", that many megabytes of text."""
    rng = random.Random(seed)
    words = make_words(rng)
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))
    recent = []
    size = 0
    with open(path, "w", encoding="utf-8") as file:
        for number in itertools.count():
            if size >= megabytes * 1e6:
                return
            if recent and rng.random() < 1 / 3:
                text = list(rng.choice(recent))
                for _ in range(rng.randint(0, len(text) // 25)):
                    text[rng.randrange(len(text))] = rng.choice(words)
            else:
                text = rng.choices(words, cum_weights=weights, k=rng.randint(WORDS // 2, WORDS * 3 // 2))
                recent = recent[-999:] + [text]
            line = " ".join(text)
            size += len(line)
            file.write(json.dumps({"id": number, "text": line}) + "\n")


def print_table(reports):
    first = next(iter(reports.values()))[0]
    payload = first["crawl"]["page_bytes"] / 1e6
    print(f"{first['documents']['documents']} documents, {payload:.0f} MB of payload, "
          f"{first['documents']['text_bytes'] / 1e6:.0f} MB of text, {first['pairs']['similar']} pairs, "
          f"{first['groups']['groups']} groups")
    stages = stages_of(reports)
    print("threads\tall_s\tcpu_s\tpeak_MB\tMB/s\tMB/s/core\t" + "\t".join(f"{s}_s" for s in stages))
    for count, rows in reports.items():
        seconds, total, peak, cpu = medians(rows)
        print(f"{count}\t{total:.2f}\t{cpu:.2f}\t{peak / 1e6:.0f}\t{payload / total:.0f}\t"
              f"{payload / cpu:.0f}\t" + "\t".join(f"{seconds[s]:.2f}" for s in stages))


def main():
    arguments, options = split_options(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="*", help="what is read (default: made documents)")
    parser.add_argument("--megabytes", type=int, default=200, metavar="N",
                        help="of text that is made (default: %(default)s)")
    parser.add_argument("--keep", metavar="FILE.jsonl", help="where the made documents stay")
    add_run_arguments(parser, kith="build/bench/bin/kith")
    args = parser.parse_args(arguments)

    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        inputs = args.input
        if not inputs:
            inputs = [args.keep or os.path.join(folder, "documents.jsonl")]
            if not (args.keep and os.path.exists(args.keep)):
                write_documents(inputs[0], args.megabytes)
        reports = run_all(args, "dedup", inputs, options)
    print_table(reports)


if __name__ == "__main__":
    main()
