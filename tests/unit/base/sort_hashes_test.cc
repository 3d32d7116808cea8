#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "base/random.h"

namespace kith {
namespace {

void expect_sorted(HashSorter& sorter, std::vector<uint64_t> values) {
  std::vector<uint64_t> expected = values;
  std::sort(expected.begin(), expected.end());
  sorter.sort(values);
  EXPECT_EQ(values, expected);
}

TEST(HashSorter, SortsAsStdSort) {
  Rng rng(1);
  HashSorter sorter;
  for (const size_t size : {0, 1, 2, 63, 64, 65, 255, 256, 1000, 4096, 300000, 7}) {
    std::vector<uint64_t> values(size);
    for (uint64_t& value : values) value = rng();
    expect_sorted(sorter, values);
  }
}

TEST(HashSorter, SortsValuesThatAreNoHashes) {
  Rng rng(2);
  HashSorter sorter;
  constexpr size_t size = 5000;
  std::vector<uint64_t> equal(size, 42);
  expect_sorted(sorter, equal);
  std::vector<uint64_t> small(size);
  for (uint64_t& value : small) value = rng.below(1000);
  expect_sorted(sorter, small);
  std::vector<uint64_t> descending(size);
  for (size_t i = 0; i < size; ++i) descending[i] = ~uint64_t{0} - i;
  expect_sorted(sorter, descending);
  std::vector<uint64_t> extremes(size);
  for (uint64_t& value : extremes) value = rng.below(2) == 0 ? 0 : ~uint64_t{0};
  expect_sorted(sorter, extremes);
}

RC_GTEST_PROP(HashSorter, SortsAnything, ()) {
  auto values = *rc::gen::container<std::vector<uint64_t>>(
      *rc::gen::inRange(0, 400),
      rc::gen::oneOf(
          rc::gen::arbitrary<uint64_t>(),
          rc::gen::map(rc::gen::arbitrary<uint64_t>(), [](uint64_t x) { return mix64(x % 50); })));
  std::vector<uint64_t> expected = values;
  std::sort(expected.begin(), expected.end());
  HashSorter().sort(values);
  RC_ASSERT(values == expected);
}

}  // namespace
}  // namespace kith
