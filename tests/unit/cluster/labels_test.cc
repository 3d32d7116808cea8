#include "cluster/labels.h"

#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/clustering.h"
#include "cluster/label_candidates.h"
#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "support/memory_file_system.h"
#include "support/untouchable.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using cluster::test::Words;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Terms = std::vector<uint32_t>;

Terms terms_of(std::span<const uint32_t> label) {
  return {label.begin(), label.end()};
}

// What labels are made of.
struct LabelInput {
  sketch::BagCollection bags;
  const ClusterLists& lists;
  std::vector<uint32_t> hosts;  // the first id of each
  std::vector<uint32_t> nearest = {};
  size_t terms = 100;
};

// part_bytes: of rows that lie in files; 0 for rows that stay where they are.
ClusterLabels labels_of(const LabelInput& input, const LabelOptions& options, ThreadPool& pool,
                        uint64_t part_bytes = 0) {
  uint64_t documents = 0;
  for (size_t id = 0; id < input.bags.size(); ++id) documents += !input.bags[id].empty();
  const auto frequency = count_document_frequencies(input.bags, input.terms, pool);
  const Hosts hosts(input.hosts, input.bags);
  const LabelContext context{input.bags, &hosts, frequency, documents, input.nearest};
  kith::test::MemoryFileSystem fs;
  const RowSpill spill = part_bytes == 0 ? RowSpill{} : RowSpill{&fs, &pool, "rows", part_bytes};
  const auto members = input.lists.ids().first(input.lists.offsets()[input.lists.groups()]);
  auto rows = OrderedRows::make(input.bags, {}, members, spill);
  return label_clusters(rows.value(), input.lists, context, options, pool).value();
}

// The clusters of ids [begins[i], begins[i + 1]), for all ids.
Clustering clusters_of(const std::vector<uint32_t>& begins, size_t n) {
  Clustering clustering(n);
  uint32_t center = 0;
  for (uint32_t id = 0; id < n; ++id) {
    if (std::ranges::find(begins, id) != begins.end()) center = id;
    clustering.make_center(id);
    if (id != center) clustering.join(id, center, 1);
  }
  return clustering;
}

// The labels of such clusters, by the first id of each.
std::map<uint32_t, Terms> labels_by_center(const std::vector<Words>& bags,
                                           const std::vector<uint32_t>& clusters,
                                           const std::vector<uint32_t>& hosts = {0},
                                           const LabelOptions& options = {}) {
  const auto owned = cluster::test::bags_of(bags);
  ThreadPool pool(2);
  const ClusterLists lists(clusters_of(clusters, bags.size()), pool);
  const ClusterLabels labels = labels_of({owned.view(), lists, hosts}, options, pool);
  std::map<uint32_t, Terms> by_center;
  for (size_t i = 0; i < lists.size(); ++i) by_center[lists.center(i)] = terms_of(labels[i]);
  return by_center;
}

// The definition, by maps. One cluster at a time.
class Definition {
 public:
  Definition(const LabelInput& input, double min_share) : input_(input), min_share_(min_share) {}

  Terms label_of(size_t cluster) const {
    Terms terms = best(cluster);
    if (!input_.nearest.empty() && input_.nearest[cluster] != NearestClusters::none) {
      const auto typical = typical_terms(input_.nearest[cluster]);
      std::stable_partition(terms.begin(), terms.end(),
                            [&](uint32_t term) { return !typical.contains(term); });
    }
    terms.resize(std::min(terms.size(), ClusterLabels::most));
    return terms;
  }

 private:
  struct Counts {
    uint64_t bags = 0;
    uint64_t weight = 0;
  };
  using ByTerm = std::map<uint32_t, Counts>;

  uint32_t host_of(uint32_t id) const {
    uint32_t host = 0;
    while (host + 1 < input_.hosts.size() && input_.hosts[host + 1] <= id) ++host;
    return host;
  }

