#include "storage/string_table.h"

#include <algorithm>

#include "base/check.h"

namespace kith::storage {

Status SortedStringsWriter::add(std::string_view text) {
  const bool starts_block = count_ % SortedStrings::block_size == 0;
  if (starts_block) {
    KITH_TRY(out_->append(block_));
    position_ += block_.size();
    block_.clear();
    block_offsets_.push_back(position_);
  }
  KITH_CHECK(accepts(text));
  size_t shared = 0;
  if (!starts_block) {
    shared = static_cast<size_t>(
        std::mismatch(last_.begin(), last_.end(), text.begin(), text.end()).first - last_.begin());
  }
  append_varint(block_, shared);
  append_varint(block_, text.size() - shared);
  block_ += text.substr(shared);
  last_ = text;
  ++count_;
  return Status::ok();
}

Status SortedStringsWriter::finish() {
  KITH_TRY(out_->append(block_));
  block_offsets_.push_back(position_ + block_.size());
  block_.clear();
  return Status::ok();
}

bool have_ends(std::span<const uint64_t> offsets, uint64_t end) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == end;
}

bool valid_offsets(std::span<const uint64_t> offsets, uint64_t end) {
  return have_ends(offsets, end) && std::ranges::is_sorted(offsets);
}

Result<SortedStrings> SortedStrings::make(Bytes blocks, std::span<const uint64_t> block_offsets,
                                          uint64_t count) {
  const uint64_t expected = (count + block_size - 1) / block_size + 1;
  if (block_offsets.size() != expected || !valid_offsets(block_offsets, blocks.size())) {
    return Error{ErrorKind::corrupt, "a string dictionary has impossible block offsets"};
  }
  SortedStrings strings;
  strings.blocks_ = blocks;
  strings.offsets_ = block_offsets;
  strings.count_ = count;
  return strings;
}

std::string SortedStrings::at(uint64_t index) const {
  std::string found;
  for_block(index / block_size, [&](uint64_t i, std::string_view text) {
    if (i < index) return true;
    found = text;
    return false;
  });
  return found;
}

std::string SortedStrings::first_of_block(uint64_t block) const {
  return at(block * block_size);
}

uint64_t SortedStrings::block_of(std::string_view text) const {
  uint64_t low = 0;
  for (uint64_t count = offsets_.empty() ? 0 : offsets_.size() - 1; count > 1;) {
    const uint64_t half = count / 2;
    if (first_of_block(low + half) <= text) {
      low += half;
      count -= half;
    } else {
      count = half;
    }
  }
  return low;
}

std::optional<uint64_t> SortedStrings::find(std::string_view text) const {
  std::optional<uint64_t> found;
  if (count_ == 0) return found;
  for_block(block_of(text), [&](uint64_t index, std::string_view candidate) {
    if (candidate == text) found = index;
    return candidate < text;
  });
  return found;
}

uint64_t SortedStrings::lower_bound(std::string_view text) const {
  if (count_ == 0) return 0;
  const uint64_t block = block_of(text);
  uint64_t less = block * block_size;
  for_block(block, [&](uint64_t index, std::string_view candidate) {
    if (candidate < text) less = index + 1;
    return candidate < text;
  });
  return less;
}

Result<StringArray> StringArray::make(Bytes bytes, std::span<const uint64_t> offsets) {
  if (!have_ends(offsets, bytes.size())) {
    return Error{ErrorKind::corrupt, "a string array has impossible offsets"};
  }
  StringArray array;
  array.bytes_ = bytes;
  array.offsets_ = offsets;
  return array;
}

}  // namespace kith::storage
