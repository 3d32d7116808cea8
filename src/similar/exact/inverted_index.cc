#include "similar/exact/inverted_index.h"

#include <algorithm>

#include "base/check.h"
#include "similar/exact/coarse.h"

namespace kith::similar {

void InvertedIndex::insert(uint32_t id, sketch::Bag bag) {
  KITH_CHECK(ids_.size() < no_id);
  const size_t slot = ids_.size();
  ids_.push_back(id);
  bags_.push_back(bag);
  if (!bag.empty()) term_limit_ = std::max(term_limit_, bag.back().term + uint64_t{1});
  if (slot >> block_bits == blocks_.size()) blocks_.emplace_back();
  Block& block = blocks_.back();
  for (const sketch::BagEntry entry : bag) {
    const uint32_t number = table_.insert(entry.term);
    if (number == terms_.size()) terms_.emplace_back();
    const auto weight = static_cast<uint16_t>(coarse(entry.weight));
    Term& term = terms_[number];
    ++term.frequency;
    term.max_weight = std::max(term.max_weight, weight);
    if (number >= block.lists.size()) block.lists.resize(number + size_t{1});
    append(block.lists[number], {static_cast<uint16_t>(slot & (block_slots - 1)), weight},
           block.postings);
  }
}

// A full list moves to the end with twice the room; what it leaves behind is never more than
// what it takes.
void InvertedIndex::append(List& list, Posting posting, StableStore& postings) {
  if (list.size == list.capacity) {
    list.capacity = std::max(2u, 2 * list.capacity);
    Posting* const place = postings.allocate<Posting>(list.capacity).data();
    std::copy_n(list.begin, list.size, place);
    list.begin = place;
  }
  list.begin[list.size++] = posting;
}

uint64_t InvertedIndex::bytes() const {
  uint64_t sum = table_.bytes() + terms_.capacity() * sizeof(Term) +
                 ids_.capacity() * sizeof(uint32_t) + bags_.capacity() * sizeof(sketch::Bag);
  for (const Block& block : blocks_) {
    sum += block.postings.bytes() + block.lists.capacity() * sizeof(List);
  }
  return sum;
}

}  // namespace kith::similar
