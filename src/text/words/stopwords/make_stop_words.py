#!/usr/bin/env python3
"""Writes the stop lists as C++ (see text/words/stop_words.h).

    make_stop_words.py FOLDER OUT.cc

The lists of FOLDER, CODE.txt with one word a line, are our own; the other languages are those of
Perl's Lingua::StopWords (Debian: liblingua-stopwords-perl). All words take the form in which the
word splitter gives them, and other spellings that pages use are added.
"""

import os
import subprocess
import sys
import unicodedata

# Our name of each language and the code of its list in FOLDER.
OWN = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "english": "en",
    "greek": "el", "hindi": "hi", "irish": "ga", "lithuanian": "lt", "nepali": "ne",
    "serbian": "sr", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}

# The same for Lingua::StopWords.
LINGUA = {
    "danish": "da", "dutch": "nl", "finnish": "fi", "french": "fr", "german": "de",
    "hungarian": "hu", "indonesian": "id", "italian": "it", "norwegian": "no",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "spanish": "es", "swedish": "sv",
}

PERL = r"""
use Lingua::StopWords qw(getStopWords);
binmode(STDOUT, ":encoding(UTF-8)");
my $words = getStopWords($ARGV[0], "UTF-8") or die "no stop list for $ARGV[0]\n";
print "$_\n" for keys %$words;
"""

# Serbian letters of the Latin alphabet in the Cyrillic one; those of two characters first.
CYRILLIC = {
    "dž": "џ", "lj": "љ", "nj": "њ", "a": "а", "b": "б", "c": "ц", "č": "ч", "ć": "ћ", "d": "д",
    "đ": "ђ", "e": "е", "f": "ф", "g": "г", "h": "х", "i": "и", "j": "ј", "k": "к", "l": "л",
    "m": "м", "n": "н", "o": "о", "p": "п", "r": "р", "s": "с", "š": "ш", "t": "т", "u": "у",
    "v": "в", "z": "з", "ž": "ж",
}


def read_list(path):
    with open(path, encoding="utf-8") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return [line for line in lines if line]


def lingua_list(code):
    command = ["perl", "-e", PERL, code]
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          encoding="utf-8").stdout.split()


def without_marks(word):
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def cyrillic(word):
    for latin, letter in CYRILLIC.items():
        word = word.replace(latin, letter)
    return word


def spellings(language, word):
    """The word as pages write it."""
    if language == "arabic":  # often typed without hamza
        return {word, word.translate(str.maketrans("أإآ", "ااا"))}
    if language == "greek":  # capitals have no accents, and no sigma of their own for the end
        return {word, without_marks(word).replace("ς", "σ")}
    if language == "serbian":
        return {word, cyrillic(word)}
    if language == "turkish":  # the lower case of I without regard to the language is i
        return {word, word.replace("ı", "i")}
    if language == "yiddish":  # with ligatures or two letters, with points or without
        plain = word.replace("װ", "וו").replace("ױ", "וי").replace("ײ", "יי")
        return {word, plain, without_marks(word), without_marks(plain)}
    return {word}


def normalize(language, words):
    plain = {word.lower().replace("'", "").replace("\u2019", "") for word in words}
    every = {unicodedata.normalize("NFC", spelling)
             for word in plain for spelling in spellings(language, word)}
    return sorted(word for word in every if is_word(word))


def is_word(word):
    return word and all(unicodedata.category(letter)[0] in "LM" for letter in word)


def main():
    folder, out = sys.argv[1:]
    lists = {name: read_list(os.path.join(folder, code + ".txt")) for name, code in OWN.items()}
    for name, code in LINGUA.items():
        lists[name] = lingua_list(code)
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "text/words/stop_words.h"\n\nnamespace kith::text {\n\n'
                   "const std::vector<StopList>& stop_lists() {\n"
                   "  static const std::vector<StopList> lists = {\n")
        for name in sorted(lists):
            file.write(f"      {{Language::{name},\n")
            for word in normalize(name, lists[name]):
                file.write(f'       "{word} "\n')
            file.write("      },\n")
        file.write("  };\n  return lists;\n}\n\n}  // namespace kith::text\n")


if __name__ == "__main__":
    main()
