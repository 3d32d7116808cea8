#include "support/random_bags.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"

namespace kith::test {
namespace {

using Words = std::vector<std::pair<uint32_t, double>>;

// A Zipfian rank in [0, n): P(rank) falls roughly as 1 / (rank + 1).
uint32_t zipf(Rng& rng, uint32_t n) {
  const double rank = std::exp(rng.uniform() * std::log(static_cast<double>(n) + 1)) - 1;
  return std::min(n - 1, static_cast<uint32_t>(rank));
}

double weight_of(Rng& rng, uint32_t term) {
  const double rarity = 1 + std::log(static_cast<double>(term) + 2);
  return std::sqrt(1 + static_cast<double>(rng.below(6))) * rarity;
}

uint32_t draw_term(Rng& rng, const RandomBagsOptions& options, uint32_t topic) {
  if (options.topics > 0 && rng.uniform() < options.topic_share) {
    const uint64_t word = zipf(rng, options.topic_words);
    return static_cast<uint32_t>(mix64(uint64_t{topic} << 32 | word) % options.vocabulary);
  }
  return zipf(rng, options.vocabulary);
}

Words draw_words(Rng& rng, const RandomBagsOptions& options, uint32_t topic) {
  const size_t count = options.words / 2 + rng.below(options.words + 1);
  std::map<uint32_t, double> words;
  for (size_t tries = 0; words.size() < count && tries < 4 * count; ++tries) {
    const uint32_t term = draw_term(rng, options, topic);
    words.try_emplace(term, weight_of(rng, term));
  }
  return {words.begin(), words.end()};
}

Words edit(Rng& rng, const RandomBagsOptions& options, sketch::Bag bag, uint32_t topic) {
  Words words;
  for (const sketch::BagEntry entry : bag) {
    if (rng.uniform() < options.family_edit) {
      const uint32_t term = draw_term(rng, options, topic);
      words.emplace_back(term, entry.weight);
    } else {
      words.emplace_back(entry.term, entry.weight);
    }
  }
  return words;
}

}  // namespace

void OwnedBags::add(std::span<const std::pair<uint32_t, double>> words) {
  std::map<uint32_t, double> sums;
  double total = 0;
  for (const auto& [term, weight] : words) {
    sums[term] += weight;
    total += weight;
  }
  const size_t first = entries_.size();
  uint64_t given = 0;
  for (const auto& [term, weight] : sums) {
    const double share = weight / total * sketch::bag_total;
    const auto units = static_cast<uint32_t>(std::max(1.0, std::floor(share)));
    entries_.push_back({term, units});
    given += units;
  }
  if (first < entries_.size()) {
    const auto heaviest = std::max_element(
        entries_.begin() + static_cast<ptrdiff_t>(first), entries_.end(),
        [](sketch::BagEntry a, sketch::BagEntry b) { return a.weight < b.weight; });
    heaviest->weight =
        static_cast<uint32_t>(heaviest->weight + uint64_t{sketch::bag_total} - given);
  }
  offsets_.push_back(entries_.size());
}

void OwnedBags::add_copy(sketch::Bag bag) {
  const std::vector<sketch::BagEntry> copy(bag.begin(), bag.end());
  entries_.insert(entries_.end(), copy.begin(), copy.end());
  offsets_.push_back(entries_.size());
}

OwnedBags random_bags(const RandomBagsOptions& options, std::vector<uint32_t>* topic_of) {
  Rng rng(options.seed);
  OwnedBags bags;
  std::vector<uint32_t> topics;
  for (size_t id = 0; id < options.bags; ++id) {
    const double kind = rng.uniform();
    const auto topic = static_cast<uint32_t>(rng.below(std::max(1u, options.topics)));
    topics.push_back(topic);
    if (kind < options.empty_share) {
      bags.add({});
    } else if (id > 0 && kind < options.empty_share + options.duplicate_share) {
      const size_t original = rng.below(id);
      topics.back() = topics[original];
      bags.add_copy(bags[original]);
    } else if (id > 0 &&
               kind < options.empty_share + options.duplicate_share + options.family_share) {
      // Families grow around few originals, as template pages do.
      const size_t original = rng.below(1 + id / 20);
      topics.back() = topics[original];
      bags.add(edit(rng, options, bags[original], topics[original]));
    } else {
      bags.add(draw_words(rng, options, topic));
    }
  }
  if (topic_of != nullptr) *topic_of = std::move(topics);
  return bags;
}

}  // namespace kith::test
