#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "jobs/stream/pages.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

class BlockStoreTest : public testing::Test {
 protected:
  struct Block {
    std::string bytes;
    bool was_read = false;  // from the file
  };

  // Blocks of up to `most` bytes that come and go; what is there is what was added.
  void use(BlockStore& store, size_t most, uint64_t seed) {
    Rng rng(seed);
    for (uint64_t left = std::min<uint64_t>(3000, 40'000'000 / most); left > 0; --left) {
      if (rng.below(3) == 0 && !blocks_.empty()) {
        const auto gone =
            std::next(blocks_.begin(),
                      static_cast<ptrdiff_t>(rng.below(std::min<size_t>(blocks_.size(), 50))));
        store.remove(gone->first, gone->second.bytes.size());
        blocks_.erase(gone);
        continue;
      }
      std::string bytes(1 + rng.below(most), 'a');
      for (char& byte : bytes) byte = static_cast<char>(rng());
      const size_t cut = rng.below(bytes.size());
      const Bytes block = as_bytes(bytes);
      const uint64_t place = store.add(block.first(cut), block.subspan(cut));
      ASSERT_EQ(place % 8, 0u);
      blocks_[place].bytes = bytes;
    }
  }

  void expect_blocks(const BlockStore& store) {
    for (auto& [place, block] : blocks_) {
      std::string bytes(block.bytes.size(), ' ');
      if (const std::byte* const here = store.find(place)) {
        bytes = as_text(Bytes(here, bytes.size()));
      } else {
        block.was_read = true;
        const std::span<char> room(bytes);
        ASSERT_EQ(store.read(place, std::as_writable_bytes(room)), bytes.size());
      }
      ASSERT_EQ(bytes, block.bytes);
    }
  }
  size_t blocks_read() const {
    return static_cast<size_t>(
        std::ranges::count_if(blocks_, [](const auto& placed) { return placed.second.was_read; }));
  }

  std::string file(int generation) const {
    return BlockStore::files(name_)[static_cast<size_t>(generation)];
  }

  test::TempDir dir_{test::Medium::memory};
  std::string name_ = dir_ / "blocks";
  storage::FileSystem& fs_ = storage::posix_file_system();
  std::map<uint64_t, Block> blocks_;  // by place
};

TEST_F(BlockStoreTest, KeepsBlocksOfAnySizeInMemory) {
  for (const size_t most : {10u, 3000u, 200'000u}) {
    blocks_.clear();
    BlockStore store(8);
    use(store, most, most);
    expect_blocks(store);
    EXPECT_EQ(blocks_read(), 0u);
  }
}

TEST_F(BlockStoreTest, KeepsAllButTheNewestInAFile) {
  for (const size_t most : {3000u, 200'000u}) {
    blocks_.clear();
    BlockStore store(8);
    const uint64_t tail = most < 10'000 ? 200'000 : 2'000'000;
    store.keep_in(fs_, name_, tail);
    use(store, most, most);
    expect_blocks(store);
    EXPECT_GT(blocks_read(), 20u);
    EXPECT_LT(blocks_read(), blocks_.size());
    EXPECT_LE(store.bytes(), tail + (most < 10'000 ? 64 << 10 : 200'000));
    EXPECT_TRUE(fs_.exists(file(0)));
  }
  EXPECT_FALSE(fs_.exists(file(0)));
}

TEST_F(BlockStoreTest, GivesBackWhatIsFree) {
  BlockStore store(8);
  store.keep_in(fs_, name_, 200'000);
  use(store, 3000, 1);
  EXPECT_FALSE(store.is_sparse());
  while (blocks_.size() > 100) {
    const auto gone = std::next(blocks_.begin(), static_cast<ptrdiff_t>(blocks_.size() / 2));
    store.remove(gone->first, gone->second.bytes.size());
    blocks_.erase(gone);
  }
  EXPECT_TRUE(store.is_sparse());
  BlockStore kept = store.fresh();
  std::map<uint64_t, Block> copies;
  for (const auto& [place, block] : blocks_) {
    copies[kept.add(as_bytes(block.bytes), {})].bytes = block.bytes;
  }
  blocks_ = copies;
  store = std::move(kept);
  EXPECT_FALSE(store.is_sparse());
  EXPECT_FALSE(fs_.exists(file(0)));
  use(store, 3000, 2);
  expect_blocks(store);
  EXPECT_GT(blocks_read(), 500u);
  EXPECT_TRUE(fs_.exists(file(1)));
}

TEST_F(BlockStoreTest, FreesAChunkWithItsLastBlock) {
  BlockStore store(1);
  std::vector<uint64_t> places;
  const std::string block(1000, 'x');
  for (int i = 0; i < 1000; ++i) places.push_back(store.add(as_bytes(block), {}));
  const uint64_t full = store.bytes();
  EXPECT_GE(full, 1'000'000u);
  for (const uint64_t place : places) store.remove(place, block.size());
  EXPECT_LT(store.bytes(), full / 10);
}

TEST_F(BlockStoreTest, StaysInMemoryWhenTheDiskIsFull) {
  for (const uint64_t room : {0u, 100'000u, 2'500'000u}) {
    blocks_.clear();
    test::FullDisk disk(room);
    BlockStore store(8);
    store.keep_in(disk, name_, 200'000);
    use(store, 3000, 1);
    expect_blocks(store);
    EXPECT_EQ(blocks_read() > 0, room >= 2'500'000);
    EXPECT_GT(store.bytes(), 500'000u);
  }
}

TEST_F(BlockStoreTest, SaysThatTheFileCannotBeRead) {
  BlockStore store(8);
  store.keep_in(fs_, name_, 200'000);
  const std::string block(1000, 'x');
  const uint64_t first = store.add(as_bytes(block), {});
  for (int i = 0; i < 1000; ++i) store.add(as_bytes(block), {});
  ASSERT_EQ(store.find(first), nullptr);
  std::filesystem::resize_file(file(0), 500);
  std::string bytes(1000, ' ');
  const std::span<char> room(bytes);
  EXPECT_THROW(store.read(first, std::as_writable_bytes(room)), ReadFailure);
}

}  // namespace
}  // namespace kith::jobs
