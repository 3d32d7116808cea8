#include "text/words/language.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace kith::text {
namespace {

struct LanguageNames {
  std::string_view name;
  std::array<std::string_view, 6> codes;  // ISO 639-1 and 639-2, macro-language's parts
};

// In the order of the enumeration.
constexpr std::array<LanguageNames, static_cast<size_t>(Language::other)> languages = {{
    {"english", {"en", "eng"}},
    {"arabic", {"ar", "ara", "arb"}},
    {"armenian", {"hy", "hye", "arm"}},
    {"basque", {"eu", "eus", "baq"}},
    {"catalan", {"ca", "cat"}},
    {"danish", {"da", "dan"}},
    {"dutch", {"nl", "nld", "dut"}},
    {"finnish", {"fi", "fin"}},
    {"french", {"fr", "fra", "fre"}},
    {"german", {"de", "deu", "ger"}},
    {"greek", {"el", "ell", "gre"}},
    {"hindi", {"hi", "hin"}},
    {"hungarian", {"hu", "hun"}},
    {"indonesian", {"id", "ind", "in"}},
    {"irish", {"ga", "gle"}},
    {"italian", {"it", "ita"}},
    {"lithuanian", {"lt", "lit"}},
    {"nepali", {"ne", "nep", "npi"}},
    {"norwegian", {"no", "nb", "nn", "nor", "nob", "nno"}},
    {"portuguese", {"pt", "por"}},
    {"romanian", {"ro", "ron", "rum", "mo", "mol"}},
    {"russian", {"ru", "rus"}},
    {"serbian", {"sr", "srp"}},
    {"spanish", {"es", "spa"}},
    {"swedish", {"sv", "swe"}},
    {"tamil", {"ta", "tam"}},
    {"turkish", {"tr", "tur"}},
    {"yiddish", {"yi", "yid", "ji", "ydd"}},
    {"afrikaans", {"af", "afr"}},
    {"bengali", {"bn", "ben"}},
    {"bulgarian", {"bg", "bul"}},
    {"chinese", {"zh", "zho", "chi", "cmn"}},
    {"croatian", {"hr", "hrv"}},
    {"czech", {"cs", "ces", "cze"}},
    {"esperanto", {"eo", "epo"}},
    {"estonian", {"et", "est", "ekk"}},
    {"galician", {"gl", "glg"}},
    {"gujarati", {"gu", "guj"}},
    {"hausa", {"ha", "hau"}},
    {"hebrew", {"he", "heb", "iw"}},
    {"japanese", {"ja", "jpn"}},
    {"korean", {"ko", "kor"}},
    {"kurdish", {"ku", "ckb"}},
    {"latin", {"la", "lat"}},
    {"latvian", {"lv", "lav", "lvs"}},
    {"malay", {"ms", "msa", "may", "zsm", "zlm"}},
    {"marathi", {"mr", "mar"}},
    {"persian", {"fa", "fas", "per", "pes", "prs"}},
    {"polish", {"pl", "pol"}},
    {"slovak", {"sk", "slk", "slo"}},
    {"slovene", {"sl", "slv", "slovenian"}},
    {"somali", {"so", "som"}},
    {"sotho", {"st", "sot"}},
    {"swahili", {"sw", "swa", "swh"}},
    {"tagalog", {"tl", "tgl", "fil"}},
    {"thai", {"th", "tha"}},
    {"ukrainian", {"uk", "ukr"}},
    {"vietnamese", {"vi", "vie"}},
    {"yoruba", {"yo", "yor"}},
    {"zulu", {"zu", "zul"}},
}};

}  // namespace

std::string_view language_name(Language language) {
  const auto index = static_cast<size_t>(language);
  return index < languages.size() ? languages[index].name : "other";
}

std::string_view language_tag(Language language) {
  const auto index = static_cast<size_t>(language);
  return index < languages.size() ? languages[index].codes[0] : "other";
}

std::string_view stemmer_tag(Language language) {
  return language_tag(has_stemmer(language) ? language : Language::other);
}

std::optional<Language> language_of_tag(std::string_view tag) {
  tag = trim(tag);
  const auto end = std::ranges::find_if_not(tag, is_ascii_alpha);
  const std::string_view primary = tag.substr(0, static_cast<size_t>(end - tag.begin()));
  if (primary.empty()) return std::nullopt;
  for (size_t i = 0; i < languages.size(); ++i) {
    const auto is_primary = [&](std::string_view name) {
      return equals_ignoring_case(primary, name);
    };
    if (is_primary(languages[i].name) || std::ranges::any_of(languages[i].codes, is_primary)) {
      return static_cast<Language>(i);
    }
  }
  return std::nullopt;
}

}  // namespace kith::text
