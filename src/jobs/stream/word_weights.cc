#include "jobs/stream/word_weights.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "bags/weights.h"

namespace kith::jobs {
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
