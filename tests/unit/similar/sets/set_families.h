// Sets of hashes in families of similar ones, for the tests of set joins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_join.h"
#include "sketch/lsh/tables.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"
#include "support/untouchable.h"

namespace kith::test {

// Every lane a table: whatever has a minimum in common meets.
inline constexpr sketch::TableParams all_lanes{.lanes = 128, .per_key = 1, .tables = 128};

// n sets in one array, with their signatures.
class SetFamilies {
 public:
  // Every third set is new, of 1 to 200 elements; the others are an earlier one of which up to
  // half is replaced, in a quarter of them nothing. Every 50th is empty.
  SetFamilies(size_t n, uint64_t seed, uint32_t lanes = 128) {
    Rng rng(seed);
    std::vector<std::vector<uint64_t>> all;
    for (size_t id = 0; id < n; ++id) {
      std::vector<uint64_t> set;
      if (id % 50 == 49) {
        // empty
      } else if (id % 3 == 0) {
        set.resize(1 + rng.below(200));
        for (uint64_t& element : set) element = rng();
      } else {
        set = all[rng.below(id)];
        if (!set.empty()) {
          const uint64_t most = rng.below(4) == 0 ? 0 : set.size() / 2;
          for (uint64_t i = rng.below(most + 1); i > 0; --i) {
            set[rng.below(set.size())] = rng();
          }
        }
      }
      std::ranges::sort(set);
      all.push_back(set);
      elements_.insert(elements_.end(), set.begin(), set.end());
      offsets_.push_back(elements_.size());
    }
    const sketch::SetSketcher hasher({.family = sketch::MinHashFamily::bins, .lanes = lanes});
    values_.resize(n * lanes);
    for (size_t id = 0; id < n; ++id) {
      hasher.sketch(all[id], std::span(values_).subspan(id * lanes, lanes));
    }
    signatures_ = sketch::Signatures(values_, lanes);
    mapping_ = std::make_unique<Untouchable<uint64_t>>(elements_);
  }

  similar::HashSets sets() const { return {elements_, offsets_}; }
  // The same, of a file that may be read, but whose pages may not be touched: what joins work on.
  similar::HashSets mapped() const { return {mapping_->span(), offsets_, mapping_.get()}; }
  const sketch::Signatures& signatures() const { return signatures_; }

  std::vector<uint32_t> ids() const {
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < sets().size(); ++id) {
      if (sets().size_of(id) > 0) ids.push_back(id);
    }
    return ids;
  }

  // All pairs of the similarity, ascending.
  std::vector<similar::SetPair> similar(double similarity) const {
    std::vector<similar::SetPair> pairs;
    for (uint32_t a = 0; a < sets().size(); ++a) {
      for (uint32_t b = a + 1; b < sets().size(); ++b) {
        const sketch::SetOverlap both = sketch::overlap(sets()[a], sets()[b]);
        if (both.resemblance() < similarity) continue;
        pairs.push_back({a, b, static_cast<uint32_t>(both.common)});
      }
    }
    return pairs;
  }

 private:
  std::vector<uint64_t> elements_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint16_t> values_;
  sketch::Signatures signatures_;
  std::unique_ptr<Untouchable<uint64_t>> mapping_;
};

}  // namespace kith::test
