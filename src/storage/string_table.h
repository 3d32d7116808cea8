// Strings by number, and bytes that grow at their end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/bytes.h"
#include "storage/section_file.h"

namespace kith::storage {

// Bytes that grow at their end, in pages of their own.

// Growing moves the pages and copies none of them, so that a byte is written once. The bytes begin
// with a page, as those of a mapped file do. AddressSanitizer reports a read beyond their end.
class GrowingPages {
 public:
  GrowingPages() = default;
  GrowingPages(const GrowingPages& other) { append(other.bytes()); }
  GrowingPages& operator=(const GrowingPages&) = delete;
  ~GrowingPages();

  // Moves the bytes that are there already. Throws std::bad_alloc where there is no memory.
  void append(Bytes bytes);
  Bytes bytes() const { return {pages_, size_}; }

 private:
  void make_room(size_t need);
  // Says to AddressSanitizer whether the room behind the bytes may be touched.
  void open_rest() const;
  void close_rest() const;

  std::byte* pages_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;  // bytes, whole pages
};

// Strings in files: a sorted dictionary that is front-coded in blocks, and a plain array.
// The byte formats are in docs/formats/container.md. Views only: the reader types do not own
// the sections that they read, and are thread-safe.

// Writes strictly ascending strings (byte order). Every block of 64 begins with a whole
// string; the others give the length of the prefix shared with the one before and the rest.
class SortedStringsWriter {
 public:
  // Appends to the current section of `out`, which must outlive this writer.
  explicit SortedStringsWriter(SectionWriter& out) : out_(&out) {}

  // Whether text is greater than every string added before.
  bool accepts(std::string_view text) const { return count_ == 0 || last_ < text; }
  // REQUIRES: accepts(text).
  Status add(std::string_view text);
  // Ends the block in progress; then block_offsets() is complete.
  Status finish();
  // One byte offset a block and one past the end: the content of the second section.
  std::span<const uint64_t> block_offsets() const { return block_offsets_; }
  uint64_t count() const { return count_; }

 private:
  SectionWriter* out_;
  std::vector<uint64_t> block_offsets_;
  std::string block_;
  std::string last_;
  uint64_t position_ = 0;
  uint64_t count_ = 0;
};

class SortedStrings {
 public:
  static constexpr uint64_t block_size = 64;

  SortedStrings() = default;
  // Checks that the offsets ascend and end inside `blocks`; the contents of a block are
  // checked as it is read.
  static Result<SortedStrings> make(Bytes blocks, std::span<const uint64_t> block_offsets,
                                    uint64_t count);

  uint64_t size() const { return count_; }
  // The string of an index below size(). Damaged bytes give a wrong string, never a crash.
  std::string at(uint64_t index) const;
  // The index of a string, or nothing.
  std::optional<uint64_t> find(std::string_view text) const;
  // The number of strings that are less.
  uint64_t lower_bound(std::string_view text) const;
  // Whether what at(index) reads, which are views of a section of `file`, is what was written.
  Status check(const SectionFile& file, uint64_t index) const {
    const uint64_t block = index / block_size;
    KITH_TRY(file.check(offsets_.subspan(block, 2)));
    return file.check(bytes_of(block));
  }

  // Calls visit(index, string_view) for every string in [begin, end), in order.
  template <class Visit>
  void for_each(uint64_t begin, uint64_t end, Visit&& visit) const {
    for (uint64_t index = begin - begin % block_size; index < end; index += block_size) {
      for_block(index / block_size, [&](uint64_t i, std::string_view text) {
        if (i >= begin && i < end) visit(i, text);
        return i + 1 < end;
      });
    }
  }

 private:
  // Decodes a block and calls visit(index, string) until it returns false. No more strings than
  // belong there, whatever the bytes say: an index is always below size().
  template <class Visit>
  void for_block(uint64_t block, Visit&& visit) const {
    Cursor cursor(bytes_of(block));
    std::string text;
    const uint64_t end = std::min(count_, (block + 1) * block_size);
    for (uint64_t index = block * block_size; index < end; ++index) {
      const uint64_t shared = cursor.varint();
      const std::string_view rest = cursor.take(cursor.varint());
      if (cursor.failed() || shared > text.size()) return;
      text.resize(shared);
      text += rest;
      if (!visit(index, std::string_view(text))) return;
    }
  }
  std::string first_of_block(uint64_t block) const;
  // The last block whose first string is not greater, or the first one.
  uint64_t block_of(std::string_view text) const;
  Bytes bytes_of(uint64_t block) const {
    return blocks_.subspan(offsets_[block], offsets_[block + 1] - offsets_[block]);
  }

  Bytes blocks_;
  std::span<const uint64_t> offsets_;
  uint64_t count_ = 0;
};

// Of an array of offsets into `size` things: where part i begins and ends. Inside, whatever the
// offsets say.
inline std::pair<uint64_t, uint64_t> part_of(std::span<const uint64_t> offsets, uint64_t i,
                                             uint64_t size) {
  const uint64_t begin = std::min(offsets[i], size);
  return {begin, std::clamp(offsets[i + 1], begin, size)};
}

// n strings in any order: their bytes, and n + 1 offsets.
class StringArray {
 public:
  StringArray() = default;
  // Checks the first offset and the last; a damaged one between gives a wrong string, never a
  // crash.
  static Result<StringArray> make(Bytes bytes, std::span<const uint64_t> offsets);
  uint64_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::string_view operator[](uint64_t index) const { return as_text(bytes_of(index)); }
  // Whether what [index] reads, which are views of a section of `file`, is what was written.
  Status check(const SectionFile& file, uint64_t index) const {
    KITH_TRY(file.check(offsets_.subspan(index, 2)));
    return file.check(bytes_of(index));
  }

 private:
  Bytes bytes_of(uint64_t index) const {
    const auto [begin, end] = part_of(offsets_, index, bytes_.size());
    return bytes_.subspan(begin, end - begin);
  }

  Bytes bytes_;
  std::span<const uint64_t> offsets_;
};

// True when offsets begin at 0 and end at `end`: all that can be seen without reading them.
bool have_ends(std::span<const uint64_t> offsets, uint64_t end);
// True when they ascend, too: what a reader checks before it trusts all of them.
bool valid_offsets(std::span<const uint64_t> offsets, uint64_t end);

}  // namespace kith::storage
