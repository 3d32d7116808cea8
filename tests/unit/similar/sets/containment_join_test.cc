#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "similar/sets/set_join.h"
#include "sketch/estimate.h"
#include "support/untouchable.h"
#include "unit/similar/sets/joined_sets.h"

namespace kith::similar {
namespace {

// Sets of 1 to some thousand elements, of which two of three are mostly a part of an earlier one,
// of any ratio of sizes; all share some elements. Every 40th is empty.
class NestedSets {
 public:
  NestedSets(size_t n, uint64_t seed) {
    Rng rng(seed);
    std::vector<uint64_t> common(40);
    for (uint64_t& element : common) element = rng();
    std::vector<std::vector<uint64_t>> all;
    for (size_t id = 0; id < n; ++id) {
      std::vector<uint64_t> set;
      if (id % 40 == 39) {
        // empty
      } else if (id % 3 == 0) {
        set.resize(1 + rng.below(size_t{1} << (1 + rng.below(12))));
        for (uint64_t& element : set) element = rng();
        for (uint64_t i = rng.below(4); i > 0; --i) set.push_back(common[rng.below(40)]);
      } else {
        set = part_of(all[rng.below(id)], rng);
      }
      std::ranges::sort(set);
      set.erase(std::unique(set.begin(), set.end()), set.end());
      if (std::ranges::find(all, set) != all.end()) set.clear();
      all.push_back(set);
      elements_.insert(elements_.end(), set.begin(), set.end());
      offsets_.push_back(elements_.size());
      if (!set.empty()) ids_.push_back(static_cast<uint32_t>(id));
    }
    mapping_ = std::make_unique<kith::test::Untouchable<uint64_t>>(elements_);
  }

  HashSets sets() const { return {elements_, offsets_}; }
  HashSets mapped() const { return {mapping_->span(), offsets_, mapping_.get()}; }
  const std::vector<uint32_t>& ids() const { return ids_; }

  std::vector<SetPair> contained(double similarity) const {
    std::vector<SetPair> pairs;
    for (size_t i = 0; i < ids_.size(); ++i) {
      for (size_t j = i + 1; j < ids_.size(); ++j) {
        const sketch::SetOverlap both = sketch::overlap(sets()[ids_[i]], sets()[ids_[j]]);
        if (std::max(both.containment_of_a(), both.containment_of_b()) < similarity) continue;
        pairs.push_back({ids_[i], ids_[j], static_cast<uint32_t>(both.common)});
      }
    }
    return pairs;
  }

 private:
  static std::vector<uint64_t> part_of(std::vector<uint64_t> set, Rng& rng) {
    const uint64_t one_in = 1 + rng.below(8);
    std::erase_if(set, [&](uint64_t) { return rng.below(one_in) != 0; });
    if (rng.below(2) == 0) return set;
    const uint64_t share = rng.below(40);  // of a hundred elements, other ones
    for (uint64_t& element : set) {
      if (rng.below(100) < share) element = rng();
    }
    return set;
  }

