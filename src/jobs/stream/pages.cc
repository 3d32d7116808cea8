#include "jobs/stream/pages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::jobs {
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
