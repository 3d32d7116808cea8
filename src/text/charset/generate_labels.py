#!/usr/bin/env python3
"""Writes the labels of encodings as rows of a C++ array, sorted by label.

    generate_labels.py OUTPUT

The labels are those of the WHATWG Encoding standard, section 4.2, as encoding_rs has them (Debian:
librust-encoding-rs-dev): two arrays of its lib.rs, of which one has the labels and the other the
encoding of each. A row is {label, enumerator of Encoding}.
"""

import glob
import re
import sys

SOURCES = "/usr/share/cargo/registry/encoding_rs-*/src/lib.rs"


def array(source, name, element):
    found = re.search(rf"\b{name}: \[[^;]+; (\d+)\] = \[(.*?)\];", source, re.DOTALL)
    elements = re.findall(element, found[2]) if found else []
    if not elements or len(elements) != int(found[1]):
        sys.exit(f"generate_labels.py: lib.rs of encoding_rs has no array {name} of the known form")
    return elements


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    sources = glob.glob(SOURCES)
    if not sources:
        sys.exit(f"generate_labels.py: no {SOURCES}: install librust-encoding-rs-dev")
    with open(max(sources), encoding="utf-8") as file:
        source = file.read()
    labels = array(source, "LABELS_SORTED", r'"([^"]+)"')
    encodings = array(source, "ENCODINGS_IN_LABEL_SORT", r"&(\w+)_INIT\b")
    with open(arguments[0], "w", encoding="ascii") as out:
        for label, encoding in sorted(zip(labels, encodings, strict=True)):
            out.write(f'{{"{label}", Encoding::{encoding.lower()}}},\n')


if __name__ == "__main__":
    main(sys.argv[1:])
