#include <array>
#include <string>

#include <libstemmer.h>

#include "base/check.h"
#include "text/words/terms.h"

namespace kith::text {
namespace {

struct Delete {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using SnowballStemmer = std::unique_ptr<sb_stemmer, Delete>;

// The paper stems English by Porter's algorithm; what Snowball calls "english" is another one.
std::string algorithm_of(Language language) {
  return language == Language::english ? "porter" : std::string(language_name(language));
}

}  // namespace

struct Stemmer::Impl {
  std::array<SnowballStemmer, stemmer_count> stemmers;
};

Stemmer::Stemmer() : impl_(std::make_unique<Impl>()) {}
Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(Language language, std::string_view word) {
  if (!has_stemmer(language)) return word;
  auto& stemmer = impl_->stemmers[static_cast<size_t>(language)];
  if (!stemmer) {
    stemmer.reset(sb_stemmer_new(algorithm_of(language).c_str(), "UTF_8"));
    KITH_CHECK(stemmer != nullptr);
  }
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  const int size = stem == nullptr ? 0 : sb_stemmer_length(stemmer.get());
  if (size <= 0) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<size_t>(size)};
}

}  // namespace kith::text
