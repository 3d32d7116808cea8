#include <string>

#include <gtest/gtest.h>

#include "crawl/read/page.h"

namespace kith::crawl {
namespace {

TEST(Arena, AppendsATextOfItsOwnWhileItGrows) {
  std::string bytes;
  Arena arena(bytes);
  const std::string text(100, 'x');
  Slice last = arena.append(text);
  for (int i = 0; i < 1000; ++i) {
    last = arena.append(arena.view(last));
    ASSERT_EQ(arena.view(last), text);
  }
  EXPECT_EQ(arena.used(), 1001 * text.size());
}

}  // namespace
}  // namespace kith::crawl
