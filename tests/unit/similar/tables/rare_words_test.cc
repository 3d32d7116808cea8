#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "similar/tables/lsh_join.h"
#include "similar/tables/refinement.h"
#include "similar/tables/word_lists.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"
#include "unit/similar/other_sites.h"
#include "unit/similar/tables/counted_reads.h"
#include "unit/similar/tables/few_lanes.h"
#include "unit/similar/tables/signed_bags.h"

namespace kith::similar {
namespace {

constexpr uint64_t term_limit = 1 << 16;  // so many words have a list of their own in any case

using List = std::vector<Neighbour>;

struct RareWordLists {
  std::map<uint32_t, List> nearest;
  std::map<uint32_t, List> other_sites;
  uint64_t compared = 0;
  uint64_t found = 0;
};

// What few tables find: lists that may be better.
LshJoinResult join(const Signed& input, const LshJoinOptions& options) {
  ThreadPool pool(2);
  const sketch::Tables tables({.lanes = few_lanes, .per_key = 2, .tables = 4});
  auto result = lsh_join(input.bags, input.groups, input.signatures, tables, options, pool);
  EXPECT_TRUE(result.is_ok());
  return std::move(result).value();
}

RareWordLists lists_of(const Signed& input, const LshJoinResult& joined, bool has_other_sites) {
  RareWordLists lists;
  for (uint32_t id = 0; id < input.bags.size(); ++id) {
    const auto list = joined.nearest[id];
    lists.nearest[id].assign(list.begin(), list.end());
    if (!has_other_sites) continue;
    const auto others = joined.other_sites[id];
    lists.other_sites[id].assign(others.begin(), others.end());
  }
  return lists;
}

// The search by its definition: maps and plain loops.
class PlainSearch {
 public:
  PlainSearch(const Signed& input, const RareWordOptions& options)
      : input_(input), options_(options) {
    for (const uint32_t id : distinct_bags(input.bags, input.groups)) {
      for (const sketch::BagEntry entry : input.bags[id]) bags_of_[entry.term].push_back(id);
    }
  }

  void improve(uint32_t id, RareWordLists& lists) const {
    if (!input_.groups.is_representative(id)) return;
    const List nearest = lists.nearest[id];
    const List other_sites = lists.other_sites[id];
    const bool own_is_wanted = is_wanted(nearest, options_.top);
    const bool others_are_wanted = is_wanted(other_sites, options_.other_sites.top);
    std::set<uint32_t> known{id};
    for (const Neighbour one : nearest) known.insert(one.id);
    for (const Neighbour one : other_sites) known.insert(input_.groups.representative[one.id]);
    const auto may_enter = [&](Neighbour candidate) {
      const uint64_t expected = uint64_t{candidate.sum_of_minima} + sum_of_frequent_words;
      return (own_is_wanted && expected > bar(lists.nearest[id], options_.top)) ||
             (others_are_wanted && outside(candidate.id, id) != no_id &&
              expected > bar(lists.other_sites[id], options_.other_sites.top));
    };
    List candidates;
    for (const auto& [other, sum] : sums_with(id)) {
      if (!known.contains(other) && may_enter({other, sum})) candidates.push_back({other, sum});
    }
    std::sort(candidates.begin(), candidates.end(), nearer);
    candidates.resize(std::min<size_t>(candidates.size(), options_.max_candidates));
    for (const Neighbour candidate : candidates) {
      if (!may_enter(candidate)) continue;
      ++lists.compared;
      const uint32_t sum = sketch::sum_of_minima(input_.bags[id], input_.bags[candidate.id]);
      bool is_found = offer(lists.nearest[id], {candidate.id, sum}, options_.top);
      const uint32_t other = outside(candidate.id, id);
      if (other != no_id) {
        is_found |= offer(lists.other_sites[id], {other, sum}, options_.other_sites.top);
      }
      lists.found += is_found;
    }
  }

 private:
  bool is_wanted(const List& list, uint32_t top) const {
    return top > 0 && bar(list, top) < good_sum(options_.min_sum);
  }
  static uint32_t bar(const List& list, uint32_t top) {
    return list.size() == top ? list.back().sum_of_minima : 0;
  }
  uint32_t outside(uint32_t candidate, uint32_t id) const {
    const OtherSites& others = options_.other_sites;
    return others.top == 0 ? no_id
                           : others.sites->first_outside(candidate, others.sites->site_of(id));
  }
  static bool offer(List& list, Neighbour found, uint32_t top) {
    list.push_back(found);
    std::sort(list.begin(), list.end(), nearer);
    list.resize(std::min<size_t>(list.size(), top));
    return std::ranges::find(list, found) != list.end();
  }

