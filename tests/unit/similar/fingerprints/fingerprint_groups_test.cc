#include "similar/fingerprints/fingerprint_groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/similar/fingerprints/fingerprints.h"

namespace kith::similar {
namespace {

using test::disk;

Status write(storage::FileSystem& files, const test::TempDir& dir,
             const std::vector<uint64_t>& by_document, uint64_t memory, unsigned threads) {
  ThreadPool pool(threads);
  FingerprintGrouper grouper(files, pool, {.scratch = dir / "sort", .memory = memory, .block = 64});
  for (uint32_t document = 0; document < by_document.size(); ++document) {
    KITH_TRY(grouper.add(document, by_document[document]));
  }
  return grouper.write(dir / "groups");
}

std::vector<uint64_t> with_repeats(size_t n) {
  Rng rng(n);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = mix64(rng.below(n / 2 + 1));
  return values;
}

TEST(FingerprintGroups, AreThoseOfAMapForAnyMemoryAndThreads) {
  for (const size_t n : {0u, 1u, 2u, 5000u}) {
    std::string bytes;
    const std::vector<uint64_t> values = with_repeats(n);
    std::map<uint64_t, std::vector<uint32_t>> expected;
    for (uint32_t document = 0; document < n; ++document) {
      expected[values[document]].push_back(document);
    }
    for (const uint64_t memory : {uint64_t{1} << 20, uint64_t{4096}}) {
      for (const unsigned threads : {1u, 3u}) {
        const test::TempDir dir;
        ASSERT_TRUE(write(disk, dir, values, memory, threads));
        EXPECT_FALSE(disk.exists(dir / "sort.groups") || disk.exists(dir / "sort.ends"));
        const auto groups = FingerprintGroups::open(disk, dir / "groups", static_cast<uint32_t>(n));
        ASSERT_TRUE(groups.is_ok());
        EXPECT_TRUE(groups->verify());
        ASSERT_EQ(groups->size(), expected.size());
        size_t place = 0;
        for (const auto& [fingerprint, documents] : expected) {
          EXPECT_EQ(groups->fingerprints()[place], fingerprint);
          EXPECT_TRUE(std::ranges::equal(groups->documents(place), documents));
          ++place;
        }
        const std::string now = test::read_file(dir / "groups");
        EXPECT_EQ(now, bytes.empty() ? now : bytes);
        bytes = now;
      }
    }
  }
}

TEST(FingerprintGroups, AMillionEqualFingerprintsAreOneGroup) {
  const test::TempDir dir;
  constexpr uint32_t n = 1'000'000;
  ASSERT_TRUE(write(disk, dir, std::vector<uint64_t>(n, 7), uint64_t{64} << 20, 1));
  const auto groups = FingerprintGroups::open(disk, dir / "groups", n);
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->documents(0).size(), n);
}

TEST(FingerprintGroups, ADocumentOutsideIsRefused) {
  const test::TempDir dir;
  ASSERT_TRUE(write(disk, dir, {5, 6}, 1 << 20, 1));
  EXPECT_TRUE(FingerprintGroups::open(disk, dir / "groups", 2).is_ok());
  const auto refused = FingerprintGroups::open(disk, dir / "groups", 1);
  ASSERT_FALSE(refused.is_ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::corrupt);
}

struct GroupSections {
  std::vector<uint64_t> fingerprints{3, 9};
  std::vector<uint64_t> ends{0, 1, 3};
  std::vector<uint32_t> documents{4, 0, 2};
};

TEST(FingerprintGroups, SectionsThatDoNotFitAreRefused) {
  std::vector<GroupSections> samples(7);
  samples[1].fingerprints = {9, 3};
  samples[2].fingerprints = {3, 3};
  samples[3].fingerprints = {3};
  samples[4].ends = {0, 3, 3};  // an empty group
  samples[5].ends = {0, 1, 4};
  samples[6].documents[1] = 5;
  for (size_t i = 0; i < samples.size(); ++i) {
    const test::TempDir dir;
    auto file = storage::SectionWriter::create(disk, dir / "groups", fingerprint_groups_kind);
    ASSERT_TRUE(file->begin("fingerprints"));
    ASSERT_TRUE(file->append_array(std::span<const uint64_t>(samples[i].fingerprints)));
    ASSERT_TRUE(file->begin("documents_at"));
    ASSERT_TRUE(file->append_array(std::span<const uint64_t>(samples[i].ends)));
    ASSERT_TRUE(file->begin("documents"));
    ASSERT_TRUE(file->append_array(std::span<const uint32_t>(samples[i].documents)));
    ASSERT_TRUE(file->finish());
    EXPECT_EQ(FingerprintGroups::open(disk, dir / "groups", 5).is_ok(), i == 0) << i;
  }
}

TEST(FingerprintGroups, AFullDiskIsAnErrorAndLeavesNothing) {
  for (const uint64_t capacity : {0u, 100u, 30'000u, 100'000u}) {
    const test::TempDir dir;
    test::FullDisk full(capacity);
    const Status status = write(full, dir, with_repeats(5000), 4096, 1);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().kind, ErrorKind::io);
    for (const char* name : {"groups", "groups.tmp", "sort.groups", "sort.ends"}) {
      EXPECT_FALSE(disk.exists(dir / name)) << name;
    }
  }
}

}  // namespace
}  // namespace kith::similar
