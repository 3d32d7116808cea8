#!/usr/bin/env python3
"""Writes the stop lists as C++ (see text/words/terms.h).

    make_stop_words.py FOLDER OUT.cc

Two lists of each language. One tells the language of a page: those of FOLDER, CODE.txt with one word
a line, are our own, the others are those of Perl's Lingua::StopWords (Debian:
liblingua-stopwords-perl). The further words, which are only left out of bags, are those of
stopwords-iso (PyPI: stopwordsiso), without topics and with what they lack (changed_words.py). All
words take the form in which the word splitter gives them, and other spellings that pages use are
added.
"""

import os
import subprocess
import sys
import unicodedata

sys.dont_write_bytecode = True  # of a build nothing stays among the sources
from changed_words import MISSED, TOPICS

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

# The same for stopwords-iso, which also has languages without a stemmer. English has no further
# words: our own list was made for the web. Not taken are those of Breton, translated from French
# with its topics, and of Urdu, whose letters are those of an old font.
ISO = {
    **{name: code for name, code in {**OWN, **LINGUA}.items()
       if name not in ("english", "nepali", "serbian", "tamil", "yiddish")},
    "afrikaans": "af", "bengali": "bn", "bulgarian": "bg", "chinese": "zh", "croatian": "hr",
    "czech": "cs", "esperanto": "eo", "estonian": "et", "galician": "gl", "gujarati": "gu",
    "hausa": "ha", "hebrew": "he", "japanese": "ja", "korean": "ko", "kurdish": "ku",
    "latin": "la", "latvian": "lv", "malay": "ms", "marathi": "mr", "persian": "fa",
    "polish": "pl", "slovak": "sk", "slovene": "sl", "somali": "so", "sotho": "st",
    "swahili": "sw", "tagalog": "tl", "thai": "th", "ukrainian": "uk", "vietnamese": "vi",
    "yoruba": "yo", "zulu": "zu",
}

# Words of the Malay list that Indonesian lacks and that are no topics.
MALAY = set("baharu bahawa bagaimanapun berikutan iaitu ialah juta kerana kini menerusi mengikut "
            "sahaja tiada".split())

# Letters of other languages in place of the right ones: words that were decoded wrongly. The splitter
# takes the one of Afrikaans apart.
WRONG_LETTERS = {"afrikaans": "ŉ", "lithuanian": "àáäåæçèéêëíîïðñòóôõöøùúûüýþÿ", "turkish": "ýþðţđ"}

# The apostrophe after them separates words (WordSplitter): c'est has no form of its own.
ELIDED = set("c d j l m n s t qu jusqu lorsqu puisqu quoiqu dell all nell dall sull coll un quest "
             "quell".split())

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

# Characters of the Chinese words as they are simplified, each with the traditional one.
TRADITIONAL = dict((
    "万萬 与與 两兩 个個 临臨 为為 么麼 乌烏 于於 云雲 仅僅 从從 们們 会會 体體 傥儻 儿兒 关關 内內 冲衝 况況 几幾 "
    "凭憑 则則 别別 办辦 区區 单單 却卻 后後 吓嚇 吗嗎 呕嘔 呗唄 呜嗚 哒噠 哗嘩 哟喲 喽嘍 嗳噯 嘘噓 处處 宁寧 对對 "
    "将將 尔爾 尽盡 岂豈 并並 开開 归歸 当當 总總 愿願 换換 据據 无無 旧舊 时時 来來 极極 样樣 欤歟 没沒 点點 犹猶 "
    "独獨 确確 离離 种種 称稱 简簡 类類 紧緊 纵縱 经經 结結 给給 继繼 综綜 罢罷 腾騰 虽雖 见見 让讓 许許 论論 设設 "
    "诚誠 话話 该該 说說 请請 诸諸 谁誰 贼賊 赖賴 赶趕 转轉 较較 边邊 达達 过過 还還 这這 进進 连連 鉴鑒 针針 问問 "
    "间間 随隨 难難 顺順 齐齊").split())


