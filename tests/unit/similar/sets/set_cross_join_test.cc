#include <algorithm>
#include <array>
#include <mutex>

#include <gtest/gtest.h>

#include "evaluate/recall_check.h"
#include "similar/sets/set_join.h"
#include "unit/similar/sets/set_families.h"

namespace kith::similar {
namespace {

using test::all_lanes;
using test::SetFamilies;

// Two collections that share families: the sets before `border`, and the others.
class TwoSides {
 public:
  TwoSides(size_t n, uint32_t border, uint64_t seed) : all_(n, seed), border_(border) {
    for (const uint32_t id : all_.ids()) {
      if (id < border) {
        first_ids_.push_back(id);
      } else {
        second_ids_.push_back(id - border);
      }
    }
    const auto part = [&](uint32_t begin, uint32_t end, std::vector<uint64_t>& elements,
                          std::vector<uint64_t>& offsets, std::vector<uint16_t>& values) {
      for (uint32_t id = begin; id < end; ++id) {
        elements.insert(elements.end(), all_.sets()[id].begin(), all_.sets()[id].end());
        offsets.push_back(elements.size());
        values.insert(values.end(), all_.signatures()[id].begin(), all_.signatures()[id].end());
      }
    };
    part(0, border, first_elements_, first_offsets_, first_values_);
    part(border, static_cast<uint32_t>(n), second_elements_, second_offsets_, second_values_);
    first_sets_ = {first_elements_, first_offsets_};
    second_sets_ = {second_elements_, second_offsets_};
    first_signatures_ = sketch::Signatures(first_values_, all_.signatures().lanes());
    second_signatures_ = sketch::Signatures(second_values_, all_.signatures().lanes());
  }

  SetSide first() const { return {first_sets_, first_signatures_, first_ids_}; }
  SetSide second() const { return {second_sets_, second_signatures_, second_ids_}; }

  // All pairs across, by brute force; ascending.
  std::vector<SetPair> similar(double similarity) const {
    std::vector<SetPair> across;
    for (const SetPair& pair : all_.similar(similarity)) {
      if (pair.a < border_ && pair.b >= border_) {
        across.push_back({pair.a, pair.b - border_, pair.common});
      }
    }
    return across;
  }

