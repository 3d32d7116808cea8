#!/usr/bin/python3
"""Compiles every header alone, so that each includes what it uses.

    tools/check_headers.py BUILD_FOLDER [--jobs N]

A header that its own source (x.cc for x.h) includes first is left to the presets that compile each
source alone. Left out are kernels/*vectors.h, which are written for what the source before them
defines. The flags are those of a source that BUILD_FOLDER compiles for the header's folder or the
nearest above it (or of any source, for include/kith). Exit status 1 if a header does not compile.
"""

import argparse
import concurrent.futures
import fnmatch
import glob
import os
import re
import subprocess
import sys

import compile_commands

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def is_first_of_its_source(header):
    source = os.path.splitext(header)[0] + ".cc"
    if not os.path.exists(source):
        return False
    with open(source, encoding="utf-8") as file:
        first = re.search(r'^#include [<"](.*)[">]', file.read(), re.MULTILINE)
    return first is not None and header.endswith("/" + first[1])


def flags_by_folder(entries, build):
    """Of sources that are compiled together the folder below `build` is that of their CMakeLists.txt."""
    flags = {}
    for entry in entries:
        if not entry["file"].endswith(".cc"):
            continue
        folder = os.path.dirname(entry["file"])
        if folder.startswith(build + os.sep):
            folder = os.path.join(ROOT, os.path.relpath(folder, build))
        flags.setdefault(folder, entry["flags"])
    return flags


def flags_of(header, flags):
    """Those of the nearest folder, or any."""
    folder = os.path.dirname(header)
    while folder not in flags and folder.startswith(ROOT):
        folder = os.path.dirname(folder)
    return flags.get(folder) or next(iter(flags.values()))


def compile_alone(header, flags):
    done = subprocess.run(flags + ["-fsyntax-only", "-include", header, "-x", "c++", "/dev/null"],
                          cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    try:
        entries = compile_commands.load(options.build)
    except OSError as error:
        print(f"check_headers: {error}: configure a preset first", file=sys.stderr)
        return 1
    flags = flags_by_folder(entries, os.path.abspath(options.build))
    headers = sorted(path for pattern in ("include/kith/*.h", "src/**/*.h", "apps/**/*.h")
                     for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    headers = [path for path in headers if not fnmatch.fnmatch(path, "*/kernels/*vectors.h")]
    by_source = [header for header in headers if is_first_of_its_source(header)]
    headers = sorted(set(headers) - set(by_source))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(
            lambda path: compile_alone(path, flags_of(path, flags)), headers)
        for header, errors in zip(headers, results):
            if errors:
                failed += 1
                print(f"{os.path.relpath(header, ROOT)} does not compile alone:\n{errors}")
    print(f"check_headers: {len(headers)} headers, {failed} do not compile alone; "
          f"{len(by_source)} more stand first in their sources")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
