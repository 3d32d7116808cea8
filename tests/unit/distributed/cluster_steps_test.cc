// The steps of clusters for many machines, put together on one, beside cluster_bags().
#include "kith/cluster_steps.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/cluster_bags.h"

#include "api/batch.h"
#include "base/parallel/thread_pool.h"
#include "cluster/plan/seeds.h"
#include "similar/duplicates.h"
#include "similar/tables/lsh_join.h"
#include "sketch/lsh/tables.h"
#include "support/random_bags.h"
#include "unit/api/families.h"
#include "unit/distributed/distributed_join.h"

namespace kith::distributed {
namespace {

// What a distributed job does, one slice of bags after the other, with or without a list of pairs.
class ClusterJob {
 public:
  ClusterJob(const Bags& bags, const SimilarityOptions& options, uint32_t slices, bool lists_pairs)
      : steps_(*ClusterSteps::make(options)),
        slices_(slices),
        lists_pairs_(lists_pairs),
        features_(*steps_.features(bags)) {
    find_different();
    choose_tables();
    const TableJoin join = *steps_.join(plan_.chosen);
    const TableJoin for_pairs = *steps_.join_for_pairs(plan_.chosen);
    const test::DistributedJoin tables(lists_pairs ? for_pairs : join, different_,
                                       features_.signatures, lanes());
    order_bags(join, tables);
    find_pairs(join, tables);
    find_centers(tables);
  }

  // Of different bags.
  const std::set<similar::Pair>& listed() const { return listed_; }

  const ClusterPlan& plan() const { return plan_; }
  size_t whole() const { return whole_; }
  size_t split() const { return split_; }

  // By bag its center and the sum of minima with it.
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> centers() const {
    std::pair<std::vector<uint32_t>, std::vector<uint32_t>> all;
    for (uint32_t id = 0; id < size(); ++id) {
      const bool has_few_words = words(id) < steps_.options().min_words;
      const uint32_t rank = has_few_words ? 0 : rank_[first_[id]];
      const uint32_t center = has_few_words ? first_[id] : order_[found_.center[rank]];
      const bool is_equal = has_few_words || center == first_[id];
      all.first.push_back(center);
      all.second.push_back(is_equal ? bag_of_100 : found_.sum_of_minima[rank]);
    }
    return all;
  }

 private:
  static constexpr uint32_t bag_of_100 = 100 << 16;

  uint32_t size() const { return static_cast<uint32_t>(features_.offsets.size() - 1); }
  uint32_t lanes() const { return steps_.options().lanes; }
  size_t words(uint32_t id) const { return features_.offsets[id + 1] - features_.offsets[id]; }
  PackedBags packed() const { return {features_.offsets, features_.entries}; }

  void find_different() {
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> first;
    for (uint32_t id = 0; id < size(); ++id) {
      first_.push_back(id);
      copies_.push_back(1);
      if (words(id) == 0) continue;
      filled_.push_back(id);
      const auto [at, is_new] =
          first.emplace(std::pair(features_.content[2 * id], features_.content[2 * id + 1]), id);
      if (is_new) different_.push_back(id);
      first_[id] = at->second;
      if (!is_new) ++copies_[first_[id]];
    }
  }

  // Of some bags, as if they came from elsewhere.
  BagFeatures taken(const std::vector<uint32_t>& ids) const {
    BagFeatures some;
    some.offsets = {0};
    for (const uint32_t id : ids) {
      for (uint64_t at = features_.offsets[id]; at < features_.offsets[id + 1]; ++at) {
        some.entries.push_back(features_.entries[at]);
      }
      some.offsets.push_back(some.entries.size());
      for (uint32_t lane = 0; lane < lanes(); ++lane) {
        some.signatures.push_back(features_.signatures[size_t{id} * lanes() + lane]);
      }
    }
    return some;
  }

