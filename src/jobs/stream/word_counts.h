// The words of a page by 32 bits of a hash, where no run gives them numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bags/term_counter.h"
#include "text/words/language.h"
#include "text/words/stems.h"

namespace kith::jobs {

// One worker's; not thread-safe.
class WordCounts {
 public:
  // Replaces `counts` by the stems of title and text without stop words: the term in the upper
  // half, how often it occurs in the lower one, ascending. language: a tag; empty: detected.
  void make(std::string_view title, std::string_view text, std::string_view language,
            std::vector<uint64_t>& counts);

 private:
  void count(text::Language language, std::string_view text);

  text::StemReader stems_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
};

}  // namespace kith::jobs
