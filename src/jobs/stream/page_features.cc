#include "jobs/stream/page_features.h"

#include <algorithm>

#include "jobs/dedup/read.h"
#include "similar/fingerprints/simhash_set_join.h"
#include "sketch/simhash.h"

namespace kith::jobs {

FeatureMaker::FeatureMaker(const StreamOptions& options, const WordDictionary* dictionary)
    : options_(options), dictionary_(dictionary), shingler_(shingle_options(options.shingles)) {}

Result<Features> FeatureMaker::of_page(const StreamPage& page) {
  if (options_.by == StreamBy::bags) return of_words(page);
  if (page.elements.empty()) return of_text(page.text);
  return of_elements(page.elements);
}

Result<Features> FeatureMaker::of_words(const StreamPage& page) {
  if (!page.elements.empty()) {
    return Error{ErrorKind::usage, "elements: of a stream by bags a page has a text"};
  }
  if (learns_words(options_)) {
    counts_.make(page.title, page.text, page.language, elements_);
    return Features(elements_);
  }
  if (dictionary_ == nullptr) {
    return Error{ErrorKind::usage, "a stream by bags that is read only makes no bags"};
  }
  PageBagger bagger(dictionary_->words(), text::language_of_tag(page.language));
  elements_.clear();
  for (const sketch::BagEntry& entry : bagger.make(page.title, page.text, page.language)) {
    elements_.push_back(packed(entry));
  }
  return Features(elements_);
}

Features FeatureMaker::of_text(std::string_view text) {
  shingler_.elements(text, elements_);
  if (options_.by == StreamBy::shingles || elements_.empty()) return elements_;
  return keep_fingerprint(similar::set_fingerprint(elements_));
}

Result<Features> FeatureMaker::of_elements(std::span<const uint64_t> elements) {
  if (options_.by == StreamBy::shingles) {
    if (std::ranges::adjacent_find(elements, std::ranges::greater_equal()) == elements.end()) {
      return elements;
    }
    return Error{ErrorKind::usage,
                 "elements: they must ascend, each once, as shingles() gives them"};
  }
  if (elements.size() > 1) {
    return Error{ErrorKind::usage, "elements: of a stream by fingerprints a page has one"};
  }
  return elements.empty() ? elements : keep_fingerprint(elements[0]);
}

Features FeatureMaker::keep_fingerprint(uint64_t fingerprint) {
  const bool is_whole =
      options_.by == StreamBy::simhash || options_.bits == sketch::fingerprint_bits;
  const uint64_t kept = is_whole ? UINT64_MAX : ~(UINT64_MAX >> options_.bits);
  elements_.assign(1, fingerprint & kept);
  return elements_;
}

}  // namespace kith::jobs
