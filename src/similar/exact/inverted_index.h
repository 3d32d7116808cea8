// Inverted lists over bags, which grow and answer one query at a time, with lossless pruning
// (docs/algorithms/pairs.md). For joining a whole collection see tiled_index.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stores.h"
#include "similar/exact/answer_builder.h"
#include "similar/exact/question.h"
#include "similar/exact/term_table.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"

namespace kith::similar {

// The answers are exact: every indexed bag that fits the question, with its exact sum.
//
// How: the bags have slots in the order of their insertion, 65536 to a block. A posting is 4
// bytes, 16 of slot within the block and 16 of weight rounded up; a query adds min(weights) into
// an array of 16-bit accumulators, which stays in the L2 cache. The accumulators are upper bounds
// of the sums, short by less than one unit per common term, so few bags besides the answers are
// compared entry by entry. Terms are processed by weight per posting, best first. When the rest
// of the query cannot lift an untouched bag to the cutoff (the minimum sum, or the K-th best so
// far), the rest of the postings is left out as soon as comparing the remaining candidates is
// cheaper: the partial sums and the rest's maximal weights bound what each can still reach.
//
// Memory: 4 bytes per posting (up to four times that after inserts), 16 bytes per term and block,
// and 20 bytes per bag. The bags themselves are not copied: their entries must outlive the index.
//
// Thread-safety: queries are const and may run in parallel, each thread with its own Scratch; not
// while a bag is being inserted.
class InvertedIndex {
 public:
  class Scratch;

  // Adds a bag. Ids need not ascend; nobody checks that they differ. An empty bag takes a slot
  // and is never found.
  void insert(uint32_t id, sketch::Bag bag);

  // The number of bags inserted.
  size_t size() const { return ids_.size(); }

  // What the index takes, in bytes: its arrays with their room to grow.
  uint64_t bytes() const;

  // All indexed bags with sum_of_minima >= min_sum (taken as at least 1), in the order of their
  // insertion. `found` is overwritten. of_class: others are left out.
  void query(sketch::Bag bag, uint32_t min_sum, Scratch& scratch, std::vector<Neighbour>& found,
             const ClassQuestion& of_class = {}) const;

  // The one of these that was inserted first, or {no_id, 0}.
  Neighbour earliest(sketch::Bag bag, uint32_t min_sum, Scratch& scratch,
                     const ClassQuestion& of_class = {}) const;

  // Several questions at once. Answer::similar is in the order of insertion.
  void ask(sketch::Bag bag, const Question& question, Scratch& scratch, Answer& answer) const;

 private:
  static constexpr uint32_t block_bits = 16;
  static constexpr size_t block_slots = size_t{1} << block_bits;

  struct Posting {
    uint16_t slot;    // within the block
    uint16_t weight;  // in coarse units, rounded up
  };
  struct List {
    Posting* begin = nullptr;
    uint32_t size = 0;
    uint32_t capacity = 0;
  };
  struct Block {
    std::vector<List> lists;  // by term number; may be shorter than the term table
    StableStore postings;
  };
  struct Term {
    uint32_t frequency = 0;   // bags with it
    uint16_t max_weight = 0;  // in coarse units
  };
  class Search;

  static void append(List& list, Posting posting, StableStore& postings);

  TermTable table_;
  std::vector<Term> terms_;  // by term number
  std::vector<Block> blocks_;
  std::vector<uint32_t> ids_;      // by slot
  std::vector<sketch::Bag> bags_;  // by slot
  uint64_t term_limit_ = 0;        // above all terms
};

// The working memory of one thread's queries: 128 KiB, and 4 bytes per term. Reusable with any
// index.
class InvertedIndex::Scratch {
 public:
  QueryWork work;  // summed up over all queries made with this scratch

 private:
  friend class InvertedIndex;
  friend class InvertedIndex::Search;

  struct QueryTerm {
    uint32_t number;
    uint32_t frequency;
    uint32_t weight;  // the most that the term can add, in coarse units
  };
  struct Segment {
    const Posting* begin;
    uint32_t size;
    uint32_t weight;
  };

  std::vector<uint16_t> sums_;     // the accumulators of a block
  std::vector<QueryTerm> terms_;   // by weight per posting
  std::vector<uint32_t> rest_;     // rest_[i]: what terms i, i + 1, ... can add at most
  std::vector<Segment> segments_;  // the lists of the terms in a block
  AnswerScratch answers_;
  Answer answer_;
};

}  // namespace kith::similar
