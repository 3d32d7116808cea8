// Tokens of texts: hashes to compare by, and the tokens themselves to verify with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "text/words/tokens.h"

namespace kith::jobs {

// The tokens of one text as hashes of 64 bits, and where they begin. Not thread-safe.
class TokenHashes {
 public:
  // text: valid UTF-8, shorter than 4 GiB.
  void read(std::string_view text);
  std::span<const uint64_t> hashes() const { return std::span(hashes_).first(size_); }
  size_t size() const { return size_; }
  // The byte at which a token begins; that behind the last one for size().
  uint32_t offset(size_t token) const { return offsets_[token]; }
  // Frees what a large text took.
  void forget_buffers();

 private:
  std::unique_ptr<text::TokenReader> reader_ = text::make_token_reader({});
  size_t size_ = 0;
  std::vector<uint64_t> hashes_;   // kept at their largest size
  std::vector<uint32_t> offsets_;  // and at last the size of the text
};

// The tokens of one text as they are compared, the same as those of TokenHashes. Not thread-safe.
class TokenTexts {
 public:
  void read(std::string_view text);
  size_t size() const { return ends_.size(); }
  std::string_view operator[](size_t token) const {
    const size_t begin = token == 0 ? 0 : ends_[token - 1];
    return std::string_view(bytes_).substr(begin, ends_[token] - begin);
  }

 private:
  text::TokenSplitter splitter_{Numbers::keep};
  std::string bytes_;
  std::vector<size_t> ends_;
};

// The tokens of all items, each once. Reading is thread-safe.
class TokenDictionary {
 public:
  // The number of a token. hash: as of TokenHashes.
  uint32_t add(std::string_view token, uint64_t hash);
  uint64_t hash(uint32_t id) const { return hashes_[id]; }
  std::string_view text(uint32_t id) const {
    return std::string_view(bytes_).substr(begins_[id], begins_[id + 1] - begins_[id]);
  }
  uint64_t bytes() const;

 private:
  // By hash the first token that has it, and by token those that share a hash with another.
  boost::unordered_flat_map<uint64_t, uint32_t> ids_;
  boost::unordered_flat_map<std::string, uint32_t> others_;
  std::vector<uint64_t> hashes_;
  std::vector<uint64_t> begins_ = {0};
  std::string bytes_;
};

}  // namespace kith::jobs
