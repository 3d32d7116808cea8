#include "jobs/dedup/check.h"

#include <algorithm>
#include <vector>

#include "cluster/plan/seeds.h"
#include "evaluate/recall_check.h"
#include "evaluate/set_search.h"
#include "jobs/dedup/families/known_pairs.h"
#include "jobs/dedup/methods.h"

namespace kith::jobs {
namespace {

// What is counted of a query.
struct Counts {
  uint64_t similar = 0;       // documents like it
  uint64_t found = 0;         // of these
  uint64_t kept_similar = 0;  // of these, those that are kept
};

// Different documents that have elements, and which of them are kept.
struct Checked {
  std::vector<uint32_t> ids;   // representatives, ascending
  std::vector<uint32_t> kept;  // of these
  std::vector<bool> is_kept;   // by representative
};

Checked checked_documents(const DocumentTable& documents, const Against& against,
                          const Matches& matches, const Groups& groups) {
  Checked checked;
  checked.is_kept.resize(documents.size());
  for (uint32_t id = 0; id < documents.size(); ++id) {
    if (groups.kept()[id] == id) checked.is_kept[matches.representative()[id]] = true;
  }
  for (uint32_t id = 0; id < documents.size(); ++id) {
    if (matches.representative()[id] != id || against.removed(id)) continue;
    if (documents.sets().size_of(id) == 0) continue;
    checked.ids.push_back(id);
    if (checked.is_kept[id]) checked.kept.push_back(id);
  }
  return checked;
}

}  // namespace

DedupCheck check_matches(const DocumentTable& documents, const Against& against,
                         const Matches& matches, const Groups& groups, const DedupOptions& options,
                         uint64_t memory, ThreadPool& pool) {
  const Checked checked = checked_documents(documents, against, matches, groups);
  const uint64_t seed = cluster::seed_for(options, cluster::SeedUse::dedup_check);
  const std::vector<uint32_t> sampled =
      evaluate::sample_ids(checked.ids, options.check_queries, seed);
  const std::vector<uint32_t> kept =
      evaluate::sample_ids(checked.kept, options.check_queries, seed + 1);
  std::vector<uint32_t> queries;
  std::ranges::set_union(sampled, kept, std::back_inserter(queries));
  const KnownPairs known(matches, groups, queries, memory / 4);
  std::vector<std::vector<Counts>> by_worker(pool.size(), std::vector<Counts>(queries.size()));
  const similar::PairRule rule = pair_rule(options, documents);
  evaluate::find_similar(documents.sets(), checked.ids, queries, rule, pool, memory / 2,
                         [&](const evaluate::FoundSet& found, unsigned worker) {
                           if (!rule.same_subject(queries[found.query], found.id)) return;
                           Counts& counts = by_worker[worker][found.query];
                           ++counts.similar;
                           counts.kept_similar += checked.is_kept[found.id] ? 1 : 0;
                           counts.found += known.knows(found.query, found.id) ? 1 : 0;
                         });
  DedupCheck check;
  check.queries = static_cast<uint32_t>(sampled.size());
  check.kept_queries = static_cast<uint32_t>(kept.size());
  double shares = 0;
  uint64_t with_pairs = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    Counts sum;
    for (const std::vector<Counts>& counts : by_worker) {
      sum.similar += counts[i].similar;
      sum.found += counts[i].found;
      sum.kept_similar += counts[i].kept_similar;
    }
    if (std::ranges::binary_search(kept, queries[i]) && sum.kept_similar > 0) ++check.kept_similar;
    if (sum.similar == 0 || !std::ranges::binary_search(sampled, queries[i])) continue;
    check.true_pairs += sum.similar;
    check.found += sum.found;
    shares += static_cast<double>(sum.found) / static_cast<double>(sum.similar);
    ++with_pairs;
  }
  check.recall_upper = evaluate::recall_upper_bound(shares, with_pairs);
  if (check.true_pairs > 0) {
    check.recall = static_cast<double>(check.found) / static_cast<double>(check.true_pairs);
  }
  return check;
}

double promised_recall(const DedupReport& report) {
  for (const DedupTables& tables : report.tables) {
    if (tables.chosen) return tables.recall;
  }
  for (const DedupSuperShingles& keys : report.super_shingles) {
    if (keys.chosen) return keys.recall;
  }
  if (!report.samples.empty()) return report.options.recall;
  return report.fingerprints.expected_recall;
}

}  // namespace kith::jobs
