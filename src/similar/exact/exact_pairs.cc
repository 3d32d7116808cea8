#include "similar/exact/exact_pairs.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "similar/exact/exact_blocks.h"
#include "similar/top_lists.h"

namespace kith::similar {
namespace {

// What the pairs of one id take at most: an answer, and the list that is made of it.
uint64_t bytes_of_pairs(size_t ids) {
  return 2 * sizeof(Neighbour) * ids;
}

// Asks a block for the pairs of ids: list(id, similar, pairs) makes them of what is similar to one,
// in parallel, and the sink gets them in the order of the ids.
template <class QuestionOf, class List>
Status give_pairs(IndexedBlock& index, Ids ids, const QuestionOf& question, uint64_t bytes,
                  uint64_t bytes_of_one, const List& list, const PairSink& sink) {
  std::vector<std::vector<Neighbour>> pairs(index.max_round());
  const auto take = [&](size_t place, uint32_t id, const Answer& answer) {
    pairs[place].clear();
    list(id, answer.similar, pairs[place]);
  };
  const auto after = [&](Ids round) -> Status {
    for (size_t i = 0; i < round.size(); ++i) {
      if (!pairs[i].empty()) KITH_TRY(sink(round[i], pairs[i]));
    }
    return Status::ok();
  };
  return index.ask(ids, question, bytes, bytes_of_one, take, after);
}

// The pairs of all ids, each looked up in an index of all distinct bags.
Status pairs_in_order(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                      uint32_t min_sum, uint64_t bytes, ThreadPool& pool, const PairSink& sink) {
  std::vector<uint32_t> ids;
  std::vector<uint32_t> last_member(bags.size());  // by id of a representative
  for (uint32_t id = 0; id < bags.size(); ++id) {
    if (!bags[id].empty()) ids.push_back(id);
    last_member[groups.representative[id]] = id;
  }
  const std::vector<uint32_t> distinct = distinct_bags(bags, groups);
  IndexedBlock index(bags, groups, distinct, true, pool);
  const auto question = [&](uint32_t id) {
    return Question{.min_sum = min_sum, .list = true, .list_key = last_member, .list_above = id};
  };
  const auto list = [&](uint32_t id, std::span<const Neighbour> similar,
                        std::vector<Neighbour>& pairs) {
    expand_pairs(similar, groups, id, pairs);
  };
  return give_pairs(index, ids, question, bytes, bytes_of_pairs(bags.size()), list, sink);
}

// The pairs of distinct bags: every block is asked by itself and all earlier ones.
Status pairs_of_blocks(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                       uint32_t min_sum, const Budget& memory, ThreadPool& pool,
                       const PairSink& sink) {
  const std::vector<uint32_t> ids = distinct_bags(bags, groups);
  KITH_ASSIGN(const IndexBlocks blocks, cut_into_blocks(bags, ids, memory, pool.size()));
  const auto question = [&](uint32_t) { return Question{.min_sum = min_sum, .list = true}; };
  const auto list = [](uint32_t id, std::span<const Neighbour> similar,
                       std::vector<Neighbour>& pairs) {
    for (const Neighbour& found : similar) {
      if (found.id > id) pairs.push_back(found);
    }
  };
  for (const Ids block : blocks.ids) {
    IndexedBlock index(bags, groups, block, blocks.tables_weights, pool);
    const auto ask = [&](Ids asking) {
      return give_pairs(index, asking, question, memory.bytes(Share::block_pairs),
                        bytes_of_pairs(block.size()), list, sink);
    };
    KITH_TRY(ask({ids.data(), block.data()}));
    KITH_TRY(ask(block));
    bags.release(block.front(), size_t{block.back()} + 1);
  }
  return Status::ok();
}

}  // namespace

Status exact_pairs(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                   const ExactPairOptions& options, ThreadPool& pool, const PairSink& sink) {
  KITH_CHECK(groups.size() == bags.size());
  if (options.min_sum == 0) return Status::ok();
  // Of every thread, or there is little to be gained from looking up many ids at once.
  constexpr uint64_t min_ids = 16;
  const uint64_t whole = whole_block_bytes(bags, pool.size());
  if (whole + min_ids * pool.size() * bytes_of_pairs(bags.size()) <= options.memory.bytes()) {
    const uint64_t bytes = options.memory.without(Share::bag_index, whole).bytes();
    return pairs_in_order(bags, groups, options.min_sum, bytes, pool, sink);
  }
  // Both work at a time: pairs are sorted as they are found.
  PairExpander expander(
      groups, *options.fs, pool,
      {.scratch = options.scratch + "/pairs", .memory = options.memory.bytes(Share::pair_sorting)});
  std::vector<Pair> found;
  const auto append = [&](uint32_t a, std::span<const Neighbour> bs) {
    found.clear();
    for (const Neighbour& b : bs) found.push_back({a, b.id, b.sum_of_minima});
    return expander.append(found);
  };
  KITH_TRY(pairs_of_blocks(bags, groups, options.min_sum, options.memory.share(Share::pair_join),
                           pool, append));
  return expander.finish(sink);
}

}  // namespace kith::similar
