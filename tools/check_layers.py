#!/usr/bin/python3
"""Fails on an include that the layers do not allow.

    tools/check_layers.py [--root FOLDER]

    base <- storage <- rooms <- jobs <- answers, api, distributed <- apps

Checked is every #include of a C++ file in include/, src/, apps/, python/: which of our folders it may
name, where threads and files may be used, and which folder may use which third-party library.
Every offence is printed as file:line with what is allowed there, and so is every row of the table of
ARCHITECTURE.md that says something else. Exit status 1 if there is any.
"""

import argparse
import os
import re
import sys

# A folder of src/ and the folders it may include, in addition to itself and kith/ (include/kith).
# The table of ARCHITECTURE.md must say the same, and each folder's CMakeLists.txt.
LAYERS = {
    "base": [],
    "storage": ["base"],
    "crawl": ["base", "storage"],
    "text": ["base"],
    "sketch": ["base"],
    "bags": ["base", "storage", "text", "sketch"],
    "similar": ["base", "storage", "sketch"],
    "evaluate": ["base", "sketch", "similar"],
    "cluster": ["base", "storage", "sketch", "similar", "evaluate"],
    "run": ["base", "storage", "crawl", "text", "sketch", "similar"],
    "topics": ["base", "storage", "sketch", "similar", "cluster", "run"],
    "jobs": ["base", "storage", "crawl", "text", "bags", "sketch", "similar", "evaluate",
             "cluster", "run", "topics"],
    "answers": ["base", "storage", "crawl", "text", "bags", "sketch", "similar", "evaluate",
                "cluster", "run", "topics", "jobs"],
    "api": ["base", "storage", "crawl", "text", "bags", "sketch", "similar", "evaluate",
            "cluster", "run", "jobs"],
    "distributed": ["base", "storage", "crawl", "text", "bags", "sketch", "similar", "run", "jobs"],
}

# Rooms that turn values into values: no files and no threads.
PURE = ["text", "sketch"]
FILE_HEADERS = re.compile(r"fstream|filesystem|unistd\.h|fcntl\.h|dirent\.h|sys/.*")

# Threads are started in one folder, and by the server. What jobs of a pool share is guarded by locks,
# in every room that is not pure, and so are the objects that threads of Python share.
THREAD_HEADERS = re.compile(r"thread|condition_variable|future|semaphore|barrier|latch|pthread\.h")
THREAD_FOLDERS = ["base/parallel", "apps/server"]
LOCK_HEADERS = re.compile(r"mutex|shared_mutex")
LOCK_FOLDERS = THREAD_FOLDERS + [room for room in LAYERS if room not in PURE] + ["python"]

PRINT_HEADERS = re.compile(r"iostream|print")  # a library that talks: only apps may

# Third-party headers and the folders that may include them; see cmake/KithDependencies.cmake.
EVERY_SOURCE = list(LAYERS) + ["apps/*", "python"]
THIRD_PARTY = [
    (r"fmt/.*", EVERY_SOURCE),
    (r"boost/(unordered|sort)/.*", EVERY_SOURCE),
    (r"boost/math/.*", ["sketch"]),
    (r"boost/(asio|beast|url)/.*", ["apps/server"]),
    (r"xxhash\.h", ["base"]),
    (r"nlohmann/.*", ["run", "jobs", "apps/cli", "apps/server"]),
    (r"CLI/.*", ["apps/cli"]),
    (r"toml\+\+/.*", ["apps/cli"]),
    (r"nanobind/.*", ["python"]),
    (r"simdjson\.h", ["base", "crawl", "text"]),
    (r"(isa-l/.*|isa-l\.h|(zlib|bzlib|lzma|lz4frame|archive|archive_entry)\.h|brotli/.*)", ["crawl"]),
    (r"linear\.h", ["topics"]),
    (r"re2/.*", ["run"]),
    (r"zstd(_errors)?\.h", ["crawl", "storage"]),
    (r"(unicode/.*|uchardet/.*|libstemmer\.h|cld2/.*)", ["text"]),
]

