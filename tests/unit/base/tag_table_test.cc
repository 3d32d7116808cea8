#include <map>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/random.h"

namespace kith {
namespace {

// Hashes of few tags, some of them the last ones, whose slots are behind the end.
uint64_t hash_of(uint64_t key) {
  const uint64_t tag = key % 3 == 0 ? UINT32_MAX - key % 16 : mix64(key / 2) >> 32;
  return tag << 32 | key;
}

TEST(TagTable, KnowsWhatAMapKnows) {
  for (const uint64_t keys : {20u, 400u, 5000u}) {
    TagTable table;
    std::map<uint64_t, uint32_t> expected;  // numbers by key
    std::map<uint32_t, uint64_t> key_of;
    Rng rng(keys);
    for (uint32_t number = 0; number < 20'000; ++number) {
      const uint64_t key = rng.below(keys);
      const auto is_it = [&](uint32_t found) { return key_of.at(found) == key; };
      const auto known = expected.find(key);
      const std::optional<uint32_t> found = table.find(hash_of(key), is_it);
      ASSERT_EQ(found.has_value(), known != expected.end());
      if (found) {
        ASSERT_EQ(*found, known->second);
        table.remove(hash_of(key), *found);
        key_of.erase(*found);
        expected.erase(known);
      } else {
        table.add(hash_of(key), number);
        key_of[number] = key;
        expected[key] = number;
      }
      ASSERT_EQ(table.size(), expected.size());
    }
  }
}

TEST(TagTable, ReplacesTheNumberOfATag) {
  TagTable table;
  std::map<uint32_t, uint32_t> expected;  // numbers by tag
  Rng rng(1);
  for (uint32_t number = 0; number < 3000; ++number) {
    const uint64_t hash = hash_of(rng.below(700));
    const auto tag = static_cast<uint32_t>(hash >> 32);
    const std::optional<uint32_t> before = table.replace(hash, number);
    const auto known = expected.find(tag);
    ASSERT_EQ(before.has_value(), known != expected.end());
    if (before) {
      ASSERT_EQ(*before, known->second);
    }
    expected[tag] = number;
  }
  EXPECT_EQ(table.size(), expected.size());
  for (const auto& [tag, number] : expected) {
    EXPECT_EQ(table.find(uint64_t{tag} << 32, [](uint32_t) { return true; }), number);
  }
}

TEST(TagTable, IsThreeFifthsFullAtLeast) {
  TagTable table;
  for (uint32_t number = 0; number < 100'000; ++number) {
    table.add(mix64(number), number);
    if (number > 1000) {
      ASSERT_LE(table.bytes(), uint64_t{number} * 13);
    }
  }
  TagTable roomy;
  roomy.reserve(100'000);
  const uint64_t before = roomy.bytes();
  for (uint32_t number = 0; number < 100'000; ++number) roomy.add(mix64(number), number);
  EXPECT_EQ(roomy.bytes(), before);
}

}  // namespace
}  // namespace kith
