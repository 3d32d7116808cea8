#!/usr/bin/env python3
"""Compares the time of MinHash signatures in Python, on the same sets of hashes.

    build/peers/bin/python bench/peer_signatures.py    # the environment of bench/peers.py

All run in this process, on one core, in turns; printed are the medians, in microseconds of processor
time for each set.

    kith         MinHasher.signatures of the Sets that kith.shingles makes of texts
    kith_arrow   of an Arrow column of the same sets
    rensa        digest_matrix_from_flat_token_hashes: the same hashes in one NumPy array
    rensa_sets   from_token_sets: sets of strings, which it hashes
    datasketch   MinHash.bulk with hashfunc=int: lists of hashes
"""

import argparse
import os
import random
import statistics
import time

os.environ["RAYON_NUM_THREADS"] = "1"

import datasketch  # noqa: E402
import kith  # noqa: E402
import numpy  # noqa: E402
import pyarrow  # noqa: E402
import rensa  # noqa: E402


def calls(sets, shingles, lanes):
    """One call of each program, by name; each makes the signatures of all sets."""
    draw = random.Random(1)
    texts = [" ".join("".join(draw.choices("abcdefghij", k=7)) for _ in range(shingles + 4))
             for _ in range(sets)]
    own = kith.shingles(texts, width=5)
    column = pyarrow.array(own)
    hashes, offsets = column.values.to_numpy(), column.offsets.to_numpy()
    short = [[int(value) for value in row] for row in numpy.split(hashes >> numpy.uint64(32), offsets[1:-1])]
    strings = [[str(value) for value in row] for row in short]
    hasher = kith.MinHasher(lanes=lanes)
    return {
        "kith": lambda: hasher.signatures(own, threads=1),
        "kith_arrow": lambda: hasher.signatures(column, threads=1),
        "rensa": lambda: rensa.RMinHash.digest_matrix_from_flat_token_hashes(
            hashes, offsets.astype(numpy.uint64), num_perm=lanes, seed=42),
        "rensa_sets": lambda: rensa.RMinHash.from_token_sets(strings, num_perm=lanes, seed=42),
        "datasketch": lambda: datasketch.MinHash.bulk(short, num_perm=lanes, hashfunc=int),
    }


def seconds_of(call):
    before = time.process_time()
    call()
    return time.process_time() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=4000)
    parser.add_argument("--shingles", type=int, default=500, help="of each set")
    parser.add_argument("--lanes", type=int, default=128)
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    programs = calls(args.sets, args.shingles, args.lanes)
    runs = {name: [] for name in programs}
    for _ in range(args.repeat):
        for name, call in programs.items():
            runs[name].append(seconds_of(call) / args.sets * 1e6)
    own = statistics.median(runs["kith"])
    print("| program | microseconds a set | times kith |\n|---|---|---|")
    for name, times in runs.items():
        middle = statistics.median(times)
        print(f"| {name} | {middle:.2f} | {middle / own:.1f} |")


if __name__ == "__main__":
    main()
