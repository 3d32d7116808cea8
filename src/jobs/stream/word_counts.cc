#include "jobs/stream/word_counts.h"

#include "base/hash.h"

namespace kith::jobs {

void WordCounts::make(std::string_view title, std::string_view text, std::string_view language,
                      std::vector<uint64_t>& counts) {
  const std::optional<text::Language> told = text::language_of_tag(language);
  const text::Language spoken = told ? *told : text::detect_language(language, text);
  count(spoken, title);
  count(spoken, text);
  counter_.take(counts_);
  counts.clear();
  for (const bags::TermCount& of : counts_) counts.push_back(uint64_t{of.term} << 32 | of.count);
}

void WordCounts::count(text::Language language, std::string_view text) {
  stems_.read(language, text, [&](std::string_view stem) {
    counter_.add(static_cast<uint32_t>(hash64(stem) >> 32));
  });
}

}  // namespace kith::jobs
