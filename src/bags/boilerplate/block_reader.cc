#include "bags/boilerplate/block_reader.h"

#include <string_view>

#include "base/free_memory.h"

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

void BlockReader::forget_buffers() {
  free_memory(offsets_);
}

}  // namespace kith::bags
