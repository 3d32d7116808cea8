#!/usr/bin/python3
"""From a line on the standard input of kith stream to its decision on standard output.

    bench/stream_latency.py [--kith PROGRAM] [--pages N] [--share 0.1] [-- OPTION...]

Measures first how many pages a second the stream takes when all lines are at hand, by the median of
three runs. Then it feeds a new stream the same lines one by one, at a share of that rate, and prints
the percentiles of the time from the write of a line to the read of its row. OPTION goes to kith
stream. Pages are made: texts of 300 words, two of five of which are copies with a few words changed.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

WARM_UP = 0.1  # of the pages, which are not counted


def made_lines(pages):
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randrange(3, 10))) for _ in range(50000)]
    texts, lines = [], []
    for number in range(pages):
        if texts and draw.random() < 0.4:
            text = list(draw.choice(texts))
            for _ in range(draw.randrange(5)):
                text[draw.randrange(len(text))] = draw.choice(words)
        else:
            text = draw.choices(words, k=300)
            texts.append(text)
        lines.append(json.dumps({"url": f"https://site.example/{number}", "text": " ".join(text)}).encode() + b"\n")
    return lines


def start(options, state):
    return subprocess.Popen([options.kith, "stream", state, *options.more], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def full_rate(options, lines, state):
    begin = time.perf_counter()
    out, _ = start(options, state).communicate(b"".join(lines))
    seconds = time.perf_counter() - begin
    if out.count(b"\n") != len(lines) + 1:
        sys.exit("not every page has a row")
    return len(lines) / seconds


def latencies(options, lines, state, rate):
    """Seconds by page; and the share of lines that were written too late to keep the rate."""
    process = start(options, state)
    written, read = [0.0] * len(lines), []

    def take():
        process.stdout.readline()  # the header
        for _ in lines:
            process.stdout.readline()
            read.append(time.perf_counter())

    reader = threading.Thread(target=take)
    reader.start()
    begin = time.perf_counter() + 0.1
    late = 0
    for number, line in enumerate(lines):
        due = begin + number / rate
        wait = due - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        written[number] = time.perf_counter()
        late += written[number] - due > 1 / rate
        os.write(process.stdin.fileno(), line)
    reader.join()
    process.stdin.close()
    if process.wait() != 0:
        sys.exit("kith stream failed")
    process.stdout.close()
    first = int(len(lines) * WARM_UP)
    return [after - before for before, after in zip(written, read)][first:], late / len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--pages", type=int, default=20000)
    parser.add_argument("--share", type=float, default=0.1, help="of the full rate (default: %(default)s)")
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    options.more = arguments[at + 1:]
    lines = made_lines(options.pages)
    with tempfile.TemporaryDirectory() as folder:
        rate = statistics.median(full_rate(options, lines, os.path.join(folder, f"full{turn}")) for turn in range(3))
        print(f"full rate: {rate:,.0f} pages/s, {rate * sum(map(len, lines)) / len(lines) / 1e6:.1f} MB/s")
        rate *= options.share
        times, late = latencies(options, lines, os.path.join(folder, "fed"), rate)
    times.sort()
    print(f"fed at {rate:,.0f} pages/s ({late:.1%} of the lines were written late)")
    for percent in (50, 90, 99, 99.9):
        print(f"{percent:>5} %  {times[min(len(times) - 1, int(len(times) * percent / 100))] * 1e3:8.3f} ms")
    print(f"  most   {times[-1] * 1e3:8.3f} ms")


if __name__ == "__main__":
    main()