  void choose_tables() {
    std::vector<uint32_t> queries;
    for (const uint64_t place : steps_.queries(filled_.size())) queries.push_back(filled_[place]);
    const BagFeatures asking = taken(queries);
    std::vector<QueryNeighbour> nearest;
    std::vector<uint64_t> histograms(queries.size() * ClusterSteps::histogram_bins);
    for (uint32_t slice = 0; slice < slices_; ++slice) {
      const auto first = static_cast<uint32_t>(uint64_t{size()} * slice / slices_);
      const auto last = static_cast<uint32_t>(uint64_t{size()} * (slice + 1) / slices_);
      std::vector<uint32_t> ids(last - first);
      std::iota(ids.begin(), ids.end(), first);
      std::vector<uint8_t> is_copy;
      for (const uint32_t id : ids) is_copy.push_back(first_[id] == id ? 0 : 1);
      const BagFeatures bags = taken(ids);
      const auto found = *steps_.compare({asking.offsets, asking.entries}, queries,
                                         {bags.offsets, bags.entries}, first, is_copy);
      nearest.insert(nearest.end(), found.nearest.begin(), found.nearest.end());
      for (size_t i = 0; i < histograms.size(); ++i) histograms[i] += found.histograms[i];
    }
    std::ranges::sort(nearest, {}, [](const QueryNeighbour& near) {
      return std::tuple(near.query, UINT32_MAX - near.sum_of_minima, near.id);
    });
    std::vector<uint32_t> word_counts;
    std::vector<uint32_t> multiplicity;
    for (const uint32_t id : queries) {
      word_counts.push_back(static_cast<uint32_t>(words(id)));
      multiplicity.push_back(copies_[first_[id]]);
    }
    std::vector<uint32_t> sketched;
    for (const uint64_t place : steps_.sketched(different_.size())) {
      sketched.push_back(different_[place]);
    }
    const BagFeatures sample = taken(sketched);
    plan_ = *steps_.plan({.bags = size(),
                          .entries = features_.entries.size(),
                          .different = different_.size(),
                          .query_ids = queries,
                          .words = word_counts,
                          .multiplicity = multiplicity,
                          .nearest = nearest,
                          .histograms = histograms,
                          .signatures = sample.signatures});
  }

  void order_bags(const TableJoin& join, const test::DistributedJoin& tables) {
    std::vector<uint64_t> mass(size());
    for (const uint32_t id : different_) mass[id] = uint64_t{copies_[id] - 1} * join.tables();
    for (uint32_t table = 0; table < join.tables(); ++table) {
      for (const auto& [key, members] : tables.buckets(table)) {
        uint64_t all = 0;
        for (const uint32_t i : members) all += copies_[different_[i]];
        for (const uint32_t i : members) mass[different_[i]] += all - copies_[different_[i]];
      }
    }
    order_ = different_;
    if (steps_.options().order != Order::url) {
      std::ranges::sort(order_, {}, [&](uint32_t id) { return std::pair(~mass[id], id); });
    }
    rank_.resize(size());
    for (uint32_t rank = 0; rank < order_.size(); ++rank) rank_[order_[rank]] = rank;
  }

  void find_pairs(const TableJoin& join, const test::DistributedJoin& tables) {
    for (uint32_t slice = 0; slice < slices_; ++slice) {
      const auto [a, b] = tables.candidates(slice, slices_);
      EXPECT_TRUE(std::is_sorted(a.begin(), a.end()));
      check_some_at_a_time(tables, slice, a, b);
      const auto sums = *steps_.verify(plan_.chosen.similarity, packed(), a, b);
      const auto counts = *join.equal_bytes(features_.signatures, a, b);
      for (size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] == 0) continue;
        if (lists_pairs_) listed_.insert({a[i], b[i], sums[i]});
        if (counts[i] < join.min_equal_bytes()) continue;
        if (std::min(words(a[i]), words(b[i])) < steps_.options().min_words) continue;
        const uint32_t left = rank_[a[i]];
        const uint32_t right = rank_[b[i]];
        pairs_.push_back({std::min(left, right), std::max(left, right), sums[i]});
      }
    }
  }

  void check_some_at_a_time(const test::DistributedJoin& tables, uint32_t slice,
                            const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
    const auto [first, second] = tables.some_at_a_time(slice, slices_);
    std::vector<std::pair<uint32_t, uint32_t>> all;
    std::vector<std::pair<uint32_t, uint32_t>> some;
    for (size_t i = 0; i < a.size(); ++i) all.emplace_back(a[i], b[i]);
    for (size_t i = 0; i < first.size(); ++i) {
      some.emplace_back(different_[first[i]], different_[second[i]]);
    }
    std::ranges::sort(all);
    std::ranges::sort(some);
    EXPECT_EQ(some, all);
  }

