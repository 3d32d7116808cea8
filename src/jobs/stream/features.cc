#include "jobs/stream/features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "bags/weights.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"

namespace kith::jobs {
namespace {

constexpr double fingerprint_bits = 64;

double set_similarity(StreamMeasure measure, Features a, Features b) {
  const sketch::SetOverlap both = sketch::overlap(a, b);
  if (measure == StreamMeasure::resemblance) return both.resemblance();
  return both.a <= both.b ? both.containment_of_a() : both.containment_of_b();
}

bool ascend_by_term(Features features) {
  return std::ranges::adjacent_find(
             features, [](uint64_t a, uint64_t b) { return a >> 32 >= b >> 32; }) == features.end();
}

// sum_of_minima() of sketch/bag.h, without a copy of either bag.
uint32_t sum_of_minima(Features a, Features b) {
  return sketch::merged_minima(
      a, b, [](uint64_t entry) { return entry >> 32; },
      [](uint64_t entry) { return static_cast<uint32_t>(entry); });
}

// Counts of words.
bool are_counts(Features features) {
  return ascend_by_term(features) && std::ranges::all_of(features, [](uint64_t word) {
           return static_cast<uint32_t>(word) > 0;
         });
}

}  // namespace

std::vector<sketch::BagEntry> bag_of(Features features) {
  std::vector<sketch::BagEntry> bag;
  bag.reserve(features.size());
  for (const uint64_t entry : features) {
    bag.push_back({static_cast<uint32_t>(entry >> 32), static_cast<uint32_t>(entry)});
  }
  return bag;
}

bool is_bag(Features features) {
  uint64_t total = 0;
  for (const uint64_t entry : features) total += static_cast<uint32_t>(entry);
  return features.empty() || (are_counts(features) && total == sketch::bag_total);
}

bool learns_words(const StreamOptions& options) {
  return options.by == StreamBy::bags && options.dictionary.empty();
}

bool are_sound(const StreamOptions& options, Features features) {
  if (features.empty()) return true;
  switch (options.by) {
    case StreamBy::shingles:
      return std::ranges::adjacent_find(features, std::ranges::greater_equal()) == features.end();
    case StreamBy::simhash:
    case StreamBy::fingerprint:
      return features.size() == 1;
    case StreamBy::bags:
      return learns_words(options) ? are_counts(features) : is_bag(features);
  }
  return false;
}

double similarity_of(const StreamOptions& options, Features a, Features b) {
  if (a.empty() || b.empty()) return 0;
  switch (options.by) {
    case StreamBy::shingles:
      return set_similarity(options.measure, a, b);
    case StreamBy::simhash:
      return 1 - std::popcount(a[0] ^ b[0]) / fingerprint_bits;
    case StreamBy::fingerprint:
      return a[0] == b[0] ? 1 : 0;
    case StreamBy::bags:
      return kith::sketch::similarity_of(sum_of_minima(a, b));
  }
  return 0;
}

double min_similarity(const StreamOptions& options) {
  switch (options.by) {
    case StreamBy::shingles:
    case StreamBy::bags:
      return options.similarity;
    case StreamBy::simhash:
      return 1 - options.distance / fingerprint_bits;
    case StreamBy::fingerprint:
      return 1;
  }
  return 1;
}

double decayed(const StreamOptions& options, double similarity, uint64_t ms) {
  if (options.half_life_ms == 0) return similarity;
  return similarity *
         std::exp2(-static_cast<double>(ms) / static_cast<double>(options.half_life_ms));
}

int64_t horizon_ms(const StreamOptions& options) {
  const double horizon =
      -std::log2(min_similarity(options)) * static_cast<double>(options.half_life_ms);
  // What is dropped must not depend on how a logarithm is rounded: a millisecond more is kept.
  constexpr double most = 9e18;
  return horizon < most ? static_cast<int64_t>(horizon) + 1 : std::numeric_limits<int64_t>::max();
}

namespace {

uint32_t term_of(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}

bool begins_epoch(uint64_t pages) {
  return pages >= WordWeights::first_epoch && std::has_single_bit(pages);
}

}  // namespace

bool WordWeights::count(Features words) {
  ++pages_;
  for (const uint64_t word : words) {
    const auto found = words_.find(term_of(word));
    if (found != words_.end()) {
      found->second.now += found->second.now < UINT32_MAX ? 1 : 0;
    } else if (words_.size() < most_words_) {
      words_.emplace(term_of(word), Pages{1, 0});
    }
  }
  if (!begins_epoch(pages_)) return false;
  begin_epoch();
  return true;
}

void WordWeights::begin_epoch() {
  for (uint32_t fewest = 1; words_.size() > most_words_ / 2; ++fewest) {
    boost::unordered::erase_if(words_, [&](const auto& word) { return word.second.now <= fewest; });
  }
  for (auto& [term, pages] : words_) pages.known = pages.now;
  known_pages_ = pages_;
}

void WordWeights::weigh(Features words, std::vector<uint64_t>& bag) const {
  std::vector<bags::RealWeight> weights;
  weights.reserve(words.size());
  for (const uint64_t word : words) {
    double weight = bags::count_factor(Weighting::tf_idf, static_cast<uint32_t>(word));
    if (known_pages_ > 0) {
      const auto found = words_.find(term_of(word));
      const uint32_t df = found == words_.end() ? 1 : std::max(found->second.known, 1u);
      weight *= bags::term_factor(Weighting::tf_idf, df, known_pages_);
    }
    weights.push_back({term_of(word), weight});
  }
  std::vector<sketch::BagEntry> entries;
  bags::normalise(weights, 0, entries);
  bag.clear();
  for (const sketch::BagEntry& entry : entries) bag.push_back(packed(entry));
}

std::vector<WordWeights::Word> WordWeights::words() const {
  std::vector<Word> words;
  words.reserve(words_.size());
  for (const auto& [term, pages] : words_) words.push_back({term, pages.now, pages.known});
  std::ranges::sort(words, {}, &Word::term);
  return words;
}

bool WordWeights::restore(uint64_t pages, uint64_t known_pages, std::span<const Word> words) {
  const bool is_epoch = begins_epoch(known_pages) || (known_pages == 0 && pages < first_epoch);
  if (!is_epoch || known_pages > pages || words.size() > most_words_) return false;
  for (const Word& word : words) {
    if (word.pages == 0 || word.pages > pages || word.known > word.pages ||
        word.known > known_pages) {
      return false;
    }
    if (!words_.emplace(word.term, Pages{word.pages, word.known}).second) return false;
  }
  pages_ = pages;
  known_pages_ = known_pages;
  return true;
}

uint64_t WordWeights::bytes() const {
  return words_.bucket_count() * (sizeof(std::pair<uint32_t, Pages>) + 1);
}

}  // namespace kith::jobs
