#include "distributed/dedup_steps.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/match.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_join.h"
#include "similar/sets/set_pairs.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/verification.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"

namespace kith::distributed {
namespace {

// Documents with signatures side by side. Both must outlive it.
class GivenRows final : public similar::SignatureRows {
 public:
  GivenRows(DocumentView documents, SignatureView signatures, uint32_t lanes)
      : documents_(documents), signatures_(signatures, lanes) {
    KITH_CHECK(signatures.size() == documents.size() * lanes);
  }

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
  const sketch::Signatures signatures_;
};

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
    return {place->part, place->is_whole != 0, true};
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

similar::BlockRows block_of(SignatureView signatures, uint32_t lanes) {
  std::vector<uint32_t> rows(signatures.size() / lanes);
  std::iota(rows.begin(), rows.end(), 0u);
  ThreadPool pool(1);
  return {GivenRows(rows, signatures, lanes), {0, rows.size()}, {}, pool};
}

// Gives the rows of every bucket, which are together in `entries`, to the comparer.
void compare_buckets(uint32_t table, std::span<const ShortKeyId> entries,
                     similar::BucketComparer& comparer) {
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

}  // namespace

std::vector<uint32_t> TableJoin::keys(SignatureView signatures) const {
  const size_t documents = signatures.size() / lanes();
  std::vector<uint32_t> keys;
  keys.reserve(documents * tables());
  std::vector<uint64_t> row(tables());
  for (size_t i = 0; i < documents; ++i) {
    tables_.keys(signatures.subspan(i * lanes(), lanes()), row);
    for (const uint64_t key : row) keys.push_back(similar::bucket_key(key));
  }
  return keys;
}

uint64_t TableJoin::bound(uint64_t documents, std::span<const uint64_t> sizes,
                          std::span<const uint64_t> counts) const {
  constexpr uint64_t least = similar::largest_bucket;
  similar::BucketSizes all;
  for (size_t i = 0; i < sizes.size(); ++i) {
    similar::BucketSizes one;
    one.add(sizes[i], least);
    all.small += counts[i] * one.small;
    if (!one.large.empty()) all.large.insert(all.large.end(), counts[i], sizes[i]);
  }
  return similar::raised_bound(least, all, documents);
}

uint64_t TableJoin::largest_unsplit(uint64_t bound) const {
  return similar::BucketSplits(tables_, bound, pivots_).largest_unsplit(0);
}

std::vector<DocumentPlace> TableJoin::split(uint32_t table, uint64_t bound, DocumentView documents,
                                            SignatureView signatures) const {
  std::vector<DocumentPlace> places;
  if (documents.empty()) return places;
  const GivenRows rows(documents, signatures, lanes());
  const auto key_of = [&](size_t row) { return tables_.key(table, rows.values(row, {})); };
  std::vector<uint32_t> members(documents.size());
  std::iota(members.begin(), members.end(), 0u);
  similar::BucketSplits splits(tables_, bound, pivots_);
  splits.split(table, similar::bucket_key(key_of(0)), rows, members, [](std::span<uint32_t>) {});
  for (uint32_t row = 0; row < documents.size(); ++row) {
    const similar::BucketPlace place = splits.place(table, key_of(row), rows, row);
    if (!place.is_split) continue;
    const uint64_t part =
        place.is_whole ? similar::BucketSplits::whole_name(table, place.part) : place.part;
    places.push_back({row, table, part, similar::bucket_key(part), place.is_whole ? 1u : 0u});
  }
  return places;
}

Candidates TableJoin::candidates(SignatureView signatures, std::span<const DocumentPlace> places,
                                 uint32_t slice, uint32_t slices) const {
  const similar::BlockRows rows = block_of(signatures, lanes());
  const GivenPlaces given(places, tables());
  similar::BucketComparer comparer(rows, tables_, masks_, given, true,
                                   {.min_count = min_equal_bytes_});
  std::vector<ShortKeyId> entries;  // buckets and rows of a table
  std::vector<ShortKeyId> scratch;
  std::vector<uint16_t> values(lanes());
  for (uint32_t table = 0; table < tables(); ++table) {
    entries.clear();
    for (uint32_t row = 0; row < rows.size(); ++row) {
      const DocumentPlace* const place = given.find(table, row);
      if (place != nullptr && place->is_whole != 0) continue;
      const uint32_t key = place != nullptr
                               ? place->key
                               : similar::bucket_key(tables_.key(table, rows.values(row, values)));
      if (slice_of(key, slices) == slice) entries.push_back({key, row});
    }
    scratch.resize(entries.size());
    radix_sort(entries, scratch);
    compare_buckets(table, entries, comparer);
  }
  std::vector<ShortKeyId>& found = comparer.candidates();
  scratch.resize(found.size());
  radix_sort(found, scratch);
  Candidates all{{}, comparer.compared()};
  all.pairs.reserve(found.size());
  for (const ShortKeyId& pair : found) all.pairs.push_back({pair.key, pair.id});
  return all;
}

namespace {

Key128 content_of(std::span<const uint64_t> shingles) {
  const auto bytes = std::as_bytes(shingles);
  return shingles.empty() ? Key128()
                          : hash128({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

Status check_distributed(const DedupOptions& options) {
  KITH_TRY(validate(options));
  if (options.method != DedupMethod::minhash && options.method != DedupMethod::exact) {
    return usage_error(
        fmt::format("method = {}: documents on many machines are compared by minhash or exact",
                    name(options.method)));
  }
  if (options.groups != Grouping::center) {
    return usage_error(fmt::format("groups = {}: groups of documents on many machines have centers",
                                   name(options.groups)));
  }
  return jobs::check_plan(options);
}

Result<DocumentFeatures> features(const DedupOptions& options,
                                  std::span<const std::string_view> texts) {
  text::Shingler shingler(jobs::shingle_options(options));
  std::optional<sketch::SetSketcher> sketcher;
  if (jobs::needs_signatures(options)) {
    const run::SketchParams params = jobs::sketch_params(options);
    sketcher.emplace(sketch::SetSketchOptions{params.family, params.lanes, params.seed});
  }
  DocumentFeatures found;
  found.signatures.resize(texts.size() * options.lanes);
  std::vector<uint64_t> elements;
  for (size_t i = 0; i < texts.size(); ++i) {
    KITH_TRY(text::check_size(texts[i], i));
    shingler.read(texts[i], elements);
    const Key128 text = content_of(elements);
    shingler.make_elements(elements);
    const Key128 key = options.method == DedupMethod::exact ? text : content_of(elements);
    found.content.push_back(key.high);
    found.content.push_back(key.low);
    found.sets.elements.insert(found.sets.elements.end(), elements.begin(), elements.end());
    found.sets.offsets.push_back(found.sets.elements.size());
    if (!sketcher) continue;
    sketcher->sketch(elements,
                     std::span(found.signatures).subspan(i * options.lanes, options.lanes));
  }
  return found;
}

Result<std::vector<DedupTables>> plan_tables(const DedupOptions& options, uint64_t documents,
                                             SignatureView queries, SignatureView others) {
  const uint32_t lanes = options.lanes;
  const jobs::SamplePlaces places = sample_places(documents, options);
  KITH_CHECK(queries.size() == places.queries.size() * lanes);
  KITH_CHECK(others.size() == places.others.size() * lanes);
  jobs::SampleRows rows;
  rows.queries.assign(queries.begin(), queries.end());
  rows.others = [&](size_t begin, size_t end) {
    const SignatureView some = others.subspan(begin * lanes, (end - begin) * lanes);
    return std::vector<uint16_t>(some.begin(), some.end());
  };
  ThreadPool pool(1);
  KITH_ASSIGN(jobs::DedupPlan plan, jobs::plan_tables(documents, places, rows, options, pool));
  return std::move(plan.considered);
}

TableJoin join_of(const DedupOptions& options, uint32_t per_key, uint32_t tables) {
  return TableJoin(jobs::table_params(per_key, tables, options),
                   similar::min_equal_bytes({.similarity = options.similarity}, options.lanes),
                   similar::pivot_rule(options.similarity, options.lanes));
}

bool are_sets(const SetsView& sets) {
  const std::span<const uint64_t> offsets = sets.offsets;
  return offsets.empty() || (offsets.front() == 0 && std::ranges::is_sorted(offsets) &&
                             offsets.back() <= sets.elements.size());
}

Result<std::vector<double>> verify(const DedupOptions& options, const SetsView& sets,
                                   std::span<const uint32_t> a, std::span<const uint32_t> b) {
  const auto is_there = [&](uint32_t set) { return set < sets.size(); };
  if (!are_sets(sets) || a.size() != b.size() || !std::ranges::all_of(a, is_there) ||
      !std::ranges::all_of(b, is_there)) {
    return Error{ErrorKind::corrupt, "sets of documents: the arrays do not fit together"};
  }
  const similar::PairRule rule = jobs::pair_rule(options);
  const similar::HashSets own(sets.elements, sets.offsets);
  similar::OverlapReader overlap_of(own, own);
  std::vector<double> similarity(a.size(), std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < a.size(); ++i) {
    const uint32_t common = similar::common_of_pair(own, a[i], own, b[i], rule, overlap_of);
    if (common == similar::no_pair) continue;
    const sketch::SetOverlap overlap{sets[a[i]].size(), sets[b[i]].size(), common};
    similarity[i] = overlap.resemblance();
  }
  return similarity;
}

}  // namespace kith::distributed
