#!/usr/bin/env python3
"""Measures which of a good and a damaged copy of a text `kith dedup --keep quality` keeps.

    bench/keep_quality.py TEXTS.jsonl --kith build/release/bin/kith [--texts 2000]

Of each text one damaged copy is made, of a kind drawn at random; which of the two comes first is drawn as well.
Printed are, for each kind, the pairs that were found to be near-duplicates, and in how many of them the damaged copy
was kept, by quality and by the plain rules.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import tempfile


def words_of(text):
    return re.findall(r"\S+", text)


def is_prose(text):
    """Not of tables and program text, whose sound copies have no sentences either."""
    words = words_of(text)
    lines = [line for line in text.splitlines() if line.strip()]
    plain = sum(bool(re.fullmatch(r"[^\W\d_]+[.,;:!?]?", word)) for word in words)
    return len(words) > 60 and plain > 0.8 * len(words) and len(set(lines)) > 0.98 * len(lines)


def cut(text, rng):
    return text[: int(len(text) * rng.uniform(0.85, 0.97))]


def cut_with_ellipsis(text, rng):
    return cut(text, rng) + rng.choice(["...", "…", " [...]", "... Read more"])


def repeat_lines(text, rng):
    pieces = re.split(r"(?<=[.!?。！？])\s+|\n", text)
    long = [i for i, piece in enumerate(pieces) if len(piece) > 30]
    for i in sorted(rng.sample(long, min(len(long), rng.randint(1, 3))), reverse=True):
        pieces.insert(i, pieces[i])
    return "\n".join(pieces) if "\n" in text else " ".join(pieces)


def some_words(text, rng, share, change):
    return re.sub(r"\S+", lambda word: change(word[0]) if rng.random() < share else word[0], text)


def wrong_charset(text, rng):
    """UTF-8 read as windows-1252; texts of ASCII get the quotes that editors write."""
    text = text.replace("'", "’").replace(" - ", " – ")
    return text.encode().decode("cp1252", "ignore")


def replacement(text, rng):
    return some_words(text, rng, 0.01, lambda word: word[:1] + "\ufffd" + word[2:])


def question_marks(text, rng):
    return some_words(text, rng, 0.02, lambda word: word[:1] + "?" + word[2:] if len(word) > 3 else word)


def scanned(text, rng):
    return some_words(text, rng, 0.02,
                      lambda word: word[:1] + word[1:].replace("o", "0").replace("l", "1").replace("e", "3"))


def torn(text, rng):
    return some_words(text, rng, 0.01, lambda word: " ".join(word) if len(word) > 3 else word)


def glued(text, rng):
    words = text.split(" ")
    at = rng.randrange(max(1, len(words) - 20))
    return " ".join(words[:at] + ["".join(words[at:at + 12])] + words[at + 12:])


def markup(text, rng):
    return some_words(text, rng, 0.01, lambda word: rng.choice(["<br>", "&nbsp;", "&amp;", "<p>"]) + word)


def symbols(text, rng):
    return some_words(text, rng, 0.01, lambda word: word + " " + rng.choice(["####", "~~~", "|||", "■■■", "^^"]))


KINDS = [cut, cut_with_ellipsis, repeat_lines, wrong_charset, replacement, question_marks, scanned, torn, glued,
         markup, symbols]


def made_pairs(path, count, rng):
    with open(path, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    texts = [text.strip() for text in texts if is_prose(text)]
    for number, text in enumerate(rng.sample(texts, min(count, len(texts)))):
        damage = rng.choice(KINDS)
        damaged = damage(text, rng)
        if damaged != text:
            yield number, damage.__name__, text, damaged


def kept(args, folder, rule):
    run = os.path.join(folder, rule)
    subprocess.run([args.kith, "dedup", os.path.join(folder, "pairs.jsonl"), "-o", run, "--keep", rule,
                    "--format", "jsonl", "--no-check"], check=True, stderr=subprocess.DEVNULL)
    with open(os.path.join(run, "groups.jsonl"), encoding="utf-8") as rows:
        rows = [json.loads(row) for row in rows]
    groups = collections.defaultdict(dict)
    for row in rows:
        groups[row["group"]][row["url"]] = row["role"]
    found = {}
    for members in groups.values():
        numbers = {name.split("-")[0] for name in members}
        if len(numbers) == 1 and len(members) == 2:
            found[numbers.pop()] = next(name.split("-")[1] for name in members if members[name] == "kept")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts_file", metavar="TEXTS.jsonl")
    parser.add_argument("--kith", required=True)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    kinds = {}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "pairs.jsonl"), "w", encoding="utf-8") as out:
            for number, kind, good, damaged in made_pairs(args.texts_file, args.texts, rng):
                kinds[str(number)] = kind
                pair = [("good", good), ("damaged", damaged)]
                rng.shuffle(pair)
                for role, text in pair:
                    out.write(json.dumps({"id": f"{number}-{role}", "text": text}) + "\n")
        rules = ("quality", "longest", "first")
        by_rule = {rule: kept(args, folder, rule) for rule in rules}
    print("kind".ljust(20), "pairs", *(rule.rjust(9) for rule in rules))
    for kind in [*(kind.__name__ for kind in KINDS), "all"]:
        of_kind = [number for number in by_rule["quality"] if kind in ("all", kinds[number])]
        wrong = [sum(by_rule[rule].get(number) == "damaged" for number in of_kind) for rule in rules]
        print(kind.ljust(20), str(len(of_kind)).rjust(5), *(str(count).rjust(9) for count in wrong))


if __name__ == "__main__":
    main()