  void find_centers(const test::DistributedJoin& tables) {
    std::vector<uint32_t> members;
    for (const uint32_t id : tables.part_members()) members.push_back(rank_[id]);
    const std::set<uint32_t> numbers(members.begin(), members.end());
    std::vector<uint32_t> ids;
    for (const uint32_t rank : numbers) ids.push_back(order_[rank]);
    const BagFeatures in_parts = taken(ids);
    const std::vector<uint32_t> ascending(numbers.begin(), numbers.end());
    if (lists_pairs_) list_parts(tables);
    whole_ = members.size();
    split_ = tables.split();
    found_ = *steps_.scan(plan_.chosen.similarity, {.count = static_cast<uint32_t>(order_.size()),
                                                    .pairs = pairs_,
                                                    .numbers = ascending,
                                                    .bags = {in_parts.offsets, in_parts.entries},
                                                    .signatures = in_parts.signatures,
                                                    .part_names = tables.part_names(),
                                                    .part_members = members});
  }

  void list_parts(const test::DistributedJoin& tables) {
    std::vector<uint32_t> ids = tables.part_members();
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<uint32_t> places;
    for (const uint32_t id : tables.part_members()) {
      places.push_back(static_cast<uint32_t>(std::ranges::lower_bound(ids, id) - ids.begin()));
    }
    const BagFeatures in_parts = taken(ids);
    BagPartPairs pairs =
        *steps_.part_pairs(plan_.chosen.similarity, {.bags = {in_parts.offsets, in_parts.entries},
                                                     .signatures = in_parts.signatures,
                                                     .part_names = tables.part_names(),
                                                     .part_members = places});
    std::set<similar::Pair> in_part;
    for (;;) {
      const std::vector<SimilarBags> found = *pairs.next(1000);
      if (found.empty()) break;
      for (const SimilarBags& pair : found) {
        EXPECT_TRUE(in_part.insert({ids[pair.a], ids[pair.b], pair.sum_of_minima}).second);
      }
    }
    listed_.insert(in_part.begin(), in_part.end());
  }

  const ClusterSteps steps_;
  const uint32_t slices_;
  const bool lists_pairs_;
  const BagFeatures features_;
  std::vector<uint32_t> first_;   // by bag, the first that is equal
  std::vector<uint32_t> copies_;  // by first one, all that are equal
  std::vector<uint32_t> filled_;
  std::vector<uint32_t> different_;
  ClusterPlan plan_;
  std::vector<uint32_t> order_;  // of different bags
  std::vector<uint32_t> rank_;   // by bag
  std::vector<SimilarBags> pairs_;
  std::set<similar::Pair> listed_;
  ClusterSteps::Centers found_;
  size_t whole_ = 0;
  size_t split_ = 0;
};

struct Expected {
  size_t whole = 0;  // members of whole parts
  size_t split = 0;  // bags whose bucket was split, over all tables
};

// What `kith pairs` finds among different bags, with the tables of a plan.
std::set<similar::Pair> pairs_of_one_machine(const Bags& bags, const SimilarityOptions& options,
                                             const ClusterPlan& plan) {
  const sketch::BagCollection collection = bags.arrays().collection();
  const ClusterSteps steps = *ClusterSteps::make(options);
  const BagFeatures features = *steps.features(bags);
  const uint32_t lanes = steps.options().lanes;
  ThreadPool pool(2);
  const sketch::Tables tables(
      {.lanes = lanes,
       .per_key = plan.engine.per_key,
       .tables = plan.engine.tables,
       .seed = cluster::seed_for(options, cluster::SeedUse::tables)});
  similar::LshJoinOptions join;
  join.min_sum = sketch::min_sum_of_minima(plan.threshold.similarity);
  join.top = 0;
  std::set<similar::Pair> found;
  const auto result = similar::lsh_join(collection, similar::find_duplicates(collection, pool),
                                        sketch::Signatures(features.signatures, lanes), tables,
                                        join, pool, [&](std::span<const similar::Pair> sorted) {
                                          found.insert(sorted.begin(), sorted.end());
                                          return Status::ok();
                                        });
  EXPECT_TRUE(result.is_ok());
  return found;
}

