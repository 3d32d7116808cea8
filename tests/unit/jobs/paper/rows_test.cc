#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/paper/join.h"
#include "similar/duplicates.h"
#include "support/random_bags.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

class PaperRowsTest : public testing::Test {
 protected:
  const test::TempDir dir_;
  storage::FileSystem& fs_ = storage::posix_file_system();
  ThreadPool pool_ = ThreadPool(1);
  const test::OwnedBags bags_ = test::random_bags({.bags = 400, .seed = 3});
  const Result<PaperSignatureFile> signatures_ = PaperSignatureFile::create(
      fs_, dir_ / "sign", bags_.view(),
      similar::distinct_bags(bags_.view(), similar::find_duplicates(bags_.view(), pool_)), 1,
      pool_);
};

TEST_F(PaperRowsTest, AreTheLowBytes) {
  ASSERT_TRUE(signatures_.is_ok());
  const auto rows = PaperRows::open(fs_, *signatures_);
  ASSERT_TRUE(rows.is_ok());
  const PaperRows& found = **rows;
  ASSERT_EQ(found.size(), signatures_->size());
  ASSERT_EQ(found.lanes(), paper_lanes);
  std::vector<uint8_t> bytes(signatures_->size() * paper_lanes);
  ASSERT_TRUE(signatures_->low_bytes(0, bytes).is_ok());
  std::vector<uint16_t> buffer(paper_lanes);
  std::vector<uint16_t> copy(paper_lanes);
  for (size_t row = 0; row < found.size(); ++row) {
    ASSERT_EQ(found.id(row), signatures_->id(row));
    const auto values = found.values(row, buffer);
    ASSERT_TRUE(std::ranges::equal(found.read(row, copy), values));
    for (uint32_t lane = 0; lane < paper_lanes; ++lane) {
      ASSERT_EQ(found.value(row, lane), bytes[row * paper_lanes + lane]);
      ASSERT_EQ(values[lane], bytes[row * paper_lanes + lane]);
    }
    if (row % 100 == 99) found.release(row - 99, row + 1);
  }
}

TEST_F(PaperRowsTest, AChangedFileIsAnError) {
  ASSERT_TRUE(signatures_.is_ok());
  ASSERT_TRUE(storage::write_file(fs_, signatures_->low_bytes_path(), "short").is_ok());
  const auto rows = PaperRows::open(fs_, *signatures_);
  ASSERT_FALSE(rows.is_ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::corrupt);
  EXPECT_NE(rows.error().message.find("sign.bytes has another size"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
