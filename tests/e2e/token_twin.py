"""The tokens of near-duplicates beside Python's unicodedata and the package regex: over all planes
of Unicode, and over random texts.

    token_twin.py DUMP_TOKENS

A token is a run of letters, marks and numbers; or one letter of a script without blanks, or one
symbol, with its marks. Code points that this Python does not know are left out.
"""

import random
import subprocess
import sys
import unicodedata

import regex

UNSPACED = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")
SCRIPTS = "".join(rf"\p{{Script={script}}}" for script in UNSPACED)
KANA = r"[\p{Script_Extensions=Katakana}\p{Script_Extensions=Hiragana}]"
UNSPACED_LETTER = regex.compile(
    rf"(?=[\p{{L}}\p{{Nl}}\p{{No}}])(?:[{SCRIPTS}]|(?=[\p{{Script=Common}}\p{{Script=Inherited}}]){KANA})")
SYMBOL = r"[\p{Sm}\p{Sc}\p{So}]"
IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")


def fold(character):
    """NFKC_Casefold of one character; U+200B stays for the time being."""
    if character == "\u200b":
        return character
    before = None
    while before != character:
        before = character
        character = IGNORABLE.sub("", unicodedata.normalize("NFKC", character.casefold()))
    return character


def tokens(text):
    text = unicodedata.normalize("NFC", "".join(map(fold, text)))
    text = regex.sub(r"\u200b+(?=[\u0000-\u08ff\u1e00-\u1fff])(?=[\p{L}\p{N}])", "", text)
    text = regex.sub(r"(?<=[\p{L}\p{M}])['\u2019](?=\p{L})", lambda found: joined(text, found), text)
    unspaced = UNSPACED_LETTER.pattern
    return regex.findall(
        rf"(?:{unspaced}|{SYMBOL})\p{{M}}*|(?:(?!{unspaced})[\p{{L}}\p{{M}}\p{{N}}])+", text)


def joined(text, found):
    """Nothing for an apostrophe between letters of one token, else the apostrophe."""
    before = text[:found.start()].rstrip("".join(c for c in set(text) if regex.match(r"\p{M}", c)))
    is_single = before and (UNSPACED_LETTER.match(before[-1]) or regex.match(SYMBOL, before[-1]))
    return "'" if is_single or UNSPACED_LETTER.match(text[found.end()]) else ""


def is_known(character):
    return unicodedata.category(character) not in ("Cn", "Cs", "Cc") and not regex.match(
        r"\p{Cn}", character)


def texts():
    known = [chr(c) for c in range(32, 0x110000) if not 0xd800 <= c < 0xe000 and is_known(chr(c))]
    for c in known:
        yield f"{c} a{c}b 1{c}2"
    draw = random.Random(1)
    common = [c for c in known if ord(c) < 0x3400] + list(" '.+=19aZ\u0301\u200b\u4e2d\u3042") * 200
    for _ in range(20000):
        yield "".join(draw.choice(common) for _ in range(draw.randrange(1, 24)))


def main(dump_tokens):
    all_texts = list(texts())
    source = "".join(text + "\n" for text in all_texts)
    lines = subprocess.run([dump_tokens], input=source.encode(), stdout=subprocess.PIPE,
                           check=True).stdout.decode().split("\n")
    different = 0
    for text, line in zip(all_texts, lines):
        found = line.split("\t") if line else []
        if found != tokens(text):
            different += 1
            if different <= 20:
                print(f"{text!r}: kith {found}, Python {tokens(text)}")
    print(f"{len(all_texts)} texts, {different} with other tokens")
    return 1 if different or len(lines) != len(all_texts) + 1 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
