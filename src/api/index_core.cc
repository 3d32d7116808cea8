#include "api/index_core.h"

#include <algorithm>

#include "api/batch.h"
#include "base/memory.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/table_costs.h"
#include "sketch/signature.h"

namespace kith {

Status validate(const IndexOptions& options) {
  return api::plan_of(options).status();
}

namespace api {
namespace {

constexpr uint32_t value_bits = 16;
// The share of true matches that the signatures may hide.
constexpr double miss = 1e-4;
constexpr size_t ids_per_chunk = 64;
constexpr uint32_t max_size = UINT32_MAX;

}  // namespace

Result<TablePlan> plan_of(const IndexOptions& options) {
  return plan_tables(options.similarity, options.recall, options.lanes, options.max_tables);
}

IndexCore::IndexCore(const IndexOptions& options, const TablePlan& plan)
    : options_(options),
      plan_(plan),
      min_equal_(sketch::min_equal(options.similarity, options.lanes, value_bits, miss)),
      tables_(cluster::table_params(plan, cluster::seed_for(options, cluster::SeedUse::tables))) {}

Status IndexCore::check_room(size_t more) const {
  if (more <= max_size - size()) return Status::ok();
  return usage(fmt::format("the index has {} entries; {} more are too many", size(), more));
}

void IndexCore::reserve(size_t more) {
  reserve_more(rows_, more * options_.lanes);
  tables_.reserve(more);
}

void IndexCore::append(std::span<const uint16_t> rows,
                       const std::function<bool(size_t)>& is_listed) {
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  for (size_t i = 0; i < rows.size() / options_.lanes; ++i) {
    tables_.add(rows.subspan(i * options_.lanes, options_.lanes), is_listed(i));
  }
}

std::vector<Match> IndexCore::matches(std::span<const uint16_t> signature, uint32_t end,
                                      const Exact& exact) const {
  std::vector<uint32_t> candidates;
  tables_.find(signature, end, candidates);
  std::vector<Match> matches;
  for (const uint32_t id : candidates) {
    if (sketch::count_equal(signature, row(id)) < min_equal_) continue;
    const double similarity = exact(id);
    if (similarity >= options_.similarity) matches.push_back({id, similarity});
  }
  std::ranges::sort(matches, [](const Match& a, const Match& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.id < b.id;
  });
  return matches;
}

Result<std::vector<SimilarIds>> IndexCore::pairs(
    const std::function<double(uint32_t a, uint32_t b)>& exact, unsigned threads) const {
  std::vector<SimilarIds> pairs;
  std::vector<std::vector<SimilarIds>> parts((size() + ids_per_chunk - 1) / ids_per_chunk);
  const auto find = [&](size_t begin, size_t end) {
    for (auto b = static_cast<uint32_t>(begin); b < end; ++b) {
      const auto of_b = [&](uint32_t a) { return exact(a, b); };
      for (const Match& match : matches(row(b), b, of_b)) {
        parts[begin / ids_per_chunk].push_back({match.id, b, match.similarity});
      }
    }
    return Status::ok();
  };
  KITH_TRY(for_chunks(size(), ids_per_chunk, threads, find));
  const Status done = run::guarded([&] {
    for (auto& part : parts) {
      pairs.insert(pairs.end(), part.begin(), part.end());
      part = {};
    }
    return Status::ok();
  });
  KITH_TRY(done);
  std::ranges::sort(pairs, [](const SimilarIds& x, const SimilarIds& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  return pairs;
}

}  // namespace api
}  // namespace kith