  template <class Ids>
  ByTerm count(const Ids& ids) const {
    ByTerm counts;
    for (const uint32_t id : ids) {
      for (const sketch::BagEntry& entry : input_.bags[id]) {
        ++counts[entry.term].bags;
        counts[entry.term].weight += entry.weight;
      }
    }
    return counts;
  }

  ByTerm typical_terms(size_t cluster) const {
    ByTerm counts = count(input_.lists[cluster]);
    const auto members = static_cast<double>(input_.lists.size_of(cluster));
    std::erase_if(counts, [&](const auto& entry) {
      return entry.second.bags < 2 || static_cast<double>(entry.second.bags) < min_share_ * members;
    });
    return counts;
  }

  // The other bags that the cluster is compared with.
  Terms others(size_t cluster) const {
    const auto members = input_.lists[cluster];
    std::map<uint32_t, size_t> on_host, of_host;
    Terms filled;
    for (uint32_t id = 0; id < input_.bags.size(); ++id) {
      if (!input_.bags[id].empty()) filled.push_back(id);
    }
    for (const uint32_t id : members) ++on_host[host_of(id)];
    for (const uint32_t id : filled) ++of_host[host_of(id)];
    std::erase_if(on_host, [&](const auto& entry) {
      return entry.second * 10 < members.size() || of_host[entry.first] < 10;
    });
    const auto is_member = [&](uint32_t id) { return std::ranges::count(members, id) > 0; };
    Terms on_own = filled;
    std::erase_if(on_own, [&](uint32_t id) { return !on_host.contains(host_of(id)); });
    const auto mine = static_cast<size_t>(std::ranges::count_if(on_own, is_member));
    if (on_own.empty() || mine * 10 > on_own.size() * 9) on_own = filled;
    std::erase_if(on_own, is_member);
    return on_own;
  }

  Terms best(size_t cluster) const {
    const Terms outside = others(cluster);
    const ByTerm elsewhere = count(outside);
    const uint64_t members = input_.lists.size_of(cluster);
    std::vector<std::tuple<double, uint64_t, uint32_t>> scored;
    for (const auto& [term, inside] : typical_terms(cluster)) {
      const auto found = elsewhere.find(term);
      const uint64_t there = found == elsewhere.end() ? 0 : found->second.bags;
      if (inside.bags * outside.size() < there * members) continue;
      const double score = log_likelihood_ratio(inside.bags, members, there, outside.size());
      scored.emplace_back(-score, UINT64_MAX - inside.weight, term);
    }
    std::ranges::sort(scored);
    Terms terms;
    for (const auto& entry : scored) terms.push_back(std::get<2>(entry));
    terms.resize(std::min(terms.size(), ClusterLabels::considered));
    return terms;
  }

  const LabelInput& input_;
  const double min_share_;
};

// The first row of table 1 of Dunning (1993): "the swiss".
TEST(LogLikelihoodRatio, DunningsTable) {
  EXPECT_NEAR(log_likelihood_ratio(110, 110 + 2442, 111, 111 + 29114), 270.72, 0.005);
}

TEST(LogLikelihoodRatio, ByHand) {
  // 2 of 2 against 0 of 2: 2 * (4 ln 4 - 2 ln 2 - 2 ln 2) = 8 ln 2.
  EXPECT_NEAR(log_likelihood_ratio(2, 2, 0, 2), 8 * std::log(2), 1e-12);
  EXPECT_NEAR(log_likelihood_ratio(1, 2, 10, 20), 0, 1e-12);  // no surprise
  EXPECT_EQ(log_likelihood_ratio(3, 3, 0, 0), 0);             // nothing to compare with
  EXPECT_EQ(log_likelihood_ratio(0, 0, 0, 0), 0);
}

TEST(LogLikelihoodRatio, GrowsWithTheShareInside) {
  for (uint64_t inside = 2; inside <= 10; ++inside) {
    EXPECT_GT(log_likelihood_ratio(inside, 10, 100, 1000),
              log_likelihood_ratio(inside - 1, 10, 100, 1000));
  }
}

