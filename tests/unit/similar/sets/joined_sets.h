// What a join of sets gives its sinks, for the tests of the joins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "similar/sets/set_pairs.h"

namespace kith::test {

struct JoinedSets {
  std::vector<similar::SetPair> pairs;
  std::vector<std::pair<uint32_t, uint32_t>> candidates;

  // They fill this object, which must stay where it is.
  similar::SetJoinSinks sinks() {
    similar::SetJoinSinks sinks;
    sinks.candidates = [this](std::span<const ShortKeyId> some) {
      for (const ShortKeyId& pair : some) {
        EXPECT_LT(pair.key, pair.id);
        candidates.emplace_back(pair.key, pair.id);
      }
    };
    sinks.pairs = [this](std::span<const similar::SetPair> sorted) {
      EXPECT_TRUE(std::ranges::is_sorted(sorted));
      pairs.insert(pairs.end(), sorted.begin(), sorted.end());
      return Status::ok();
    };
    return sinks;
  }
  void sort() {
    std::ranges::sort(pairs);
    std::ranges::sort(candidates);
  }
};

}  // namespace kith::test
