// Smoothed bags and their lists, beside their definition by maps and brute force.
#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "bags/tables.h"
#include "bags/weights.h"
#include "jobs/cluster/pair_stage.h"
#include "support/memory_file_system.h"
#include "support/random_bags.h"
#include "support/untouchable.h"

namespace kith::jobs {
namespace {

using similar::Neighbour;
using Lists = std::vector<std::vector<Neighbour>>;

constexpr uint32_t bags_of_host = 7;

// The k nearest of every bag, by comparing all, or those of other hosts.
Lists nearest(const sketch::BagCollection& bags, size_t k, bool elsewhere = false) {
  Lists lists(bags.size());
  for (uint32_t a = 0; a < bags.size(); ++a) {
    for (uint32_t b = 0; b < bags.size(); ++b) {
      const bool counts = elsewhere ? a / bags_of_host != b / bags_of_host : a != b;
      const uint32_t sum = counts ? sketch::sum_of_minima(bags[a], bags[b]) : 0;
      if (sum > 0) lists[a].push_back({b, sum});
    }
    std::ranges::sort(lists[a], similar::nearer);
    lists[a].resize(std::min(k, lists[a].size()));
  }
  return lists;
}

run::Neighbours written(test::MemoryFileSystem& fs, const Lists& lists) {
  auto writer = run::NeighboursWriter::create(fs, "lists").value();
  for (const auto& list : lists) EXPECT_TRUE(writer.add(list, 3).is_ok());
  EXPECT_TRUE(writer.finish().is_ok());
  return run::Neighbours::open(fs, "lists").value();
}

// Of a bag the 2,000 words of the largest weights.
std::vector<sketch::BagEntry> cut_by_sorting(sketch::Bag bag) {
  std::vector<sketch::BagEntry> words(bag.begin(), bag.end());
  std::ranges::stable_sort(words, std::greater(), &sketch::BagEntry::weight);
  words.resize(std::min<size_t>(words.size(), 2000));
  return words;
}

// The definition of docs/algorithms/smooth.md.
std::vector<sketch::BagEntry> smoothed_by_map(const sketch::BagCollection& bags, const Lists& lists,
                                              uint32_t id) {
  std::map<uint32_t, uint64_t> sums;
  uint64_t all = 0;
  for (size_t i = 0; i < std::min<size_t>(20, lists[id].size()); ++i) {
    const Neighbour& entry = lists[id][i];
    const auto share =
        static_cast<uint64_t>(sketch::similarity_of(entry.sum_of_minima) * 65536 + 0.5);
    all += std::max<uint64_t>(1, share);
    for (const sketch::BagEntry& word : cut_by_sorting(bags[entry.id])) {
      sums[word.term] += 3 * std::max<uint64_t>(1, share) * word.weight;
    }
  }
  for (const sketch::BagEntry& word : cut_by_sorting(bags[id])) {
    sums[word.term] += 2 * std::max<uint64_t>(1, all) * word.weight;
  }
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const auto& [term, sum] : sums) order.emplace_back(UINT64_MAX - sum, term);
  std::ranges::sort(order);
  order.resize(std::min<size_t>(150, order.size()));
  std::vector<bags::RealWeight> weights;
  for (const auto& [key, term] : order) {
    weights.push_back({term, static_cast<double>(UINT64_MAX - key)});
  }
  std::ranges::sort(weights, {}, &bags::RealWeight::term);
  std::vector<sketch::BagEntry> bag;
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
  all.emplace_back("very long bags",
                   test::random_bags({.bags = 12, .words = 2500, .topics = 2, .seed = 8}));
  all.emplace_back("long bags",
                   test::random_bags({.bags = 200, .words = 300, .topics = 5, .seed = 4}));
  return all;
}

TEST(SmoothedBags, AreThoseOfTheDefinition) {
  for (const auto& [name, owned] : collections()) {
    const sketch::BagCollection bags = owned.view();
    for (const size_t k : {5, 30}) {
      SCOPED_TRACE(name + " " + std::to_string(k));
      const Lists lists = nearest(bags, k);
      test::MemoryFileSystem fs;
      const run::Neighbours neighbours = written(fs, lists);
      ThreadPool pool(3);
      ASSERT_TRUE(write_smoothed_bags(fs, "smoothed", bags, neighbours, pool).is_ok());
      const auto table = bags::BagTable::open(fs, "smoothed");
      ASSERT_TRUE(table.is_ok());
      ASSERT_EQ(table.value().bags().size(), bags.size());
      for (uint32_t id = 0; id < bags.size(); ++id) {
        const sketch::Bag bag = table.value().bags()[id];
        ASSERT_EQ(std::vector<sketch::BagEntry>(bag.begin(), bag.end()),
                  smoothed_by_map(bags, lists, id))
            << id;
      }
    }
  }
}

TEST(SmoothedBags, AreTheSameForAnyThreadsAndTouchNoPageOfTheBags) {
  const test::OwnedBags owned = test::random_bags({.bags = 3000, .words = 10, .seed = 5});
  const sketch::BagCollection plain = owned.view();
  const test::Untouchable<sketch::BagEntry> mapping(
      {plain.entries().begin(), plain.entries().end()});
  const sketch::BagCollection bags(plain.offsets(), mapping.span(), &mapping);
  test::MemoryFileSystem fs;
  const run::Neighbours neighbours = written(fs, nearest(plain, 4));
  ThreadPool one(1);
  ThreadPool three(3);
  ASSERT_TRUE(write_smoothed_bags(fs, "one", plain, neighbours, one).is_ok());
  ASSERT_TRUE(write_smoothed_bags(fs, "three", bags, neighbours, three).is_ok());
  EXPECT_EQ(storage::read_file(fs, "one").value(), storage::read_file(fs, "three").value());
}

constexpr uint32_t listed = 8;
constexpr uint32_t listed_elsewhere = 5;

NeighbourFiles files_of(size_t ids) {
  NeighbourFiles files{.neighbours = "smoothed.kith",
                       .count = listed,
                       .other_sites = "sites.kith",
                       .other_count = listed_elsewhere};
  for (uint32_t id = 0; id < ids; id += bags_of_host) files.first_ids.push_back(id);
  return files;
}

Lists lists_in(test::MemoryFileSystem& fs, const std::string& path) {
  const auto found = run::Neighbours::open(fs, path).value();
  Lists lists;
  for (uint32_t id = 0; id < found.size(); ++id) {
    lists.emplace_back(found[id].begin(), found[id].end());
  }
  return lists;
}

struct StageFiles {
  std::string bytes;  // of all that it leaves
  Lists lists;
  Lists other_sites;  // none of one host
};

// Of a run of these bags by this engine, with so much memory.
StageFiles stage_files(const sketch::BagCollection& bags, EngineChoice engine, uint64_t memory,
                       unsigned threads) {
  test::MemoryFileSystem fs;
  const run::Neighbours neighbours = written(fs, nearest(bags, listed));
  ThreadPool pool(threads);
  const ClusterOptions options;
  const SmoothInputs inputs{bags, neighbours, engine, options};
  const auto report =
      write_smoothed_neighbours(files_of(bags.size()), inputs, {fs, "tmp", memory, pool}, {});
  EXPECT_TRUE(report.is_ok()) << (report.is_ok() ? "" : report.error().message);
  StageFiles left;
  if (!report.is_ok()) return left;
  EXPECT_FALSE(fs.exists("tmp/smoothed_bags.kith"));
  EXPECT_FALSE(fs.exists("tmp/smoothed_signatures.kith"));
  left.lists = lists_in(fs, "smoothed.kith");
  left.bytes = storage::read_file(fs, "smoothed.kith").value();
  uint64_t others = 0;
  for (uint32_t id = 0; id < left.lists.size(); ++id) {
    for (const Neighbour& entry : left.lists[id]) {
      others += std::ranges::find(neighbours[id], entry.id, &Neighbour::id) == neighbours[id].end();
    }
  }
  EXPECT_EQ(report.value().others, others);
  if (bags.size() > bags_of_host) {
    left.other_sites = lists_in(fs, "sites.kith");
    left.bytes += storage::read_file(fs, "sites.kith").value();
  }
  return left;
}

// Of the smoothed bags.
Lists lists_by_brute_force(const sketch::BagCollection& bags, bool elsewhere = false) {
  const Lists lists = nearest(bags, listed);
  test::OwnedBags smoothed;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    smoothed.add_copy(smoothed_by_map(bags, lists, id));
  }
  return nearest(smoothed.view(), elsewhere ? listed_elsewhere : listed, elsewhere);
}

