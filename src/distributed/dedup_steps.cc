#include "distributed/dedup_steps.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/match.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_join.h"
#include "similar/sets/set_pairs.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"

namespace kith::distributed {
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
