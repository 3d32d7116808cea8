// Explicit reads into buffers of our own: what takes the place of a mapped file in
// bench/storage_reads.cc. A model for measurements, used by no stage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "storage/file_system.h"

namespace kith::bench {

// A part of a file in one buffer, for a pass in order.
class BlockStream {
 public:
  explicit BlockStream(const storage::ReadableFile& file) : file_(&file) {}

  // The values, until the next call; the bench ends where they cannot be read.
  template <class T>
  std::span<const T> read(uint64_t offset, size_t values) {
    buffer_.resize(values * sizeof(T));
    const auto got = file_->read_at(offset, buffer_);
    KITH_CHECK(got && *got == buffer_.size());
    return {reinterpret_cast<const T*>(buffer_.data()), values};
  }

 private:
  const storage::ReadableFile* file_;
  std::vector<std::byte> buffer_;
};

// Blocks of a file that are kept while there is room, by the clock algorithm (second chance). For
// values that lie anywhere. Not thread-safe: one for each worker.
class BlockCache {
 public:
  static constexpr size_t block = size_t{64} << 10;

  BlockCache(const storage::ReadableFile& file, uint64_t memory)
      : file_(&file), frames_(std::max<uint64_t>(2, memory / block)) {
    bytes_.resize(frames_.size() * block);
    where_.reserve(2 * frames_.size());
  }

  // The values, until the next call: a view of a block, or a copy where they lie in several.
  template <class T>
  std::span<const T> read(uint64_t offset, size_t values) {
    const size_t size = values * sizeof(T);
    if (size == 0) return {};
    const uint64_t first = offset / block;
    if ((offset + size - 1) / block == first) {
      return {reinterpret_cast<const T*>(frame(first) + offset % block), values};
    }
    joined_.resize(size);
    for (size_t done = 0; done < size;) {
      const uint64_t at = offset + done;
      const size_t part = std::min<size_t>(size - done, block - at % block);
      std::memcpy(joined_.data() + done, frame(at / block) + at % block, part);
      done += part;
    }
    return {reinterpret_cast<const T*>(joined_.data()), values};
  }

 private:
  struct Frame {
    uint64_t number = UINT64_MAX;
    bool is_used = false;
  };

  const std::byte* frame(uint64_t number) {
    const auto [found, is_new] = where_.try_emplace(number, 0u);
    if (!is_new) {
      frames_[found->second].is_used = true;
      return bytes_.data() + found->second * block;
    }
    while (frames_[hand_].is_used) {
      frames_[hand_].is_used = false;
      hand_ = (hand_ + 1) % frames_.size();
    }
    const size_t at = hand_;
    found->second = static_cast<uint32_t>(at);
    hand_ = (hand_ + 1) % frames_.size();
    if (frames_[at].number != UINT64_MAX) where_.erase(frames_[at].number);
    frames_[at] = {number, true};
    const auto got = file_->read_at(number * block, std::span(bytes_).subspan(at * block, block));
    KITH_CHECK(got && *got > 0);
    return bytes_.data() + at * block;
  }

  const storage::ReadableFile* file_;
  std::vector<Frame> frames_;
  std::vector<std::byte> bytes_;
  std::unordered_map<uint64_t, uint32_t> where_;  // the frame of a block
  std::vector<std::byte> joined_;
  size_t hand_ = 0;
};

}  // namespace kith::bench
