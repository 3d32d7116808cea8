// From a page to what it is compared by.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/page_bagger.h"
#include "jobs/stream/dictionary.h"
#include "jobs/stream/features.h"
#include "jobs/stream/word_counts.h"
#include "text/words/shingles.h"

namespace kith::jobs {

// One worker's; not thread-safe.
class FeatureMaker {
 public:
  // dictionary: that of the options, else null; it outlives this object. Where the options have one
  // no features can be made without it. REQUIRES: valid options.
  FeatureMaker(const StreamOptions& options, const WordDictionary* dictionary);

  // Valid until the next call, as long as what the page views. Errors of kind usage: elements that
  // do not ascend, or are not of this kind of stream.
  Result<Features> of_page(const StreamPage& page);

 private:
  Features of_text(std::string_view text);
  Result<Features> of_elements(std::span<const uint64_t> elements);
  Result<Features> of_words(const StreamPage& page);
  Features keep_fingerprint(uint64_t fingerprint);

  const StreamOptions options_;
  const WordDictionary* dictionary_;
  text::Shingler shingler_;
  WordCounts counts_;
  std::vector<uint64_t> elements_;
};

}  // namespace kith::jobs
