#!/usr/bin/python3
"""Changes the code in small ways, one at a time, and counts which changes the unit tests notice.

    tools/mutate.py TEST[:FILTER] PATH... [--sample N] [--seed S] [--jobs N]

    tools/mutate.py base src/storage
    tools/mutate.py crawl src/crawl/read --sample 40 --seed 2

TEST is a program of unit tests (tests/unit/CMakeLists.txt), FILTER is given to it (--gtest_filter).
PATH is a source or a folder. Of all changes in them a sample is made: another comparison, operator or
number, a condition turned round, a call left out. Everything happens in a copy of the project below
build/mutate, which is built without optimisation. A change that no test notices is printed with its
line: either a test is missing, or the change makes no difference. Needs python3-clang-14
(tools/install_packages.sh mutation).
"""

import argparse
import filecmp
import os
import random
import shutil
import subprocess
import sys

from clang import cindex

import compile_commands

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = "/usr/lib/llvm-14/lib/libclang.so.1"
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "|=": "&=",
         "<<": ">>", ">>": "<<"}
SECONDS = 120  # for the tests of one change: a loop that does not end is noticed


class Change:
    def __init__(self, path, line, begin, end, text, what):
        self.path, self.line, self.begin, self.end, self.text = path, line, begin, end, text
        self.what = what


def operator_of(node):
    """The token between the two sides."""
    sides = list(node.get_children())
    if len(sides) != 2:
        return None
    begin, end = sides[0].extent.end.offset, sides[1].extent.start.offset
    for token in node.get_tokens():
        if begin <= token.extent.start.offset < end and token.spelling in OTHER:
            return token
    return None


def changes_of(node, parent, path, bytes_of):
    """Those of one node of the syntax tree."""
    kind = cindex.CursorKind
    begin, end = node.extent.start.offset, node.extent.end.offset
    source = bytes_of[begin:end].decode(errors="replace")

    def change(begin, end, text, what):
        return Change(path, node.location.line, begin, end, text, what)

    if node.kind in (kind.BINARY_OPERATOR, kind.COMPOUND_ASSIGNMENT_OPERATOR):
        token = operator_of(node)
        # The operators of streams and of texts have no opposite.
        if token and "basic_" not in node.type.spelling:
            other = OTHER[token.spelling]
            yield change(token.extent.start.offset, token.extent.end.offset, other,
                         f"{token.spelling} as {other}")
    elif node.kind == kind.INTEGER_LITERAL and source.isdigit():
        yield change(begin, end, str(int(source) + 1), f"{source} as {int(source) + 1}")
    elif node.kind == kind.CXX_BOOL_LITERAL_EXPR:
        other = "false" if source == "true" else "true"
        yield change(begin, end, other, f"{source} as {other}")
    elif node.kind == kind.IF_STMT:
        sides = list(node.get_children())
        if sides and sides[0].kind.is_expression():
            at, to = sides[0].extent.start.offset, sides[0].extent.end.offset
            text = bytes_of[at:to].decode(errors="replace")
            yield change(at, to, f"!({text})", f"not {text}")
    elif (node.kind == kind.CALL_EXPR and parent.kind == kind.COMPOUND_STMT
          and node.type.kind == cindex.TypeKind.VOID):
        yield change(begin, end, "(void)0", f"without {source.split('(')[0]}()")


def find_changes(entry, path):
    arguments = [flag for flag in entry["flags"][1:] if flag.startswith(("-I", "-D", "-std", "-isystem"))]
    os.chdir(entry["directory"])
    unit = cindex.Index.create().parse(path, args=arguments)
    with open(path, "rb") as file:
        bytes_of = file.read()
    found = []

    def walk(node, parent):
        for child in node.get_children():
            where = child.location.file
            if where is not None and where.name != path:
                continue
            # What a macro makes stands nowhere in the source.
            if child.extent.start.offset < child.extent.end.offset and \
                    child.kind != cindex.CursorKind.STATIC_ASSERT:
                found.extend(changes_of(child, node, path, bytes_of))
                walk(child, node)

    walk(unit.cursor, None)
    return {(change.begin, change.text): change for change in found}.values()


def copy_project(folder):
    """The tracked and new files, and no others. A file that is the same keeps its time, which is that of
    the last change that was tried in it: it is compiled again."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, check=True, text=True).stdout.split("\0")
    copies = {os.path.join(folder, name): os.path.join(ROOT, name) for name in filter(None, names)}
    for copy, source in copies.items():
        if not os.path.isfile(source):
            continue
        if not os.path.isfile(copy) or not filecmp.cmp(source, copy, shallow=False):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)
    for path, _, files in os.walk(folder):
        for old in (os.path.join(path, name) for name in files):
            if old not in copies or not os.path.isfile(copies[old]):
                os.remove(old)


def configure(source, build):
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-D", "KITH_BUILD_TESTS=ON",
                    "-D", "KITH_BUILD_WEB=OFF", "-D", "CMAKE_BUILD_TYPE=Debug", "-D",
                    "CMAKE_CXX_FLAGS_DEBUG=-O0", "-D", "CMAKE_EXPORT_COMPILE_COMMANDS=ON"],
                   check=True, stdout=subprocess.DEVNULL)


def build_test(build, test, jobs=1):
    return subprocess.run(["cmake", "--build", build, "-j", str(jobs), "--target", "test_" + test],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def passes(build, test, tests):
    command = [os.path.join(build, "bin", "test_" + test), "--gtest_brief=1", "--gtest_fail_fast"]
    if tests:
        command.append("--gtest_filter=" + tests)
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=SECONDS, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def try_change(change, build, test, tests):
    """"invalid" where it does not compile, else "noticed" or "survived"."""
    with open(change.path, "rb") as file:
        before = file.read()
    try:
        with open(change.path, "wb") as file:
            file.write(before[:change.begin] + change.text.encode() + before[change.end:])
        if not build_test(build, test):
            return "invalid"
        return "survived" if passes(build, test, tests) else "noticed"
    finally:
        with open(change.path, "wb") as file:
            file.write(before)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", metavar="TEST[:FILTER]")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--sample", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="for the first build")
    options = parser.parse_args(arguments)
    test, _, tests = options.test.partition(":")
    source = os.path.join(ROOT, "build", "mutate", "source")
    build = os.path.join(ROOT, "build", "mutate", "build")
    copy_project(source)
    configure(source, build)
    if not build_test(build, test, options.jobs) or not passes(build, test, tests):
        print(f"mutate: test_{test} does not build or pass unchanged; see {build}", file=sys.stderr)
        return 1
    cindex.Config.set_library_file(LIBRARY)
    below = tuple(os.path.join(source, path) for path in options.paths)
    entries = [entry for entry in compile_commands.load(build) if entry["file"].startswith(below)]
    changes = [change for entry in entries for change in find_changes(entry, entry["file"])]
    chosen = random.Random(options.seed).sample(changes, min(options.sample, len(changes)))
    counts = {"noticed": 0, "survived": 0, "invalid": 0}
    for change in sorted(chosen, key=lambda change: (change.path, change.begin)):
        result = try_change(change, build, test, tests)
        counts[result] += 1
        if result == "survived":
            print(f"{os.path.relpath(change.path, source)}:{change.line}: {change.what}", flush=True)
    valid = counts["noticed"] + counts["survived"]
    share = f" ({counts['noticed'] / valid:.0%})" if valid else ""
    print(f"{' '.join(options.paths)}: {counts['noticed']} of {valid} changes noticed{share}, "
          f"of {len(changes)} possible ones")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