// As on one machine, for any slices.
Expected expect_same(const Bags& bags, const SimilarityOptions& options) {
  SimilarityOptions by_tables = options;
  by_tables.engine = EngineChoice::lsh;
  const BagClusters expected = *cluster_bags(bags, by_tables);
  Expected counted;
  for (const uint32_t slices : {1u, 5u}) {
    const bool lists_pairs = slices > 1;
    const ClusterJob job(bags, options, slices, lists_pairs);
    if (lists_pairs) {
      EXPECT_EQ(job.listed(), pairs_of_one_machine(bags, options, job.plan()));
      EXPECT_GT(job.listed().size(), 100);
    }
    EXPECT_EQ(job.plan().threshold.similarity, expected.threshold.similarity);
    EXPECT_EQ(job.plan().threshold.reason, expected.threshold.reason);
    EXPECT_EQ(job.plan().engine.per_key, expected.engine.per_key);
    EXPECT_EQ(job.plan().engine.tables, expected.engine.tables);
    const auto [center, sums] = job.centers();
    EXPECT_EQ(center, expected.center);
    std::vector<double> similarity;
    for (const uint32_t sum : sums) similarity.push_back(sum / (2.0 * (100 << 16) - sum));
    EXPECT_EQ(similarity, expected.similarity);
    counted = {job.whole(), job.split()};
  }
  return counted;
}

TEST(ClusterSteps, FindTheClustersOfOneMachine) {
  const Bags bags = test::bags_of(test::random_bags({.bags = 1500, .seed = 4}));
  for (const SimilarityOptions& options :
       {SimilarityOptions{}, SimilarityOptions{.similarity = 0.3, .seed = 7},
        SimilarityOptions{.similarity = 0.2, .assign = Assign::best},
        SimilarityOptions{.min_words = 38, .order = Order::url}}) {
    EXPECT_EQ(expect_same(bags, options).split, 0);
  }
}

// Whole parts, and buckets that are no family and are split by coordinates.
TEST(ClusterSteps, SplitLargeBucketsAsOneMachineDoes) {
  test::OwnedBags families = test::random_bags({.bags = 300, .seed = 5});
  test::add_family(families, 700, 1'000'000, 50, 3);
  test::add_family(families, 2500, 2'000'000, 30, 15);
  const Bags bags = test::bags_of(families);
  for (const Assign assign : {Assign::first, Assign::best}) {
    const Expected found =
        expect_same(bags, {.similarity = 0.5, .min_words = 30, .assign = assign});
    EXPECT_GT(found.whole, 700);
    EXPECT_GT(found.split, found.whole);
  }
}

TEST(ClusterSteps, HaveTheSameFeaturesOfPackedBags) {
  const ClusterSteps steps = *ClusterSteps::make();
  test::OwnedBags owned = test::random_bags({.bags = 50, .seed = 6});
  owned.add({});
  const BagFeatures made = *steps.features(test::bags_of(owned));
  const BagFeatures again = *steps.features(PackedBags{made.offsets, made.entries});
  EXPECT_EQ(again.offsets, made.offsets);
  EXPECT_EQ(again.entries, made.entries);
  EXPECT_EQ(again.content, made.content);
  EXPECT_EQ(again.signatures, made.signatures);
}

