// The exact join of parts of the ids, where an index of all does not fit the memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/exact/exact_join.h"
#include "similar/exact/question.h"
#include "similar/exact/tiled_index.h"
#include "similar/neighbour.h"
#include "similar/sites.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::similar {

// A part of the ids in an index of its own, where an index of all does not fit the memory. Internal
// to this folder.
using Ids = std::span<const uint32_t>;

struct IndexBlocks {
  std::vector<Ids> ids;
  bool tables_weights = true;  // whether there is memory for tables of weights (query_weights.h)
};

// The ids, ascending, cut into as few blocks as fit half of the memory each, indexed and with the
// bags that they are compared by. Tables of weights may take an eighth. An error of kind usage when
// that makes for more than 64 blocks.
Result<IndexBlocks> cut_into_blocks(const sketch::BagCollection& bags, Ids ids,
                                    const Budget& memory, unsigned threads);

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

  Ids ids() const { return block_; }
  OtherSitesQuestion other_sites_of(uint32_t id) const { return order_.question(id); }

  // Puts question(id) to the block for each of the ids, whose own group is not in the answer, in
  // rounds of a batch per thread: as many as so many bytes have room for, at `answer_bytes` an
  // answer. take(id, answer, worker) gets the answers in parallel, and after(ids) the ids of each
  // round that is over.
  template <class QuestionOf, class Take, class After>
  Status ask(Ids ids, const QuestionOf& question, uint64_t bytes, uint64_t answer_bytes,
             const Take& take, const After& after) {
    const uint64_t one = (TiledIndex::bytes_of_query + answer_bytes) * pool_.size();
    const size_t batch = std::clamp<uint64_t>(bytes / one, 1, exact_join_batch);
    const size_t round = batch * pool_.size();
    for (size_t begin = 0; begin < ids.size(); begin += round) {
      const Ids some = ids.subspan(begin, std::min(round, ids.size() - begin));
      pool_.for_chunks(some.size(), batch, [&](size_t first, size_t last, unsigned worker) {
        for (size_t at = first; at < last; at += batch) {
          const Ids asking = some.subspan(at, std::min(batch, last - at));
          const std::span<const Answer> answers = ask(asking, question, workers_[worker]);
          for (size_t i = 0; i < asking.size(); ++i) take(asking[i], answers[i], worker);
        }
      });
      KITH_TRY(after(some));
    }
    return Status::ok();
  }

 private:
  struct alignas(worker_alignment) Worker {
    TiledIndex::Scratch scratch;
    std::vector<TiledIndex::Query> queries;
    std::vector<Answer> answers;
  };

  template <class QuestionOf>
  std::span<const Answer> ask(Ids ids, const QuestionOf& question, Worker& worker) const {
    worker.queries.clear();
    for (const uint32_t id : ids) {
      worker.queries.push_back({bags_[id], question(id)});
      worker.queries.back().question.except = order_.slot_of(groups_.representative[id]);
    }
    worker.answers.resize(ids.size());
    index_.ask(worker.queries, worker.scratch, worker.answers);
    return worker.answers;
  }

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const Ids block_;
  const SlotOrder order_;
  ThreadPool& pool_;
  const TiledIndex index_;
  std::vector<Worker> workers_;
};

// The exact engine where an index of all bags does not fit the memory: the ids are cut into blocks,
// each of which is indexed, and asked by other ids. The results are the same for any number of
// threads and any memory. An error of kind usage when the memory is below
// min_exact_block_memory().

// Bytes that exact_join() takes at most to index and to compare the bags, with those of the bags
// themselves, by so many threads; its lists of neighbours and pairs are not in it.
uint64_t exact_join_bytes(const sketch::BagCollection& bags, unsigned threads);

// The least memory of ExactBlockOptions: it makes for 64 blocks.
uint64_t min_exact_block_memory(const sketch::BagCollection& bags, const DuplicateGroups& groups);

struct ExactBlockOptions {
  uint32_t min_sum = 0;  // what counts as similar; 0: nothing
  Budget memory = {};    // for what the join takes besides 12 bytes for every id; has a limit
  // Of exact_nearest_in_blocks(), as in ExactJoinOptions.
  Classes classes = {};
  bool similar_only = false;
};

// Gives the pairs of distinct bags, a < b both representatives, to the sink: each once, in any
// order. Every block is asked by itself and all earlier ones. An error of the sink ends it.
Status exact_join_in_blocks(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                            const ExactBlockOptions& options, ThreadPool& pool,
                            const PairRunSink& sink);

struct ExactBlockResult {
  // As in ExactJoinResult; degrees are cut at UINT32_MAX.
  std::vector<uint32_t> degree;
  NearestLists nearest;
  NearestLists other_sites;
};

// The degrees and the K nearest that exact_join() finds: every block is asked by all ids. Their
// lists lie in files of the folder where they take more than a quarter of the memory.
Result<ExactBlockResult> exact_nearest_in_blocks(
    const sketch::BagCollection& bags, const DuplicateGroups& groups, uint32_t top,
    const ExactBlockOptions& options, storage::FileSystem& fs, const std::string& folder,
    ThreadPool& pool, const JoinProgress& progress = nullptr, const OtherSites& others = {});

}  // namespace kith::similar
