#!/usr/bin/env python3
"""Writes the named character references of HTML as rows of a C++ array.

    generate_entities.py OUTPUT

The names are those of Python's html.entities.html5, which is the table of the WHATWG HTML
standard, section 13.5. A row is {name without "&" and ";", its UTF-8, may ";" be left out}.
"""

import html.entities
import sys


def octal(text):
    return "".join(f"\\{byte:03o}" for byte in text.encode("utf-8"))


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    table = html.entities.html5
    names = sorted(name[:-1] for name in table if name.endswith(";"))
    legacy = {name for name in table if not name.endswith(";")}
    if len(names) + len(legacy) != len(table) or not legacy.issubset(names):
        sys.exit("generate_entities.py: every reference must have a form that ends in ';'")
    with open(arguments[0], "w", encoding="ascii") as out:
        for name in names:
            may_be_bare = "true" if name in legacy else "false"
            out.write(f'{{"{name}", "{octal(table[name + ";"])}", {may_be_bare}}},\n')


if __name__ == "__main__":
    main(sys.argv[1:])
