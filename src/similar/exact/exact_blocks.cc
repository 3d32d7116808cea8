#include "similar/exact/exact_blocks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "similar/neighbour.h"
#include "similar/query_weights.h"
#include "similar/sites.h"

namespace kith::similar {
namespace {

constexpr uint64_t max_blocks = 64;

// Above all terms.
uint64_t term_limit(const sketch::BagCollection& bags) {
  const size_t stretch = bags.bags_in(uint64_t{4} << 20);
  uint64_t limit = 0;
  sketch::BagBuffer buffer;
  for (size_t first = 0; first < bags.size(); first += stretch) {
    const size_t last = std::min(bags.size(), first + stretch);
    const sketch::BagBlock block = bags.block(first, last, buffer);
    for (size_t id = first; id < last; ++id) {
      if (!block[id].empty()) limit = std::max(limit, block[id].back().term + uint64_t{1});
    }
  }
  return limit;
}

// What an index of so many bags takes, with the order of its slots, and the mapped bags that it
// reads.
uint64_t block_bytes(uint64_t bags, uint64_t entries, uint64_t terms) {
  return TiledIndex::max_bytes(bags, entries, terms) + entries * sizeof(sketch::BagEntry) +
         bags * sizeof(uint32_t);
}

// The ids cut into as few blocks as fit so many bytes each.
std::vector<Ids> cut(const sketch::BagCollection& bags, Ids ids, uint64_t terms, uint64_t bytes) {
  std::vector<Ids> blocks;
  size_t begin = 0;
  uint64_t entries = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    const uint64_t with_this = entries + bags[ids[i]].size();
    if (i > begin && block_bytes(i + 1 - begin, with_this, terms) > bytes) {
      blocks.push_back(ids.subspan(begin, i - begin));
      begin = i;
      entries = 0;
    }
    entries += bags[ids[i]].size();
  }
  if (begin < ids.size()) blocks.push_back(ids.subspan(begin));
  return blocks;
}

// The least memory that makes for no more than max_blocks.
uint64_t min_memory(const sketch::BagCollection& bags, Ids ids, uint64_t terms) {
  uint64_t low = 0;
  uint64_t high = 2 * block_bytes(bags.size(), bags.entries().size(), terms);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (cut(bags, ids, terms, part_of(middle, Share::index_block)).size() <= max_blocks) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Result<IndexBlocks> cut_into_blocks(const sketch::BagCollection& bags, Ids ids,
                                    const Budget& memory, unsigned threads) {
  const uint64_t terms = term_limit(bags);
  IndexBlocks blocks;
  blocks.ids = cut(bags, ids, terms, memory.bytes(Share::index_block));
  blocks.tables_weights =
      threads * QueryWeights::bytes(terms) <= memory.bytes(Share::weight_tables);
  if (blocks.ids.size() > max_blocks) {
    return too_little_memory(memory.bytes(), min_memory(bags, ids, terms), ids.size(), "URLs");
  }
  return blocks;
}

uint64_t min_exact_block_memory(const sketch::BagCollection& bags, const DuplicateGroups& groups) {
  return min_memory(bags, distinct_bags(bags, groups), term_limit(bags));
}

uint64_t exact_join_bytes(const sketch::BagCollection& bags, unsigned threads) {
  const uint64_t terms = term_limit(bags);
  const uint64_t of_thread =
      exact_join_batch * TiledIndex::bytes_of_query + QueryWeights::bytes(terms);
  return threads * of_thread + block_bytes(bags.size(), bags.entries().size(), terms);
}

namespace {

// A similar bag in an answer, while the answer is made, and in the pairs of a round.
constexpr uint64_t bytes_of_answer = 2 * sizeof(Neighbour) + sizeof(Pair);

// The pairs of one block with itself and all earlier ones.
Status join_block(const sketch::BagCollection& bags, IndexedBlock& block, Ids queries,
                  const ExactBlockOptions& options, ThreadPool& pool, const PairRunSink& sink) {
  std::vector<std::vector<Pair>> pairs(pool.size());
  const auto take = [&](uint32_t id, const Answer& answer, unsigned worker) {
    for (const Neighbour& found : answer.similar) {
      if (found.id > id) pairs[worker].push_back({id, found.id, found.sum_of_minima});
    }
  };
  const auto give = [&](Ids ids) -> Status {
    for (std::vector<Pair>& found : pairs) {
      KITH_TRY(sink(found));
      found.clear();
    }
    if (ids.back() < block.ids().front()) bags.release(ids.front(), size_t{ids.back()} + 1);
    return Status::ok();
  };
  const auto question = [&](uint32_t) {
    return Question{.min_sum = options.min_sum, .top = 0, .list = true};
  };
  return block.ask(queries, question, options.memory.bytes(Share::block_pairs),
                   block.ids().size() * bytes_of_answer, take, give);
}

// The degrees and the nearest of all ids, block by block of the index and of the lists.
class NearestJoin {
 public:
  NearestJoin(const sketch::BagCollection& bags, const DuplicateGroups& groups, uint32_t top,
              const OtherSites& others, const ExactBlockOptions& options, const ListSpill& spill,
              ThreadPool& pool)
      : bags_(bags),
        groups_(groups),
        top_(top),
        others_(others),
        options_(options),
        pool_(pool),
        ids_(distinct_bags(bags, groups)),
        asking_(ids_),
        degree_(bags.size()),
        lists_(bags.size(), ids_of_part(), top, spill) {
    if (others.top == 0) return;
    other_lists_ = NearestLists(bags.size(), ids_of_part(), others.top,
                                {spill.fs, spill.folder, "other-sites"});
    const std::vector<uint32_t> further = further_lists(groups, others);
    asking_.insert(asking_.end(), further.begin(), further.end());
    std::ranges::sort(asking_);
  }

  Ids ids() const { return ids_; }

  // Asks a block for the ids that stand where it does, or for all others. `end`: the first id of
  // the next block.
  Status ask_own(Ids block, size_t end, bool tables_weights) {
    IndexedBlock index(bags_, groups_, block, tables_weights, pool_, others_);
    return for_each_part([&](const Lists& lists, Ids part) {
      return ask(index, from_to(part, block.front(), end), lists);
    });
  }
  Status ask_others(Ids block, size_t end, bool tables_weights) {
    IndexedBlock index(bags_, groups_, block, tables_weights, pool_, others_);
    return for_each_part([&](const Lists& lists, Ids part) -> Status {
      KITH_TRY(ask(index, from_to(part, 0, block.front()), lists));
      return ask(index, from_to(part, end, bags_.size()), lists);
    });
  }

  Result<ExactBlockResult> finish() && {
    ExactBlockResult result;
    KITH_TRY(for_each_part([&](const Lists& lists, Ids part) {
      for (const uint32_t id : part) {
        lists.nearest.sort(id);
        if (lists.other_sites != nullptr) lists.other_sites->sort(id);
      }
      return Status::ok();
    }));
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      degree_[id] = degree_[groups_.representative[id]];
    }
    result.degree = std::move(degree_);
    KITH_TRY(lists_.finish());
    result.nearest = std::move(lists_);
    if (others_.top > 0) {
      KITH_TRY(other_lists_.finish());
      result.other_sites = std::move(other_lists_);
    }
    return result;
  }

 private:
  struct Lists {
    TopLists& nearest;
    TopLists* other_sites;  // null if not asked for
  };

  uint32_t min_near() const { return options_.similar_only ? options_.min_sum : 0; }

  // Whose lists fit.
  size_t ids_of_part() const {
    const size_t other_bytes = others_.top == 0 ? 0 : TopLists::bytes_of_one(others_.top);
    return std::max<size_t>(1, options_.memory.bytes(Share::block_lists) /
                                   (TopLists::bytes_of_one(top_) + other_bytes));
  }

  static Ids from_to(Ids ids, size_t first, size_t last) {
    const auto begin = std::ranges::lower_bound(ids, first);
    return {begin, std::ranges::lower_bound(ids, last)};
  }

  // Calls visit(lists, ids) for the blocks of lists.
  template <class Visit>
  Status for_each_part(const Visit& visit) {
    for (size_t part = 0; part < lists_.blocks(); ++part) {
      KITH_TRY(lists_.open(part));
      if (others_.top > 0) KITH_TRY(other_lists_.open(part));
      const Lists lists{lists_.block(part), others_.top > 0 ? &other_lists_.block(part) : nullptr};
      KITH_TRY(visit(lists, from_to(asking_, lists_.first_of(part), lists_.first_of(part + 1))));
      KITH_TRY(lists_.close(part));
      if (others_.top > 0) KITH_TRY(other_lists_.close(part));
    }
    return Status::ok();
  }

  Status ask(IndexedBlock& index, Ids asking, const Lists& lists) {
    const auto take = [&](uint32_t id, const Answer& answer, unsigned) {
      for (const Neighbour& found : answer.nearest) lists.nearest.offer(id, found);
      for (const Neighbour& found : answer.other_sites) lists.other_sites->offer(id, found);
      // The others of its own group are in one block with it.
      const bool own = options_.min_sum > 0 && std::ranges::binary_search(index.ids(), id);
      const uint64_t twins = own ? groups_.multiplicity[id] - 1 : 0;
      degree_[id] =
          static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, degree_[id] + answer.count + twins));
    };
    const auto release = [&](Ids ids) {
      if (ids.back() < index.ids().front() || ids.front() > index.ids().back()) {
        bags_.release(ids.front(), size_t{ids.back()} + 1);
      }
      return Status::ok();
    };
    const auto question = [&](uint32_t id) {
      Question asked{.multiplicity = groups_.multiplicity};
      asked.other_sites = index.other_sites_of(id);
      if (others_.top > 0) {
        asked.other_sites.min_near = std::max(min_near(), lists.other_sites->min_sum(id));
      }
      if (groups_.is_representative(id)) {
        asked.min_sum = options_.min_sum;
        asked.of_class = {options_.classes, options_.classes.of(id)};
        asked.top = top_;
        asked.min_near = std::max(min_near(), lists.nearest.min_sum(id));
      }
      return asked;
    };
    return index.ask(asking, question, options_.memory.bytes(Share::block_answers),
                     2 * (top_ + others_.top) * sizeof(Neighbour), take, release);
  }

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const uint32_t top_;
  const OtherSites others_;
  const ExactBlockOptions& options_;
  ThreadPool& pool_;
  const std::vector<uint32_t> ids_;
  std::vector<uint32_t> asking_;  // these, and further members of groups
  std::vector<uint32_t> degree_;  // by id
  NearestLists lists_;
  NearestLists other_lists_;  // if asked for
};

}  // namespace

