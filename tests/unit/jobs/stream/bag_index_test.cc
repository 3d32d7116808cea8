// The tables and the plane of a stream of bags beside a plain loop over all signatures.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/tune.h"

#include "bags/weights.h"
#include "base/random.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/table_costs.h"
#include "jobs/stream/leader_index.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"
#include "unit/jobs/stream/elements.h"

namespace kith::jobs {
namespace {

using cluster::SeedUse;
using Weights = std::vector<bags::RealWeight>;

StreamOptions bag_options(double recall, uint32_t lanes) {
  StreamOptions options;
  options.by = StreamBy::bags;
  options.dictionary = "any";
  options.similarity = 0.3;
  options.recall = recall;
  options.lanes = lanes;
  options.max_tables = 64;
  return options;
}

// Of 50 words, some of which are those of a family.
Elements random_bag(Rng& rng) {
  const auto family = static_cast<uint32_t>(rng.below(20));
  const uint64_t own = rng.below(35);
  Weights weights;
  for (uint32_t word = 0; word < 50; ++word) {
    const auto other = static_cast<uint32_t>(rng.below(100'000));
    weights.push_back({word < own ? (family * 50 + word) : 1000 + word * 100'000 + other,
                       1.0 + static_cast<double>(rng.below(4))});
  }
  return bag(weights);
}

// What the documentation says of a leader that is found, as a loop.
class Twin {
 public:
  explicit Twin(const StreamOptions& options)
      : options_(options), sketcher_(sketch_options(options)), tables_(params(options)) {
    plane_lanes_ = std::min(options.lanes, 64u);
    bar_ = sketch::min_equal(options.similarity, plane_lanes_, 8, (1 - options.recall) / 11);
  }

  void add(const Elements& elements) { leaders_.push_back(signed_of(elements)); }

  std::vector<uint32_t> find(const Elements& elements) {
    const Signed asked = signed_of(elements);
    std::vector<uint32_t> found;
    for (uint32_t leader = 0; leader < leaders_.size(); ++leader) {
      const Signed& other = leaders_[leader];
      if (!share_a_key(asked, other)) continue;
      ++candidates;
      uint32_t equal = 0;
      for (size_t lane = options_.lanes - plane_lanes_; lane < options_.lanes; ++lane) {
        equal += (asked.values[lane] & 0xff) == (other.values[lane] & 0xff) ? 1 : 0;
      }
      if (equal >= bar_) found.push_back(leader);
    }
    return found;
  }

  uint64_t candidates = 0;  // that share a key

 private:
  struct Signed {
    std::vector<uint16_t> values;
    std::vector<uint64_t> keys;
  };

  static sketch::SketchOptions sketch_options(const StreamOptions& options) {
    sketch::SketchOptions sketch;
    sketch.lanes = options.lanes;
    sketch.seed = cluster::seed_for(options, SeedUse::sketch);
    return sketch;
  }
  static sketch::TableParams params(const StreamOptions& options) {
    const double recall = 1 - (1 - options.recall) * 10 / 11;
    const auto plan =
        kith::plan_tables(options.similarity, recall, options.lanes, options.max_tables);
    EXPECT_TRUE(plan.is_ok());
    return cluster::table_params(*plan, cluster::seed_for(options, SeedUse::tables));
  }
  Signed signed_of(const Elements& elements) const {
    Signed made{std::vector<uint16_t>(options_.lanes),
                std::vector<uint64_t>(tables_.params().tables)};
    sketcher_.sketch(bag_of(elements), made.values);
    tables_.keys(made.values, made.keys);
    return made;
  }
  static bool share_a_key(const Signed& a, const Signed& b) {
    for (size_t table = 0; table < a.keys.size(); ++table) {
      if (a.keys[table] == b.keys[table]) return true;
    }
    return false;
  }

  const StreamOptions options_;
  sketch::Sketcher sketcher_;
  sketch::Tables tables_;
  std::vector<Signed> leaders_;
  uint32_t plane_lanes_;
  uint32_t bar_;
};

TEST(BagIndex, FindsWhatSharesAKeyAndAgreesOnThePlane) {
  for (const uint32_t lanes : {48u, 128u, 256u}) {
    const StreamOptions options = bag_options(0.8, lanes);
    const auto index = make_leader_index(options);
    Twin twin(options);
    Rng rng(lanes);
    std::vector<uint32_t> found;
    uint64_t all = 0;
    for (uint32_t i = 0; i < 1500; ++i) {
      const Elements elements = random_bag(rng);
      index->find(elements, found);
      ASSERT_EQ(found, twin.find(elements)) << i;
      all += found.size();
      index->add(elements);
      twin.add(elements);
    }
    // The plane is what makes the difference.
    EXPECT_GT(all, 1000u);
    EXPECT_GT(twin.candidates, all + all / 4);
  }
}

// Of 100 words of one weight two bags share as many as make them just as similar as the minimum.
TEST(BagIndex, MissesAtTheMinimumNoMoreThanTheRecallLeaves) {
  constexpr uint32_t words = 100;
  constexpr uint32_t common = 47;  // 47 of 153 in common: 0.307
  for (const double recall : {0.8, 0.95}) {
    uint32_t missed = 0;
    constexpr uint32_t trials = 3000;
    const auto index = make_leader_index(bag_options(recall, 128));
    std::vector<Elements> asking;
    for (uint32_t trial = 0; trial < trials; ++trial) {
      Weights leader;
      Weights asked;
      for (uint32_t word = 0; word < words; ++word) {
        leader.push_back({2 * words * trial + word, 1});
        asked.push_back({2 * words * trial + words - common + word, 1});
      }
      index->add(bag(leader));
      asking.push_back(bag(asked));
    }
    std::vector<uint32_t> found;
    for (uint32_t trial = 0; trial < trials; ++trial) {
      index->find(asking[trial], found);
      missed += std::ranges::binary_search(found, trial) ? 0 : 1;
    }
    // Four standard deviations.
    const double most = 1 - recall;
    EXPECT_LT(missed, trials * most + 4 * std::sqrt(trials * most));
    EXPECT_GT(missed, 0u);
  }
}

}  // namespace
}  // namespace kith::jobs
