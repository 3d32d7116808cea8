#!/usr/bin/env python3
"""Compares reading a WACZ, other zip files and tars with reading the crawl files in them.

    bench/containers.py crawl-*.warc.gz

`kith crawl` reads the files as they are, and in a WACZ (stored), deflated in a zip file, in a tar, and in a tar
packed by gzip, in turns. Printed are the medians of elapsed seconds, of each turn by that of the files, and the
largest memory. The pages must be the same.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile


def made(files, folder):
    """Containers of the files, by name."""
    paths = {"stored, as in a WACZ": (f"{folder}/x.wacz", zipfile.ZIP_STORED),
             "deflated": (f"{folder}/x.zip", zipfile.ZIP_DEFLATED)}
    for path, method in paths.values():
        with zipfile.ZipFile(path, "w", method) as container:
            for file in files:
                container.write(file, f"archive/{os.path.basename(file)}")
            container.writestr("datapackage.json", "{}")
    names = {name: path for name, (path, _) in paths.items()}
    for name, path, mode in (("tar", f"{folder}/x.tar", "w"), ("tar.gz", f"{folder}/x.tar.gz", "w:gz")):
        with tarfile.open(path, mode) as container:
            for file in files:
                container.add(file, os.path.basename(file))
        names[name] = path
    return names


def measured(kith, inputs):
    """Elapsed seconds, MiB, and the lines that were printed."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen([kith, "crawl", *inputs], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - start
        if status != 0:
            sys.exit(f"kith crawl {inputs[0]} failed")
        out.seek(0)
        return elapsed, usage.ru_maxrss / 1024, sum(1 for _ in out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--kith", default="build/release/bin/kith", metavar="PROGRAM")
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        inputs = {"files": args.files, **{name: [path] for name, path in made(args.files, folder).items()}}
        runs = {name: [] for name in inputs}
        for _ in range(args.repeat):
            for name, paths in inputs.items():
                runs[name].append(measured(args.kith, paths))
        print(f"{'':22} seconds   by files      MiB   pages")
        for name, turns in runs.items():
            ratio = statistics.median(turn[0] / files[0] for turn, files in zip(turns, runs["files"]))
            print(f"{name:22} {statistics.median(turn[0] for turn in turns):7.2f} {ratio:10.3f} "
                  f"{max(turn[1] for turn in turns):8.0f} {turns[0][2] - 1:7}")
            if turns[0][2] != runs["files"][0][2]:
                sys.exit(f"{name}: other pages than in the files")


if __name__ == "__main__":
    main()