 private:
  SetFamilies all_;
  uint32_t border_;
  std::vector<uint32_t> first_ids_, second_ids_;
  std::vector<uint64_t> first_elements_, second_elements_;
  std::vector<uint64_t> first_offsets_{0}, second_offsets_{0};
  std::vector<uint16_t> first_values_, second_values_;
  HashSets first_sets_, second_sets_;
  sketch::Signatures first_signatures_, second_signatures_;
};

struct JoinedAcross {
  std::vector<SetPair> pairs;  // sorted
  SetJoinStats stats;
};

JoinedAcross join(const TwoSides& input, const sketch::TableParams& tables,
                  const SetJoinOptions& options, unsigned threads) {
  ThreadPool pool(threads);
  JoinedAcross joined;
  const auto stats =
      set_cross_join(input.first(), input.second(), sketch::Tables(tables), options, pool,
                     [&](std::span<const SetPair> sorted) {
                       EXPECT_TRUE(std::ranges::is_sorted(sorted));
                       joined.pairs.insert(joined.pairs.end(), sorted.begin(), sorted.end());
                       return Status::ok();
                     });
  EXPECT_TRUE(stats.is_ok());
  joined.stats = stats.value();
  std::ranges::sort(joined.pairs);
  return joined;
}

TEST(SetCrossJoin, FindsThePairsOfBruteForceAcross) {
  for (const uint32_t border : {40u, 200u, 390u}) {
    const TwoSides input(400, border, 11);
    for (const double similarity : {0.5, 0.8, 1.0}) {
      const std::vector<SetPair> expected = input.similar(similarity);
      ASSERT_FALSE(expected.empty());
      const JoinedAcross found = join(input, all_lanes, {.similarity = similarity}, 2);
      EXPECT_EQ(found.pairs, expected) << similarity;
      EXPECT_EQ(found.stats.similar, expected.size());
    }
  }
}

TEST(SetCrossJoin, IsTheSameForAnyThreadsAndMemory) {
  const TwoSides input(500, 170, 12);
  const sketch::TableParams tables{.lanes = 128, .per_key = 2, .tables = 12};
  for (const uint32_t largest_bucket : {largest_bucket, 4u}) {
    const JoinedAcross expected =
        join(input, tables, {.similarity = 0.7, .largest_bucket = largest_bucket}, 1);
    ASSERT_FALSE(expected.pairs.empty());
    EXPECT_EQ(expected.stats.splits.buckets > 0, largest_bucket == 4);
    for (const unsigned threads : {1u, 2u, 5u}) {
      for (const uint64_t memory : {uint64_t{0}, uint64_t{100'000}, uint64_t{1} << 30}) {
        const JoinedAcross found =
            join(input, tables,
                 {.similarity = 0.7, .largest_bucket = largest_bucket, .memory = memory}, threads);
        EXPECT_EQ(found.stats.blocks > 1, memory == 100'000);
        EXPECT_EQ(found.pairs, expected.pairs);
        EXPECT_EQ(found.stats.candidates, expected.stats.candidates);
        EXPECT_EQ(found.stats.splits.buckets, expected.stats.splits.buckets);
      }
    }
  }
}

// A family of sets that are alike, in both collections, and others that are like no other.
class FamilyOnBothSides {
 public:
  FamilyOnBothSides(size_t of_first, size_t of_second, size_t others) : family_(of_first) {
    Rng rng(21);
    for (uint64_t& element : frame_) element = rng();
    fill(first_, of_first, others, rng);
    fill(second_, of_second, others, rng);
  }

  SetSide first() const { return first_.side(); }
  SetSide second() const { return second_.side(); }
  bool in_family(uint32_t id_of_first) const { return id_of_first < family_; }

 private:
  static constexpr uint32_t lanes = 128;
  struct Collection {
    std::vector<uint64_t> elements, offsets{0};
    std::vector<uint16_t> values;
    std::vector<uint32_t> ids;
    HashSets sets;
    sketch::Signatures signatures;
    SetSide side() const { return {sets, signatures, ids}; }
  };

  void fill(Collection& collection, size_t of_family, size_t others, Rng& rng) {
    const sketch::SetSketcher hasher({.family = sketch::MinHashFamily::bins, .lanes = lanes});
    for (uint32_t id = 0; id < of_family + others; ++id) {
      std::vector<uint64_t> set(frame_.begin(), frame_.end());
      const size_t own = id < of_family ? 4 : set.size();
      for (size_t i = 0; i < own; ++i) set[own == 4 ? rng.below(set.size()) : i] = rng();
      std::ranges::sort(set);
      collection.elements.insert(collection.elements.end(), set.begin(), set.end());
      collection.offsets.push_back(collection.elements.size());
      collection.values.resize(collection.values.size() + lanes);
      hasher.sketch(set, std::span(collection.values).last(lanes));
      collection.ids.push_back(id);
    }
    collection.sets = {collection.elements, collection.offsets};
    collection.signatures = sketch::Signatures(collection.values, lanes);
  }

  const size_t family_;
  std::array<uint64_t, 100> frame_;
  Collection first_, second_;
};

TEST(SetCrossJoin, FindsOneOfTheSecondSideForAllOfALargeFamilyInLinearTime) {
  const FamilyOnBothSides input(2000, 1500, 800);
  const sketch::Tables tables({.lanes = 128, .per_key = 3, .tables = 12});
  std::vector<SetPair> expected;
  for (const uint64_t memory : {uint64_t{0}, uint64_t{400'000}}) {
    for (const unsigned threads : {1u, 3u}) {
      ThreadPool pool(threads);
      std::vector<SetPair> pairs;
      const auto stats = set_cross_join(input.first(), input.second(), tables,
                                        {.similarity = 0.8, .memory = memory}, pool,
                                        [&](std::span<const SetPair> sorted) {
                                          EXPECT_TRUE(std::ranges::is_sorted(sorted));
                                          pairs.insert(pairs.end(), sorted.begin(), sorted.end());
                                          return Status::ok();
                                        });
      ASSERT_TRUE(stats.is_ok());
      EXPECT_EQ(stats->blocks > 1, memory != 0);
      EXPECT_LT(stats->collisions, 2000 * 600);
      std::ranges::sort(pairs);
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
      std::vector<bool> found(input.first().ids.size());
      for (const SetPair& pair : pairs) found[pair.a] = true;
      for (const uint32_t id : input.first().ids) EXPECT_EQ(found[id], input.in_family(id)) << id;
      if (expected.empty()) expected = pairs;
      EXPECT_EQ(pairs, expected);
    }
  }
}

TEST(SetCrossJoin, OfNothingIsNothing) {
  const TwoSides input(100, 50, 13);
  const HashSets none;
  const sketch::Signatures no_signatures;
  ThreadPool pool(1);
  const auto fail = [](std::span<const SetPair>) -> Status { return Error{ErrorKind::io, "pair"}; };
  for (const bool swapped : {false, true}) {
    const SetSide empty{none, no_signatures, {}};
    const auto stats =
        set_cross_join(swapped ? empty : input.first(), swapped ? input.second() : empty,
                       sketch::Tables(all_lanes), {}, pool, fail);
    ASSERT_TRUE(stats.is_ok());
    EXPECT_EQ(stats->candidates, 0u);
  }
}

TEST(SetCrossJoin, PassesOnTheErrorOfTheSink) {
  const TwoSides input(200, 100, 14);
  ThreadPool pool(2);
  const auto stats = set_cross_join(input.first(), input.second(), sketch::Tables(all_lanes), {},
                                    pool, [](std::span<const SetPair>) -> Status {
                                      return Error{ErrorKind::io, "full"};
                                    });
  ASSERT_FALSE(stats.is_ok());
  EXPECT_EQ(stats.error().message, "full");
}

TEST(SetSearchAcross, FindsThePairsOfBruteForce) {
  const TwoSides input(300, 120, 15);
  const SetSide first = input.first();
  const SetSide second = input.second();
  for (const double similarity : {0.1, 0.8, 1.0}) {
    const std::vector<SetPair> expected = input.similar(similarity);
    ASSERT_FALSE(expected.empty());
    for (const unsigned threads : {1u, 3u}) {
      ThreadPool pool(threads);
      std::mutex mutex;
      std::vector<SetPair> found;
      evaluate::find_similar_across(first.sets, first.ids, second.sets, second.ids,
                                    {.similarity = similarity}, pool, 0,
                                    [&](const evaluate::FoundSet& one, unsigned) {
                                      const std::lock_guard lock(mutex);
                                      found.push_back({first.ids[one.query], one.id, one.common});
                                    });
      std::ranges::sort(found);
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace kith::similar
