"""The compile commands of a build folder, as the tools that check sources use them."""

import json
import os
import shlex


def load(build):
    """What BUILD_FOLDER/compile_commands.json says, an entry for each source: "file", "directory" and
    "flags": the command without its launcher, input, output and precompiled header, so that a source
    or a header has nothing but what it includes itself. Raises OSError."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        entry["flags"] = flags_of(shlex.split(entry["command"]), entry["file"])
    return entries


def flags_of(words, source):
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    flags = []
    skip_next = False
    for word, following in zip(words, words[1:] + [""]):
        if skip_next:
            skip_next = False
        elif word == "-o" or (word == "-include" and "cmake_pch" in following):
            skip_next = True
        elif word not in ("-c", source, "-fpch-preprocess", "-Winvalid-pch"):
            flags.append(word)
    return flags