Status exact_join_in_blocks(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                            const ExactBlockOptions& options, ThreadPool& pool,
                            const PairRunSink& sink) {
  const std::vector<uint32_t> distinct = distinct_bags(bags, groups);
  const Ids ids = distinct;
  KITH_ASSIGN(const IndexBlocks blocks, cut_into_blocks(bags, ids, options.memory, pool.size()));
  for (const Ids block : blocks.ids) {
    IndexedBlock index(bags, groups, block, blocks.tables_weights, pool);
    KITH_TRY(
        join_block(bags, index, {ids.data(), block.data() + block.size()}, options, pool, sink));
    bags.release(block.front(), size_t{block.back()} + 1);
  }
  return Status::ok();
}

Result<ExactBlockResult> exact_nearest_in_blocks(const sketch::BagCollection& bags,
                                                 const DuplicateGroups& groups, uint32_t top,
                                                 const ExactBlockOptions& options,
                                                 storage::FileSystem& fs, const std::string& folder,
                                                 ThreadPool& pool, const JoinProgress& progress,
                                                 const OtherSites& others) {
  NearestJoin join(bags, groups, top, others, options, {&fs, folder}, pool);
  KITH_ASSIGN(const IndexBlocks cut,
              cut_into_blocks(bags, join.ids(), options.memory, pool.size()));
  const std::vector<Ids>& blocks = cut.ids;
  const auto count = static_cast<double>(blocks.size());
  // An id has most of its neighbours near it: those of its own block tell what the others must
  // reach.
  const auto end_of = [&](size_t i) -> size_t {
    return i + 1 < blocks.size() ? blocks[i + 1].front() : bags.size();
  };
  for (size_t i = 0; i < blocks.size(); ++i) {
    KITH_TRY(join.ask_own(blocks[i], end_of(i), cut.tables_weights));
    bags.release(blocks[i].front(), end_of(i));
  }
  for (size_t i = 0; i < blocks.size() && blocks.size() > 1; ++i) {
    KITH_TRY(join.ask_others(blocks[i], end_of(i), cut.tables_weights));
    bags.release(blocks[i].front(), size_t{blocks[i].back()} + 1);
    if (progress) progress(static_cast<double>(i + 1) / count);
  }
  bags.release(0, bags.size());
  return std::move(join).finish();
}

}  // namespace kith::similar
