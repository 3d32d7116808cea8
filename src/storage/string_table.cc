#include "storage/string_table.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include "base/check.h"

namespace kith::storage {
namespace {

constexpr size_t page = 4096;
constexpr size_t huge_page = size_t{2} << 20;

}  // namespace

GrowingPages::~GrowingPages() {
  if (pages_ == nullptr) return;
  open_rest();
  ::munmap(pages_, room_);
}

void GrowingPages::append(Bytes bytes) {
  if (bytes.empty()) return;
  open_rest();
  if (bytes.size() > room_ - size_) make_room(size_ + bytes.size());
  std::memcpy(pages_ + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  close_rest();
}

void GrowingPages::make_room(size_t need) {
  const size_t room = std::max((need + page - 1) / page * page, 2 * room_);
  void* const moved = pages_ == nullptr ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                        : ::mremap(pages_, room_, room, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) throw std::bad_alloc();
  // One fault of a large page takes less time than those of its small ones.
  if (room >= huge_page) ::madvise(moved, room, MADV_HUGEPAGE);
  pages_ = static_cast<std::byte*>(moved);
  room_ = room;
}

void GrowingPages::open_rest() const {
  ASAN_UNPOISON_MEMORY_REGION(pages_ + size_, room_ - size_);
}

void GrowingPages::close_rest() const {
  ASAN_POISON_MEMORY_REGION(pages_ + size_, room_ - size_);
}

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
