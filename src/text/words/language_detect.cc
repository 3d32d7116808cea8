// How a page's language is told; the reasons and the measurements stand in
// docs/algorithms/words.md.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include "base/bytes.h"
#include "text/words/language.h"
#include "text/words/letters.h"
#include "text/words/terms.h"

namespace kith::text {
namespace {

constexpr size_t sample_bytes = 2048;
constexpr uint32_t sample_words = 160;  // of them are looked up in the stop lists
constexpr size_t language_count = static_cast<size_t>(Language::other) + 1;

enum class Script : uint8_t {
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  indic,
  tamil,
  none
};
constexpr size_t script_count = static_cast<size_t>(Script::none) + 1;

Script script_of(char32_t c) {
  if (c < 0x250 || (c >= 0x1e00 && c < 0x1f00)) return Script::latin;
  if (c < 0x370) return Script::none;
  if (c < 0x400) return Script::greek;
  if (c < 0x530) return Script::cyrillic;
  if (c < 0x590) return Script::armenian;
  if (c < 0x600) return Script::hebrew;
  if (c < 0x780) return Script::arabic;
  if (c >= 0x900 && c < 0x980) return Script::indic;
  if (c >= 0xb80 && c < 0xc00) return Script::tamil;
  if (c >= 0x1f00 && c < 0x2000) return Script::greek;
  return Script::none;
}

// Serbian is written in two scripts; it is told by its words alone.
bool is_written_in(Language language, Script script) {
  switch (language) {
    case Language::greek:
      return script == Script::greek;
    case Language::russian:
      return script == Script::cyrillic;
    case Language::serbian:
      return script == Script::cyrillic || script == Script::latin;
    case Language::armenian:
      return script == Script::armenian;
    case Language::yiddish:
      return script == Script::hebrew;
    case Language::arabic:
      return script == Script::arabic;
    case Language::hindi:
    case Language::nepali:
      return script == Script::indic;
    case Language::tamil:
      return script == Script::tamil;
    default:
      return script == Script::latin;
  }
}

// Whether stop words alone do not tell the language, since others without a stemmer have many of
// them, too. Some are relatives: Ukrainian and Bulgarian, Croatian and Macedonian, Occitan,
// Scottish Gaelic, Azerbaijani, Persian and Urdu, Marathi and Bhojpuri. And our own lists in the
// Latin script are so long that their short words occur by chance in unrelated languages.
bool has_common_stop_words(Language language) {
  switch (language) {
    case Language::arabic:
    case Language::basque:
    case Language::catalan:
    case Language::hindi:
    case Language::irish:
    case Language::lithuanian:
    case Language::nepali:
    case Language::russian:
    case Language::serbian:
    case Language::turkish:
      return true;
    default:
      return false;
  }
}

// Russian's list is so short that 15 % of the words of a relative are not in it.
bool has_few_common_stop_words(Language language) {
  return language == Language::russian || !has_common_stop_words(language);
}

// What a sample of the text says. Languages without a stemmer have no stop words that tell them.
struct Evidence {
  uint32_t words = 0;
  std::array<uint32_t, language_count> stop_words = {};
  std::array<uint32_t, script_count> scripts = {};  // words by the script of their first letter

