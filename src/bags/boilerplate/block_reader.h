// Cuts the text of a page into blocks where nothing else is wanted of it.
#pragma once

#include <cstdint>
#include <vector>

#include "bags/boilerplate/blocks.h"
#include "text/html/html.h"
#include "text/words/words.h"

namespace kith::bags {

// Blocks as digests have them, but without the words of links. Not thread-safe.
class BlockReader {
 public:
  // Replaces `blocks`; none where a page has none that could be told apart.
  void read(const text::HtmlText& page, std::vector<Block>& blocks);
  // The same, and where in the text each block begins; returns the number of words. Takes no memory
  // for each word.
  uint32_t read(const text::HtmlText& page, std::vector<Block>& blocks,
                std::vector<uint32_t>& block_offsets);
  // Where each word of the last page of read(page, blocks) begins.
  const std::vector<uint32_t>& offsets() const { return offsets_; }
  // Frees what a large page has made the buffer grow to.
  void forget_buffers();

 private:
  text::WordSplitter splitter_;
  std::vector<uint32_t> offsets_;
};

}  // namespace kith::bags
