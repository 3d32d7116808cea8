#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"
#include "cluster/order.h"
#include "collection.h"
#include "support/memory_file_system.h"

namespace kith::cluster {
namespace {

using cluster::test::Collection;
using ::testing::HasSubstr;

constexpr uint64_t part_bytes = 10'000;

Collection some_bags() {
  return Collection(kith::test::random_bags({.bags = 500, .words = 12}));
}

// Every third id is left out.
std::vector<uint32_t> some_order(size_t n) {
  std::vector<uint32_t> order = random_order(n, 3);
  std::erase_if(order, [](uint32_t id) { return id % 3 == 2; });
  return order;
}

// That all rows are those of the collection; returns the lengths of the parts.
std::vector<size_t> expect_rows(OrderedRows& rows, const Collection& collection,
                                const sketch::Signatures& signatures) {
  std::vector<size_t> parts;
  for (size_t begin = 0; begin < rows.size();) {
    const size_t end = rows.load(begin).value();
    for (size_t i = begin; i < end; ++i) {
      rows.prefetch_signature(i + 5);  // beyond the part too
      rows.prefetch_bag(i + 5);
      const Row row = rows[i];
      const uint32_t id = rows.order()[i];
      EXPECT_EQ(row.id, id);
      EXPECT_TRUE(std::ranges::equal(row.bag, collection.bags()[id]));
      EXPECT_EQ(rows.is_empty(i), collection.bags()[id].empty());
      EXPECT_EQ(row.signature.size(), signatures.lanes());
      if (signatures.lanes() == 0) continue;
      EXPECT_TRUE(std::ranges::equal(row.signature, signatures[id]));
    }
    parts.push_back(end - begin);
    begin = end;
  }
  return parts;
}

class OrderedRowsTest : public ::testing::Test {
 protected:
  // Without signatures.
  Result<OrderedRows> rows_in_files(uint64_t bytes = part_bytes, size_t part_rows = SIZE_MAX) {
    return OrderedRows::make(collection_.bags(), {}, order_,
                             {&fs_, &pool_, "rows", bytes, part_rows});
  }

  const Collection collection_ = some_bags();
  const std::vector<uint32_t> order_ = some_order(collection_.size());
  kith::test::MemoryFileSystem fs_;
  ThreadPool pool_{2};
};

TEST_F(OrderedRowsTest, InFilesAreThoseInMemoryForAnyThreads) {
  for (const sketch::Signatures& signatures :
       {collection_.sketched().signatures, sketch::Signatures()}) {
    auto staying = OrderedRows::make(collection_.bags(), signatures, order_, {});
    ASSERT_TRUE(staying.is_ok());
    EXPECT_TRUE(staying->stay());
    EXPECT_EQ(expect_rows(*staying, collection_, signatures), std::vector{order_.size()});
    for (const unsigned threads : {1u, 4u}) {
      ThreadPool pool(threads);
      kith::test::MemoryFileSystem fs;
      auto rows = OrderedRows::make(collection_.bags(), signatures, order_,
                                    {&fs, &pool, "rows", part_bytes});
      ASSERT_TRUE(rows.is_ok());
      EXPECT_FALSE(rows->stay());
      EXPECT_GT(expect_rows(*rows, collection_, signatures).size(), 2u);
      // A second time, from the beginning.
      EXPECT_GT(expect_rows(*rows, collection_, signatures).size(), 2u);
    }
  }
}

TEST_F(OrderedRowsTest, PartsHaveNoMoreRowsThanAskedFor) {
  auto rows = rows_in_files(1 << 20, 100);
  ASSERT_TRUE(rows.is_ok());
  EXPECT_EQ(expect_rows(*rows, collection_, {}), (std::vector<size_t>{100, 100, 100, 34}));
}

TEST_F(OrderedRowsTest, AFileThatHasChangedIsAnError) {
  auto rows = rows_in_files();
  ASSERT_TRUE(rows.is_ok());
  const std::string whole = storage::read_file(fs_, "rows/rows-0").value();
  // Cut off, a position that is too large, one that comes twice, and a bag that does not end.
  std::string large = whole;
  large[3] = '\x7f';
  std::string twice = whole;
  std::string endless = whole;
  endless[7] = '\x7f';
  const uint32_t entries = static_cast<unsigned char>(whole[4]);
  std::copy_n(whole.begin(), 4, twice.begin() + 8 + 8 * entries);
  for (const std::string& damaged : {whole.substr(0, whole.size() - 1), large, twice, endless}) {
    ASSERT_TRUE(storage::write_file(fs_, "rows/rows-0", damaged).is_ok());
    const auto end = rows->load(0);
    ASSERT_FALSE(end.is_ok());
    EXPECT_EQ(end.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(end.error().message, HasSubstr("rows/rows-0: has changed while it was in use"));
  }
  ASSERT_TRUE(storage::write_file(fs_, "rows/rows-0", whole).is_ok());
  EXPECT_TRUE(rows->load(0).is_ok());
}

TEST_F(OrderedRowsTest, FilesGoWithTheRows) {
  {
    auto rows = rows_in_files();
    ASSERT_TRUE(rows.is_ok());
    EXPECT_TRUE(fs_.exists("rows/rows-0"));
  }
  EXPECT_FALSE(fs_.exists("rows/rows-0"));
}

}  // namespace
}  // namespace kith::cluster
