// kith::TableJoin: the buckets of LSH tables, and the candidates in them.
#include "kith/table_join.h"

#include <algorithm>
#include <utility>

#include "api/batch.h"
#include "distributed/given_rows.h"
#include "distributed/table_join_state.h"
#include "similar/tables/bucket_bounds.h"
#include "similar/tables/bucket_split.h"
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

Result<std::vector<uint32_t>> TableJoin::equal_bytes(SignatureView signatures,
                                                     std::span<const uint32_t> a,
                                                     std::span<const uint32_t> b) const {
  const uint32_t lanes = state_->lanes();
  const size_t documents = signatures.size() / lanes;
  KITH_TRY(distributed::check_signatures(documents, signatures.size(), lanes));
  KITH_TRY(api::check_size(b.size(), a.size()));
  const auto is_there = [&](uint32_t row) { return row < documents; };
  if (!std::ranges::all_of(a, is_there) || !std::ranges::all_of(b, is_there)) {
    return api::usage(fmt::format("a pair names a row beyond the {} given", documents));
  }
  return run::guarded([&]() -> Result<std::vector<uint32_t>> {
    std::vector<uint8_t> low(signatures.size());
    sketch::low_bytes(signatures, low);
    const sketch::SignaturePlane plane(low, lanes);
    std::vector<uint32_t> counts(a.size());
    for (size_t i = 0; i < a.size(); ++i) counts[i] = sketch::count_equal(plane[a[i]], plane[b[i]]);
    return counts;
  });
}

}  // namespace kith
