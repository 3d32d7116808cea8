// The columns of a run beside what it says URL by URL.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "kith/pipeline.h"
#include "kith/run.h"

#include "support/temp_dir.h"
#include "unit/api/sample.h"

namespace kith::answers {
namespace {

class Columns : public testing::Test {
 protected:
  Columns() {
    options_.inputs = {test::sample_crawl()};
    options_.output = dir_ / "run";
    options_.similarity = 0.2;
    options_.related = RelatedPages::plain;
  }

  kith::Run made() {
    EXPECT_TRUE(cluster_crawl(options_).is_ok());
    return std::move(kith::Run::open(options_.output)).value();
  }

  const test::TempDir dir_;
  ClusterOptions options_;
};

TEST_F(Columns, SayWhatTheRunSays) {
  const kith::Run run = made();
  const auto columns = run.columns();
  ASSERT_TRUE(columns.is_ok());
  for (UrlId id = 0; id < run.urls(); ++id) {
    EXPECT_EQ(columns->fetched[id] != 0, *run.fetched(id));
    EXPECT_EQ(columns->inlinks[id], *run.inlinks(id));
    EXPECT_EQ(columns->degree[id], *run.degree(id));
    const auto related = run.related(id, 1000);
    const uint64_t first = columns->related_offsets[id];
    ASSERT_EQ(columns->related_offsets[id + 1] - first, related->size());
    for (size_t i = 0; i < related->size(); ++i) {
      EXPECT_EQ(columns->related[2 * (first + i)], (*related)[i].id);
      EXPECT_EQ(similarity_of_sum(columns->related[2 * (first + i) + 1]), (*related)[i].similarity);
    }
    std::map<std::string, double> bag;
    for (uint64_t at = columns->bag_offsets[id]; at < columns->bag_offsets[id + 1]; ++at) {
      const std::string term(*run.term(columns->bag_entries[2 * at]));
      bag[term] = static_cast<double>(columns->bag_entries[2 * at + 1]) / weight_unit;
    }
    const auto weights = run.bag(id);
    ASSERT_EQ(bag.size(), weights->size());
    for (const TermWeight& entry : *weights) EXPECT_EQ(bag[entry.term], entry.weight);
  }
  EXPECT_EQ(columns->term_frequency.size(), run.terms());
  EXPECT_FALSE(run.term(run.terms()).is_ok());
}

TEST_F(Columns, HaveTheClusters) {
  const kith::Run run = made();
  const auto columns = run.columns();
  ASSERT_EQ(columns->cluster_offsets.size(), run.clusters() + 1);
  for (uint64_t number = 0; number < run.clusters(); ++number) {
    const auto cluster = run.cluster(number);
    const uint64_t first = columns->cluster_offsets[number];
    ASSERT_EQ(columns->cluster_offsets[number + 1] - first, cluster->members.size());
    for (size_t i = 0; i < cluster->members.size(); ++i) {
      const Related& member = cluster->members[i];
      EXPECT_EQ(columns->cluster_members[first + i], member.id);
      EXPECT_EQ(columns->center[member.id], cluster->members.front().id);
      EXPECT_EQ(similarity_of_sum(columns->center_sum[member.id]), member.similarity);
    }
  }
}

TEST_F(Columns, AreEmptyWhereARunHasNoLists) {
  options_.neighbours = 0;
  options_.order = Order::url;
  const kith::Run run = made();
  const auto columns = run.columns();
  ASSERT_TRUE(columns.is_ok());
  EXPECT_TRUE(columns->related_offsets.empty() && columns->degree.empty());
  EXPECT_TRUE(columns->other_sites.empty());
}

}  // namespace
}  // namespace kith::answers
