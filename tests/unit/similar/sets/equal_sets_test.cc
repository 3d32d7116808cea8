#include <algorithm>

#include <gtest/gtest.h>

#include "similar/sets/hash_sets.h"
#include "unit/similar/sets/set_families.h"

namespace kith::similar {
namespace {

void expect_equal_to_brute_force(const test::SetFamilies& input, const EqualSets& found) {
  const HashSets sets = input.sets();
  std::vector<uint32_t> counts(sets.size());
  for (uint32_t id = 0; id < sets.size(); ++id) {
    uint32_t first = id;
    for (uint32_t other = 0; other < id && first == id && sets.size_of(id) > 0; ++other) {
      if (std::ranges::equal(sets[id], sets[other])) first = other;
    }
    EXPECT_EQ(found.representative[id], first) << id;
    ++counts[first];
  }
  EXPECT_EQ(found.multiplicity, counts);
}

TEST(EqualSets, AreThoseOfBruteForce) {
  const test::SetFamilies input(300, 9);
  for (const unsigned threads : {1u, 4u}) {
    ThreadPool pool(threads);
    const EqualSets found = find_equal_sets(
        input.mapped(), [&](uint32_t id) { return input.sets()[id].front() * 3; }, pool);
    ASSERT_LT(found.distinct(input.sets()).size(), input.ids().size());
    expect_equal_to_brute_force(input, found);
  }
}

// A fingerprint says nothing that the elements do not confirm.
TEST(EqualSets, AreToldFromOthersOfTheirFingerprint) {
  const test::SetFamilies input(120, 10);
  ThreadPool pool(2);
  expect_equal_to_brute_force(input, find_equal_sets(
                                         input.mapped(), [](uint32_t) { return 5; }, pool));
}

TEST(EqualSets, EmptySetsStayAlone) {
  const std::vector<uint64_t> offsets{0, 0, 0};
  ThreadPool pool(1);
  const EqualSets found = find_equal_sets(
      HashSets({}, offsets), [](uint32_t) { return 0; }, pool);
  EXPECT_EQ(found.representative, (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(found.distinct(HashSets({}, offsets)).empty());
}

}  // namespace
}  // namespace kith::similar
