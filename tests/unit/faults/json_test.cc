// JSON that is destroyed where there is no memory: the library takes some for that.
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "unit/faults/countdown.h"
#include "unit/faults/failing.h"

namespace kith::test {
namespace {

template <class Json>
class JsonWithoutMemory : public testing::Test {};
using Kinds = testing::Types<nlohmann::json, nlohmann::ordered_json>;
TYPED_TEST_SUITE(JsonWithoutMemory, Kinds);

TYPED_TEST(JsonWithoutMemory, IsDestroyed) {
  if (!can_fail()) return;
  const TypeParam leaf = {{"name", "a text that is too long for a string's own bytes"}, {"n", 1}};
  std::optional<TypeParam> value;
  const FaultyJob job{[&](const std::string&) {
    {
      const Untroubled ours;
      value = TypeParam::array();
      for (int i = 0; i < 300; ++i) value->push_back({{"leaf", leaf}, {"list", {leaf, leaf}}});
    }
    value.reset();
    return Status::ok();
  }};
  for (uint64_t n = 0;; ++n) {
    const Attempt made = with_failing_allocation(job, "", n);
    EXPECT_TRUE(made.status.is_ok());
    if (!made.has_failed) return;
  }
}

}  // namespace
}  // namespace kith::test
