#!/usr/bin/python3
"""Runs the jobs and questions of two programs on the same inputs and compares all that they write.

    tools/compare_outputs.py OLD NEW INPUT...     e.g. build/release/bin/kith of two commits

A change of structure must leave every byte as it was, except for times, memory and the commit in reports.
Exit status 1 if a file or an answer differs.
"""

import json
import os
import subprocess
import sys
import tempfile

# A command may be spelt in several ways: the first that a program knows is run.
JOBS = {
    "cluster": [["cluster", "INPUT", "-o", "OUT"]],
    "exact": [["cluster", "INPUT", "-o", "OUT", "--engine", "exact", "--memory", "256M", "--threads", "1"]],
    "lsh": [["cluster", "INPUT", "-o", "OUT", "--engine", "lsh", "--memory", "256M"]],
    "paper": [["paper", "INPUT", "-o", "OUT"], ["cluster", "INPUT", "-o", "OUT", "--preset", "paper"]],
    "dedup": [["dedup", "INPUT", "-o", "OUT"]],
    "dedup-exact": [["dedup", "INPUT", "-o", "OUT", "--method", "exact"]],
    "dedup-simhash": [["dedup", "INPUT", "-o", "OUT", "--method", "simhash"]],
    "dedup-families": [["dedup", "INPUT", "-o", "OUT", "--groups", "components", "--boilerplate", "remove"]],
    "dedup-containment": [["dedup", "INPUT", "-o", "OUT", "--method", "containment"],
                          ["dedup", "INPUT", "-o", "OUT", "--similarity-of", "containment"]],
    "shard-1": [["cluster", "INPUT", "-o", "OUT", "--shard", "1/2"]],
    "shard-2": [["cluster", "INPUT", "-o", "OUT", "--shard", "2/2"]],
    "merge": [["merge", "shard-1", "shard-2", "-o", "OUT"]],
}
QUESTIONS = [["clusters", "cluster"], ["topics", "cluster"], ["related", "cluster", "--all"],
             ["pairs", "cluster"], ["bags", "cluster"], ["clusters", "paper"], ["pairs", "dedup-simhash"],
             ["clusters", "merge"], ["evaluate", "cluster", "--help"]]
# What two runs of one program differ in.
UNSTABLE = ("seconds", "cpu", "memory", "rss", "commit", "version", "bytes_read", "started", "threads",
            "machine", "fragment_bytes")


def steady(value):
    """The JSON without what is measured."""
    if isinstance(value, dict):
        return {key: steady(part) for key, part in value.items()
                if key != "checksum" and not any(word in key for word in UNSTABLE)}
    return [steady(part) for part in value] if isinstance(value, list) else value


def contents(path):
    with open(path, "rb") as file:
        data = file.read()
    name = os.path.basename(path)
    if name == "manifest.json":  # has the checksum of the report
        found = steady(json.loads(data))
        for stage in found.get("checksums", {}).values():
            stage.pop("report.json", None)
        return json.dumps(found, sort_keys=True).encode()
    return json.dumps(steady(json.loads(data)), sort_keys=True).encode() if name == "report.json" else data


def run(program, spellings, inputs, name, folder):
    """What the first spelling that the program takes answers."""
    done = None
    for command in spellings:
        known = {"INPUT": inputs, "OUT": [name]}
        words = [word for part in command for word in known.get(part, [part])]
        done = subprocess.run([program, *words, "-q"], cwd=folder, capture_output=True, check=False)
        if done.returncode != 2:
            break
    return done


def outputs(program, inputs, folder):
    """All that the program writes, by name."""
    found = {}
    for name, spellings in JOBS.items():
        done = run(program, spellings, inputs, name, folder)
        found[f"{name}: status"] = str(done.returncode).encode()
        for top, _, files in os.walk(os.path.join(folder, name)):
            for file in files:
                path = os.path.join(top, file)
                found[os.path.relpath(path, folder)] = contents(path)
    for question in QUESTIONS:
        if os.path.isdir(os.path.join(folder, question[1])):
            done = run(program, [question], inputs, "", folder)
            found[" ".join(question)] = done.stdout + str(done.returncode).encode()
    return found


def main(arguments):
    old, new, inputs = arguments[0], arguments[1], [os.path.abspath(path) for path in arguments[2:]]
    found = []
    for program in (old, new):
        with tempfile.TemporaryDirectory() as folder:
            found.append(outputs(os.path.abspath(program), inputs, folder))
    names = sorted(set(found[0]) | set(found[1]))
    differ = [name for name in names if found[0].get(name) != found[1].get(name)]
    for name in differ:
        print(f"differs: {name}")
    for name in names:
        if name.endswith(": status") and found[1].get(name) != b"0":
            print(f"refused: {name[:-8]}")
    print(f"compare_outputs: {len(names)} files and answers, {len(differ)} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
