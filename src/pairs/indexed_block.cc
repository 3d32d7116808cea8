#include "pairs/indexed_block.h"

#include <fmt/format.h>

#include "pairs/exact_blocks.h"

namespace kith::pairs {
namespace internal {
namespace {

constexpr uint64_t most_blocks = 64;

// Above all terms.
uint64_t term_limit(const BagCollection& bags) {
  const size_t stretch = bags.bags_in(uint64_t{4} << 20);
  uint64_t limit = 0;
  BagBuffer buffer;
  for (size_t first = 0; first < bags.size(); first += stretch) {
    const size_t last = std::min(bags.size(), first + stretch);
    const BagBlock block = bags.block(first, last, buffer);
    for (size_t id = first; id < last; ++id) {
      if (!block[id].empty()) limit = std::max(limit, block[id].back().term + uint64_t{1});
    }
  }
  return limit;
}

// What an index of so many bags takes, and the mapped bags that it reads.
uint64_t block_bytes(uint64_t bags, uint64_t entries, uint64_t terms) {
  return TiledIndex::most_bytes(bags, entries, terms) + entries * sizeof(BagEntry);
}

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

// bytes: of a block.
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

}  // namespace

Result<std::vector<Ids>> cut_into_blocks(const BagCollection& bags, Ids ids, uint64_t memory) {
  const uint64_t terms = term_limit(bags);
  // The index has half of it.
  std::vector<Ids> blocks = cut(bags, ids, terms, memory / 2);
  if (blocks.size() > most_blocks) return too_little(bags, terms, memory / 2);
  return blocks;
}

}  // namespace internal

uint64_t exact_join_bytes(const BagCollection& bags, unsigned threads) {
  const uint64_t terms = internal::term_limit(bags);
  const uint64_t of_thread =
      exact_join_batch * TiledIndex::bytes_of_query + internal::QueryWeights::bytes(terms);
  return threads * of_thread + internal::block_bytes(bags.size(), bags.entries().size(), terms);
}

}  // namespace kith::pairs
