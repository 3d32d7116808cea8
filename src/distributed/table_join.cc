// kith::TableJoin: the buckets of LSH tables, and the candidates in them.
#include "distributed/table_join.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "kith/table_join.h"

#include "api/batch.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "similar/tables/verification.h"
#include "sketch/signature.h"

namespace kith {
namespace {

Status check_documents(DocumentView documents, SignatureView signatures, uint32_t lanes) {
  KITH_TRY(distributed::check_signatures(documents.size(), signatures.size(), lanes));
  if (std::ranges::adjacent_find(documents, std::ranges::greater_equal()) == documents.end()) {
    return Status::ok();
  }
  return api::usage("documents must ascend by their numbers, each once");
}

}  // namespace

TableJoin::TableJoin(std::shared_ptr<const State> state) : state_(std::move(state)) {}
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
  KITH_TRY(distributed::check_signatures(documents, signatures.size(), lanes));
  return run::guarded([&]() -> Result<std::vector<uint32_t>> {
    std::vector<uint32_t> keys(documents * tables());
    std::vector<uint64_t> row(tables());
    for (size_t i = 0; i < documents; ++i) {
      state_->tables.keys(signatures.subspan(i * lanes, lanes), row);
      std::ranges::transform(row, keys.begin() + static_cast<ptrdiff_t>(i * row.size()),
                             similar::bucket_key);
    }
    return keys;
  });
}

Result<uint64_t> TableJoin::bound(uint64_t documents, std::span<const uint64_t> sizes,
                                  std::span<const uint64_t> counts) const {
  KITH_TRY(api::check_size(counts.size(), sizes.size()));
  return run::guarded([&]() -> Result<uint64_t> {
    constexpr uint64_t least = similar::largest_bucket;
    similar::BucketSizes all;
    for (size_t i = 0; i < sizes.size(); ++i) {
      similar::BucketSizes one;
      one.add(sizes[i], least);
      all.small += counts[i] * one.small;
      if (!one.large.empty()) all.large.insert(all.large.end(), counts[i], sizes[i]);
    }
    return similar::raised_bound(least, all, documents);
  });
}

uint64_t TableJoin::largest_unsplit(uint64_t bound) const {
  similar::BucketSplits splits(state_->tables, bound, state_->pivots);
  return splits.largest_unsplit(0);
}

Result<std::vector<DocumentPlace>> TableJoin::split(uint32_t table, uint64_t bound,
                                                    DocumentView documents,
                                                    SignatureView signatures) const {
  KITH_TRY(check_documents(documents, signatures, state_->lanes()));
  if (table >= tables() || bound < 2) {
    return api::usage(fmt::format("table {}, bound {}: is none of these tables", table, bound));
  }
  return run::guarded([&]() -> Result<std::vector<DocumentPlace>> {
    std::vector<DocumentPlace> places;
    if (documents.empty()) return places;
    const distributed::GivenRows rows(documents, signatures, state_->lanes());
    const auto key_of = [&](size_t row) { return state_->tables.key(table, rows.values(row, {})); };
    std::vector<uint32_t> members(documents.size());
    for (uint32_t row = 0; row < members.size(); ++row) members[row] = row;
    similar::BucketSplits splits(state_->tables, bound, state_->pivots);
    splits.split(table, similar::bucket_key(key_of(0)), rows, members, [](std::span<uint32_t>) {});
    for (uint32_t row = 0; row < documents.size(); ++row) {
      const similar::BucketPlace place = splits.place(table, key_of(row), rows, row);
      if (!place.is_split) continue;
      const uint64_t part =
          place.is_whole ? similar::BucketSplits::whole_name(table, place.part) : place.part;
      places.push_back({row, table, part, place.is_whole});
    }
    return places;
  });
}

std::vector<uint32_t> TableJoin::part_keys(std::span<const DocumentPlace> places) {
  std::vector<uint32_t> keys;
  keys.reserve(places.size());
  for (const DocumentPlace& place : places) keys.push_back(similar::bucket_key(place.part));
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
  KITH_ASSIGN(SliceCandidates all, this->slice(signatures, places, slice, slices));
  Candidates found;
  KITH_ASSIGN(found.pairs, all.next(SIZE_MAX));
  found.collisions = all.collisions();
  for (DocumentIds& pair : found.pairs) pair = {documents[pair.a], documents[pair.b]};
  return found;
}

// kith::SliceCandidates: the candidates of a slice, table after table.
namespace {

// The places that split() gave.
class GivenPlaces final : public similar::BucketPlaces {
 public:
  GivenPlaces(std::span<const DocumentPlace> places, uint32_t tables) : by_table_(tables) {
    for (const DocumentPlace& place : places) by_table_[place.table].push_back(place);
  }

