#!/usr/bin/env python3
"""Writes the stop lists as C++ (see text/words/stop_words.h).

    make_stop_words.py ENGLISH.txt OUT.cc

English is our own list; the other languages are those of Perl's Lingua::StopWords (Debian:
liblingua-stopwords-perl). Apostrophes are removed, as the word splitter does.
"""

import subprocess
import sys

# Our name of each language and the one of Lingua::StopWords.
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


def read_list(path):
    with open(path, encoding="utf-8") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return [line for line in lines if line]


def lingua_list(code):
    command = ["perl", "-e", PERL, code]
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          encoding="utf-8").stdout.split()


def normalize(words):
    plain = {word.lower().replace("'", "").replace("\u2019", "") for word in words}
    return sorted(word for word in plain if word.isalpha())


def main():
    english, out = sys.argv[1:]
    lists = {"english": read_list(english)}
    for name, code in LINGUA.items():
        lists[name] = lingua_list(code)
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "text/words/stop_words.h"\n\nnamespace kith::text {\n\n'
                   "const std::vector<StopList>& stop_lists() {\n"
                   "  static const std::vector<StopList> lists = {\n")
        for name in sorted(lists):
            file.write(f"      {{Language::{name},\n")
            for word in normalize(lists[name]):
                file.write(f'       "{word} "\n')
            file.write("      },\n")
        file.write("  };\n  return lists;\n}\n\n}  // namespace kith::text\n")


if __name__ == "__main__":
    main()
