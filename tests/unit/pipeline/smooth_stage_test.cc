// Smoothed bags and their lists, beside their definition by maps and brute force.
#include "pipeline/smooth_stage.h"

#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "bags/tables.h"
#include "bags/weights.h"
#include "pipeline/smoothed_bags.h"
#include "support/memory_file_system.h"
#include "support/random_bags.h"
#include "support/untouchable.h"

namespace kith::pipeline {
namespace {

using index::Neighbour;
using Lists = std::vector<std::vector<Neighbour>>;

// The k nearest of every bag, by comparing all.
Lists nearest(const BagCollection& bags, size_t k) {
  Lists lists(bags.size());
  for (uint32_t a = 0; a < bags.size(); ++a) {
    for (uint32_t b = 0; b < bags.size(); ++b) {
      const uint32_t sum = a == b ? 0 : sum_of_minima(bags[a], bags[b]);
      if (sum > 0) lists[a].push_back({b, sum});
    }
    std::ranges::sort(lists[a], pairs::nearer);
    lists[a].resize(std::min(k, lists[a].size()));
  }
  return lists;
}

index::Neighbours written(test::MemoryFileSystem& fs, const Lists& lists) {
  auto writer = index::NeighboursWriter::create(fs, "lists").value();
  for (const auto& list : lists) EXPECT_TRUE(writer.add(list, 3).is_ok());
  EXPECT_TRUE(writer.finish().is_ok());
  return index::Neighbours::open(fs, "lists").value();
}

// The definition of docs/algorithms/smooth.md.
std::vector<BagEntry> smoothed_by_map(const BagCollection& bags, const Lists& lists, uint32_t id) {
  std::map<uint32_t, uint64_t> sums;
  uint64_t all = 0;
  for (size_t i = 0; i < std::min<size_t>(20, lists[id].size()); ++i) {
    const Neighbour& entry = lists[id][i];
    const auto share = static_cast<uint64_t>(similarity_of(entry.sum_of_minima) * 65536 + 0.5);
    all += std::max<uint64_t>(1, share);
    for (const BagEntry& word : bags[entry.id]) {
      sums[word.term] += std::max<uint64_t>(1, share) * word.weight;
    }
  }
  for (const BagEntry& word : bags[id]) sums[word.term] += std::max<uint64_t>(1, all) * word.weight;
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const auto& [term, sum] : sums) order.emplace_back(UINT64_MAX - sum, term);
  std::ranges::sort(order);
  order.resize(std::min<size_t>(150, order.size()));
  std::vector<bags::RealWeight> weights;
  for (const auto& [key, term] : order) {
    weights.push_back({term, static_cast<double>(UINT64_MAX - key)});
  }
  std::ranges::sort(weights, {}, &bags::RealWeight::term);
  std::vector<BagEntry> bag;
  bags::normalise(weights, 0, bag);
  return bag;
}

std::vector<std::pair<std::string, test::OwnedBags>> collections() {
  using Word = std::pair<uint32_t, double>;
  std::vector<std::pair<std::string, test::OwnedBags>> all(1);
  all[0].first = "none";
  all.emplace_back("one", test::OwnedBags());
  all.back().second.add(std::vector<Word>{{5, 1.0}, {UINT32_MAX, 2.0}});
  all.emplace_back("all empty", test::OwnedBags());
  for (int i = 0; i < 3; ++i) all.back().second.add({});
  all.emplace_back("all equal", test::OwnedBags());
  for (int i = 0; i < 40; ++i) all.back().second.add(std::vector<Word>{{1, 1.0}, {2, 2.0}});
  all.emplace_back("all different", test::OwnedBags());
  for (uint32_t i = 0; i < 40; ++i) all.back().second.add(std::vector<Word>{{i, 1.0}});
  all.emplace_back("clustered", test::random_bags({.bags = 500, .topics = 10, .seed = 3}));
  all.emplace_back("long bags",
                   test::random_bags({.bags = 200, .words = 300, .topics = 5, .seed = 4}));
  return all;
}

TEST(SmoothedBags, AreThoseOfTheDefinition) {
  for (const auto& [name, owned] : collections()) {
    const BagCollection bags = owned.view();
    for (const size_t k : {5, 30}) {
      SCOPED_TRACE(name + " " + std::to_string(k));
      const Lists lists = nearest(bags, k);
      test::MemoryFileSystem fs;
      const index::Neighbours neighbours = written(fs, lists);
      ThreadPool pool(3);
      ASSERT_TRUE(write_smoothed_bags(fs, "smoothed", bags, neighbours, pool).is_ok());
      const auto table = bags::BagTable::open(fs, "smoothed");
      ASSERT_TRUE(table.is_ok());
      ASSERT_EQ(table.value().bags().size(), bags.size());
      for (uint32_t id = 0; id < bags.size(); ++id) {
        const Bag bag = table.value().bags()[id];
        ASSERT_EQ(std::vector<BagEntry>(bag.begin(), bag.end()), smoothed_by_map(bags, lists, id))
            << id;
      }
    }
  }
}

TEST(SmoothedBags, AreTheSameForAnyThreadsAndTouchNoPageOfTheBags) {
  const test::OwnedBags owned = test::random_bags({.bags = 3000, .words = 10, .seed = 5});
  const BagCollection plain = owned.view();
  const test::Untouchable<BagEntry> mapping({plain.entries().begin(), plain.entries().end()});
  const BagCollection bags(plain.offsets(), mapping.span(), &mapping);
  test::MemoryFileSystem fs;
  const index::Neighbours neighbours = written(fs, nearest(plain, 4));
  ThreadPool one(1);
  ThreadPool three(3);
  ASSERT_TRUE(write_smoothed_bags(fs, "one", plain, neighbours, one).is_ok());
  ASSERT_TRUE(write_smoothed_bags(fs, "three", bags, neighbours, three).is_ok());
  EXPECT_EQ(storage::read_file(fs, "one").value(), storage::read_file(fs, "three").value());
}

// The file of a run of these bags by this engine, with so much memory.
std::string stage_file(const BagCollection& bags, EngineChoice engine, uint64_t memory,
                       unsigned threads, Lists* smoothed_lists = nullptr) {
  test::MemoryFileSystem fs;
  const index::Neighbours neighbours = written(fs, nearest(bags, 8));
  ThreadPool pool(threads);
  ClusterOptions options;
  options.neighbours = 8;
  const SmoothInputs inputs{bags, neighbours, engine, options};
  const auto report =
      write_smoothed_neighbours("smoothed.kith", inputs, {fs, "tmp", memory, pool}, nullptr);
  EXPECT_TRUE(report.is_ok()) << (report.is_ok() ? "" : report.error().message);
  if (!report.is_ok()) return "";
  EXPECT_FALSE(fs.exists("tmp/smoothed_bags.kith"));
  EXPECT_FALSE(fs.exists("tmp/smoothed_signatures.kith"));
  const auto found = index::Neighbours::open(fs, "smoothed.kith").value();
  uint64_t others = 0;
  for (uint32_t id = 0; id < found.size(); ++id) {
    for (const Neighbour& entry : found[id]) {
      others += std::ranges::find(neighbours[id], entry.id, &Neighbour::id) == neighbours[id].end();
    }
    if (smoothed_lists) smoothed_lists->emplace_back(found[id].begin(), found[id].end());
  }
  EXPECT_EQ(report.value().others, others);
  return storage::read_file(fs, "smoothed.kith").value();
}

// Of the smoothed bags.
Lists lists_by_brute_force(const BagCollection& bags) {
  const Lists lists = nearest(bags, 8);
  test::OwnedBags smoothed;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    smoothed.add_copy(smoothed_by_map(bags, lists, id));
  }
  return nearest(smoothed.view(), 8);
}