  double share(Language language) const {
    return words == 0 ? 0 : double{1} * stop_words[static_cast<size_t>(language)] / words;
  }
  uint32_t words_written_as(Language language) const {
    uint32_t count = 0;
    for (size_t s = 0; s < script_count; ++s) {
      if (is_written_in(language, static_cast<Script>(s))) count += scripts[s];
    }
    return count;
  }
  // The language with the most stop words among those for which `counts`.
  template <class Counts>
  Language strongest_if(Counts&& counts) const {
    Language best = Language::other;
    for (size_t i = 0; i < language_count; ++i) {
      const auto language = static_cast<Language>(i);
      if (stop_words[i] > stop_words[static_cast<size_t>(best)] && counts(language)) {
        best = language;
      }
    }
    return best;
  }
  Language strongest_but(Language except) const {
    return strongest_if([=](Language language) { return language != except; });
  }
};

// Calls take(word, script) for at most sample_words of the sample, a longer word as an empty one.
// Cuts words more simply than WordSplitter: nothing is segmented, every character of a script
// without blanks is one word of no script.
template <class Take>
void for_each_word(std::string_view sample, Take&& take) {
  constexpr size_t longest = 48;
  const LetterTable& letters = LetterTable::instance();
  std::array<char, longest + 4> word;
  size_t size = 0;
  uint32_t words = 0;
  Script script = Script::none;
  const auto end_word = [&] {
    if (size == 0) return;
    take(std::string_view(word.data(), size <= longest ? size : 0), script);
    ++words;
    size = 0;
  };
  for (size_t at = 0; at < sample.size() && words < sample_words;) {
    const CodePoint c = decode_utf8(sample, at);
    const Letter letter = letters[c.value];
    at += c.size;
    if (letter.kind == LetterKind::letter) {
      if (size == 0) script = script_of(letter.lower);
      if (size <= longest) size += encode_utf8(letter.lower, word.data() + size);
    } else if (letter.kind == LetterKind::segmented) {
      end_word();
      take(std::string_view(), Script::none);
      ++words;
    } else if (letter.kind == LetterKind::none || letter.kind == LetterKind::digit) {
      end_word();
    }
  }
  end_word();
}

Evidence read_evidence(std::string_view sample) {
  Evidence evidence;
  for_each_word(sample, [&](std::string_view word, Script script) {
    ++evidence.words;
    ++evidence.scripts[static_cast<size_t>(script)];
    if (word.empty()) return;
    for (uint32_t set = languages_of_stop_word(word); set != 0; set &= set - 1) {
      ++evidence.stop_words[static_cast<size_t>(std::countr_zero(set))];
    }
  });
  return evidence;
}

// Whether the text has words of a relative of `language`, or too few of its stop words for prose.
bool is_of_relative(const Evidence& evidence, std::string_view sample, Language language) {
  constexpr uint32_t many_words = 50;
  const bool is_indic = language == Language::hindi || language == Language::nepali;
  const bool is_latin = is_written_in(language, Script::latin) && language != Language::english;
  const double least = is_indic ? 0.04 : is_latin ? 0.09 : 0;
  if (evidence.words >= many_words && evidence.share(language) < least) return true;
  RelativeCounter relatives(language);
  for_each_word(sample, [&](std::string_view word, Script) { relatives.add(word); });
  return relatives.is_relative();
}

// Whether the text speaks against `language`, so that its attribute is not believed unseen.
bool contradicts(const Evidence& evidence, Language language, std::string_view tag) {
  constexpr uint32_t few_words = 20;
  if (evidence.words < few_words) return false;
  const Language best = evidence.strongest_but(language);
  const double rival = evidence.share(best);
  // Nobody writes the tag of a rare language by mistake where the text is in a relative of it.
  if (!has_stemmer(language)) {
    return rival >= 0.15 && has_few_common_stop_words(best) && !is_relative(tag, best);
  }
  if (evidence.words_written_as(language) * 4 < evidence.words) return true;
  const double own = evidence.share(language);
  if (rival >= 0.12 && own < rival * 0.8) return true;
  return own < 0.05;
}

// Pages without an attribute are so many that a clear case is worth a short way: the language
// whose stop words lead by far. Nothing when the case is not clear.
std::optional<Language> clear_language(const Evidence& evidence) {
  const Language best = evidence.strongest_but(Language::other);
  if (evidence.words < 20 || best == Language::other || has_common_stop_words(best)) {
    return std::nullopt;
  }
  const double share = evidence.share(best);
  const double rival = evidence.share(evidence.strongest_but(best));
  if (share >= 0.2 && rival <= share / 2) return best;
  return std::nullopt;
}

// English in the middle of program text is the plain case of technical documentation, and CLD2
// takes much of it for Norwegian. Other languages of the Latin script that bring this few letters
// beyond ASCII have stop words of their own.
bool is_technical_english(const Evidence& evidence, std::string_view sample) {
  if (evidence.words < 20 || evidence.strongest_but(Language::other) != Language::english) {
    return false;
  }
  const double share = evidence.share(Language::english);
  const double rival = evidence.share(evidence.strongest_but(Language::english));
  if (share < 0.05 || rival > share * 2 / 3) return false;
  const auto foreign =
      std::ranges::count_if(sample, [](char c) { return static_cast<uint8_t>(c) >= 0x80; });
  return static_cast<size_t>(foreign) * 300 <= sample.size();
}

bool is_mostly_latin(const Evidence& evidence) {
  return evidence.words_written_as(Language::english) * 2 >= evidence.words;
}

// Of a text in Latin letters that is Serbian, Croatian, Bosnian or Montenegrin: whether it is to
// be taken for Serbian. So is prose that says nothing for any of them.
bool is_latin_serbian(const Evidence& evidence, std::string_view sample) {
  constexpr double least_of_prose = 0.15;
  SerbianCounter counter;
  for_each_word(sample, [&](std::string_view word, Script) { counter.add(word); });
  return counter.is_serbian().value_or(evidence.share(Language::serbian) >= least_of_prose);
}

// The answer when nothing is certain and the page does not name its language. CLD2 knows prose of
// every language with a stemmer: what it does not know is another language, or no prose.
Language guess(const Evidence& evidence, std::string_view sample) {
  const bool is_latin = is_mostly_latin(evidence);
  const double serbian = evidence.share(Language::serbian);
  if (is_latin && serbian >= 0.25 &&
      evidence.share(evidence.strongest_but(Language::serbian)) <= serbian * 0.6) {
    return is_latin_serbian(evidence, sample) ? Language::serbian : Language::other;
  }
  const Language best = evidence.strongest_if(has_few_common_stop_words);
  const double share = evidence.share(best);
  const double rival = evidence.share(evidence.strongest_but(best));
  const bool is_latin_best = is_written_in(best, Script::latin);
  const bool leads = is_latin_best ? share >= 0.25 && rival <= share * 0.6 : share >= 0.1;
  if (best != Language::other && leads) return best;
  const double english = evidence.share(Language::english);
  const double other = evidence.share(evidence.strongest_but(Language::english));
  // Tables and program text bring few stop words, prose never so few.
  constexpr uint32_t few_words = 50;
  const bool may_be_english = evidence.words < few_words
                                  ? english >= other || other < 0.1
                                  : english >= 0.02 && english >= other * 1.5;
  return is_latin && may_be_english ? Language::english : Language::other;
}

// CLD2 tells Serbian from its relatives in Cyrillic letters alone.
bool is_serbian_or_relative(std::string_view code) {
  return code.starts_with("sr") || code == "hr" || code == "bs";
}

std::optional<Language> detect_by_cld2(const Evidence& evidence, std::string_view sample) {
  const CLD2::CLDHints hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  std::array<CLD2::Language, 3> best;
  std::array<int, 3> percent;
  std::array<double, 3> score;
  int text_bytes = 0;
  int valid_bytes = 0;
  bool is_reliable = false;
  const CLD2::Language language = CLD2::ExtDetectLanguageSummaryCheckUTF8(
      sample.data(), static_cast<int>(sample.size()), /*is_plain_text=*/true, &hints, /*flags=*/0,
      best.data(), percent.data(), score.data(), nullptr, &text_bytes, &is_reliable, &valid_bytes);
  if (!is_reliable || language == CLD2::UNKNOWN_LANGUAGE) return std::nullopt;
  const std::string_view code = CLD2::LanguageCode(language);
  if (is_serbian_or_relative(code) && is_mostly_latin(evidence)) {
    if (is_latin_serbian(evidence, sample)) return Language::serbian;
    return code == "hr" ? Language::croatian : Language::other;
  }
  return language_of_tag(code).value_or(Language::other);
}

// The nearest beginning of a character at or before `at`.
size_t character_begin(std::string_view text, size_t at) {
  const auto is_tail = [&](size_t i) { return (static_cast<uint8_t>(text[i]) & 0xc0) == 0x80; };
  while (at > 0 && at < text.size() && is_tail(at)) --at;
  return at;
}

// At most some sample_bytes from the second quarter of the text, as pages begin with navigation.
std::string_view sample_of(std::string_view text) {
  if (text.size() <= sample_bytes) return text;
  const size_t quarter = std::min(text.size() / 4, text.size() - sample_bytes);
  const size_t begin = character_begin(text, quarter);
  const size_t end = character_begin(text, begin + sample_bytes);
  return text.substr(begin, end - begin);
}

// The primary part of a tag.
std::string_view primary_of(std::string_view attribute) {
  const std::string_view tag = trim(attribute);
  const auto end = std::ranges::find_if_not(tag, is_ascii_alpha);
  return tag.substr(0, static_cast<size_t>(end - tag.begin()));
}

// A well-formed tag of a language without a list says what the page is not.
std::optional<Language> language_of_attribute(std::string_view attribute) {
  if (const auto language = language_of_tag(attribute)) return language;
  const size_t size = primary_of(attribute).size();
  if (size == 2 || size == 3) return Language::other;
  return std::nullopt;
}

// Of a page whose attribute is not believed.
Language detect(const Evidence& evidence, std::string_view sample,
                std::optional<Language> attribute) {
  const bool is_measured = !attribute || has_stemmer(*attribute);
  if (const auto clear = clear_language(evidence); clear && is_measured) return *clear;
  if (!attribute && is_technical_english(evidence, sample)) return Language::english;
  if (const auto detected = detect_by_cld2(evidence, sample)) return *detected;
  return attribute ? *attribute : guess(evidence, sample);
}

}  // namespace

Language detect_language(std::string_view lang_attribute, std::string_view text) {
  const std::string_view sample = sample_of(text);
  const Evidence evidence = read_evidence(sample);
  const auto attribute = language_of_attribute(lang_attribute);
  if (attribute && !contradicts(evidence, *attribute, primary_of(lang_attribute))) {
    return *attribute;
  }
  const Language language = detect(evidence, sample, attribute);
  if (!has_stemmer(language) || language == attribute) return language;
  return is_of_relative(evidence, sample, language) ? Language::other : language;
}

}  // namespace kith::text
