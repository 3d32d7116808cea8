#include "unit/similar/other_sites.h"

#include <gtest/gtest.h>

#include "similar/sites.h"
#include "similar/tables/lsh_join.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"
#include "unit/similar/tables/few_lanes.h"

namespace kith::similar {
namespace {

std::vector<uint16_t> sketch(const sketch::BagCollection& bags) {
  std::vector<uint16_t> values(bags.size() * few_lanes);
  const sketch::Sketcher sketcher({.lanes = few_lanes});
  for (size_t id = 0; id < bags.size(); ++id) {
    sketcher.sketch(bags[id], std::span(values).subspan(id * few_lanes, few_lanes));
  }
  return values;
}

LshJoinResult join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                   std::span<const uint16_t> values, const LshJoinOptions& options,
                   unsigned threads) {
  ThreadPool pool(threads);
  auto joined =
      lsh_join(bags, groups, sketch::Signatures(values, few_lanes),
               sketch::Tables({.lanes = few_lanes, .per_key = 2, .tables = 20}), options, pool);
  EXPECT_TRUE(joined.is_ok());
  return std::move(joined).value();
}

// What a list of all candidates has for an id on other hosts.
std::vector<Neighbour> nearest_elsewhere(std::span<const Neighbour> all, const OtherSites& others,
                                         uint32_t id) {
  const IdRange site = others.sites->site_of(id);
  std::vector<Neighbour> list;
  for (const Neighbour entry : all) {
    const uint32_t other = others.sites->first_outside(entry.id, site);
    if (other != no_id) list.push_back({other, entry.sum_of_minima});
  }
  std::ranges::sort(list, nearer);
  list.resize(std::min<size_t>(list.size(), others.top));
  return list;
}

TEST(OtherSites, OfTablesAreTheNearestOfTheCandidates) {
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(1);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    const std::vector<uint16_t> values = sketch(bags);
    for (const auto& first_ids : host_layouts(static_cast<uint32_t>(bags.size()))) {
      if (bags.size() == 0) continue;
      const Sites sites(first_ids, groups);
      LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2),
                             .top = static_cast<uint32_t>(bags.size()),
                             .other_sites = {4, &sites}};
      const LshJoinResult joined = join(bags, groups, values, options, 2);
      for (const uint32_t id : distinct_bags(bags, groups)) {
        ASSERT_TRUE(std::ranges::equal(
            joined.other_sites[id], nearest_elsewhere(joined.nearest[id], options.other_sites, id)))
            << named.name << ' ' << id;
      }
    }
  }
}

TEST(OtherSites, OfTablesAreTheSameForAnyNumberOfThreadsAndAnyMemory) {
  const test::TempDir folder;
  for (const NamedBags& named : random_collections(800)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(1);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    const std::vector<uint16_t> values = sketch(bags);
    const Sites sites(host_layouts(800)[1], groups);
    LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2),
                           .top = 5,
                           .refine = true,
                           .other_sites = {4, &sites}};
    const LshJoinResult one = join(bags, groups, values, options, 1);
    options.memory = (1 << 17) + bags.size() * (300 + bags.entries().size_bytes() / 801) / 2;
    options.fs = &storage::posix_file_system();
    options.scratch = folder.path();
    const LshJoinResult cut = join(bags, groups, values, options, 3);
    EXPECT_GT(cut.counts.blocks, 1u) << named.name;
    for (uint32_t id = 0; id < bags.size(); ++id) {
      ASSERT_TRUE(std::ranges::equal(one.other_sites[id], cut.other_sites[id]));
      ASSERT_TRUE(std::ranges::equal(one.nearest[id], cut.nearest[id]));
    }
  }
}

// Another member of a group is served by both lists of the representative.
TEST(OtherSites, OfAMemberComeFromTheListsOfTheRepresentative) {
  test::OwnedBags bags;
  for (const uint32_t word : {1u, 2u, 1u, 2u, 3u}) {
    bags.add(std::vector<std::pair<uint32_t, double>>{{word, 1.0}});
  }
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags.view(), pool);
  const Sites sites({0, 2, 4}, groups);
  const OtherSites others{3, &sites};
  // Id 2, on host 2 with id 3, has the bag of id 0, whose neighbours are the groups of 1 and 4.
  const std::vector<Neighbour> nearest{{1, 50}, {4, 40}};
  const std::vector<Neighbour> elsewhere{{3, 50}, {4, 40}};
  const auto list = list_of_member(nearest, elsewhere, others, groups, 2);
  EXPECT_EQ(list, (std::vector<Neighbour>{{1, 50}, {4, 40}}));
  std::vector<Neighbour> all;
  expand_other_sites(list, others, groups, 2, all);
  EXPECT_EQ(all, (std::vector<Neighbour>{{0, sketch::bag_total}, {1, 50}, {4, 40}}));
}

}  // namespace
}  // namespace kith::similar
