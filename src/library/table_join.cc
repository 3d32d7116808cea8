// kith::TableJoin: the buckets of LSH tables, and the candidates in them.
#include "kith/table_join.h"

#include <algorithm>
#include <utility>

#include "library/batch.h"
#include "library/table_join_state.h"
#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"
#include "tables/block_rows.h"
#include "tables/bucket_bounds.h"
#include "tables/bucket_compare.h"
#include "tables/bucket_split.h"
#include "tables/signature_rows.h"

namespace kith {
namespace {

// Signatures side by side.
class GivenRows final : public pairs::SignatureRows {
 public:
  GivenRows(DocumentView documents, SignatureView signatures, uint32_t lanes)
      : documents_(documents), signatures_(signatures, lanes) {}

  size_t size() const override { return documents_.size(); }
  uint32_t lanes() const override { return signatures_.lanes(); }
  uint32_t id(size_t row) const override { return documents_[row]; }
  uint16_t value(size_t row, uint32_t lane) const override { return signatures_[row][lane]; }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t>) const override {
    return signatures_[row];
  }
  void prefetch(size_t row) const override { kith::prefetch(signatures_[row]); }
  void release(size_t, size_t) const override {}

 private:
  const DocumentView documents_;
  const Signatures signatures_;
};

// The places that split() gave.
class GivenPlaces final : public pairs::BucketPlaces {
 public:
  GivenPlaces(std::span<const DocumentPlace> places, uint32_t tables) : by_table_(tables) {
    for (const DocumentPlace& place : places) by_table_[place.table].push_back(place);
  }

  bool any(uint32_t table) const override { return !by_table_[table].empty(); }
  pairs::BucketPlace place(uint32_t table, uint64_t table_key, const pairs::SignatureRows&,
                           uint32_t row) const override {
    const DocumentPlace* const place = find(table, row);
    if (place == nullptr) return {.part = table_key};
    return {place->part, place->is_whole, true};
  }
  // Null for a row whose bucket was not split.
  const DocumentPlace* find(uint32_t table, uint32_t row) const {
    const std::vector<DocumentPlace>& places = by_table_[table];
    const auto at = std::ranges::lower_bound(places, row, {}, &DocumentPlace::row);
    return at != places.end() && at->row == row ? &*at : nullptr;
  }

 private:
  std::vector<std::vector<DocumentPlace>> by_table_;  // ascending by row
};

Status check_documents(DocumentView documents, SignatureView signatures, uint32_t lanes) {
  KITH_TRY(library::check_signatures(documents.size(), signatures.size(), lanes));
  if (std::ranges::adjacent_find(documents, std::ranges::greater_equal()) == documents.end()) {
    return Status::ok();
  }
  return library::usage("documents must ascend by their numbers, each once");
}

Status check_places(std::span<const DocumentPlace> places, size_t rows, uint32_t tables) {
  const auto is_there = [&](const DocumentPlace& place) {
    return place.row < rows && place.table < tables;
  };
  if (std::ranges::all_of(places, is_there) &&
      std::ranges::is_sorted(places, {}, &DocumentPlace::row)) {
    return Status::ok();
  }
  return library::usage("places must ascend by row, of the documents and tables that there are");
}

}  // namespace

TableJoin::TableJoin(std::unique_ptr<const State> state) : state_(std::move(state)) {}
TableJoin::~TableJoin() = default;
TableJoin::TableJoin(TableJoin&&) noexcept = default;
TableJoin& TableJoin::operator=(TableJoin&&) noexcept = default;

uint32_t TableJoin::tables() const {
  return state_->tables.params().tables;
}

uint32_t TableJoin::min_equal_bytes() const {
  return state_->min_equal;
}

Result<std::vector<uint32_t>> TableJoin::keys(SignatureView signatures) const {
  const uint32_t lanes = state_->lanes();
  const size_t documents = signatures.size() / lanes;
  KITH_TRY(library::check_signatures(documents, signatures.size(), lanes));
  return pipeline::guarded([&]() -> Result<std::vector<uint32_t>> {
    std::vector<uint32_t> keys(documents * tables());
    std::vector<uint64_t> row(tables());
    for (size_t i = 0; i < documents; ++i) {
      state_->tables.keys(signatures.subspan(i * lanes, lanes), row);
      std::ranges::transform(row, keys.begin() + static_cast<ptrdiff_t>(i * row.size()),
                             pairs::bucket_key);
    }
    return keys;
  });
}

Result<uint64_t> TableJoin::bound(uint64_t documents, std::span<const uint64_t> sizes,
                                  std::span<const uint64_t> counts) const {
  KITH_TRY(library::check_size(counts.size(), sizes.size()));
  return pipeline::guarded([&]() -> Result<uint64_t> {
    constexpr uint64_t least = pairs::largest_bucket;
    pairs::BucketSizes all;
    for (size_t i = 0; i < sizes.size(); ++i) {
      pairs::BucketSizes one;
      one.add(sizes[i], least);
      all.small += counts[i] * one.small;
      if (!one.large.empty()) all.large.insert(all.large.end(), counts[i], sizes[i]);
    }
    return pairs::raised_bound(least, all, documents);
  });
}

uint64_t TableJoin::largest_unsplit(uint64_t bound) const {
  pairs::BucketSplits splits(state_->tables, bound, state_->pivots);
  return splits.largest_unsplit(0);
}

