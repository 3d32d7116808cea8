#include "similar/exact/tiled_index.h"

#include <algorithm>

#include "base/check.h"
#include "similar/exact/question.h"

namespace kith::similar {

namespace {

// What a bag in the slots of a tile must reach.
uint32_t cutoff_of_tile(const AnswerBuilder& builder, size_t first_slot) {
  const IdRange own = builder.own_slots();
  const bool is_own = own.begin <= first_slot && first_slot + tile_slots <= own.end;
  return is_own ? builder.own_cutoff() : builder.cutoff();
}

// The slots of a block that may be part of the answer, ascending.
void find_candidates(const AnswerBuilder& builder, std::span<const uint16_t> sums,
                     size_t first_slot, std::vector<uint32_t>& candidates) {
  candidates.clear();
  const auto scan = [&](size_t begin, size_t end, uint32_t cutoff) {
    for_each_at_least(sums.subspan(begin, end - begin), cutoff, [&](uint32_t slot) {
      candidates.push_back(static_cast<uint32_t>(begin) + slot);
      return true;
    });
  };
  // Groups that are not all of the own host go with those of others.
  const IdRange own = builder.own_slots_in(first_slot, sums.size());
  const size_t own_end = own.end / sum_group * sum_group;
  const size_t own_begin = std::min(own_end, (own.begin + sum_group - 1) / sum_group * sum_group);
  scan(0, own_begin, builder.cutoff());
  scan(own_begin, own_end, builder.own_cutoff());
  scan(own_end, sums.size(), builder.cutoff());
}

}  // namespace

TiledIndex::TiledIndex(const sketch::BagCollection& bags, std::span<const uint32_t> ids,
                       ThreadPool& pool, sketch::SimdLevel level)
    : ids_(ids.begin(), ids.end()), add_rows_(add_dense_kernel(level)) {
  bags_.reserve(ids.size());
  std::vector<uint32_t> frequencies;
  for (const uint32_t id : ids) {
    bags_.push_back(bags[id]);
    if (!bags[id].empty()) term_limit_ = std::max(term_limit_, bags[id].back().term + uint64_t{1});
    for (const sketch::BagEntry entry : bags[id]) {
      const uint32_t number = table_.insert(entry.term);
      if (number == frequencies.size()) frequencies.push_back(0);
      ++frequencies[number];
    }
  }
  choose_dense_terms(frequencies);
  blocks_.resize((ids.size() + block_slots - 1) >> block_bits);
  pool.for_chunks(blocks_.size(), 1, [&](size_t begin, size_t end, unsigned) {
    for (size_t block = begin; block < end; ++block) fill_block(block);
  });
}

uint64_t TiledIndex::max_bytes(uint64_t bags, uint64_t entries, uint64_t terms) {
  if (bags == 0) return 0;
  // No more terms can be in a share of the bags than this.
  const auto frequent = static_cast<uint64_t>(static_cast<double>(entries) /
                                              (dense_share * static_cast<double>(bags)));
  const uint64_t dense = std::min<uint64_t>(max_dense_terms, frequent);
  const uint64_t tiles = bags / tile_slots + 1;
  const uint64_t known = std::min(terms, entries) + 1;
  const uint64_t blocks = bags / block_slots + 1;
  return entries * sizeof(Posting) + dense * tiles * tile_slots +
         bags * (sizeof(sketch::Bag) + sizeof(uint32_t)) + blocks * known * sizeof(uint32_t) +
         TermTable::max_bytes(known, terms) +
         4 * known * sizeof(uint32_t);  // frequencies, in a vector that grew, and rows
}

void TiledIndex::choose_dense_terms(std::span<const uint32_t> frequencies) {
  const double least = dense_share * static_cast<double>(ids_.size());
  std::vector<uint32_t> dense;
  for (uint32_t number = 0; number < frequencies.size(); ++number) {
    if (static_cast<double>(frequencies[number]) >= least) dense.push_back(number);
  }
  std::stable_sort(dense.begin(), dense.end(),
                   [&](uint32_t a, uint32_t b) { return frequencies[a] > frequencies[b]; });
  dense.resize(std::min(dense.size(), max_dense_terms));
  dense_row_.assign(frequencies.size(), no_id);
  for (uint32_t row = 0; row < dense.size(); ++row) dense_row_[dense[row]] = row;
  rows_ = DenseRows(dense.size(), ids_.size());
}

uint32_t TiledIndex::sparse_weight(uint32_t number, uint32_t weight) const {
  return coarse(dense_row_[number] == no_id ? weight : excess_over_byte(weight));
}

// Counting sort of the block's entries by term.
void TiledIndex::fill_block(size_t block_number) {
  Block& block = blocks_[block_number];
  const size_t first_slot = block_number << block_bits;
  const size_t end_slot = std::min(bags_.size(), first_slot + block_slots);
  block.offsets.assign(size_t{table_.size()} + 1, 0);
  uint64_t total = 0;
  for (size_t slot = first_slot; slot < end_slot; ++slot) {
    for (const sketch::BagEntry entry : bags_[slot]) {
      const uint32_t number = table_.find(entry.term);
      if (sparse_weight(number, entry.weight) == 0) continue;
      ++block.offsets[number];
      ++total;
    }
  }
  KITH_CHECK(total <= UINT32_MAX);
  uint32_t end = 0;
  for (uint32_t& offset : block.offsets) offset = end += offset;
  block.postings.resize(total);
  // From the back, so that each offset ends up at the begin of its list, in order of slot.
  for (size_t slot = end_slot; slot-- > first_slot;) {
    for (const sketch::BagEntry entry : bags_[slot]) {
      const uint32_t number = table_.find(entry.term);
      const uint32_t row = dense_row_[number];
      if (row != no_id) rows_.set(row, slot, byte_weight(entry.weight));
      const uint32_t weight = sparse_weight(number, entry.weight);
      if (weight == 0) continue;
      block.postings[--block.offsets[number]] = {static_cast<uint16_t>(slot - first_slot),
                                                 static_cast<uint16_t>(weight)};
    }
  }
}

void TiledIndex::prepare(const Query& query, Scratch& scratch) const {
  Scratch::Prepared prepared{};
  prepared.sparse_begin = scratch.sparse.size();
  prepared.dense_begin = scratch.dense.size();
  for (const sketch::BagEntry entry : query.bag) {
    const uint32_t number = table_.find(entry.term);
    if (number == TermTable::none) continue;
    if (dense_row_[number] != no_id) {
      const uint8_t weight = byte_weight(entry.weight);
      scratch.dense.push_back({dense_row_[number], weight});
      prepared.dense_rest += weight * coarse_per_byte;
    }
    const uint32_t weight = sparse_weight(number, entry.weight);
    if (weight > 0) scratch.sparse.push_back({number, static_cast<uint16_t>(weight)});
  }
  prepared.sparse_end = scratch.sparse.size();
  prepared.dense_end = scratch.dense.size();
  prepared.slack =
      static_cast<uint32_t>(prepared.sparse_end - prepared.sparse_begin +
                            (prepared.dense_end - prepared.dense_begin) * coarse_per_byte);
  prepared.saturates = coarse_total + prepared.slack > UINT16_MAX;
  scratch.prepared.push_back(prepared);
}

void TiledIndex::ask(std::span<const Query> queries, Scratch& scratch,
                     std::span<Answer> answers) const {
  KITH_CHECK(queries.size() == answers.size());
  const SlotTable slots{ids_, bags_, scratch.tables_weights ? term_limit_ : UINT64_MAX};
  scratch.sparse.clear();
  scratch.dense.clear();
  scratch.prepared.clear();
  scratch.builders.clear();
  scratch.builders.reserve(queries.size());
  for (size_t q = 0; q < queries.size(); ++q) {
    prepare(queries[q], scratch);
    scratch.builders.emplace_back(queries[q].bag, queries[q].question, slots, answers[q],
                                  scratch.work);
  }
  scratch.work.queries += queries.size();
  if (queries.empty() || blocks_.empty()) return;
  scratch.sums.resize(queries.size() * block_slots);
  // A bag's neighbours stand near it: where the batch stands goes first, and what it finds there
  // as the bar leaves out tiles elsewhere.
  const uint32_t start = queries.front().question.except;
  const size_t home =
      start == no_id ? 0 : std::min<size_t>(start >> block_bits, blocks_.size() - 1);
  search_block(home, queries, scratch);
  for (size_t block = 0; block < blocks_.size(); ++block) {
    if (block != home) search_block(block, queries, scratch);
  }
  for (AnswerBuilder& builder : scratch.builders) builder.sort_nearest();
}

void TiledIndex::search_block(size_t block, std::span<const Query> queries,
                              Scratch& scratch) const {
  for (size_t q = 0; q < queries.size(); ++q) {
    uint16_t* const sums = scratch.sums.data() + q * block_slots;
    std::fill_n(sums, block_slots, uint16_t{0});
    add_sparse(blocks_[block], scratch.prepared[q], scratch, sums);
  }
  const size_t first_tile = block * tiles_of_block;
  const size_t tiles = (ids_.size() + tile_slots - 1) / tile_slots;
  for (size_t tile = first_tile; tile < std::min(tiles, first_tile + tiles_of_block); ++tile) {
    add_dense(tile, queries, scratch);
  }
  finish(block, queries, scratch);
}

void TiledIndex::add_sparse(const Block& block, const Scratch::Prepared& query, Scratch& scratch,
                            uint16_t* sums) const {
  // The lists of rare terms are short and lie anywhere: their offsets are fetched well ahead.
  constexpr size_t ahead = 12;
  for (size_t i = query.sparse_begin; i < query.sparse_end; ++i) {
    if (i + ahead < query.sparse_end) {
      __builtin_prefetch(block.offsets.data() + scratch.sparse[i + ahead].number);
    }
    if (i + ahead / 2 < query.sparse_end) {
      __builtin_prefetch(block.postings.data() +
                         block.offsets[scratch.sparse[i + ahead / 2].number]);
    }
    const Scratch::SparseTerm term = scratch.sparse[i];
    const Posting* const end = block.postings.data() + block.offsets[term.number + 1];
    const Posting* p = block.postings.data() + block.offsets[term.number];
    scratch.work.postings += static_cast<uint64_t>(end - p);
    if (query.saturates) {
      for (; p != end; ++p) {
        const uint32_t sum = uint32_t{sums[p->slot]} + std::min(p->weight, term.weight);
        sums[p->slot] = static_cast<uint16_t>(std::min<uint32_t>(sum, UINT16_MAX));
      }
    } else {
      for (; p != end; ++p) {
        sums[p->slot] = static_cast<uint16_t>(sums[p->slot] + std::min(p->weight, term.weight));
      }
    }
  }
}

void TiledIndex::add_dense(size_t tile, std::span<const Query> queries, Scratch& scratch) const {
  const uint8_t* const rows = rows_.tile(tile);
  const size_t offset = tile % tiles_of_block * tile_slots;
  for (size_t q = 0; q < queries.size(); ++q) {
    const Scratch::Prepared& query = scratch.prepared[q];
    const auto terms =
        std::span(scratch.dense).subspan(query.dense_begin, query.dense_end - query.dense_begin);
    if (terms.empty()) continue;
    uint16_t* const sums = scratch.sums.data() + q * block_slots + offset;
    const uint32_t cutoff = cutoff_of_tile(scratch.builders[q], tile * tile_slots);
    if (cutoff > query.dense_rest) {
      bool any = false;
      for_each_at_least({sums, tile_slots}, cutoff - query.dense_rest, [&](uint32_t slot) {
        any = ((tile * tile_slots) + slot) != queries[q].question.except;
        return !any;
      });
      if (!any) {
        scratch.work.pruned += terms.size() * tile_slots;
        continue;
      }
    }
    scratch.work.cells += terms.size() * tile_slots;
    add_rows_(rows, terms, sums);
  }
}

void TiledIndex::finish(size_t block, std::span<const Query> queries, Scratch& scratch) const {
  const size_t first_slot = block << block_bits;
  for (size_t q = 0; q < queries.size(); ++q) {
    const std::span<uint16_t> sums(scratch.sums.data() + q * block_slots, block_slots);
    const uint32_t except = queries[q].question.except;
    if (except != no_id && except >> block_bits == block) sums[except - first_slot] = 0;
    AnswerBuilder& builder = scratch.builders[q];
    builder.raise_cutoff(sums, first_slot, scratch.prepared[q].slack, scratch.answers);
    find_candidates(builder, sums, first_slot, scratch.answers.candidates);
    builder.finish(sums, first_slot, 0, scratch.prepared[q].slack, scratch.answers);
  }
}

}  // namespace kith::similar
