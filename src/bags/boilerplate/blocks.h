// The blocks of a page: passages of words between the starts and ends of block elements. A menu or
// a footer is the same block on many pages of a site (docs/algorithms/boilerplate.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bags/vocabulary/word_memo.h"
#include "base/hash.h"
#include "text/html/html.h"
#include "text/words/words.h"

namespace kith::bags {

struct Block {
  uint32_t begin = 0;       // its first word; it ends where the next one begins
  uint32_t link_words = 0;  // of its words, those in the text of a link
  uint64_t hash = 0;        // of its words as they stand, lower-cased, stop words included
};

// Cuts the words of a page into blocks while they are read, and hashes each block. Values stand in
// files: they depend on the words alone.
class BlockHasher {
 public:
  // bounds: where in the text blocks begin or end, rising. Both must live until finish().
  BlockHasher(std::span<const uint32_t> bounds, std::vector<Block>& blocks)
      : bounds_(bounds), blocks_(&blocks) {
    blocks.clear();
  }

  // The next word, and where in the text it begins.
  void add(uint32_t offset, std::string_view word) {
    if (word.size() > WordMemo::longest) return add_long(offset, word);
    const WordMemo::Key key = WordMemo::key_of(word);
    add(offset, key.low, key.high);
  }
  // The same of a word whose key is at hand.
  void add(uint32_t offset, uint64_t low, uint64_t high) {
    if (word_ == 0 || offset >= next_bound_) start_block(offset);
    hash_ = fold(hash_ ^ low, high ^ salt);
    ++word_;
  }
  // The same of a word without a key.
  void add_long(uint32_t offset, std::string_view word) {
    const Key128 key = hash128(word);
    add(offset, key.low, key.high);
  }
  void finish() {
    if (word_ > 0) blocks_->back().hash = mix64(hash_);
  }

 private:
  static constexpr uint64_t salt = 0x9e3779b97f4a7c15;

  // Both halves of a product, as in wyhash.
  static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ using Product = unsigned __int128;
    const auto product = static_cast<Product>(a | 1) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  void start_block(uint32_t offset) {
    finish();
    while (next_ < bounds_.size() && bounds_[next_] <= offset) ++next_;
    next_bound_ = next_ < bounds_.size() ? bounds_[next_] : UINT32_MAX;
    blocks_->push_back({word_});
    hash_ = salt;
  }

  std::span<const uint32_t> bounds_;
  std::vector<Block>* blocks_;
  size_t next_ = 0;          // of the bounds, the first one behind the block
  uint32_t next_bound_ = 0;  // where it is
  uint32_t word_ = 0;
  uint64_t hash_ = salt;
};

// Cuts the text of a page into blocks where nothing else is wanted of it.

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
