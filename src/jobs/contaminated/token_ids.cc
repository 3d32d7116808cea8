#include "jobs/contaminated/token_ids.h"

#include <utility>

#include "base/check.h"
#include "base/memory.h"

namespace kith::jobs {

void TokenHashes::read(std::string_view text) {
  constexpr size_t block = 512;
  reader_->reset(text);
  size_t count = 0;
  for (size_t got = block; got == block; count += got) {
    if (hashes_.size() < count + block) {
      hashes_.resize(count + count / 2 + block);
      offsets_.resize(hashes_.size() + 1);
    }
    got = reader_->read(
        {std::span(hashes_).subspan(count, block), std::span(offsets_).subspan(count, block)});
  }
  size_ = count;
  offsets_[count] = static_cast<uint32_t>(text.size());
}

void TokenHashes::forget_buffers() {
  size_ = 0;
  free_memory(hashes_);
  free_memory(offsets_);
}

void TokenTexts::read(std::string_view text) {
  bytes_.clear();
  ends_.clear();
  splitter_.reset(text);
  text::Token token;
  while (splitter_.next(token)) {
    bytes_ += token.text;
    while (token.continues && splitter_.next(token)) bytes_ += token.text;
    ends_.push_back(bytes_.size());
  }
  if (!ends_.empty()) return;
  bytes_ = text;  // as text::TokenReader has it; a blank text has no token and is not asked for one
  ends_.push_back(bytes_.size());
}

uint32_t TokenDictionary::add(std::string_view token, uint64_t hash) {
  const auto next = static_cast<uint32_t>(hashes_.size());
  const auto [place, is_new] = ids_.try_emplace(hash, next);
  if (!is_new && text(place->second) == token) return place->second;
  if (!is_new) {
    const auto [other, is_other_new] = others_.try_emplace(std::string(token), next);
    if (!is_other_new) return other->second;
  }
  hashes_.push_back(hash);
  bytes_ += token;
  begins_.push_back(bytes_.size());
  return next;
}

uint64_t TokenDictionary::bytes() const {
  constexpr uint64_t entry = 3 * sizeof(uint64_t) / 2;  // of a table that is two thirds full
  return hashes_.size() * (entry + 2 * sizeof(uint64_t)) * 2 + bytes_.capacity();
}

}  // namespace kith::jobs
