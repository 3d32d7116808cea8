#include "unit/similar/other_sites.h"

#include <gtest/gtest.h>

#include "similar/exact/exact_blocks.h"
#include "similar/exact/exact_join.h"
#include "similar/exact/inverted_index.h"
#include "similar/exact/question.h"
#include "similar/sites.h"
#include "support/memory_file_system.h"
#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

using ListsOfAll = std::vector<std::vector<Neighbour>>;

// The lists of all ids, from those that a join has made.
template <class Made>
ListsOfAll expand(const Made& made, const DuplicateGroups& groups, const OtherSites& others) {
  ListsOfAll lists(groups.size());
  for (uint32_t id = 0; id < groups.size(); ++id) {
    const uint32_t owner = list_owner(groups, others, id);
    const auto list = owner == no_id ? std::span<const Neighbour>() : made[owner];
    expand_other_sites(list, others, groups, id, lists[id]);
  }
  return lists;
}

struct OtherSitesCase {
  const sketch::BagCollection& bags;
  const DuplicateGroups& groups;
  OtherSites others;
};

// Calls check(case, the true lists) for collections, hosts and K.
template <class Check>
void for_cases(size_t bags_of_one, const Check& check) {
  for (const NamedBags& named : all_collections(bags_of_one)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(1);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    for (const auto& first_ids : host_layouts(static_cast<uint32_t>(bags.size()))) {
      if (bags.size() == 0) continue;
      const Sites sites(first_ids, groups);
      for (const uint32_t top : {1u, 4u}) {
        SCOPED_TRACE(named.name + ", " + std::to_string(first_ids.size()) + " hosts, " +
                     std::to_string(top));
        check(OtherSitesCase{bags, groups, {top, &sites}}, plain_other_sites(bags, first_ids, top));
      }
    }
  }
}

// Whole and in blocks; the other results are as without them.
TEST(OtherSites, OfTheExactJoinAreThoseOfComparingAll) {
  int cut = 0;
  for_cases(300, [&](const OtherSitesCase& given, const ListsOfAll& expected) {
    const uint64_t whole = whole_block_bytes(given.bags, 0);
    for (const uint64_t memory : {uint64_t{0}, 3 * whole, whole / 2, whole / 4}) {
      ThreadPool pool(memory == 3 * whole ? 1 : 3);
      kith::test::MemoryFileSystem fs;
      ExactJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.3),
                               .top = 6,
                               .other_sites = given.others,
                               .memory = memory,
                               .fs = &fs,
                               .scratch = "lists"};
      const auto joined = exact_join(given.bags, given.groups, options, pool);
      ASSERT_TRUE(joined.is_ok() || memory > 0);
      if (!joined.is_ok()) continue;  // too few to be cut
      cut += memory > 0 && memory < whole;
      ASSERT_EQ(expand(joined->other_sites, given.groups, given.others), expected);
      if (memory > 0) continue;
      options.other_sites = {};
      const auto alone = exact_join(given.bags, given.groups, options, pool);
      EXPECT_EQ(joined->degree, alone->degree);
      for (uint32_t id = 0; id < given.bags.size(); ++id) {
        ASSERT_TRUE(std::ranges::equal(joined->nearest[id], alone->nearest[id]));
      }
    }
  });
  EXPECT_GE(cut, 30);
}

TEST(OtherSites, MayBeThoseThatAreSimilarOnly) {
  size_t left_out = 0;
  int compared = 0;  // in blocks
  for_cases(300, [&](const OtherSitesCase& given, const ListsOfAll& nearest) {
    const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
    ListsOfAll expected = nearest;
    for (auto& list : expected) {
      left_out += std::erase_if(list, [&](Neighbour near) { return near.sum_of_minima < min_sum; });
    }
    ThreadPool pool(2);
    for (const uint64_t memory : {uint64_t{0}, whole_block_bytes(given.bags, 0) / 2}) {
      kith::test::MemoryFileSystem fs;
      const auto joined = exact_join(given.bags, given.groups,
                                     {.min_sum = min_sum,
                                      .top = 6,
                                      .other_sites = given.others,
                                      .similar_only = true,
                                      .memory = memory,
                                      .fs = &fs,
                                      .scratch = "lists"},
                                     pool);
      ASSERT_TRUE(joined.is_ok() || memory > 0);
      if (!joined.is_ok()) continue;  // too few to be cut
      compared += memory > 0;
      ASSERT_EQ(expand(joined->other_sites, given.groups, given.others), expected);
    }
  });
  EXPECT_GT(left_out, 1000u);
  EXPECT_GT(compared, 10);
}

TEST(OtherSites, OfTheGrowingIndexAreTheSame) {
  for_cases(200, [](const OtherSitesCase& given, const ListsOfAll&) {
    ThreadPool pool(1);
    const auto ids = distinct_bags(given.bags, given.groups);
    const SlotOrder order(given.others, ids);
    InvertedIndex index;
    for (const uint32_t id : order.ids()) index.insert(id, given.bags[id]);
    const auto joined =
        exact_join(given.bags, given.groups, {.top = 3, .other_sites = given.others}, pool);
    InvertedIndex::Scratch scratch;
    Answer answer;
    for (const uint32_t id : ids) {
      const Question question{
          .top = 3, .except = order.slot_of(id), .other_sites = order.question(id)};
      index.ask(given.bags[id], question, scratch, answer);
      ASSERT_TRUE(std::ranges::equal(answer.other_sites, joined->other_sites[id]));
      ASSERT_TRUE(std::ranges::equal(answer.nearest, joined->nearest[id]));
    }
  });
}

}  // namespace
}  // namespace kith::similar
