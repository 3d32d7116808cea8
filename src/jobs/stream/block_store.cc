#include "jobs/stream/block_store.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::jobs {

BlockStore::File::~File() {
  writer.reset();
  reader.reset();
  // What stays is removed when the stream is opened next.
  static_cast<void>(fs->remove(path));
}

void BlockStore::keep_in(storage::FileSystem& fs, const std::string& name, uint64_t tail) {
  KITH_CHECK(chunks_.empty());
  fs_ = &fs;
  name_ = name;
  tail_ = tail;
}

std::array<std::string, 2> BlockStore::files(const std::string& name) {
  return {name + ".0", name + ".1"};
}

BlockStore BlockStore::fresh() const {
  BlockStore store(alignment_);
  store.fs_ = fs_;
  store.name_ = name_;
  store.tail_ = tail_;
  store.generation_ = 1 - generation_;
  return store;
}

uint64_t BlockStore::add(Bytes head, Bytes rest) {
  const uint64_t size = head.size() + rest.size();
  uint64_t place = (end_ + alignment_ - 1) / alignment_ * alignment_;
  if (chunks_.empty() || place + size > current_ * chunk_bytes + chunks_[current_].size) {
    begin_chunk(size);
    place = current_ * chunk_bytes;
  }
  Chunk& chunk = chunks_[current_];
  std::byte* const to = chunk.memory.get() + (place - current_ * chunk_bytes);
  std::ranges::copy(head, to);
  std::ranges::copy(rest, to + head.size());
  ++chunk.blocks;
  block_bytes_ += size;
  end_ = place + size;
  return place;
}

void BlockStore::begin_chunk(uint64_t least) {
  if (!chunks_.empty() && chunks_[current_].blocks == 0) free_chunk(chunks_[current_]);
  if (bytes_ >= tail_ && !is_stuck_) spill();
  Chunk chunk;
  chunk.size = std::max(least, chunk_bytes);
  // Zeros: what no block takes goes to the file as well, and must not be other parts of the memory.
  chunk.memory = std::make_unique<std::byte[]>(chunk.size);
  bytes_ += chunk.size;
  const uint64_t numbers = (chunk.size + chunk_bytes - 1) / chunk_bytes;
  current_ = chunks_.size();
  chunks_.resize(chunks_.size() + numbers);
  chunks_[current_] = std::move(chunk);
}

void BlockStore::free_chunk(Chunk& chunk) {
  if (chunk.memory == nullptr) return;
  chunk.memory.reset();
  bytes_ -= chunk.size;
}

void BlockStore::remove(uint64_t place, uint64_t bytes) {
  block_bytes_ -= bytes;
  const uint64_t number = place / chunk_bytes;
  if (--chunks_[number].blocks == 0 && number != current_) free_chunk(chunks_[number]);
}

const std::byte* BlockStore::find(uint64_t place) const {
  const Chunk& chunk = chunks_[place / chunk_bytes];
  return chunk.memory == nullptr ? nullptr : chunk.memory.get() + place % chunk_bytes;
}

size_t BlockStore::read(uint64_t place, std::span<std::byte> out) const {
  const Chunk& chunk = chunks_[place / chunk_bytes];
  const uint64_t offset = place % chunk_bytes;
  const std::span<std::byte> room = out.first(std::min(out.size(), chunk.size - offset));
  const Result<size_t> got = file_->reader->read_at(chunk.file_at + offset, room);
  if (!got) throw ReadFailure(got.error().message);
  if (*got < room.size()) throw ReadFailure(fmt::format("{} has become shorter", file_->path));
  return room.size();
}

// All chunks are full: the next one begins.
void BlockStore::spill() {
  is_stuck_ = !write_chunks();
  if (is_stuck_) return;
  for (; first_here_ < chunks_.size(); ++first_here_) free_chunk(chunks_[first_here_]);
}

Status BlockStore::write_chunks() {
  if (file_ == nullptr) {
    file_ = std::make_unique<File>(*fs_, files(name_)[generation_]);
    KITH_ASSIGN(file_->writer, fs_->create(file_->path));
  }
  for (uint64_t number = first_here_; number < chunks_.size(); ++number) {
    Chunk& chunk = chunks_[number];
    if (chunk.memory == nullptr) continue;
    KITH_TRY(file_->writer->append(Bytes(chunk.memory.get(), chunk.size)));
    chunk.file_at = file_bytes_;
    file_bytes_ += chunk.size;
  }
  // Opened anew, since a file is read up to the size that it had.
  KITH_ASSIGN(file_->reader, fs_->open(file_->path));
  return Status::ok();
}

}  // namespace kith::jobs
