#include "similar/exact/exact_blocks.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "similar/query_weights.h"

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
  if (blocks.ids.size() <= max_blocks) return blocks;
  return memory.too_few(min_memory(bags, ids, terms), fmt::format("{} URLs", bags.size()));
}

uint64_t whole_block_bytes(const sketch::BagCollection& bags, unsigned threads) {
  const uint64_t terms = term_limit(bags);
  const uint64_t of_thread = max_batch * TiledIndex::bytes_of_query + QueryWeights::bytes(terms);
  return threads * of_thread + block_bytes(bags.size(), bags.entries().size(), terms);
}

uint64_t min_block_memory(const sketch::BagCollection& bags, const DuplicateGroups& groups) {
  return min_memory(bags, distinct_bags(bags, groups), term_limit(bags));
}

}  // namespace kith::similar
