#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"

namespace kith {
namespace {

TEST(FreeMemory, LeavesNoRoom) {
  std::string text(1000, 'x');
  free_memory(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.capacity(), std::string().capacity());
  std::vector<int> values(1000);
  free_memory(values);
  EXPECT_EQ(values.capacity(), 0u);
}

}  // namespace
}  // namespace kith
