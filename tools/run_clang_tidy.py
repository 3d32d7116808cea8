#!/usr/bin/python3
"""Runs clang-tidy over the sources that a build folder compiles, several at a time.

    tools/run_clang_tidy.py BUILD_FOLDER [--jobs N] [PATH_PREFIX...]

PATH_PREFIX chooses sources, relative to the project (default: src/ apps/). Sources that the build
folder compiles together (KITH_TOGETHER) are read together, which takes less time. A source without
findings is remembered by the hash of its preprocessed text with its comments and of the files
.clang-tidy above it, in kith/clang-tidy below $XDG_CACHE_HOME (~/.cache), for clones in any folder;
it is not looked at again until one of them changes. Exit status 1 on any finding.
"""

import argparse
import concurrent.futures
import hashlib
import os
import subprocess
import sys

import compile_commands

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLANG_TIDY = "clang-tidy-14"


def fingerprint(entry):
    """The hash of all that the findings depend on, or None if the source does not preprocess."""
    # -P: without the paths of the headers, which are others in another folder.
    text = subprocess.run(entry["flags"] + ["-E", "-C", "-P", entry["file"]],
                          cwd=entry["directory"], capture_output=True, check=False)
    if text.returncode != 0:
        return None
    digest = hashlib.sha256(text.stdout)
    for path in configurations(entry["file"]):
        with open(path, "rb") as config:
            digest.update(config.read())
    return digest.hexdigest()


def configurations(source):
    """The files .clang-tidy of the folders of the source, up to the project's."""
    found = []
    folder = os.path.dirname(os.path.abspath(source))
    while folder.startswith(ROOT):
        path = os.path.join(folder, ".clang-tidy")
        found += [path] if os.path.exists(path) else []
        folder = os.path.dirname(folder)
    return found


def check(entry, memory):
    """The findings as text; empty if there are none."""
    key = fingerprint(entry)
    stamp = os.path.join(memory, key) if key else None
    if stamp and os.path.exists(stamp):
        return ""
    # Some flags are those of another compiler.
    flags = entry["flags"][1:] + ["-Wno-unknown-warning-option"]
    done = subprocess.run([CLANG_TIDY, "--quiet", entry["file"], "--"] + flags,
                          cwd=entry["directory"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stdout or done.stderr
    if stamp:
        open(stamp, "w", encoding="utf-8").close()
    return ""


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder with compile_commands.json")
    parser.add_argument("prefixes", nargs="*", default=["src/", "apps/"], metavar="PATH_PREFIX")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args(arguments)
    try:
        entries = compile_commands.load(options.build)
    except OSError as error:
        print(f"run_clang_tidy: {error}: configure a preset first", file=sys.stderr)
        return 1
    roots = (ROOT, os.path.abspath(options.build))
    prefixes = tuple(os.path.join(root, prefix) for root in roots for prefix in options.prefixes)
    entries = [entry for entry in entries
               if entry["file"].startswith(prefixes) and not entry["file"].endswith(".s")]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    memory = os.path.join(cache, "kith", "clang-tidy")
    os.makedirs(memory, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for findings in pool.map(lambda entry: check(entry, memory), entries):
            if findings:
                failed += 1
                print(findings, flush=True)
    print(f"run_clang_tidy: {len(entries)} sources, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