  bool any(uint32_t table) const override { return !by_table_[table].empty(); }
  similar::BucketPlace place(uint32_t table, uint64_t table_key, const similar::SignatureRows&,
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

Status check_places(std::span<const DocumentPlace> places, size_t rows, uint32_t tables) {
  const auto is_there = [&](const DocumentPlace& place) {
    return place.row < rows && place.table < tables;
  };
  if (std::ranges::all_of(places, is_there) &&
      std::ranges::is_sorted(places, {}, &DocumentPlace::row)) {
    return Status::ok();
  }
  return api::usage("places must ascend by row, of the documents and tables that there are");
}

similar::BlockRows block_of(SignatureView signatures, uint32_t lanes) {
  std::vector<uint32_t> rows(signatures.size() / lanes);
  std::iota(rows.begin(), rows.end(), 0u);
  ThreadPool pool(1);
  return {distributed::GivenRows(rows, signatures, lanes), {0, rows.size()}, {}, pool};
}

}  // namespace

struct SliceCandidates::State {
  State(std::shared_ptr<const TableJoin::State> join_state, SignatureView signatures,
        std::span<const DocumentPlace> given_places, uint32_t number, uint32_t count)
      : join(std::move(join_state)),
        slice(number),
        slices(count),
        rows(block_of(signatures, join->lanes())),
        places(given_places, join->tables.params().tables),
        comparer(rows, join->tables, join->masks, places, true, {.min_count = join->min_equal}) {}

  // Compares the members of the buckets of a table.
  void compare(uint32_t table);

  const std::shared_ptr<const TableJoin::State> join;
  const uint32_t slice;
  const uint32_t slices;
  const similar::BlockRows rows;
  const GivenPlaces places;
  similar::BucketComparer comparer;
  uint32_t next_table = 0;
  std::vector<ShortKeyId> entries;  // buckets and rows of a table
  std::vector<ShortKeyId> scratch;
};

void SliceCandidates::State::compare(uint32_t table) {
  entries.clear();
  std::vector<uint16_t> values(join->lanes());
  for (uint32_t row = 0; row < rows.size(); ++row) {
    const DocumentPlace* const place = places.find(table, row);
    if (place != nullptr && place->is_whole) continue;
    const uint32_t key = similar::bucket_key(
        place != nullptr ? place->part : join->tables.key(table, rows.values(row, values)));
    if (TableJoin::slice_of(key, slices) == slice) entries.push_back({key, row});
  }
  scratch.resize(entries.size());
  radix_sort(entries, scratch);
  std::vector<uint32_t> members;
  for (size_t first = 0, last = 0; first < entries.size(); first = last) {
    members.clear();
    for (; last < entries.size() && entries[last].key == entries[first].key; ++last) {
      members.push_back(entries[last].id);
    }
    comparer.add(table, members);
  }
  comparer.finish();
}

SliceCandidates::SliceCandidates(std::unique_ptr<State> state) : state_(std::move(state)) {}
SliceCandidates::~SliceCandidates() = default;
SliceCandidates::SliceCandidates(SliceCandidates&&) noexcept = default;
SliceCandidates& SliceCandidates::operator=(SliceCandidates&&) noexcept = default;

Result<std::vector<DocumentIds>> SliceCandidates::next(size_t most) {
  return run::guarded([&]() -> Result<std::vector<DocumentIds>> {
    std::vector<ShortKeyId>& pairs = state_->comparer.candidates();
    while (pairs.size() < most && state_->next_table < state_->join->tables.params().tables) {
      state_->compare(state_->next_table++);
    }
    state_->scratch.resize(pairs.size());
    radix_sort(pairs, state_->scratch);
    std::vector<DocumentIds> found;
    found.reserve(pairs.size());
    for (const ShortKeyId& pair : pairs) found.push_back({pair.key, pair.id});
    pairs.clear();
    return found;
  });
}

uint64_t SliceCandidates::collisions() const {
  return state_->comparer.compared();
}

Result<SliceCandidates> TableJoin::slice(SignatureView signatures,
                                         std::span<const DocumentPlace> places, uint32_t slice,
                                         uint32_t slices) const {
  const size_t documents = signatures.size() / state_->lanes();
  KITH_TRY(distributed::check_signatures(documents, signatures.size(), state_->lanes()));
  KITH_TRY(check_places(places, documents, tables()));
  return run::guarded([&]() -> Result<SliceCandidates> {
    return SliceCandidates(
        std::make_unique<SliceCandidates::State>(state_, signatures, places, slice, slices));
  });
}

}  // namespace kith
