// The exact engine where an index of all bags may not fit the memory: the ids are cut into blocks,
// each of which is indexed, and asked by other ids. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/exact/question.h"
#include "similar/exact/tiled_index.h"
#include "similar/sites.h"
#include "sketch/bag.h"

namespace kith::similar {

using Ids = std::span<const uint32_t>;

// Queries that go through an index together, at most.
inline constexpr size_t max_batch = 256;

struct IndexBlocks {
  std::vector<Ids> ids;
  bool tables_weights = true;  // whether there is memory for tables of weights (query_weights.h)
};

// The ids, ascending, cut into as few blocks as fit half of the memory each, indexed and with the
// bags that they are compared by; one block without a limit. Tables of weights may take an eighth.
// An error of kind usage when that makes for more than 64 blocks.
Result<IndexBlocks> cut_into_blocks(const sketch::BagCollection& bags, Ids ids,
                                    const Budget& memory, unsigned threads);

// Bytes that one block of all bags takes at most, with the bags themselves and what so many threads
// ask by. Lists of neighbours and pairs are not in it.
uint64_t whole_block_bytes(const sketch::BagCollection& bags, unsigned threads);

// The least memory that makes for no more than 64 blocks of the representatives.
uint64_t min_block_memory(const sketch::BagCollection& bags, const DuplicateGroups& groups);

// The index of one block of ascending ids, and what every thread of the pool needs to ask it. To be
// asked from one thread.
class IndexedBlock {
 public:
  IndexedBlock(const sketch::BagCollection& bags, const DuplicateGroups& groups, Ids block,
               bool tables_weights, ThreadPool& pool, const OtherSites& others = {})
      : bags_(bags),
        groups_(groups),
        block_(block),
        order_(others, block),
        pool_(pool),
        index_(bags, order_.ids(), pool),
        workers_(pool.size()) {
    for (Worker& worker : workers_) worker.scratch.tables_weights = tables_weights;
  }

  OtherSitesQuestion other_sites_of(uint32_t id) const { return order_.question(id); }
  // The ids of a round of ask(), at most.
  size_t max_round() const { return max_batch * workers_.size(); }
  QueryWork work() const {
    QueryWork sum;
    for (const Worker& worker : workers_) sum += worker.scratch.work;
    return sum;
  }

  // Puts question(id) to the block for each of the ids, whose own group is not in the answer, in
  // rounds of a batch per thread: as many as so many bytes have room for, at `answer_bytes` an
  // answer. take(place, id, answer) gets the answers in parallel, with the place of the id in its
  // round, and after(ids) the ids of each round that is over.
  template <class QuestionOf, class Take, class After>
  Status ask(Ids ids, const QuestionOf& question, uint64_t bytes, uint64_t answer_bytes,
             const Take& take, const After& after) {
    const size_t batch = batch_of(ids.size(), bytes / pool_.size(), answer_bytes);
    const size_t round = batch * pool_.size();
    for (size_t begin = 0; begin < ids.size(); begin += round) {
      const Ids some = ids.subspan(begin, std::min(round, ids.size() - begin));
      pool_.for_chunks(some.size(), batch, [&](size_t first, size_t last, unsigned worker) {
        const Ids asking = some.subspan(first, last - first);
        const std::span<const Answer> answers = answer(asking, question, workers_[worker]);
        for (size_t i = 0; i < asking.size(); ++i) take(first + i, asking[i], answers[i]);
      });
      KITH_TRY(after(some));
      release_others(some);
    }
    return Status::ok();
  }

 private:
  struct alignas(worker_alignment) Worker {
    TiledIndex::Scratch scratch;
    std::vector<TiledIndex::Query> queries;
    std::vector<Answer> answers;
  };

  // Small enough for all threads to have work.
  static size_t batch_of(size_t ids, uint64_t bytes_of_thread, uint64_t answer_bytes) {
    const size_t batch = std::clamp<size_t>(ids / 64, 16, max_batch);
    return std::clamp<uint64_t>(bytes_of_thread / (TiledIndex::bytes_of_query + answer_bytes), 1,
                                batch);
  }

  template <class QuestionOf>
  std::span<const Answer> answer(Ids ids, const QuestionOf& question, Worker& worker) const {
    worker.queries.clear();
    for (const uint32_t id : ids) {
      worker.queries.push_back({bags_[id], question(id)});
      worker.queries.back().question.except = order_.slot_of(groups_.representative[id]);
    }
    worker.answers.resize(ids.size());
    index_.ask(worker.queries, worker.scratch, worker.answers);
    return worker.answers;
  }

  // Gives back the bags that have asked, where none of them is compared any more.
  void release_others(Ids asked) const {
    if (asked.back() >= block_.front() && asked.front() <= block_.back()) return;
    bags_.release(asked.front(), size_t{asked.back()} + 1);
  }

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const Ids block_;
  const SlotOrder order_;
  ThreadPool& pool_;
  const TiledIndex index_;
  std::vector<Worker> workers_;
};

}  // namespace kith::similar
