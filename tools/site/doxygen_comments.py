#!/usr/bin/python3
"""Prints a header of include/kith with its comments as Doxygen reads them: the filter of tools/site/Doxyfile.

    tools/site/doxygen_comments.py HEADER
"""

import re
import sys

COMMENT = re.compile(r"^( *)//(.*)$")
AFTER_CODE = re.compile(r"^( *[^ /}#].*?)  // (.*)$")


def escaped(text):
    """Text that Doxygen shows as it is; a document that it names becomes a link."""
    text = re.sub(r"[\\<>&@#]", r"\\\g<0>", text)
    return re.sub(r"docs/([\w/-]+)\.md", r'<a href="../../docs/\1.html">docs/\1\\.md</a>', text)


def prose(text):
    """A dot at the end of code ends no sentence."""
    parts = re.split(r"`([^`]+)`", text)
    return "".join(f"<tt>{escaped(part).replace('.', chr(92) + '.')}</tt>" if number % 2 else escaped(part)
                   for number, part in enumerate(parts))


def documented(lines):
    """Comments as those of Doxygen. What is indented after an empty comment is an example."""
    if lines and lines[0].startswith("//"):
        yield "/// @file"
    before, example = "", None
    for line in lines:
        comment = COMMENT.match(line)
        indent, text = comment.groups() if comment else ("", "")
        if example is None and not before and text.startswith("   "):
            yield f"{indent}/// @code{{.cpp}}"
            example = indent
        elif example is not None and not text.startswith("   ") and (text or not comment):
            yield f"{example}/// @endcode"
            example = None
        before = text
        if example is not None:
            yield f"{indent}///{text}"
        elif comment:
            yield f"{indent}///{prose(text)}"
        elif after := AFTER_CODE.match(line):
            yield f"{after[1]}  ///< {prose(after[2])}"
        elif " friend " not in line:
            yield line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        print(*documented(header.read().splitlines()), sep="\n")