TEST(LogLikelihoodRatio, IsTheSameByTable) {
  const LogLikelihood by_table;
  for (const uint64_t n : {3u, 1000u, 20'000u, 3'000'000u}) {
    EXPECT_EQ(by_table.ratio(n / 3, n, n / 2, 2 * n), log_likelihood_ratio(n / 3, n, n / 2, 2 * n));
  }
}

TEST(Frequencies, CountBags) {
  const auto owned =
      cluster::test::bags_of(std::vector<Words>{{{1, 1.0}, {4, 2.0}}, {}, {{4, 1.0}}});
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    EXPECT_THAT(count_document_frequencies(owned.view(), 6, pool), ElementsAre(0, 1, 0, 0, 2, 0));
  }
}

// 7 is everywhere, 1 in both members and nowhere else, 2 in both and outside, 3 in one.
TEST(Labels, SetTheClusterApart) {
  const std::vector<Words> bags{{{1, 1.0}, {2, 1.0}, {7, 9.0}},
                                {{1, 1.0}, {2, 1.0}, {3, 1.0}, {7, 9.0}},
                                {{2, 1.0}, {7, 9.0}},
                                {{7, 9.0}},
                                {{7, 9.0}, {8, 1.0}}};
  const auto labels = labels_by_center(bags, {0, 2, 3, 4});
  EXPECT_THAT(labels.at(0), ElementsAre(1, 2, 7));
  EXPECT_THAT(labels.at(2), IsEmpty());  // a single
}