TEST(SmoothStage, OfTheExactEngineIsBruteForceOverSmoothedBags) {
  for (const auto& [name, owned] : collections()) {
    SCOPED_TRACE(name);
    Lists found;
    stage_file(owned.view(), EngineChoice::exact, 0, 2, &found);
    EXPECT_EQ(found, lists_by_brute_force(owned.view()));
  }
}

TEST(SmoothStage, OfTablesFindsNearlyAllOfThese) {
  const test::OwnedBags owned = test::random_bags({.bags = 800, .topics = 20, .seed = 6});
  Lists found;
  stage_file(owned.view(), EngineChoice::lsh, 0, 2, &found);
  const Lists truth = lists_by_brute_force(owned.view());
  size_t hits = 0;
  size_t all = 0;
  for (size_t id = 0; id < truth.size(); ++id) {
    all += truth[id].size();
    for (const Neighbour& entry : truth[id]) {
      hits += std::ranges::count(found[id], entry);
    }
  }
  EXPECT_GE(static_cast<double>(hits), 0.97 * static_cast<double>(all));
}

TEST(SmoothStage, IsTheSameForAnyThreadsAndMemory) {
  const test::OwnedBags owned = test::random_bags({.bags = 600, .words = 60, .seed = 7});
  for (const EngineChoice engine : {EngineChoice::exact, EngineChoice::lsh}) {
    const std::string expected = stage_file(owned.view(), engine, 0, 1);
    EXPECT_TRUE(stage_file(owned.view(), engine, 0, 3) == expected);
    EXPECT_TRUE(stage_file(owned.view(), engine, uint64_t{48} << 20, 2) == expected);
  }
}

TEST(SmoothStage, SaysHowMuchMemoryItNeeds) {
  const test::OwnedBags owned = test::random_bags({.bags = 100});
  test::MemoryFileSystem fs;
  const index::Neighbours neighbours = written(fs, nearest(owned.view(), 2));
  ThreadPool pool(1);
  ClusterOptions options;
  const BagCollection bags = owned.view();
  const SmoothInputs inputs{bags, neighbours, EngineChoice::exact, options};
  const auto report =
      write_smoothed_neighbours("smoothed.kith", inputs, {fs, "tmp", 1 << 20, pool}, nullptr);
  ASSERT_FALSE(report.is_ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_NE(report.error().message.find("is the minimum"), std::string::npos);
}

}  // namespace
}  // namespace kith::pipeline