Result<std::vector<DocumentPlace>> TableJoin::split(uint32_t table, uint64_t bound,
                                                    DocumentView documents,
                                                    SignatureView signatures) const {
  KITH_TRY(check_documents(documents, signatures, state_->lanes()));
  if (table >= tables() || bound < 2) {
    return library::usage(fmt::format("table {}, bound {}: is none of these tables", table, bound));
  }
  return pipeline::guarded([&]() -> Result<std::vector<DocumentPlace>> {
    std::vector<DocumentPlace> places;
    if (documents.empty()) return places;
    const GivenRows rows(documents, signatures, state_->lanes());
    const auto key_of = [&](size_t row) { return state_->tables.key(table, rows.values(row, {})); };
    std::vector<uint32_t> members(documents.size());
    for (uint32_t row = 0; row < members.size(); ++row) members[row] = row;
    pairs::BucketSplits splits(state_->tables, bound, state_->pivots);
    splits.split(table, pairs::bucket_key(key_of(0)), rows, members, [](std::span<uint32_t>) {});
    for (uint32_t row = 0; row < documents.size(); ++row) {
      const pairs::BucketPlace place = splits.place(table, key_of(row), rows, row);
      if (!place.is_split) continue;
      const uint64_t part =
          place.is_whole ? pairs::BucketSplits::whole_name(table, place.part) : place.part;
      places.push_back({row, table, part, place.is_whole});
    }
    return places;
  });
}

std::vector<uint32_t> TableJoin::part_keys(std::span<const DocumentPlace> places) {
  std::vector<uint32_t> keys;
  keys.reserve(places.size());
  for (const DocumentPlace& place : places) keys.push_back(pairs::bucket_key(place.part));
  return keys;
}

uint32_t TableJoin::slice_of(uint32_t key, uint32_t slices) {
  return static_cast<uint32_t>(uint64_t{key} * slices >> 32);
}

Result<TableJoin::Candidates> TableJoin::candidates(DocumentView documents,
                                                    SignatureView signatures,
                                                    std::span<const DocumentPlace> places,
                                                    uint32_t slice, uint32_t slices) const {
  KITH_TRY(check_documents(documents, signatures, state_->lanes()));
  KITH_TRY(check_places(places, documents.size(), tables()));
  return pipeline::guarded([&]() -> Result<Candidates> {
    ThreadPool pool(1);
    const GivenRows given(documents, signatures, state_->lanes());
    const GivenPlaces known(places, tables());
    const pairs::internal::BlockRows rows(given, {0, given.size()}, {}, pool);
    pairs::internal::BucketComparer comparer(rows, state_->tables, state_->masks, known, true,
                                             {.min_count = state_->min_equal});
    std::vector<ShortKeyId> entries;
    std::vector<ShortKeyId> scratch;
    std::vector<uint32_t> members;
    for (uint32_t table = 0; table < tables(); ++table) {
      entries.clear();
      for (uint32_t row = 0; row < given.size(); ++row) {
        const DocumentPlace* const place = known.find(table, row);
        if (place != nullptr && place->is_whole) continue;
        const uint32_t key = pairs::bucket_key(
            place != nullptr ? place->part : state_->tables.key(table, given.values(row, {})));
        if (slice_of(key, slices) == slice) entries.push_back({key, row});
      }
      scratch.resize(entries.size());
      radix_sort(entries, scratch);
      for (size_t first = 0, last = 0; first < entries.size(); first = last) {
        while (last < entries.size() && entries[last].key == entries[first].key) ++last;
        members.clear();
        for (size_t i = first; i < last; ++i) members.push_back(entries[i].id);
        comparer.add(table, members);
      }
      comparer.finish();
    }
    Candidates found;
    found.collisions = comparer.compared();
    std::vector<ShortKeyId>& pairs = comparer.candidates();
    scratch.resize(pairs.size());
    radix_sort(pairs, scratch);
    found.pairs.reserve(pairs.size());
    for (const ShortKeyId& pair : pairs) found.pairs.push_back({pair.key, pair.id});
    return found;
  });
}

Result<std::vector<uint32_t>> TableJoin::equal_bytes(SignatureView signatures,
                                                     std::span<const uint32_t> a,
                                                     std::span<const uint32_t> b) const {
  const uint32_t lanes = state_->lanes();
  const size_t documents = signatures.size() / lanes;
  KITH_TRY(library::check_signatures(documents, signatures.size(), lanes));
  KITH_TRY(library::check_size(b.size(), a.size()));
  const auto is_there = [&](uint32_t row) { return row < documents; };
  if (!std::ranges::all_of(a, is_there) || !std::ranges::all_of(b, is_there)) {
    return library::usage(fmt::format("a pair names a row beyond the {} given", documents));
  }
  return pipeline::guarded([&]() -> Result<std::vector<uint32_t>> {
    std::vector<uint8_t> low(signatures.size());
    low_bytes(signatures, low);
    const SignaturePlane plane(low, lanes);
    std::vector<uint32_t> counts(a.size());
    for (size_t i = 0; i < a.size(); ++i) counts[i] = count_equal(plane[a[i]], plane[b[i]]);
    return counts;
  });
}

}  // namespace kith
