// The languages kith has a stemmer and a stop list for, and how a page's language is told. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kith::text {

// Those of libstemmer, and `other`: words are taken as they are. Values stand in urls.kith and
// shards: a change makes a new version of both.
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
  other,
};

std::string_view language_name(Language language);  // "english"; as libstemmer spells it

std::string_view language_tag(Language language);  // "en", of BCP 47; "other"

// From a BCP 47 tag ("de-AT") or an English name ("german"); nothing when it is unknown.
std::optional<Language> language_of_tag(std::string_view tag);

// The language of a page: its lang attribute where that is known and the text does not
// contradict it, else detection on a sample of `text` (valid UTF-8). Thread-safe.
Language detect_language(std::string_view lang_attribute, std::string_view text);

}  // namespace kith::text
