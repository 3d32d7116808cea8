// Tables that grow beside a plain loop over the keys of all signatures.
#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/lsh/growing_tables.h"

namespace kith::sketch {
namespace {

using Values = std::vector<uint16_t>;

TableParams small_params() {
  TableParams params;
  params.lanes = 16;
  params.per_key = 2;
  params.tables = 5;
  return params;
}

// values: of a lane; the fewer, the more signatures share a key.
Values small_signature(Rng& rng, uint32_t values) {
  Values signature(small_params().lanes);
  for (uint16_t& value : signature) value = static_cast<uint16_t>(rng.below(values));
  return signature;
}

// What a key is known by.
std::vector<uint32_t> short_keys_of(const Tables& tables, const Values& signature) {
  std::vector<uint64_t> whole(tables.params().tables);
  tables.keys(signature, whole);
  std::vector<uint32_t> keys(whole.size());
  std::ranges::transform(whole, keys.begin(),
                         [](uint64_t key) { return static_cast<uint32_t>(key & 0xfffffff); });
  return keys;
}

std::vector<uint32_t> found_by(const ChainedTables& chained, const Values& signature) {
  std::vector<uint32_t> ids;
  chained.find(signature, [&](uint32_t id) { ids.push_back(id); });
  std::ranges::sort(ids);
  return ids;
}

TEST(ChainedTables, FindWhatSharesAKey) {
  const Tables tables(small_params());
  for (const uint32_t values : {2u, 40u, 60'000u}) {
    ChainedTables chained(small_params());
    std::vector<std::vector<uint32_t>> keys;  // by id
    Rng rng(values);
    std::vector<Values> signatures;
    // So many that cells are split more than once.
    for (uint32_t id = 0; id < 50'000; ++id) {
      signatures.push_back(small_signature(rng, values));
      EXPECT_EQ(chained.size(), id);
      chained.add(signatures.back());
      keys.push_back(short_keys_of(tables, signatures.back()));
      // Rarely, but at all sizes.
      if (id > 50 && rng.below(1000) != 0) continue;
      const Values asked =
          rng.below(2) == 0 ? signatures[rng.below(id + 1)] : small_signature(rng, values);
      const std::vector<uint32_t> of_asked = short_keys_of(tables, asked);
      std::vector<uint32_t> expected;
      for (uint32_t other = 0; other <= id; ++other) {
        for (const uint32_t key : keys[other]) {
          for (const uint32_t of : of_asked) {
            if (key == of) expected.push_back(other);
          }
        }
      }
      ASSERT_EQ(found_by(chained, asked), expected) << values << " " << id;
    }
  }
}

TEST(ChainedTables, TakeSomeEightBytesAnEntry) {
  // Few keys leave many cells empty.
  const std::vector<std::pair<uint32_t, double>> most_by_values = {{40, 10.5}, {60'000, 9.0}};
  for (const auto& [values, most] : most_by_values) {
    ChainedTables chained(small_params());
    Rng rng(1);
    constexpr uint64_t count = 300'000;
    for (uint64_t i = 0; i < count; ++i) chained.add(small_signature(rng, values));
    const double entry = static_cast<double>(chained.bytes()) / (count * small_params().tables);
    EXPECT_GT(entry, 6.4) << values;
    EXPECT_LT(entry, most) << values;
  }
}

}  // namespace
}  // namespace kith::sketch
