#include "exact/inverted_index.h"

#include <algorithm>

#include "base/check.h"
#include "exact/coarse.h"

namespace kith::pairs {

InvertedIndex::InvertedIndex(const BagCollection& bags, std::span<const uint32_t> ids,
                             ThreadPool& pool)
    : ids_(ids.begin(), ids.end()) {
  bags_.reserve(ids.size());
  for (const uint32_t id : ids) {
    bags_.push_back(bags[id]);
    for (const BagEntry entry : bags[id]) table_.insert(entry.term);
    if (!bags[id].empty()) term_limit_ = std::max(term_limit_, bags[id].back().term + uint64_t{1});
  }
  blocks_.resize((ids.size() + block_slots - 1) >> block_bits);
  pool.for_chunks(blocks_.size(), 1, [&](size_t begin, size_t end, unsigned) {
    for (size_t b = begin; b < end; ++b) fill_block(blocks_[b], b << block_bits);
  });
  terms_.resize(table_.size());
  pool.for_chunks(terms_.size(), 4096, [&](size_t begin, size_t end, unsigned) {
    for (const Block& block : blocks_) {
      for (size_t term = begin; term < std::min(end, block.lists.size()); ++term) {
        const List& list = block.lists[term];
        terms_[term].frequency += list.size;
        for (uint32_t i = 0; i < list.size; ++i) {
          terms_[term].max_weight = std::max(terms_[term].max_weight, list.begin[i].weight);
        }
      }
    }
  });
}

// Counting sort of the block's entries by term.
void InvertedIndex::fill_block(Block& block, size_t first_slot) const {
  const size_t end_slot = std::min(bags_.size(), first_slot + block_slots);
  block.lists.resize(table_.size());
  for (size_t slot = first_slot; slot < end_slot; ++slot) {
    for (const BagEntry entry : bags_[slot]) ++block.lists[table_.find(entry.term)].capacity;
  }
  uint64_t total = 0;
  for (const List& list : block.lists) total += list.capacity;
  Posting* begin = block.postings.allocate<Posting>(total).data();
  for (List& list : block.lists) {
    list.begin = begin;
    begin += list.capacity;
  }
  for (size_t slot = first_slot; slot < end_slot; ++slot) {
    for (const BagEntry entry : bags_[slot]) {
      List& list = block.lists[table_.find(entry.term)];
      list.begin[list.size++] = {static_cast<uint16_t>(slot - first_slot),
                                 static_cast<uint16_t>(internal::coarse(entry.weight))};
    }
  }
}

void InvertedIndex::insert(uint32_t id, Bag bag) {
  KITH_CHECK(ids_.size() < no_id);
  const size_t slot = ids_.size();
  ids_.push_back(id);
  bags_.push_back(bag);
  if (!bag.empty()) term_limit_ = std::max(term_limit_, bag.back().term + uint64_t{1});
  if (slot >> block_bits == blocks_.size()) blocks_.emplace_back();
  Block& block = blocks_.back();
  for (const BagEntry entry : bag) {
    const uint32_t number = table_.insert(entry.term);
    if (number == terms_.size()) terms_.emplace_back();
    const auto weight = static_cast<uint16_t>(internal::coarse(entry.weight));
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
                 ids_.capacity() * sizeof(uint32_t) + bags_.capacity() * sizeof(Bag);
  for (const Block& block : blocks_) {
    sum += block.postings.bytes() + block.lists.capacity() * sizeof(List);
  }
  return sum;
}

uint64_t InvertedIndex::postings_of(Bag bag) const {
  uint64_t sum = 0;
  for (const BagEntry entry : bag) {
    const uint32_t number = table_.find(entry.term);
    if (number != TermTable::none) sum += terms_[number].frequency;
  }
  return sum;
}

}  // namespace kith::pairs
