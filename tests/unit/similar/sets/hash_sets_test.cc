#include "similar/sets/hash_sets.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/untouchable.h"

namespace kith::similar {
namespace {

// A set of about n elements; `step` apart on average.
std::vector<uint64_t> random_set(size_t n, uint64_t step, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint64_t> set;
  uint64_t value = 0;
  for (size_t i = 0; i < n; ++i) set.push_back(value += 1 + rng.below(2 * step));
  return set;
}

TEST(HashSets, OverlapOfLargeSetsIsThatOfAllTheirElements) {
  constexpr size_t large = 400'000;
  struct Case {
    std::vector<uint64_t> a;
    std::vector<uint64_t> b;
  };
  std::vector<uint64_t> shifted = random_set(large, 3, 4);
  for (uint64_t& element : shifted) element += 1'000'000;
  const Case cases[] = {
      {random_set(large, 3, 1), random_set(large, 3, 2)},
      {random_set(large, 3, 1), random_set(large, 3, 1)},
      {random_set(large, 2, 1), random_set(1000, 700, 2)},
      {random_set(large, 2, 1), shifted},
      {random_set(large, 1, 1), {}},
      {random_set(3, 1, 1), shifted},
  };
  for (const Case& sets : cases) {
    std::vector<uint64_t> elements = sets.a;
    elements.insert(elements.end(), sets.b.begin(), sets.b.end());
    const uint64_t offsets[] = {0, sets.a.size(), elements.size()};
    const test::Untouchable<uint64_t> mapping(elements);
    const HashSets both(mapping.span(), offsets, &mapping);
    const sketch::SetOverlap expected = sketch::overlap(sets.a, sets.b);
    for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 0)}) {
      const sketch::SetOverlap found =
          set_overlap(both, static_cast<size_t>(a), both, static_cast<size_t>(b));
      EXPECT_EQ(found.a, a == 0 ? expected.a : expected.b);
      EXPECT_EQ(found.b, a == 0 ? expected.b : expected.a);
      EXPECT_EQ(found.common, expected.common);
      OverlapReader overlap_of(both, both);
      for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(overlap_of(static_cast<size_t>(a), static_cast<size_t>(b)).common, found.common);
        EXPECT_EQ(overlap_of(static_cast<size_t>(b), static_cast<size_t>(b)).common,
                  both.size_of(static_cast<size_t>(b)));
      }
    }
    EXPECT_LE(mapping.largest(), 256u << 10);
    EXPECT_EQ(set_overlap(HashSets(elements, offsets), 0, HashSets(elements, offsets), 1).common,
              expected.common);
  }
}

TEST(HashSets, SetsAreTheSameWhenAllTheirElementsAre) {
  for (const size_t size : {size_t{0}, size_t{5}, size_t{131'072}, size_t{300'000}}) {
    std::vector<uint64_t> elements = random_set(size, 3, 1);
    elements.insert(elements.end(), elements.begin(), elements.end());
    elements.push_back(elements.empty() ? 1 : elements.back() + 1);
    const uint64_t offsets[] = {0, size, 2 * size, 2 * size + 1};
    const test::Untouchable<uint64_t> mapping(elements);
    const HashSets sets(mapping.span(), offsets, &mapping);
    EXPECT_TRUE(same_set(sets, 0, sets, 1));
    EXPECT_FALSE(same_set(sets, 1, sets, 2));
    EXPECT_LE(mapping.largest(), 256u << 10);
    if (size == 0) continue;
    ++elements[size - 1];
    const test::Untouchable<uint64_t> other(elements);
    const HashSets others(other.span(), offsets, &other);
    EXPECT_FALSE(same_set(others, 0, others, 1));
    EXPECT_TRUE(same_set(sets, 1, others, 1));
  }
}

TEST(OverlapReader, GivesTheOverlapsOfSmallSetsAsOften) {
  const std::vector<uint64_t> elements = {1, 5, 9, 5, 9, 12, 13, 9, 13};
  const uint64_t offsets[] = {0, 3, 7, 9, 9};
  const test::Untouchable<uint64_t> mapping(elements);
  const HashSets mapped(mapping.span(), offsets, &mapping);
  const HashSets plain(elements, offsets);
  OverlapReader of_mapped(mapped, mapped);
  OverlapReader of_plain(plain, mapped);
  for (const size_t a : {0, 0, 1, 3, 2}) {
    for (const size_t b : {1, 2, 2, 0, 3}) {
      const sketch::SetOverlap expected = sketch::overlap(plain[a], plain[b]);
      EXPECT_EQ(of_mapped(a, b).common, expected.common);
      EXPECT_EQ(of_plain(a, b).common, expected.common);
      EXPECT_EQ(of_plain(a, b).b, expected.b);
    }
  }
}

TEST(HashSets, AreReadInPartsOrWhole) {
  const std::vector<uint64_t> elements = random_set(100'000, 3, 1);
  const uint64_t offsets[] = {0, 0, 99'990, elements.size()};
  const test::Untouchable<uint64_t> mapping(elements);
  for (const HashSets& sets :
       {HashSets(mapping.span(), offsets, &mapping), HashSets(elements, offsets)}) {
    SetBuffer buffer;
    std::vector<uint64_t> all;
    for (size_t id = 0; id < sets.size(); ++id) {
      sets.for_parts(id, buffer, [&](sketch::HashSet part) {
        EXPECT_LE(part.size(), HashSets::part_size);
        EXPECT_FALSE(part.empty());
        all.insert(all.end(), part.begin(), part.end());
      });
    }
    EXPECT_EQ(all, elements);
    for (size_t id = 0; id < sets.size(); ++id) {
      const sketch::HashSet set = sets.read(id, buffer);
      EXPECT_TRUE(std::ranges::equal(set, std::span(elements).subspan(offsets[id], set.size())));
      EXPECT_EQ(set.size(), sets.size_of(id));
    }
    EXPECT_EQ(sets.read(2, 3, 1, buffer)[0], elements[99'993]);
  }
}

}  // namespace
}  // namespace kith::similar
