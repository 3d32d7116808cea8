// An index of a whole collection for joining it with itself: the exact engine
// (docs/algorithms/pairs.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/exact/answer_builder.h"
#include "similar/exact/question.h"
#include "similar/exact/term_table.h"
#include "sketch/bag.h"

namespace kith::similar {

// Answers are exact, as those of InvertedIndex, which is its twin: built at once, not by inserts,
// and asked in batches, several times faster.
//
// Slots are cut into blocks of 8192, and these into tiles of 64. A query has a 16-bit
// accumulator for each slot of a block, an upper bound of the sum in coarse units (question.h).
// Terms that few bags have are added from lists of 4-byte postings. Terms that many bags have,
// which would be most of the postings, are dense rows of one byte per slot (term_table.h), added
// 32 slots an instruction; one tile's rows stay in the cache while all queries of the batch use
// them. A tile is left out for a query when its sums so far and the weight of the query's
// dense terms stay below the bar. What reaches the bar is compared entry by entry.
//
// Memory: 4 bytes per posting of a sparse term, a byte per bag for each of at most 1024 dense
// terms, 4 bytes per term and block, and 20 bytes per bag. The bags' entries are not copied: they
// must outlive the index. Immutable, thread-safe: each thread has its own Scratch.
class TiledIndex {
 public:
  // Slot i holds bags[ids[i]]. Slots near each other should hold bags alike, as ids in URL order
  // do: a batch then shares terms, and sets its bars where it starts. The rows are added with
  // the kernel of the given level, which this processor must support.
  TiledIndex(const sketch::BagCollection& bags, std::span<const uint32_t> ids, ThreadPool& pool,
             sketch::SimdLevel level = sketch::best_simd_level());

  size_t size() const { return ids_.size(); }

  // What an index takes at most, in bytes, while it is made and after: so many bags that have so
  // many entries together, with terms below `terms`.
  static uint64_t max_bytes(uint64_t bags, uint64_t entries, uint64_t terms);

  struct Query {
    sketch::Bag bag;
    Question question;
  };
  struct Scratch {
    QueryWork work;  // summed up over all queries made with this scratch
    // false: no table of a query's weights by term is made (query_weights.h), which is slower.
    bool tables_weights = true;

   private:
    friend class TiledIndex;
    struct SparseTerm {
      uint32_t number;
      uint16_t weight;  // in coarse units
    };
    // The terms of a query: ranges of `sparse` and `dense`.
    struct Prepared {
      size_t sparse_begin, sparse_end;
      size_t dense_begin, dense_end;
      uint32_t dense_rest;  // what the dense terms can add, in coarse units
      uint32_t slack;
      bool saturates;
    };
    std::vector<SparseTerm> sparse;
    std::vector<DenseTerm> dense;
    std::vector<Prepared> prepared;
    std::vector<uint16_t> sums;  // of all queries of the batch, for one block
    std::vector<AnswerBuilder> builders;
    AnswerScratch answers;
  };

  static constexpr size_t bytes_of_query = size_t{16} << 10;
  // Answers a batch: answers[i] to queries[i]. Scratch memory: bytes_of_query each, so batches of
  // some 256. Answer::similar is in no particular order.
  void ask(std::span<const Query> queries, Scratch& scratch, std::span<Answer> answers) const;

 private:
  static constexpr uint32_t block_bits = 13;
  static constexpr size_t block_slots = size_t{1} << block_bits;
  static_assert(bytes_of_query == block_slots * sizeof(uint16_t));

  static constexpr size_t tiles_of_block = block_slots / tile_slots;

  struct Posting {
    uint16_t slot;    // within the block
    uint16_t weight;  // in coarse units
  };
  struct Block {
    std::vector<uint32_t> offsets;  // by term number, and one more
    std::vector<Posting> postings;
  };

  void choose_dense_terms(std::span<const uint32_t> frequencies);
  void fill_block(size_t block);
  // The weight that is left for a posting, in coarse units; 0: no posting.
  uint32_t sparse_weight(uint32_t number, uint32_t weight) const;
  void prepare(const Query& query, Scratch& scratch) const;
  void search_block(size_t block, std::span<const Query> queries, Scratch& scratch) const;
  void add_sparse(const Block& block, const Scratch::Prepared& query, Scratch& scratch,
                  uint16_t* sums) const;
  void add_dense(size_t tile, std::span<const Query> queries, Scratch& scratch) const;
  void finish(size_t block, std::span<const Query> queries, Scratch& scratch) const;

  TermTable table_;
  std::vector<uint32_t> dense_row_;  // by term number; no_id: sparse
  std::vector<Block> blocks_;
  DenseRows rows_;
  std::vector<uint32_t> ids_;      // by slot
  std::vector<sketch::Bag> bags_;  // by slot
  uint64_t term_limit_ = 0;        // above all terms
  AddDense add_rows_;
};

}  // namespace kith::similar
