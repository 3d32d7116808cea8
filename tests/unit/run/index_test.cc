#include <gtest/gtest.h>

#include "run/index_files.h"
#include "sketch/bag.h"
#include "storage/section_file.h"
#include "support/temp_dir.h"

namespace kith::run {
namespace {

storage::FileSystem& disk = storage::posix_file_system();

TEST(Neighbours, ComeBack) {
  const test::TempDir dir;
  auto writer = NeighboursWriter::create(disk, dir / "near");
  const std::vector<Neighbour> first{{2, 900}, {1, 900}};
  ASSERT_TRUE(writer->add(first, 7).is_ok());
  ASSERT_TRUE(writer->add({}, 0).is_ok());
  ASSERT_TRUE(writer->add(std::vector<Neighbour>{{0, 900}}, UINT32_MAX).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
  const auto near = Neighbours::open(disk, dir / "near");
  ASSERT_TRUE(near.is_ok());
  ASSERT_EQ(near->size(), 3u);
  EXPECT_TRUE(std::ranges::equal((*near)[0], first));
  EXPECT_TRUE((*near)[1].empty());
  EXPECT_EQ((*near)[2][0].sum_of_minima, 900u);
  EXPECT_EQ(near->degree(0), 7u);
  EXPECT_EQ(near->degree(2), UINT32_MAX);
  EXPECT_TRUE(near->verify().is_ok());
}

TEST(Neighbours, AnEmptyIndexIsFine) {
  const test::TempDir dir;
  auto writer = NeighboursWriter::create(disk, dir / "near");
  ASSERT_TRUE(writer->finish().is_ok());
  EXPECT_EQ(Neighbours::open(disk, dir / "near")->size(), 0u);
}

TEST(Neighbours, AnIdOutsideIsRefused) {
  const test::TempDir dir;
  auto writer = NeighboursWriter::create(disk, dir / "near");
  ASSERT_TRUE(writer->add(std::vector<Neighbour>{{1, 5}}, 1).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
  EXPECT_EQ(Neighbours::open(disk, dir / "near").error().kind, ErrorKind::corrupt);
}

// Only the list that is looked up is read.
TEST(Neighbours, ALookupIsRefusedWhereItsListIsDamaged) {
  const test::TempDir dir;
  auto file = storage::SectionWriter::create(disk, dir / "near", neighbours_kind);
  const std::vector<Neighbour> entries{{1, 5}, {0, 5}, {4, 5}};
  const std::vector<uint64_t> offsets{0, 1, 3, 2, 3};
  ASSERT_TRUE(file->write_array("near", entries).is_ok());
  ASSERT_TRUE(file->write_array("near_at", offsets).is_ok());
  ASSERT_TRUE(file->write_array("degree", std::vector<uint32_t>(4)).is_ok());
  ASSERT_TRUE(file->finish().is_ok());
  EXPECT_EQ(Neighbours::open(disk, dir / "near").error().kind, ErrorKind::corrupt);
  const auto near = Neighbours::open_for_lookup(disk, dir / "near");
  ASSERT_TRUE(near.is_ok());
  EXPECT_TRUE(near->check(0).is_ok());
  EXPECT_EQ((*near)[0][0].id, 1u);
  EXPECT_EQ(near->check(1).error().kind, ErrorKind::corrupt);  // an id outside
  EXPECT_EQ(near->check(2).error().kind, ErrorKind::corrupt);  // it ends before it begins
  EXPECT_EQ(near->check(3).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(near->verify().error().kind, ErrorKind::corrupt);
}

TEST(Neighbours, ASumAboveAWholeBagIsRefused) {
  const test::TempDir dir;
  for (const uint32_t sum : {sketch::bag_total, sketch::bag_total + 1}) {
    auto writer = NeighboursWriter::create(disk, dir / "near");
    ASSERT_TRUE(writer->add(std::vector<Neighbour>{{0, sum}}, 1).is_ok());
    ASSERT_TRUE(writer->finish().is_ok());
    EXPECT_EQ(Neighbours::open(disk, dir / "near").is_ok(), sum == sketch::bag_total);
  }
}

struct Sample {
  std::vector<uint32_t> center{1, 1, 2};
  std::vector<uint32_t> sums{50, 100, 100};
  std::vector<uint32_t> members{1, 0, 2};
  std::vector<uint64_t> members_at{0, 2, 3};
  std::vector<uint32_t> labels{9, 4};
  std::vector<uint64_t> labels_at{0, 2, 2};
  std::vector<uint32_t> hosts{0, 2};
  ClusterArrays arrays() const {
    return {center, sums, members, members_at, labels, labels_at, hosts};
  }
};

TEST(Clusters, ComeBack) {
  const test::TempDir dir;
  const Sample sample;
  ASSERT_TRUE(write_clusters(disk, dir / "clusters", sample.arrays()).is_ok());
  const auto clusters = Clusters::open(disk, dir / "clusters");
  ASSERT_TRUE(clusters.is_ok());
  EXPECT_EQ(clusters->size(), 2u);
  EXPECT_EQ(clusters->urls(), 3u);
  EXPECT_TRUE(std::ranges::equal(clusters->members(0), std::vector<uint32_t>{1, 0}));
  EXPECT_TRUE(std::ranges::equal(clusters->label(0), std::vector<uint32_t>{9, 4}));
  EXPECT_TRUE(clusters->label(1).empty());
  EXPECT_EQ(clusters->center_of(0), 1u);
  EXPECT_EQ(clusters->sum_of_minima(0), 50u);
  EXPECT_EQ(clusters->hosts(), 2u);
  EXPECT_EQ(clusters->host_of(0), 0u);
  EXPECT_EQ(clusters->host_of(1), 0u);
  EXPECT_EQ(clusters->host_of(2), 1u);
  EXPECT_EQ(clusters->first_url(1), 2u);
  EXPECT_TRUE(clusters->check(0).is_ok());
}

TEST(Clusters, ArraysThatDoNotFitAreRefused) {
  const test::TempDir dir;
  std::vector<Sample> damaged(11);
  damaged[0].center[2] = 3;
  damaged[1].members[0] = 3;
  damaged[2].sums.pop_back();
  damaged[3].members_at = {0, 4, 3};
  damaged[4].labels_at = {0, 2};
  damaged[5].members_at = {0, 0, 3};  // an empty cluster
  damaged[6].sums[0] = sketch::bag_total + 1;
  damaged[7].hosts = {};
  damaged[8].hosts = {1, 2};
  damaged[9].hosts = {0, 0};
  damaged[10].hosts = {0, 3};
  for (const Sample& sample : damaged) {
    ASSERT_TRUE(write_clusters(disk, dir / "clusters", sample.arrays()).is_ok());
    EXPECT_EQ(Clusters::open(disk, dir / "clusters").error().kind, ErrorKind::corrupt);
    const auto unread = Clusters::open_for_lookup(disk, dir / "clusters");
    if (unread.is_ok()) {
      EXPECT_EQ(unread->verify().error().kind, ErrorKind::corrupt);
    }
  }
}

// Each check of a cluster or URL finds damage that it depends on, and no other.
TEST(Clusters, ALookupIsRefusedWhereItsValuesAreDamaged) {
  const test::TempDir dir;
  const auto opened = [&](const Sample& sample) {
    EXPECT_TRUE(write_clusters(disk, dir / "clusters", sample.arrays()).is_ok());
    return Clusters::open_for_lookup(disk, dir / "clusters").value();
  };
  Sample center;
  center.center[2] = 3;
  EXPECT_EQ(opened(center).check_url(2).error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(opened(center).check_url(1).is_ok());
  Sample member;
  member.members[0] = 3;
  EXPECT_EQ(opened(member).check(0).error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(opened(member).check(1).is_ok());
  Sample sum;
  sum.sums[2] = sketch::bag_total + 1;
  EXPECT_TRUE(opened(sum).check(0).is_ok());
  EXPECT_EQ(opened(sum).check(1).error().kind, ErrorKind::corrupt);
  Sample size;
  size.members_at = {0, 0, 3};
  EXPECT_EQ(opened(size).check_size(0).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(opened(size).check(0).error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(opened(size).check_size(1).is_ok());
}

}  // namespace
}  // namespace kith::run
