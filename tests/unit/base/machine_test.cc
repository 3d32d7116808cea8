#include "base/machine.h"

#include <vector>

#include <gtest/gtest.h>

namespace kith {
namespace {

TEST(PeakMemory, GrowsByWhatIsTouched) {
  constexpr uint64_t bytes = 64 << 20;
  const uint64_t before = peak_memory();
  EXPECT_GT(before, 0u);
  const std::vector<char> touched(bytes, 1);
  EXPECT_EQ(touched[bytes / 2], 1);
  EXPECT_GE(peak_memory(), bytes);
}

}  // namespace
}  // namespace kith
