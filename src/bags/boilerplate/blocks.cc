#include "bags/boilerplate/blocks.h"

#include <string_view>

#include "base/memory.h"

namespace kith::bags {

void BlockReader::read(const text::HtmlText& page, std::vector<Block>& blocks) {
  offsets_.clear();
  blocks.clear();
  if (page.links_stand_alone) return;
  BlockHasher hasher(page.block_bounds, blocks);
  std::string_view word;
  uint32_t offset = 0;
  splitter_.reset(page.text);
  while (splitter_.next(word, offset)) {
    hasher.add(offset, word);
    offsets_.push_back(offset);
  }
  hasher.finish();
}

uint32_t BlockReader::read(const text::HtmlText& page, std::vector<Block>& blocks,
                           std::vector<uint32_t>& block_offsets) {
  blocks.clear();
  block_offsets.clear();
  if (page.links_stand_alone) return 0;
  BlockHasher hasher(page.block_bounds, blocks);
  std::string_view word;
  uint32_t offset = 0;
  uint32_t words = 0;
  splitter_.reset(page.text);
  for (; splitter_.next(word, offset); ++words) {
    hasher.add(offset, word);
    if (block_offsets.size() < blocks.size()) block_offsets.push_back(offset);
  }
  hasher.finish();
  return words;
}

void BlockReader::forget_buffers() {
  free_memory(offsets_);
}

}  // namespace kith::bags
