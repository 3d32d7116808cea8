#include "jobs/stream/pages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

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

namespace {

// A block of features: their number, and the features.
constexpr uint64_t count_bytes = sizeof(uint64_t);

uint64_t block_bytes(uint64_t features) {
  return count_bytes + features * sizeof(uint64_t);
}

uint64_t add_features(BlockStore& store, Features features) {
  const uint64_t count = features.size();
  return store.add(std::as_bytes(std::span(&count, 1)), std::as_bytes(features));
}

// What is read at once of a block whose size is not known.
constexpr size_t first_read = 128;

}  // namespace

// A block of a name: its size, with the kind of its features in the last two bits, and the name.
PageTable::KeptName PageTable::kept_name(uint32_t page) const {
  const std::byte* const block = names_.find(entries_[page].name);
  constexpr uint64_t most_of_varint = 10;
  uint64_t head = 0;
  uint64_t size = 0;
  for (; size < most_of_varint; ++size) {
    const auto byte = std::to_integer<uint64_t>(block[size]);
    head |= (byte & 0x7f) << (7 * size);
    if (byte < 0x80) break;
  }
  ++size;
  return {as_text(Bytes(block + size, head >> 2)), static_cast<Kind>(head & 3), size + (head >> 2)};
}

LoadedFeatures PageTable::features(uint32_t page) const {
  const uint64_t place = entries_[page].features;
  switch (kept_name(page).features) {
    case Kind::none:
      return {};
    case Kind::single:
      return LoadedFeatures(place);
    case Kind::many:
      break;
  }
  if (const std::byte* const block = features_.find(place)) {
    const auto* const values = reinterpret_cast<const uint64_t*>(block);
    return LoadedFeatures(Features(values + 1, values[0]));
  }
  std::array<uint64_t, first_read> first;
  const std::span<std::byte> room = std::as_writable_bytes(std::span(first));
  const size_t read = features_.read(place, room) - count_bytes;
  const uint64_t size = first[0];
  auto values = std::make_unique_for_overwrite<uint64_t[]>(size);
  const std::span<std::byte> out = std::as_writable_bytes(std::span(values.get(), size));
  const size_t had = std::min(read, out.size());
  std::ranges::copy(room.subspan(count_bytes, had), out.begin());
  if (had < out.size()) features_.read(place + count_bytes + had, out.subspan(had));
  return {std::move(values), size};
}

std::optional<uint32_t> PageTable::find(std::string_view name) const {
  return by_name_.find(hash64(name), [&](uint32_t page) { return this->name(page) == name; });
}

uint32_t PageTable::add(std::string_view name, Features features, int64_t time) {
  tidy();
  PageEntry entry;
  const Kind kind = features.empty()       ? Kind::none
                    : features.size() == 1 ? Kind::single
                                           : Kind::many;
  std::string head;
  append_varint(head, name.size() << 2 | static_cast<uint64_t>(kind));
  entry.name = names_.add(as_bytes(head), as_bytes(name));
  if (kind == Kind::single) entry.features = features[0];
  if (kind == Kind::many) entry.features = add_features(features_, features);
  const uint32_t page = entries_.add(entry);
  by_name_.add(hash64(name), page);
  if (keeps_times_) {
    times_.resize(entries_.end());
    times_[page] = time;
  }
  return page;
}

uint64_t PageTable::features_bytes(uint32_t page) const {
  const uint64_t place = entries_[page].features;
  uint64_t count = 0;
  if (const std::byte* const block = features_.find(place)) {
    std::memcpy(&count, block, count_bytes);
  } else {
    features_.read(place, std::as_writable_bytes(std::span(&count, 1)));
  }
  return block_bytes(count);
}

void PageTable::remove(uint32_t page) {
  const KeptName name = kept_name(page);
  by_name_.remove(hash64(name.text), page);
  if (name.features == Kind::many) features_.remove(entries_[page].features, features_bytes(page));
  names_.remove(entries_[page].name, name.bytes);
  entries_.remove(page);
}

void PageTable::tidy() {
  if (names_.is_sparse()) copy_names();
  if (features_.is_sparse()) copy_features();
}

// Copies the blocks of all documents that have one into a fresh store, in the order in which they
// stand: copy(page, store) returns the new place. When it throws, all is as before.
template <class HasBlock, class Copy>
void PageTable::move_blocks(BlockStore& store, uint64_t PageEntry::*place, HasBlock&& has_block,
                            Copy&& copy) {
  std::vector<uint32_t> pages;
  for (uint32_t page = 0; page < entries_.end(); ++page) {
    if (entries_[page].name != PageEntry::nowhere && has_block(page)) pages.push_back(page);
  }
  std::ranges::sort(pages, {}, [&](uint32_t page) { return entries_[page].*place; });
  BlockStore kept = store.fresh();
  std::vector<uint64_t> places;
  places.reserve(pages.size());
  for (const uint32_t page : pages) places.push_back(copy(page, kept));
  for (size_t i = 0; i < pages.size(); ++i) entries_[pages[i]].*place = places[i];
  store = std::move(kept);
}

void PageTable::copy_names() {
  move_blocks(
      names_, &PageEntry::name, [](uint32_t) { return true; },
      [&](uint32_t page, BlockStore& kept) {
        return kept.add(Bytes(names_.find(entries_[page].name), kept_name(page).bytes), {});
      });
}

void PageTable::copy_features() {
  move_blocks(
      features_, &PageEntry::features,
      [&](uint32_t page) { return kept_name(page).features == Kind::many; },
      [&](uint32_t page, BlockStore& kept) {
        const LoadedFeatures loaded = features(page);
        return add_features(kept, loaded.view());
      });
}

uint64_t PageTable::bytes() const {
  return entries_.bytes() + times_.size() * sizeof(int64_t) + by_name_.bytes() + names_.bytes() +
         features_.bytes();
}

}  // namespace kith::jobs