def read_list(path):
    with open(path, encoding="utf-8") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return [line for line in lines if line]


def lingua_list(code):
    command = ["perl", "-e", PERL, code]
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          encoding="utf-8").stdout.split()


def iso_lists():
    """The lists of stopwords-iso by our names of the languages, with our changes."""
    try:
        import stopwordsiso
    except ImportError:
        sys.exit("make_stop_words.py: needs the Python module stopwordsiso: "
                 "tools/install_packages.sh build, or pip install stopwordsiso")
    lists = {}
    for name, code in ISO.items():
        wrong = set(WRONG_LETTERS.get(name, ""))
        lists[name] = [word for word in stopwordsiso.stopwords(code)
                       if not is_elided(word) and not wrong & set(word)]
    # Those of Malay are the most frequent words of business news: half of them are topics.
    indonesian = {*lists["indonesian"], *lingua_list(LINGUA["indonesian"])}
    lists["malay"] = [word for word in lists["malay"] if word in indonesian or word in MALAY]
    return {name: {*words, *MISSED.get(name, "").split()} - {*TOPICS.get(name, "").split()}
            for name, words in lists.items()}


def is_elided(word):
    return word.replace("\u2019", "'").split("'")[0] in ELIDED and word not in ELIDED


def without_marks(word):
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def cyrillic(word):
    for latin, letter in CYRILLIC.items():
        word = word.replace(latin, letter)
    return word


def spellings(language, word):
    """The word as pages write it."""
    if language == "chinese":
        return {word, "".join(TRADITIONAL.get(letter, letter) for letter in word)}
    if language == "arabic":  # often typed without hamza
        return {word, word.translate(str.maketrans("أإآ", "ااا"))}
    if language == "greek":  # capitals have no accents, and no sigma of their own for the end
        return {word, without_marks(word).replace("ς", "σ")}
    if language == "serbian":
        return {word, cyrillic(word)}
    if language == "thai":  # the vowel in one character, as it is typed
        return {word.replace("\u0e4d\u0e32", "\u0e33")}
    if language == "turkish":  # the lower case of I without regard to the language is i
        return {word, word.replace("ı", "i")}
    if language == "yiddish":  # with ligatures or two letters, with points or without
        plain = word.replace("װ", "וו").replace("ױ", "וי").replace("ײ", "יי")
        return {word, plain, without_marks(word), without_marks(plain)}
    return {word}


def with_comma_below(word):
    """Romanian, whose lists have the cedillas of older fonts, with the letters of today."""
    return word.translate(str.maketrans("şţ", "șț"))


def normalize(language, words):
    plain = {word.lower().replace("'", "").replace("\u2019", "") for word in words}
    every = {unicodedata.normalize("NFC", spelling)
             for word in plain for spelling in spellings(language, word)}
    return sorted(word for word in every if is_word(word))


def is_word(word):
    kinds = [unicodedata.category(letter)[0] for letter in word]
    return word and kinds[0] == "L" and all(kind in "LM" for kind in kinds)


def literals(words):
    return "".join(f'       "{word} "\n' for word in words) or '       ""\n'


def main():
    folder, out = sys.argv[1:]
    telling = {name: read_list(os.path.join(folder, code + ".txt")) for name, code in OWN.items()}
    for name, code in LINGUA.items():
        telling[name] = lingua_list(code)
    iso = iso_lists()
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "text/words/terms.h"\n\nnamespace kith::text {\n\n'
                   "const std::vector<StopList>& stop_lists() {\n"
                   "  static const std::vector<StopList> lists = {\n")
        for name in sorted({*telling, *iso}):
            first = normalize(name, telling.get(name, []))
            further = {*normalize(name, iso.get(name, []))}
            if name == "romanian":
                further |= {with_comma_below(word) for word in (*first, *further)}
            file.write(f"      {{Language::{name},\n{literals(first)}       ,\n"
                       f"{literals(sorted(further - set(first)))}      }},\n")
        file.write("  };\n  return lists;\n}\n\n}  // namespace kith::text\n")


if __name__ == "__main__":
    main()
