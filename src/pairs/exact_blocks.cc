#include "pairs/exact_blocks.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "pairs/tiled_index.h"

namespace kith::pairs {
namespace {

constexpr uint64_t most_blocks = 64;
constexpr size_t largest_batch = 256;  // queries that go through the index together
// A similar bag in an answer, while the answer is made, and in the pairs of a round.
constexpr uint64_t bytes_of_answer = 2 * sizeof(Neighbour) + sizeof(Pair);

// Above all terms.
uint64_t term_limit(const BagCollection& bags) {
  constexpr size_t stretch = 1 << 16;
  uint64_t limit = 0;
  for (size_t first = 0; first < bags.size(); first += stretch) {
    const size_t last = std::min(bags.size(), first + stretch);
    for (size_t id = first; id < last; ++id) {
      if (!bags[id].empty()) limit = std::max(limit, bags[id].back().term + uint64_t{1});
    }
    bags.release(first, last);
  }
  return limit;
}

// What an index of so many bags takes, and the mapped bags that it reads.
uint64_t block_bytes(uint64_t bags, uint64_t entries, uint64_t terms) {
  return TiledIndex::most_bytes(bags, entries, terms) + entries * sizeof(BagEntry);
}

using Ids = std::span<const uint32_t>;

// The ids cut into as few blocks as fit so many bytes each.
std::vector<Ids> cut(const BagCollection& bags, Ids ids, uint64_t terms, uint64_t bytes) {
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

Error too_little(const BagCollection& bags, uint64_t terms, uint64_t bytes) {
  constexpr uint64_t mebibyte = 1 << 20;
  const uint64_t need =
      block_bytes(bags.size() / most_blocks + 1, bags.entries().size() / most_blocks + 1, terms);
  // A block has half of the memory.
  const uint64_t missing = 2 * (std::max(need, bytes) - bytes);
  return {ErrorKind::usage,
          fmt::format("too little memory to compare {} URLs: give --memory {} MiB more",
                      bags.size(), missing / mebibyte + 1)};
}

// The pairs of one block with itself and all earlier ones.
class BlockJoin {
 public:
  BlockJoin(const BagCollection& bags, Ids block, const ExactBlockOptions& options,
            ThreadPool& pool)
      : bags_(bags),
        block_(block),
        options_(options),
        pool_(pool),
        index_(bags, block, pool),
        workers_(pool.size()) {}

  Status run(Ids queries, const PairRunSink& sink) {
    const uint64_t worst = block_.size() * bytes_of_answer * pool_.size();
    const size_t batch = std::clamp<uint64_t>(options_.memory / 4 / worst, 1, largest_batch);
    const size_t round = batch * pool_.size();
    std::vector<Pair> pairs;
    for (size_t begin = 0; begin < queries.size(); begin += round) {
      const Ids ids = queries.subspan(begin, std::min(round, queries.size() - begin));
      pool_.for_chunks(ids.size(), batch, [&](size_t first, size_t last, unsigned worker) {
        for (size_t at = first; at < last; at += batch) {
          ask(ids.subspan(at, std::min(batch, last - at)), workers_[worker]);
        }
      });
      for (Worker& worker : workers_) {
        KITH_TRY(sink(worker.pairs));
        worker.pairs.clear();
      }
      if (ids.back() < block_.front()) bags_.release(ids.front(), ids.back() + 1);
    }
    return Status::ok();
  }

 private:
  struct Worker {
    TiledIndex::Scratch scratch;
    std::vector<TiledIndex::Query> queries;
    std::vector<Answer> answers;
    std::vector<Pair> pairs;
  };

  // The slot of an id, or no_id: it is not similar to itself.
  uint32_t slot_of(uint32_t id) const {
    const auto found = std::ranges::lower_bound(block_, id);
    if (found == block_.end() || *found != id) return no_id;
    return static_cast<uint32_t>(found - block_.begin());
  }

  void ask(Ids ids, Worker& worker) const {
    worker.queries.clear();
    for (const uint32_t id : ids) {
      worker.queries.push_back(
          {bags_[id],
           {.least_sum = options_.least_sum, .top = 0, .list = true, .except = slot_of(id)}});
    }
    worker.answers.resize(ids.size());
    index_.ask(worker.queries, worker.scratch, worker.answers);
    for (size_t i = 0; i < ids.size(); ++i) {
      for (const Neighbour& found : worker.answers[i].similar) {
        if (found.id > ids[i]) worker.pairs.push_back({ids[i], found.id, found.sum_of_minima});
      }
    }
  }

  const BagCollection& bags_;
  const Ids block_;
  const ExactBlockOptions& options_;
  ThreadPool& pool_;
  const TiledIndex index_;
  std::vector<Worker> workers_;
};

}  // namespace

uint64_t exact_join_bytes(const BagCollection& bags) {
  return block_bytes(bags.size(), bags.entries().size(), term_limit(bags));
}

Status exact_join_in_blocks(const BagCollection& bags, const DuplicateGroups& groups,
                            const ExactBlockOptions& options, ThreadPool& pool,
                            const PairRunSink& sink) {
  const std::vector<uint32_t> distinct = distinct_bags(bags, groups);
  const Ids ids = distinct;
  const uint64_t terms = term_limit(bags);
  const uint64_t bytes = options.memory / 2;
  const std::vector<Ids> blocks = cut(bags, ids, terms, bytes);
  if (blocks.size() > most_blocks) return too_little(bags, terms, bytes);
  for (const Ids block : blocks) {
    BlockJoin join(bags, block, options, pool);
    KITH_TRY(join.run({ids.data(), block.data() + block.size()}, sink));
    bags.release(block.front(), block.back() + 1);
  }
  return Status::ok();
}

}  // namespace kith::pairs
