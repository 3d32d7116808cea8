#include "text/words/quality.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/bytes.h"
#include "base/hash.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

using Word = std::u32string_view;

bool has(std::u32string_view set, char32_t c) {
  return set.find(c) != std::u32string_view::npos;
}

bool is_blank(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || has(U"\u0085\u00a0\u3000\u2028\u2029", c);
}

// Ends a sentence: with a blank behind it, or in scripts that put none there.
bool is_stop(char32_t c) {
  return has(U".!?\u2026\u203d\u0964\u06d4\u061f", c);
}
bool is_wide_stop(char32_t c) {
  return has(U"\u3002\uff01\uff1f\uff0e", c);
}

// May stand behind the stop of a sentence, or alone in a sound text.
bool is_quote_or_dash(char32_t c) {
  return has(U"\"')]([-&/+=:;,.!?\u00ab\u00bb\u00b7\u2026", c) || (c >= 0x2010 && c <= 0x2022) ||
         (c >= 0x3001 && c <= 0x3011);
}

// What windows-1252 and windows-1251 show for some byte of 0x80 to 0xbf.
bool is_tail_1252(char32_t c) {
  return (c >= 0x80 && c <= 0xbf) ||
         has(U"\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
             U"\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e"
             U"\u0178",
             c);
}
bool is_tail_1251(char32_t c) {
  return (c >= 0x80 && c <= 0xbf) ||
         has(U"\u0402\u0403\u201a\u0453\u201e\u2026\u2020\u2021\u20ac\u2030\u0409\u2039\u040a"
             U"\u040c\u040b\u040f\u0452\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u2122\u0459"
             U"\u203a\u045a\u045c\u045b\u045f\u040e\u045e\u0408\u0490\u0401\u0404\u0407\u0406"
             U"\u0456\u0491\u0451\u2116\u0454\u0458\u0405\u0455\u0457",
             c);
}

// A lead byte of UTF-8 as windows-1252 shows it, and as many others as it leads.
bool has_wrong_1252(Word word) {
  for (size_t i = 0; i < word.size(); ++i) {
    const char32_t c = word[i];
    const size_t tails = c < 0xc2 || c > 0xf4 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    if (tails == 0 || i + tails >= word.size()) continue;
    if (std::ranges::all_of(word.substr(i + 1, tails), is_tail_1252)) return true;
  }
  return false;
}

// Two letters of Cyrillic or more as windows-1251 shows their UTF-8.
bool has_wrong_1251(Word word) {
  int pairs = 0;
  for (size_t i = 0; i + 1 < word.size(); ++i) {
    const bool is_lead = word[i] == 0x420 || word[i] == 0x421;
    pairs += is_lead && is_tail_1251(word[i + 1]) ? 1 : 0;
  }
  return pairs > 1;
}

// "<br>", "&amp;", "&#39;".
bool has_markup(Word word) {
  const size_t tag = word.find(U'<');
  if (tag != Word::npos && tag + 1 < word.size() && word.find(U'>', tag + 2) != Word::npos) {
    return true;
  }
  const size_t begin = word.find(U'&');
  const size_t end = begin == Word::npos ? begin : word.find(U';', begin);
  return end != Word::npos && end - begin > 2 && end - begin < 10;
}

bool is_unsound(char32_t c) {
  return c == 0xfffd || c < 0x20 || (c >= 0x7f && c < 0xa0);
}

// What a word is made of.
struct WordParts {
  int64_t letters = 0;
  int64_t unspaced = 0;  // of these, of scripts without blanks
  int64_t digits = 0;
  int64_t questions = 0;
  int64_t symbols = 0;  // others, but for quotes and dashes
  bool has_digit_inside = false;
  bool has_question_inside = false;
  bool has_latin = false;
  bool has_cyrillic = false;
  bool is_link = false;

  explicit WordParts(Word word) {
    char32_t between = 0;  // a digit or question mark behind a letter
    for (const char32_t c : word) {
      const LetterKind kind = LetterTable::instance()[c].kind;
      const bool is_letter =
          kind == LetterKind::letter || kind == LetterKind::mark || kind == LetterKind::segmented;
      if (is_letter) {
        ++letters;
        unspaced += kind == LetterKind::segmented ? 1 : 0;
        has_latin |= c < 0x250;
        has_cyrillic |= c >= 0x400 && c < 0x530;
        has_question_inside |= between == '?';
        has_digit_inside |= between != 0 && between != '?';
        between = 0;
        continue;
      }
      if (letters > 0) between = kind == LetterKind::digit || c == '?' ? c : 0;
      digits += kind == LetterKind::digit ? 1 : 0;
      questions += c == '?' ? 1 : 0;
      is_link |= has(U"/=@", c);
      symbols += kind == LetterKind::digit || is_quote_or_dash(c) ? 0 : 1;
    }
  }

  bool is_damaged(Word word) const {
    constexpr int64_t few = 3;
    return std::ranges::any_of(word, is_unsound) || has_wrong_1252(word) || has_wrong_1251(word) ||
           has_markup(word) || (has_question_inside && !is_link) ||
           (letters == 0 && questions >= few) || (has_latin && has_cyrillic);
  }
  bool is_sound() const {
    constexpr int64_t longest = 40;
    return letters > 0 && !has_digit_inside && !is_link && (unspaced > 0 || letters <= longest);
  }
};