TEST(SmoothStage, OfTheExactEngineIsBruteForceOverSmoothedBags) {
  for (const auto& [name, owned] : collections()) {
    SCOPED_TRACE(name);
    const StageFiles left = stage_files(owned.view(), EngineChoice::exact, 0, 2);
    EXPECT_EQ(left.lists, lists_by_brute_force(owned.view()));
    if (owned.view().size() > bags_of_host) {
      EXPECT_EQ(left.other_sites, lists_by_brute_force(owned.view(), true));
    }
  }
}

TEST(SmoothStage, OfTablesFindsNearlyAllOfThese) {
  const test::OwnedBags owned = test::random_bags({.bags = 800, .topics = 20, .seed = 6});
  const Lists found = stage_files(owned.view(), EngineChoice::lsh, 0, 2).lists;
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
    const std::string expected = stage_files(owned.view(), engine, 0, 1).bytes;
    EXPECT_TRUE(stage_files(owned.view(), engine, 0, 3).bytes == expected);
    EXPECT_TRUE(stage_files(owned.view(), engine, uint64_t{48} << 20, 2).bytes == expected);
  }
}

TEST(SmoothStage, SaysHowMuchMemoryItNeeds) {
  const test::OwnedBags owned = test::random_bags({.bags = 100});
  test::MemoryFileSystem fs;
  const run::Neighbours neighbours = written(fs, nearest(owned.view(), 2));
  ThreadPool pool(1);
  ClusterOptions options;
  const sketch::BagCollection bags = owned.view();
  const SmoothInputs inputs{bags, neighbours, EngineChoice::exact, options};
  const auto report =
      write_smoothed_neighbours(files_of(100), inputs, {fs, "tmp", 1 << 20, pool}, {});
  ASSERT_FALSE(report.is_ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_NE(report.error().message.find("is the minimum"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