// However the pairs of a bag follow each other, and for terms too large for a table of weights.
TEST(ClusterSteps, VerifyPairsLikeMergedBags) {
  constexpr double similarity = 0.05;
  const ClusterSteps steps = *ClusterSteps::make({.min_words = 30});
  for (const uint32_t last : {5'000'000u, 4'000'000'000u}) {
    test::OwnedBags owned = test::random_bags({.bags = 60, .topics = 2, .seed = 8});
    test::add_family(owned, 2, last, 40, 2);
    const BagFeatures features = *steps.features(test::bags_of(owned));
    std::vector<uint32_t> a;
    std::vector<uint32_t> b;
    for (uint32_t i = 0; i < 2000; ++i) {
      a.push_back(i < 1000 ? i / 20 : i * 7919 % 62);
      b.push_back(i * 104'729 % 62);
    }
    const auto sums = *steps.verify(similarity, {features.offsets, features.entries}, a, b);
    size_t similar = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const uint32_t sum = sketch::sum_of_minima(owned[a[i]], owned[b[i]]);
      const bool is_similar = sum >= sketch::min_sum_of_minima(similarity);
      EXPECT_EQ(sums[i], is_similar ? sum : 0);
      similar += is_similar;
    }
    EXPECT_GT(similar, 200);
    EXPECT_LT(similar, a.size() - 200);
  }
}

// Whatever is at hand at a time.
TEST(ClusterSteps, VerifyBagsInPieces) {
  const ClusterSteps steps = *ClusterSteps::make();
  const test::OwnedBags owned = test::random_bags({.bags = 90, .topics = 2, .seed = 9});
  const BagFeatures all = *steps.features(test::bags_of(owned));
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  for (uint32_t i = 0; i < 4000; ++i) {
    a.push_back(i / 45);
    b.push_back(i * 104'729 % 90);
  }
  BagVerifier verifier = *steps.verifier(0.05);
  const std::span<const uint64_t> offsets = all.offsets;
  EXPECT_TRUE(verifier.add({offsets.first(31), all.entries}));
  EXPECT_FALSE(verifier.sums(a, b));
  const std::vector<uint64_t> beyond = {offsets[30], offsets[31], all.entries.size() + 1};
  EXPECT_FALSE(verifier.add({beyond, all.entries}));
  EXPECT_EQ(verifier.size(), 30);
  EXPECT_TRUE(verifier.add({offsets.subspan(30), all.entries}));
  std::vector<uint32_t> found;
  for (size_t begin = 0; begin < a.size(); begin += 500) {
    const std::span<const uint32_t> first = a;
    const std::span<const uint32_t> second = b;
    const auto some = *verifier.sums(first.subspan(begin, 500), second.subspan(begin, 500));
    found.insert(found.end(), some.begin(), some.end());
  }
  EXPECT_EQ(found, *steps.verify(0.05, {all.offsets, all.entries}, a, b));
  EXPECT_LT(std::ranges::count(found, 0), 3500);
}

TEST(ClusterSteps, RefuseWhatIsNotForManyMachines) {
  EXPECT_FALSE(ClusterSteps::make({.engine = EngineChoice::exact}));
  EXPECT_FALSE(ClusterSteps::make({.order = Order::degree}));
  EXPECT_FALSE(ClusterSteps::make({.similarity = 2}));
}

TEST(ClusterSteps, NameWhatIsNoBag) {
  const ClusterSteps steps = *ClusterSteps::make();
  const std::vector<uint32_t> first = {0};
  const uint64_t all = uint64_t{100} << 48;
  const auto verify = [&](std::vector<uint64_t> entries, std::vector<uint64_t> offsets) {
    return steps.verify(0.2, {offsets, entries}, first, first).is_ok();
  };
  EXPECT_TRUE(verify({all | 7}, {0, 1}));
  EXPECT_FALSE(verify({all | 7}, {0, 2}));
  EXPECT_FALSE(verify({all / 2 | 7}, {0, 1}));
  EXPECT_FALSE(verify({all / 2 | 7, all / 2 | 7}, {0, 2}));
  EXPECT_FALSE(verify({}, {}));
  const std::vector<SimilarBags> late = {{1, 2, 7}};
  EXPECT_FALSE(steps.scan(0.2, {.count = 2, .pairs = late}));
  const std::vector<uint64_t> names = {1};
  EXPECT_FALSE(steps.scan(0.2, {.count = 2, .part_names = names, .part_members = first}));
  EXPECT_FALSE(steps.join({.similarity = 0.2, .per_key = 9, .tables = 9}));
  EXPECT_FALSE(steps.join({.similarity = 0, .per_key = 2, .tables = 9}));
  EXPECT_FALSE(steps.join_for_pairs({.similarity = 0.2, .per_key = 9, .tables = 9}));
  EXPECT_FALSE(steps.part_pairs(0.2, {.part_names = names, .part_members = first}));
  const TableJoin join = *steps.join({.similarity = 0.2, .per_key = 2, .tables = 9});
  EXPECT_FALSE(join.equal_bytes({}, first, first));
  EXPECT_FALSE(join.equal_bytes(std::vector<uint16_t>(7), {}, {}));
}

}  // namespace
}  // namespace kith::distributed
