#include "pipeline/dedup_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pairs/set_search.h"
#include "pipeline/dedup_methods.h"
#include "pipeline/dedup_seeds.h"
#include "pipeline/sample_ids.h"

namespace kith::pipeline {
namespace {

bool holds(std::span<const pairs::SetPair> sorted, uint32_t a, uint32_t b) {
  const auto key = std::pair(std::min(a, b), std::max(a, b));
  const auto pair_of = [](const pairs::SetPair& pair) { return std::pair(pair.a, pair.b); };
  return std::ranges::binary_search(sorted, key, {}, pair_of);
}

}  // namespace

DedupCheck check_matches(const DocumentTable& documents, const Against& against,
                         const Matches& matches, const DedupOptions& options, uint64_t memory,
                         ThreadPool& pool) {
  const pairs::HashSets& sets = documents.sets();
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < documents.size(); ++id) {
    if (matches.representative()[id] != id || against.removed(id)) continue;
    if (sets.size_of(id) > 0) ids.push_back(id);
  }
  const std::vector<uint32_t> queries =
      sample_ids(ids, options.check_queries, seed_for(options, DedupSeed::check));
  DedupCheck check;
  check.queries = static_cast<uint32_t>(queries.size());
  for (const pairs::SetPair& pair :
       pairs::similar_to(sets, ids, queries, pair_rule(options), pool, memory)) {
    ++check.true_pairs;
    check.found += holds(matches.pairs(), pair.a, pair.b) ? 1 : 0;
  }
  if (check.true_pairs > 0) {
    check.recall = static_cast<double>(check.found) / static_cast<double>(check.true_pairs);
  }
  return check;
}

}  // namespace kith::pipeline
