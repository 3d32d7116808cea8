#include <gtest/gtest.h>

#include "storage/zstd.h"

namespace kith::storage {
namespace {

TEST(ZstdFrame, GivesBackWhatWasPacked) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{1000}, size_t{256} << 10, size_t{3} << 20}) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * i >> 7));
    std::string frame = "what was here before";
    pack(bytes, frame);
    std::string again = "and here";
    ASSERT_TRUE(unpack(frame, again));
    EXPECT_TRUE(again == bytes) << size;
  }
}

// What was read so far ends where the room for it does.
TEST(ZstdFrame, OfManyBlocksIsWholeOrNone) {
  const std::string text(1 << 20, 'x');
  std::string frame;
  pack(text, frame);
  std::string bytes;
  for (size_t size = 0; size < frame.size(); ++size) {
    EXPECT_FALSE(unpack(std::string_view(frame).substr(0, size), bytes)) << size;
  }
  ASSERT_TRUE(unpack(frame, bytes));
  EXPECT_TRUE(bytes == text);
}

TEST(ZstdFrame, NothingButAWholeFrameIsOne) {
  std::string frame;
  pack(std::string(5000, 'x') + "some more", frame);
  std::string bytes;
  for (size_t size = 0; size < frame.size(); ++size) {
    EXPECT_FALSE(unpack(std::string_view(frame).substr(0, size), bytes)) << size;
  }
  EXPECT_FALSE(unpack(frame + "x", bytes));
  EXPECT_FALSE(unpack(frame + frame, bytes));
  EXPECT_FALSE(unpack("no frame at all", bytes));
}

}  // namespace
}  // namespace kith::storage