  std::map<uint32_t, uint32_t> sums_with(uint32_t id) const {
    std::vector<sketch::BagEntry> words(input_.bags[id].begin(), input_.bags[id].end());
    std::sort(words.begin(), words.end(),
              [&](const sketch::BagEntry& a, const sketch::BagEntry& b) {
                const uint64_t left = a.weight * bags_of_.at(b.term).size();
                const uint64_t right = b.weight * bags_of_.at(a.term).size();
                return left != right ? left > right : a.term < b.term;
              });
    size_t left = options_.max_postings;
    std::map<uint32_t, uint32_t> sums;
    for (const sketch::BagEntry word : words) {
      const auto& bags = bags_of_.at(word.term);
      if (bags.size() < 2 || bags.size() > left) continue;
      left -= bags.size();
      for (const uint32_t other : bags) {
        const sketch::Bag bag = input_.bags[other];
        const auto entry = std::ranges::lower_bound(bag, word.term, {}, &sketch::BagEntry::term);
        sums[other] += std::min(entry->weight, word.weight);
      }
    }
    return sums;
  }

  const Signed& input_;
  const RareWordOptions& options_;
  std::map<uint32_t, std::vector<uint32_t>> bags_of_;  // by word
};

RareWordLists improve_plainly(const Signed& input, const RareWordLists& before,
                              const RareWordOptions& options) {
  RareWordLists lists = before;
  const PlainSearch search(input, options);
  for (uint32_t id = 0; id < input.bags.size(); ++id) search.improve(id, lists);
  return lists;
}

RareWordStats improve(const Signed& input, LshJoinResult& joined, const RareWordOptions& options,
                      unsigned threads) {
  ThreadPool pool(threads);
  std::vector<QueryWeights> weights(threads);
  auto stats = find_by_rare_words({input.bags, input.groups, joined.nearest, joined.other_sites},
                                  options, weights, pool);
  EXPECT_TRUE(stats.is_ok());
  return stats.value();
}

struct RareWordCase {
  LshJoinOptions join;
  RareWordOptions search;
};

RareWordCase case_of(uint32_t top, uint32_t max_postings, uint32_t max_candidates,
                     OtherSites others = {}) {
  const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
  return {{.min_sum = min_sum, .top = top, .other_sites = others},
          {.top = top,
           .min_sum = min_sum,
           .other_sites = others,
           .term_limit = term_limit,
           .tabled_terms = term_limit,
           .max_postings = max_postings,
           .max_candidates = max_candidates}};
}

std::vector<NamedBags> collections() {
  std::vector<NamedBags> all = all_collections(500);
  std::erase_if(all, [](const NamedBags& named) { return named.name == "largest term"; });
  return all;
}

TEST(RareWords, FindWhatPlainLoopsFind) {
  uint64_t found = 0;
  for (const NamedBags& named : collections()) {
    const Signed input(named.bags.view(), few_lanes);
    for (const RareWordCase& of : {case_of(5, 60, 7), case_of(30, 2000, 80), case_of(4, 2000, 5)}) {
      LshJoinResult joined = join(input, of.join);
      const RareWordLists plain = improve_plainly(input, lists_of(input, joined, false), of.search);
      const RareWordStats stats = improve(input, joined, of.search, 2);
      EXPECT_EQ(lists_of(input, joined, false).nearest, plain.nearest) << named.name;
      EXPECT_EQ(stats.compared, plain.compared) << named.name;
      EXPECT_EQ(stats.found, plain.found) << named.name;
      found += stats.found;
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(RareWords, FindWhatPlainLoopsFindOnOtherSites) {
  uint64_t found = 0;
  for (const NamedBags& named : collections()) {
    const Signed input(named.bags.view(), few_lanes);
    if (input.bags.size() == 0) continue;
    for (const auto& first_ids : host_layouts(static_cast<uint32_t>(input.bags.size()))) {
      const Sites sites(first_ids, input.groups);
      for (const RareWordCase& of :
           {case_of(5, 300, 20, {4, &sites}), case_of(5, 2000, 5, {4, &sites})}) {
        LshJoinResult joined = join(input, of.join);
        const RareWordLists plain =
            improve_plainly(input, lists_of(input, joined, true), of.search);
        const RareWordStats stats = improve(input, joined, of.search, 2);
        const RareWordLists lists = lists_of(input, joined, true);
        EXPECT_EQ(lists.nearest, plain.nearest) << named.name;
        EXPECT_EQ(lists.other_sites, plain.other_sites) << named.name;
        EXPECT_EQ(stats.compared, plain.compared) << named.name;
        found += stats.found;
      }
    }
  }
  EXPECT_GT(found, 1000u);
}

// The ids with the largest sums may enter no list.
TEST(RareWords, FindOtherSitesBehindManyPagesOfTheOwn) {
  constexpr uint32_t pages = 100;
  test::OwnedBags bags;
  std::vector<uint32_t> first_ids;
  for (uint32_t id = 0; id < 6 * pages; ++id) {
    if (id % pages == 0) first_ids.push_back(id);
    bags.add(std::vector<std::pair<uint32_t, double>>{
        {1000 + id / pages, 6}, {2000 + id % 150, 3}, {3000 + id % 37, 2}});
  }
  const Signed input(bags.view(), few_lanes);
  const Sites sites(first_ids, input.groups);
  const RareWordCase of = case_of(4, 2000, 2, {4, &sites});
  LshJoinResult joined = join(input, of.join);
  const RareWordLists plain = improve_plainly(input, lists_of(input, joined, true), of.search);
  const RareWordStats stats = improve(input, joined, of.search, 2);
  EXPECT_EQ(lists_of(input, joined, true).other_sites, plain.other_sites);
  EXPECT_EQ(stats.compared, plain.compared);
  EXPECT_GT(stats.found, bags.view().size());
}

TEST(RareWords, AreTheSameForAnyNumberOfThreadsAndAnyMemory) {
  const test::TempDir folder;
  for (const NamedBags& named : random_collections(400)) {
    const Signed input(named.bags.view(), few_lanes);
    const Sites sites(host_layouts(400)[1], input.groups);
    for (const uint64_t terms : {term_limit, uint64_t{UINT32_MAX}}) {  // or lists of several words
      RareWordCase of = case_of(5, 300, 20, {4, &sites});
      of.search.term_limit = terms;
      LshJoinResult one = join(input, of.join);
      const RareWordStats stats = improve(input, one, of.search, 1);
      LshJoinResult cut = join(input, of.join);
      of.search.memory = term_limit * 12 + 100'000;
      const RareWordStats of_cut = improve(input, cut, of.search, 3);
      const RareWordLists lists = lists_of(input, one, true);
      const RareWordLists others = lists_of(input, cut, true);
      EXPECT_EQ(lists.nearest, others.nearest) << named.name;
      EXPECT_EQ(lists.other_sites, others.other_sites) << named.name;
      EXPECT_EQ(stats.postings, of_cut.postings);
      EXPECT_EQ(stats.compared, of_cut.compared);
      EXPECT_EQ(stats.found, of_cut.found);
    }
  }
}

// One pass counts the words, and two passes list those of all ranges: as often as the candidates
// of all ids do not fit, however many ids there are. Where all lists fit, they are made once,
// however few candidates fit beside them.
TEST(RareWords, BagsAreReadAFewTimes) {
  const test::OwnedBags owned = test::random_bags({.bags = 150'000, .words = 8, .topics = 3000});
  const Signed input(owned.view(), 16);
  const uint64_t words = input.bags.entries().size() * sizeof(Posting);
  const uint64_t candidates = input.bags.size() * TopLists::bytes_of_one(1);
  ASSERT_GT(0.3 * static_cast<double>(words), candidates);
  for (const double share : {0.6, 1.1}) {
    const CountedReads reads;
    const sketch::BagCollection bags(input.bags.offsets(), input.bags.entries(), &reads);
    NearestLists nearest(bags.size(), bags.size(), 1, {});
    ASSERT_TRUE(nearest.open(0).is_ok());
    NearestLists none;
    RareWordOptions options = case_of(1, 50, 1).search;
    constexpr uint64_t counts = 1 << 21;
    options.memory = static_cast<uint64_t>(share * static_cast<double>(words)) + counts;
    ThreadPool pool(2);
    std::vector<QueryWeights> weights(2);
    auto stats = find_by_rare_words({bags, input.groups, nearest, none}, options, weights, pool);
    ASSERT_TRUE(stats.is_ok());
    EXPECT_GT(stats.value().found, bags.size() / 2);
    EXPECT_EQ(reads.bytes(), 3 * bags.entries().size_bytes());
  }
}

TEST(RareWords, ListsHaveTheBagsOfEveryWord) {
  ThreadPool pool(3);
  const NamedBags named = random_collections(400)[0];
  const Signed input(named.bags.view(), few_lanes);
  const WordCounts counts(input.bags, input.groups, term_limit, pool);
  constexpr uint32_t most = 50;
  const IdRange range{100, 300};
  const WordLists lists(input.bags, input.groups, counts, most, range, pool);
  std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>> bags_of;
  std::map<uint32_t, uint32_t> count_of;
  for (const uint32_t id : distinct_bags(input.bags, input.groups)) {
    for (const sketch::BagEntry entry : input.bags[id]) {
      ++count_of[entry.term];
      if (range.has(id)) bags_of[entry.term].insert({id, entry.weight});
    }
  }
  for (const auto& [term, count] : count_of) {
    EXPECT_EQ(counts[counts.list_of(term)], count);
    std::set<std::pair<uint32_t, uint32_t>> listed;
    for (const Posting posting : lists[counts.list_of(term)]) {
      listed.insert({posting.id, posting.weight});
    }
    if (count < 2 || count > most) {
      EXPECT_TRUE(listed.empty());
    } else {
      EXPECT_EQ(listed, bags_of[term]);
    }
  }
}

TEST(RareWords, SumsAreThoseOfAMap) {
  SumTable table(100);
  for (uint32_t round = 0; round < 3; ++round) {
    std::map<uint32_t, uint32_t> sums;
    table.start(100 - round);
    for (uint32_t i = 0; i < 100 - round; ++i) {
      const uint32_t id = (i * i + round) % 60 * 0x1000001u;
      table.add(id, i + 1);
      sums[id] += i + 1;
    }
    table.leave_out(sums.begin()->first);
    table.leave_out(12345);
    sums.erase(sums.begin());
    std::map<uint32_t, uint32_t> taken;
    table.take([&](Neighbour sum) { taken[sum.id] = sum.sum_of_minima; });
    EXPECT_EQ(taken, sums);
  }
}

// Of many small sums and a few large ones.
TEST(RareWords, SumsAreNotAboveTheirBounds) {
  constexpr uint32_t amounts = 8000;
  constexpr uint32_t large = 7 * sketch::weight_one;
  SumBounds bounds(amounts);
  for (const uint32_t factor : {1u, 77u, 0x1000001u}) {
    std::map<uint32_t, uint32_t> sums;
    bounds.start(amounts);
    for (uint32_t i = 0; i < amounts; ++i) {
      const uint32_t id = i % 3000 * factor;
      const uint32_t amount = i % 3000 < 100 ? large : i + 1;
      bounds.add(id, amount);
      sums[id] += amount;
    }
    for (const auto& [id, sum] : sums) ASSERT_TRUE(bounds.above(sum - 1)(id)) << id;
    const uint32_t least = large / 2;
    for (const size_t wanted : {1, 60, 1000}) {
      const uint32_t level = bounds.exceeded_by(wanted, least);
      EXPECT_GE(level, least);
      const auto is_above = bounds.above(level);
      const auto count =
          std::ranges::count_if(sums, is_above, &std::pair<const uint32_t, uint32_t>::first);
      EXPECT_LE(count, 200) << wanted;  // of 3000
    }
    EXPECT_GT(bounds.exceeded_by(40, 0), 2 * large);
    EXPECT_EQ(bounds.exceeded_by(1000, least), least);
  }
}

// A counter holds the largest sum there is, and more.
TEST(RareWords, BoundsDoNotOverflow) {
  SumBounds bounds(10);
  bounds.start(10);
  for (int i = 0; i < 10; ++i) {
    bounds.add(7, sketch::bag_total);
    EXPECT_TRUE(bounds.above(sketch::bag_total - 1)(7));
  }
  EXPECT_FALSE(bounds.above(0)(8));
  bounds.start(10);
  EXPECT_FALSE(bounds.above(0)(7));
}

}  // namespace
}  // namespace kith::similar
