// The bags of new pages by the dictionary of a finished run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/report.h"

#include "bags/tables.h"
#include "bags/weights.h"
#include "sketch/bag.h"
#include "text/words/language.h"
#include "text/words/terms.h"

namespace kith::jobs {

// The stems of a run and what each weighs in a bag of content. Immutable, thread-safe.
class RunDictionary {
 public:
  // `terms` outlives this object and is verified.
  RunDictionary(const bags::TermTable& terms, const Report& report);

  // The number of a stem; nothing where the run does not count it.
  std::optional<uint32_t> find(std::string_view stem) const;
  double factor(uint32_t term) const { return factor_[term]; }
  // Whether a term is above the upper limit of document frequency.
  bool is_frequent(uint32_t term) const { return is_frequent_[term]; }
  Weighting weighting() const { return weighting_; }
  uint32_t max_terms() const { return max_terms_; }

 private:
  boost::unordered_flat_map<std::string_view, uint32_t> ids_;
  std::vector<double> factor_;
  std::vector<bool> is_frequent_;
  Weighting weighting_;
  uint32_t max_terms_;
};

// One worker's maker of bags of content, as BagWeigher makes them (bags/merge.h): in a run of
// both kinds of bags, those of URLs to which nobody links. Not thread-safe.
class PageBagger {
 public:
  // `dictionary` outlives this object. language: of every page; nothing: detected.
  PageBagger(const RunDictionary& dictionary, std::optional<text::Language> language)
      : dictionary_(&dictionary), language_(language) {}

  // Valid until the next call.
  sketch::Bag make(std::string_view title, std::string_view text,
                   std::string_view language_attribute);

 private:
  void count(text::Language language, std::string_view text);
  void weigh(bool frequent);

  const RunDictionary* dictionary_;
  const std::optional<text::Language> language_;
  text::StemReader stems_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
  std::vector<bags::RealWeight> weights_;
  std::vector<sketch::BagEntry> bag_;
};

}  // namespace kith::jobs