  std::vector<uint64_t> elements_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint32_t> ids_;
  std::unique_ptr<kith::test::Untouchable<uint64_t>> mapping_;
};

struct JoinedByContainment : test::JoinedSets {  // sorted
  ContainmentJoinStats stats;
};

JoinedByContainment join(const NestedSets& input, const ContainmentJoinOptions& options,
                         unsigned threads) {
  ThreadPool pool(threads);
  JoinedByContainment joined;
  const SetJoinSinks sinks = joined.sinks();
  auto stats = containment_join(input.mapped(), input.ids(), options, pool, sinks);
  EXPECT_TRUE(stats.is_ok());
  joined.stats = stats.value();
  joined.sort();
  return joined;
}

bool holds(const std::vector<SetPair>& pairs, const SetPair& pair) {
  return std::ranges::binary_search(pairs, pair);
}

TEST(ContainmentJoin, FindsThePairsOfBruteForce) {
  const NestedSets input(900, 1);
  for (const double similarity : {0.3, 0.8, 1.0}) {
    const std::vector<SetPair> expected = input.contained(similarity);
    ASSERT_GT(expected.size(), 200u);
    const JoinedByContainment found = join(input, {.similarity = similarity, .recall = 0.99}, 2);
    uint64_t hits = 0;
    uint64_t whole = 0;
    for (const SetPair& pair : expected) {
      const uint64_t smaller = std::min(input.sets().size_of(pair.a), input.sets().size_of(pair.b));
      const bool hit = holds(found.pairs, pair);
      hits += hit ? 1 : 0;
      if (smaller >= 64) continue;
      ++whole;
      EXPECT_TRUE(hit) << pair.a << " " << pair.b;  // nothing is missed of small sets
    }
    EXPECT_GT(whole, 50u);
    EXPECT_EQ(hits, found.pairs.size());  // none that is no pair, none twice
    EXPECT_GE(static_cast<double>(hits), 0.99 * static_cast<double>(expected.size())) << similarity;
    EXPECT_EQ(found.stats.similar, found.pairs.size());
    EXPECT_EQ(found.stats.candidates, found.candidates.size());
    EXPECT_EQ(std::ranges::adjacent_find(found.candidates), found.candidates.end());
    EXPECT_GE(found.stats.met, found.stats.candidates);
  }
}

// Of pairs just at the similarity, planted at many ratios of sizes, so many are found as promised.
TEST(ContainmentJoin, KeepsTheRecallAtTheSimilarity) {
  constexpr size_t pairs = 400;
  for (const uint64_t ratio : {1u, 7u, 50u}) {
    Rng rng(ratio);
    std::vector<uint64_t> elements;
    std::vector<uint64_t> offsets{0};
    std::vector<uint32_t> ids;
    const auto add = [&](std::vector<uint64_t> set) {
      std::ranges::sort(set);
      elements.insert(elements.end(), set.begin(), set.end());
      offsets.push_back(elements.size());
      ids.push_back(static_cast<uint32_t>(ids.size()));
    };
    for (size_t i = 0; i < pairs; ++i) {
      std::vector<uint64_t> part(100 + 10 * rng.below(30));
      for (uint64_t& element : part) element = rng();
      std::vector<uint64_t> whole(part.begin(),
                                  part.begin() + static_cast<ptrdiff_t>(part.size() / 10 * 8));
      while (whole.size() < part.size() * ratio + 1) whole.push_back(rng());
      add(part);
      add(whole);
    }
    ThreadPool pool(2);
    uint64_t found = 0;
    SetJoinSinks sinks;
    sinks.pairs = [&](std::span<const SetPair> sorted) {
      found += sorted.size();
      return Status::ok();
    };
    const auto stats = containment_join(HashSets(elements, offsets), ids,
                                        {.similarity = 0.8, .recall = 0.9}, pool, sinks);
    ASSERT_TRUE(stats.is_ok());
    EXPECT_GE(found, pairs * 86 / 100) << ratio;
    EXPECT_LE(found, pairs * 995 / 1000) << ratio;  // the bar is not lower than it must be
  }
}

TEST(ContainmentJoin, DependsOnNeitherThreadsNorMemory) {
  const NestedSets input(600, 2);
  const JoinedByContainment expected = join(input, {.similarity = 0.7}, 1);
  EXPECT_EQ(expected.stats.blocks, 1u);
  for (const unsigned threads : {1u, 4u}) {
    const ContainmentJoinOptions options{.similarity = 0.7, .memory = threads == 1 ? 1u : 400000u};
    const JoinedByContainment found = join(input, options, threads);
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.candidates, expected.candidates);
    EXPECT_EQ(found.stats.met, expected.stats.met);
  }
}

TEST(ContainmentJoin, CutsWhatDoesNotFitTheMemory) {
  const NestedSets input(9000, 3);
  const JoinedByContainment expected = join(input, {.similarity = 0.9}, 2);
  const JoinedByContainment found = join(input, {.similarity = 0.9, .memory = 1 << 20}, 2);
  EXPECT_GT(found.stats.blocks, 1u);
  EXPECT_EQ(found.pairs, expected.pairs);
  EXPECT_EQ(found.stats.met, expected.stats.met);
}

TEST(ContainmentJoin, SaysHowEveryClassWasLookedFor) {
  const NestedSets input(500, 4);
  const JoinedByContainment found = join(input, {}, 2);
  uint64_t sets = 0;
  for (const SampledClass& counted : found.stats.classes) {
    sets += counted.sets;
    EXPECT_EQ(counted.one_in, std::max<uint64_t>(1, counted.min_elements / 32));
    EXPECT_LT(counted.looked_up, counted.samples + 1);
    EXPECT_GT(counted.looked_up, 0u);
  }
  EXPECT_EQ(sets, input.ids().size());
}

TEST(ContainmentJoin, OfNoSetsFindsNothing) {
  const NestedSets input(0, 5);
  EXPECT_EQ(join(input, {}, 2).stats.candidates, 0u);
}

}  // namespace
}  // namespace kith::similar