// Counts the words of pieces.
class QualityReader {
 public:
  // The next piece, without blanks at its ends.
  void read(std::string_view piece) {
    TextQuality own;
    read_words(piece, own);
    constexpr size_t long_piece = 10;  // bytes
    const bool is_new = piece.size() < long_piece || seen_.insert(hash64(piece)).second;
    sum_.damaged += own.damaged;
    sum_.symbols += own.symbols;
    if (!is_new) {
      ++sum_.repeated;
    } else if (is_no_prose(piece)) {
      sum_.others += own.letters + own.others;
    } else {
      sum_.words += own.words;
      sum_.letters += own.letters;
      sum_.others += own.others;
    }
  }

  TextQuality& sum() { return sum_; }

 private:
  // The rules of C4.
  static bool is_no_prose(std::string_view piece) {
    return piece.find('{') != std::string_view::npos || contains(piece, "javascript") ||
           contains(piece, "lorem ipsum");
  }

  static bool contains(std::string_view piece, std::string_view words) {
    const auto equal = [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
    };
    return std::search(piece.begin(), piece.end(), words.begin(), words.end(), equal) !=
           piece.end();
  }

  void read_words(std::string_view piece, TextQuality& counts) {
    int64_t singles = 0;  // words of one letter up to here
    for (size_t at = 0; at < piece.size();) {
      const CodePoint point = decode_utf8(piece, at);
      at += point.size;
      if (!is_blank(point.value)) {
        word_.push_back(point.value);
      } else if (!word_.empty()) {
        end_word(singles, counts);
      }
    }
    if (!word_.empty()) end_word(singles, counts);
    end_singles(singles, counts);
  }

  void end_word(int64_t& singles, TextQuality& counts) {
    const WordParts parts(word_);
    const bool is_single = parts.letters == 1 && parts.unspaced == 0 && parts.digits == 0;
    const bool is_damaged = parts.is_damaged(word_);
    const auto size = static_cast<int64_t>(word_.size());
    word_.clear();
    if (!is_single) end_singles(singles, counts);
    if (is_damaged) {
      ++counts.damaged;
    } else if (is_single) {
      ++singles;
    } else if (parts.is_sound()) {
      ++counts.words;
      counts.letters += parts.letters;
    } else if (parts.letters == 0 && parts.digits == 0 && parts.symbols > 0) {
      ++counts.symbols;
    } else {
      counts.others += size;
    }
  }

  // Three or more single letters in a row are a word that was torn apart.
  static void end_singles(int64_t& singles, TextQuality& counts) {
    constexpr int64_t torn = 3;
    if (singles >= torn) {
      counts.damaged += singles;
    } else {
      counts.words += singles;
      counts.letters += singles;
    }
    singles = 0;
  }

  TextQuality sum_;
  std::unordered_set<uint64_t> seen_;  // hashes of pieces
  std::u32string word_;
};

void read_end(std::string_view last, TextQuality& quality) {
  constexpr std::string_view cuts[] = {"...",       "\u2026",    "[...]",     "[\u2026]",
                                       "(...)",     "read more", "Read more", "Read More",
                                       "READ MORE", "(more)"};
  quality.is_cut =
      std::ranges::any_of(cuts, [&](std::string_view cut) { return last.ends_with(cut); });
  char32_t stop = 0;  // the last code point that is no quote
  for (size_t at = 0; at < last.size();) {
    const CodePoint point = decode_utf8(last, at);
    at += point.size;
    const bool ends = is_stop(point.value) || is_wide_stop(point.value);
    if (ends || !is_quote_or_dash(point.value)) stop = point.value;
  }
  quality.is_open = !is_stop(stop) && !is_wide_stop(stop);
}

}  // namespace

int64_t TextQuality::score() const {
  constexpr int64_t tenths = 10;
  constexpr int64_t cut = 20;
  constexpr int64_t open = 5;
  const int64_t whole = letters + words - repeated - damaged - symbols -
                        (is_cut    ? cut
                         : is_open ? open
                                   : 0);
  return tenths * whole + others;
}

TextQuality text_quality(std::string_view text) {
  QualityReader reader;
  std::string_view last;
  const auto end_piece = [&](size_t begin, size_t end) {
    const std::string_view piece = trim(text.substr(begin, end - begin));
    if (piece.empty()) return;
    reader.read(piece);
    last = piece;
  };
  size_t begin = 0;
  bool was_stop = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.size;
    const bool ends =
        point.value == '\n' || is_wide_stop(point.value) || (was_stop && is_blank(point.value));
    if (ends) {
      end_piece(begin, at);
      begin = at;
    }
    was_stop = is_stop(point.value) || (was_stop && is_quote_or_dash(point.value));
  }
  end_piece(begin, text.size());
  read_end(last, reader.sum());
  return reader.sum();
}

}  // namespace kith::text
