#include "jobs/page_bagger.h"

#include <algorithm>

#include "bags/page_digest.h"
#include "bags/vocabulary/dictionary.h"

namespace kith::jobs {

RunDictionary::RunDictionary(const bags::TermTable& terms, const Report& report)
    : weighting_(report.options.weighting), max_terms_(max_terms_of(report.options)) {
  const bool is_both = report.options.bags == BagKind::both;
  const uint64_t filled =
      std::max<uint64_t>(1, is_both ? report.bags.contents : report.bags.urls - report.bags.empty);
  const auto most = std::max<uint64_t>(
      bags::min_max_df, static_cast<uint64_t>(report.options.max_df * static_cast<double>(filled)));
  ids_.reserve(terms.size());
  for (uint32_t term = 0; term < terms.size(); ++term) {
    const uint64_t df = std::clamp<uint64_t>(terms.document_frequency()[term], 1, filled);
    // A word of anchors alone has no weight in a content.
    if (terms.document_frequency()[term] >= report.options.min_df) {
      ids_.emplace(terms.stem(term), term);
    }
    factor_.push_back(bags::term_factor(weighting_, df, filled));
    is_frequent_.push_back(df > most);
  }
}

std::optional<uint32_t> RunDictionary::find(std::string_view stem) const {
  const auto found = ids_.find(stem);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

void PageBagger::count(text::Language language, std::string_view text) {
  stems_.read(language, text, [&](std::string_view stem) {
    if (const auto term = dictionary_->find(stem)) counter_.add(*term);
  });
}

void PageBagger::weigh(bool frequent) {
  weights_.clear();
  for (const bags::TermCount& entry : counts_) {
    if (dictionary_->is_frequent(entry.term) != frequent) continue;
    const double count = bags::count_factor(dictionary_->weighting(), entry.count);
    weights_.push_back({entry.term, count * dictionary_->factor(entry.term)});
  }
}

sketch::Bag PageBagger::make(std::string_view title, std::string_view text,
                             std::string_view language_attribute) {
  const text::Language language =
      language_ ? *language_ : text::detect_language(language_attribute, text);
  for (uint32_t i = 0; i < bags::title_count; ++i) count(language, title);
  count(language, text);
  counter_.take(counts_);
  weigh(false);
  if (weights_.empty()) weigh(true);
  bags::normalise(weights_, dictionary_->max_terms(), bag_);
  return bag_;
}

}  // namespace kith::jobs