# Of the compiler and the C library. A name without '.' and '/' is of the C++ standard library.
SYSTEM_HEADERS = re.compile(
    r"[a-z0-9_]+|(sys|sanitizer)/[a-z_]+\.h|(malloc|unistd|fcntl|dirent|sched|poll|signal|errno"
    r"|pthread|[a-z]mmintrin|cpuid|arm_neon)\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CXX_FILE = (".h", ".cc", ".inc")


def folder_of(path):
    """The name by which the tables call the folder of a file: a stage, apps/NAME or include."""
    parts = path.split("/")
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else "src"
    if parts[0] == "apps":
        return "/".join(parts[:2])
    return parts[0]  # include or python


def starts_threads(path):
    return any(path.startswith((folder + "/", "src/" + folder + "/")) for folder in THREAD_FOLDERS)


def listed(folder, folders):
    return folder in folders or (folder.startswith("apps/") and "apps/*" in folders)


# Of rooms that python sees nothing else of.
PYTHON_HEADERS = ("run/guarded.h", "crawl/read/table_column.h")


def check_own(path, target):
    """An include in quotes: None when allowed, else what is wrong."""
    folder = folder_of(path)
    top = target.split("/")[0]
    if "/" not in target:
        if folder.startswith("apps/") or folder == "python":
            return None
        return f'"{target}" names no folder: write "<folder>/{target}"'
    if top == "kith":
        return None
    if folder == "include":
        return "the public headers may include only kith/ and the C++ standard library"
    if folder.startswith("apps/"):
        if top == folder.split("/")[1] or (folder, top) == ("apps/cli", "server"):
            return None
        return f"{folder} may include only kith/ and its own folder"
    if folder == "python":
        if top in ("cli", "distributed") or target in PYTHON_HEADERS:
            return None
        return f"python may include only kith/, cli/, distributed/, {', '.join(PYTHON_HEADERS)} and its own folder"
    if folder in PURE and target.startswith("base/parallel/"):
        return f"{folder} turns values into values: no threads there"
    allowed = [folder] + LAYERS[folder]
    if top in allowed:
        return None
    return f"{folder} may not include {top}/; it may include: {', '.join(['kith'] + allowed)}"


def check_system(path, target):
    """An include in angle brackets: None when allowed, else what is wrong."""
    folder = folder_of(path)
    if THREAD_HEADERS.fullmatch(target) and not starts_threads(path):
        return f"threads are for {' and '.join(THREAD_FOLDERS)} only; use base/parallel/"
    if LOCK_HEADERS.fullmatch(target) and folder not in LOCK_FOLDERS:
        return f"locks are for python and rooms that use threads: {', '.join(LOCK_FOLDERS)}"
    if folder in PURE and FILE_HEADERS.fullmatch(target):
        return f"{folder} turns values into values: no files there"
    if PRINT_HEADERS.fullmatch(target) and not folder.startswith("apps/"):
        return "only apps may print"
    for pattern, folders in THIRD_PARTY:
        if re.fullmatch(pattern, target):
            if listed(folder, folders):
                return None
            return f"{folder} may not use this library; it is for: {', '.join(folders)}"
    if folder == "include" and not re.fullmatch(r"[a-z0-9_]+", target):
        return "the public headers may include only kith/ and the C++ standard library"
    if SYSTEM_HEADERS.fullmatch(target):
        return None
    return "unknown library: list it in tools/check_layers.py and cmake/KithDependencies.cmake"


# The library hides what no public header declares.
SHOWN = "#pragma GCC visibility push(default)"
HIDDEN = "#pragma GCC visibility pop"


def check_visibility(lines):
    """What is wrong with a public header, or None: all that it declares must be seen outside."""
    first = next((n for n, line in enumerate(lines) if line.startswith("namespace kith")), None)
    if first is None or (SHOWN in lines[:first] and HIDDEN in lines[first:]):
        return None
    return f"a public header writes '{SHOWN}' before its namespace and '{HIDDEN}' after it"


def check_file(root, path):
    """Yields (line number, include, what is wrong)."""
    folder = folder_of(path)
    if path.startswith("include/"):
        with open(os.path.join(root, path), encoding="utf-8") as source:
            problem = check_visibility(source.read().splitlines())
        if problem:
            yield 1, path, problem
    if folder not in ("include", "python", *LAYERS) and not folder.startswith("apps/"):
        yield 1, path, f"the folder {folder} is not in the table of layers"
        return
    with open(os.path.join(root, path), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            check = check_own if match[1] == '"' else check_system
            problem = check(path, match[2])
            if problem:
                yield number, match[2], problem


def cxx_files(root):
    for top in ("include", "src", "apps", "python"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(CXX_FILE):
                    yield os.path.relpath(os.path.join(folder, name), root)


def check_document(path):
    """Yields (line number, room, what is wrong) for the table of rooms: LAYERS in its order, base left out.

    "all" in a row stands for the rooms of the rows above, "all - a b" for these except a and b.
    """
    missing = set(LAYERS)
    above = []
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            row = re.fullmatch(r"\| `(\w+)` \|.*\| (all -|all)?([a-z ]*)\|\s*", line)
            if not row or row[1] not in LAYERS:
                continue
            named = row[3].split()
            allowed = [room for room in above if room not in named] if row[2] else named
            if set(allowed) != set(LAYERS[row[1]]) - {"base"}:
                yield number, row[1], f"this table has {LAYERS[row[1]]}"
            above += [row[1]] if row[1] != "base" else []
            missing.discard(row[1])
    for room in sorted(missing):
        yield 1, room, "no row of the table is about this room"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), ".."),
                        help="the project's folder")
    root = parser.parse_args(arguments).root
    files = sorted(cxx_files(root))
    if not files:
        print(f"check_layers: no C++ files below {root}", file=sys.stderr)
        return 1
    offences = 0
    for path in files:
        for number, target, problem in check_file(root, path):
            print(f"{path}:{number}: {target}: {problem}")
            offences += 1
    document = os.path.join(root, "ARCHITECTURE.md")
    rows = list(check_document(document)) if os.path.exists(document) else []
    for number, room, problem in rows:
        print(f"ARCHITECTURE.md:{number}: {room}: {problem}")
    offences += len(rows)
    print(f"check_layers: {len(files)} files, {offences} includes or rows that are not allowed")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
