#!/usr/bin/python3
"""Compiles every header alone, so that each includes what it uses.

    tools/check_headers.py BUILD_FOLDER [--jobs N]

A header that its own source (x.cc for x.h) includes first is compiled alone by
tools/run_clang_tidy.py, and is left to it. Left out are kernels/*vectors.h, which are written for
what the source before them defines. The flags are those of a source that BUILD_FOLDER compiles in
the header's folder (or of any source, for include/kith). Exit status 1 if a header does not compile.
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


def is_first_of_its_source(header, sources):
    source = os.path.splitext(header)[0] + ".cc"
    if source not in sources:
        return False
    with open(source, encoding="utf-8") as file:
        first = re.search(r'^#include [<"](.*)[">]', file.read(), re.MULTILINE)
    return first is not None and header.endswith("/" + first[1])


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
    flags = {os.path.dirname(entry["file"]): entry["flags"] for entry in reversed(entries)}
    any_flags = entries[0]["flags"]
    headers = sorted(path for pattern in ("include/kith/*.h", "src/**/*.h", "apps/**/*.h")
                     for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    headers = [path for path in headers if not fnmatch.fnmatch(path, "*/kernels/*vectors.h")]
    sources = {entry["file"] for entry in entries}
    by_source = [header for header in headers if is_first_of_its_source(header, sources)]
    headers = sorted(set(headers) - set(by_source))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(
            lambda path: compile_alone(path, flags.get(os.path.dirname(path), any_flags)), headers)
        for header, errors in zip(headers, results):
            if errors:
                failed += 1
                print(f"{os.path.relpath(header, ROOT)} does not compile alone:\n{errors}")
    print(f"check_headers: {len(headers)} headers, {failed} do not compile alone; "
          f"{len(by_source)} more stand first in their sources")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
