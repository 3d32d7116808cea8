// The languages kith has a stemmer or a stop list for, and how a page's language is told. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kith::text {

// Those of libstemmer; those that have stop words, but no stemmer; and `other`. Values stand in
// urls.kith and shards: a change makes a new version of both.
enum class Language : uint8_t {
  english,
  arabic,
  armenian,
  basque,
  catalan,
  danish,
  dutch,
  finnish,
  french,
  german,
  greek,
  hindi,
  hungarian,
  indonesian,
  irish,
  italian,
  lithuanian,
  nepali,
  norwegian,
  portuguese,
  romanian,
  russian,
  serbian,
  spanish,
  swedish,
  tamil,
  turkish,
  yiddish,
  afrikaans,  // the first without a stemmer
  bengali,
  bulgarian,
  chinese,
  croatian,
  czech,
  esperanto,
  estonian,
  galician,
  gujarati,
  hausa,
  hebrew,
  japanese,
  korean,
  kurdish,
  latin,
  latvian,
  malay,
  marathi,
  persian,
  polish,
  slovak,
  slovene,
  somali,
  sotho,
  swahili,
  tagalog,
  thai,
  ukrainian,
  vietnamese,
  yoruba,
  zulu,
  other,
};

inline constexpr size_t stemmer_count = static_cast<size_t>(Language::afrikaans);

constexpr bool has_stemmer(Language language) {
  return static_cast<size_t>(language) < stemmer_count;
}

std::string_view language_name(Language language);  // "english"; as libstemmer spells it

std::string_view language_tag(Language language);  // "en", of BCP 47; "other"

// The tag of a language with a stemmer, "other" for the rest.
std::string_view stemmer_tag(Language language);

// From a BCP 47 tag ("de-AT") or an English name ("german"); nothing when it is unknown.
std::optional<Language> language_of_tag(std::string_view tag);

// The language of a page: its lang attribute where that is known and the text does not
// contradict it, else detection on a sample of `text` (valid UTF-8). A language without a stemmer
// is the one that the attribute names or that CLD2 tells. Thread-safe.
Language detect_language(std::string_view lang_attribute, std::string_view text);

// Languages without a stemmer that are easily taken for one that has one.

// Whether the language of this primary tag ("sco") is so close to `language` that its texts have
// many of the stop words. Thread-safe.
bool is_relative(std::string_view tag, Language language);

// Counts the words of a text by the relatives of one language. A marker is a frequent word of a
// relative that the language lacks. Not thread-safe.
class RelativeCounter {
 public:
  explicit RelativeCounter(Language language) : language_(language) {}

  // `word` is in lower case.
  void add(std::string_view word);
  // Whether the text is rather in a relative: two markers, and every twenty-fifth word at least.
  bool is_relative() const;

 private:
  static constexpr uint32_t max_relatives = 64;

  Language language_;
  uint32_t words_ = 0;
  uint32_t markers_[max_relatives] = {};
};

// Serbian beside its relatives in the Latin script: they share their stop words.

// Counts the words that Serbian does not share with Croatian, Bosnian, Montenegrin and Slovene: by
// their vowels (vreme, vrijeme) and as words of their own (tokom, tijekom). Not thread-safe.
class SerbianCounter {
 public:
  // `word` is in lower case, with its diacritics.
  void add(std::string_view word);
  // Whether the text is Serbian rather than in a relative; nothing where no word says so or says
  // otherwise.
  std::optional<bool> is_serbian() const;

 private:
  uint32_t of_serbian_ = 0;
  uint32_t of_relatives_ = 0;
};

}  // namespace kith::text