TEST(Labels, NeedAShareOfTheMembersAndTwoOfThem) {
  std::vector<Words> bags(10, Words{{1, 1.0}});
  for (uint32_t id = 0; id < 10; ++id) {
    if (id < 3) bags[id].emplace_back(2, 1.0);  // 3 of 10: just enough
    if (id < 2) bags[id].emplace_back(3, 1.0);
    if (id < 1) bags[id].emplace_back(4, 1.0);
  }
  bags.push_back({{9, 1.0}});
  EXPECT_THAT(labels_by_center(bags, {0, 10}).at(0), ElementsAre(1, 2));
  EXPECT_THAT(labels_by_center(bags, {0, 10}, {0}, {.min_share = 0}).at(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(labels_by_center(bags, {0, 10}, {0}, {.min_share = 1}).at(0), ElementsAre(1));
}

TEST(Labels, AreNotRarerInsideThanOutside) {
  const std::vector<Words> bags{
      {{1, 1.0}, {2, 1.0}}, {{1, 1.0}}, {{2, 1.0}}, {{2, 1.0}}, {{2, 1.0}, {3, 1.0}}};
  EXPECT_THAT(labels_by_center(bags, {0, 2, 3, 4}).at(0), ElementsAre(1));
}

TEST(Labels, TieByWeightThenById) {
  const std::vector<Words> bags{
      {{1, 1.0}, {2, 5.0}, {3, 1.0}}, {{1, 1.0}, {2, 5.0}, {3, 1.0}}, {{9, 1.0}}};
  EXPECT_THAT(labels_by_center(bags, {0, 2}).at(0), ElementsAre(2, 1, 3));
}

// With no other bags, nothing surprises: the heaviest terms remain.
TEST(Labels, OfACollectionInOneCluster) {
  const std::vector<Words> bags(4, Words{{1, 1.0}, {2, 5.0}});
  EXPECT_THAT(labels_by_center(bags, {0}).at(0), ElementsAre(2, 1));
}

// Two hosts of 12 pages. 50 is in the menu of the first, 1 on the pages of its cluster and on a
// page of the other host; 50 is the rarer one in the collection.
TEST(Labels, CompareWithTheOtherPagesOfTheHosts) {
  std::vector<Words> bags;
  for (uint32_t id = 0; id < 12; ++id) bags.push_back({{50, 1.0}, {60 + id, 1.0}});
  for (uint32_t id = 0; id < 3; ++id) bags[id].emplace_back(51, 0.1);
  for (uint32_t id = 0; id < 12; ++id) bags.push_back({{51, 1.0}, {60 + id, 1.0}});
  const std::vector<uint32_t> clusters{0,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                       13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  EXPECT_EQ(labels_by_center(bags, clusters, {0, 12}).at(0).front(), 51u);
  EXPECT_EQ(labels_by_center(bags, clusters, {0}).at(0).front(), 50u);
}

TEST(OwnHosts, HaveTenPagesAndATenthOfTheMembers) {
  // Hosts of 9, 10, 20 and 12 bags, the last without words in 3 of them.
  const std::vector<uint32_t> begins{0, 9, 19, 39};
  std::vector<Words> bags(51, Words{{1, 1.0}});
  for (uint32_t id = 48; id < 51; ++id) bags[id].clear();
  const auto owned = cluster::test::bags_of(bags);
  const Hosts hosts(begins, owned.view());
  std::vector<uint32_t> scratch;
  const auto own = [&](const Terms& members) {
    const OwnHosts found = own_hosts(hosts, members, scratch);
    return Terms(found.list().begin(), found.list().end());
  };
  EXPECT_EQ(hosts.host_of(8), 0u);
  EXPECT_EQ(hosts.host_of(9), 1u);
  EXPECT_EQ(hosts.host_of(50), 3u);
  EXPECT_EQ(own({40, 20, 10, 0}), Terms({1, 2}));
  // One of ten is enough, one of eleven is not.
  EXPECT_EQ(own({10, 20, 21, 22, 23, 24, 25, 26, 27, 28}), Terms({1, 2}));
  EXPECT_EQ(own({10, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}), Terms({2}));
  // Nine of ten pages leave something to compare with, all of them do not.
  EXPECT_EQ(own({9, 10, 11, 12, 13, 14, 15, 16, 17}), Terms({1}));
  EXPECT_EQ(own({9, 10, 11, 12, 13, 14, 15, 16, 17, 18}), Terms());
}

// Terms 1 and 2 are on the pages of both clusters, 3 and 4 on half of those of one.
TEST(Labels, BeginWithWhatTellsFromTheNearestCluster) {
  std::vector<Words> bags(8, Words{{1, 1.0}, {2, 1.0}});
  for (uint32_t id = 0; id < 2; ++id) bags[id].emplace_back(3, 0.1);
  for (uint32_t id = 4; id < 6; ++id) bags[id].emplace_back(4, 0.1);
  std::vector<uint32_t> begins{0, 4};
  for (uint32_t id = 8; id < 28; ++id) {
    bags.push_back({{20 + id, 1.0}});
    begins.push_back(id);
  }
  const auto owned = cluster::test::bags_of(bags);
  ThreadPool pool(2);
  const Clustering clustering = clusters_of(begins, bags.size());
  const ClusterLists lists(clustering, pool);
  const auto label = [&](const std::vector<uint32_t>& nearest, size_t cluster) {
    return terms_of(labels_of({owned.view(), lists, {0}, nearest}, {}, pool)[cluster]);
  };
  EXPECT_EQ(label({}, 0), Terms({1, 2, 3}));
  EXPECT_EQ(label({1, 0}, 0), Terms({3, 1, 2}));
  EXPECT_EQ(label({1, 0}, 1), Terms({4, 1, 2}));
  EXPECT_EQ(label({NearestClusters::none, 0}, 0), Terms({1, 2, 3}));
}

TEST(NearestClusters, HaveTheMostSimilarPair) {
  // {0, 1}, {2, 3}, {4, 5}, and 6 alone.
  ThreadPool pool(1);
  const ClusterLists lists(clusters_of({0, 2, 4, 6}, 7), pool);
  NearestClusters nearest(lists, 7);
  const auto add = [&](uint32_t id, const std::vector<similar::Neighbour>& list) {
    nearest.add(id, list);
  };
  add(0, {{6, 90}, {1, 80}, {4, 50}, {2, 50}});  // of equal ones the smaller number
  add(1, {{0, 80}, {4, 49}});
  add(2, {{3, 70}, {0, 50}});
  add(3, {{2, 70}, {5, 51}, {0, 51}});
  add(4, {{5, 60}});
  add(6, {{0, 90}});
  EXPECT_EQ(nearest.finish(), Terms({1, 0, NearestClusters::none}));
}

class OnManyBags : public ::testing::Test {
 protected:
  OnManyBags()
      : owned_(kith::test::random_bags({.bags = 2000, .words = 15, .topics = 30})),
        clustering_(cluster::test::exact_leaders(owned_.view(), order_by_id(2000),
                                                 {.min_sum = sketch::min_sum_of_minima(0.1)}, one_)
                        .clustering),
        lists_(clustering_, one_) {
    // Many small hosts, some of middle size, one large.
    for (uint32_t id = 0; id < 2000; id += id < 300 ? 5 : id < 1000 ? 40 + id % 7 : 700) {
      hosts_.push_back(id);
    }
    for (uint32_t i = 0; i < lists_.groups(); ++i) {
      const bool has_none = i % 7 == 3;
      nearest_.push_back(has_none ? NearestClusters::none
                                  : static_cast<uint32_t>((i * 13 + 1) % lists_.groups()));
    }
  }

  LabelInput input(const sketch::BagCollection& bags) const {
    return {bags, lists_, hosts_, nearest_, 20000};
  }

  ThreadPool one_{1};
  const kith::test::OwnedBags owned_;
  const Clustering clustering_;
  const ClusterLists lists_;
  std::vector<uint32_t> hosts_;
  std::vector<uint32_t> nearest_;
};

TEST_F(OnManyBags, LabelsAreThoseOfTheDefinition) {
  ASSERT_GT(lists_.groups(), 50u);
  const LabelInput with_nearest = input(owned_.view());
  LabelInput without = with_nearest;
  without.nearest.clear();
  for (const LabelInput& each : {with_nearest, without}) {
    const ClusterLabels labels = labels_of(each, {}, one_);
    const Definition definition(each, LabelOptions().min_share);
    for (size_t i = 0; i < lists_.groups(); ++i) {
      ASSERT_EQ(terms_of(labels[i]), definition.label_of(i)) << i;
    }
  }
}

TEST_F(OnManyBags, LabelsAreTheSameForAnyThreadsPartsAndMemory) {
  // Bags of a file, no page of which may be touched while they are counted or dealt out.
  const auto entries = owned_.view().entries();
  const kith::test::Untouchable<sketch::BagEntry> mapping({entries.begin(), entries.end()});
  const sketch::BagCollection mapped(owned_.view().offsets(), mapping.span(), &mapping);
  const auto frequency = count_document_frequencies(owned_.view(), 20000, one_);
  const ClusterLabels expected = labels_of(input(owned_.view()), {}, one_);
  for (const unsigned threads : {2u, 5u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(frequency, count_document_frequencies(owned_.view(), 20000, pool));
    EXPECT_EQ(frequency, count_document_frequencies(mapped, 20000, pool));
    // Parts that hold less than a cluster, some clusters, and all of them; likewise the candidates.
    for (const uint64_t part_bytes : {0u, 300u, 5'000u, 60'000u, 1u << 30}) {
      for (const uint64_t memory : {1u, 20'000u, 300'000u, 1u << 30}) {
        const sketch::BagCollection bags = part_bytes == 0 ? owned_.view() : mapped;
        const ClusterLabels labels = labels_of(input(bags), {.memory = memory}, pool, part_bytes);
        for (size_t i = 0; i < lists_.size(); ++i) {
          ASSERT_TRUE(std::ranges::equal(labels[i], expected[i])) << i << ", " << part_bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kith::cluster
