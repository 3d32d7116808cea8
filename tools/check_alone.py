#!/usr/bin/python3
"""Compiles every source and every header alone, so that each includes what it uses.

    tools/check_alone.py BUILD_FOLDER [--jobs N]

BUILD_FOLDER is configured without KITH_TOGETHER, and need not be built but for what is generated. A
source is compiled by its own flags, but without precompiled headers and optimisation, through ccache, so
that it takes long once only; what is made is thrown away. A header that its own source (x.cc for x.h)
includes first is compiled there. Left out are kernels/*vectors.h, which are written for what the source
before them defines. The flags of other headers are those of a source in their folder or the nearest
above it (or of any source, for include/kith). Exit status 1 if a file does not compile.
"""

import argparse
import concurrent.futures
import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile

import compile_commands

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def is_first_of_its_source(header):
    source = os.path.splitext(header)[0] + ".cc"
    if not os.path.exists(source):
        return False
    with open(source, encoding="utf-8") as file:
        first = re.search(r'^#include [<"](.*)[">]', file.read(), re.MULTILINE)
    return first is not None and header.endswith("/" + first[1])


def flags_by_folder(entries):
    flags = {}
    for entry in entries:
        flags.setdefault(os.path.dirname(entry["file"]), entry["flags"])
    return flags


def flags_of(header, flags):
    """Those of the nearest folder, or any."""
    folder = os.path.dirname(header)
    while folder not in flags and folder.startswith(ROOT):
        folder = os.path.dirname(folder)
    return flags.get(folder) or next(iter(flags.values()))


def compile_alone(flags, source, folder):
    """What the compiler says, if it refuses."""
    with tempfile.NamedTemporaryFile(suffix=".o") as made:
        done = subprocess.run(["ccache", *flags, "-O0", "-c", source, "-o", made.name], cwd=folder,
                              capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def check_header(flags, header, folder):
    """The same of a header."""
    done = subprocess.run([*flags, "-fsyntax-only", "-include", header, "-x", "c++", "/dev/null"],
                          cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def is_ours(path):
    """A source of the project: not of a test, nor generated."""
    return os.path.relpath(path, ROOT).split(os.sep)[0] in ("src", "apps", "python")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    try:
        entries = [entry for entry in compile_commands.load(options.build) if is_ours(entry["file"])]
    except OSError as error:
        print(f"check_alone: {error}: configure a preset first", file=sys.stderr)
        return 1
    flags = flags_by_folder(entries)
    headers = sorted(path for pattern in ("include/kith/*.h", "src/**/*.h", "apps/**/*.h")
                     for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    headers = [path for path in headers if not fnmatch.fnmatch(path, "*/kernels/*vectors.h")]
    headers = [header for header in headers if not is_first_of_its_source(header)]
    work = [(compile_alone, entry["flags"], entry["file"], entry["directory"]) for entry in entries]
    work += [(check_header, flags_of(header, flags), header, ROOT) for header in headers]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (_, _, path, _), errors in zip(work, pool.map(lambda item: item[0](*item[1:]), work)):
            if errors:
                failed += 1
                print(f"{os.path.relpath(path, ROOT)} does not compile alone:\n{errors}")
    print(f"check_alone: {len(entries)} sources, {len(headers)} headers, {failed} do not compile alone")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
