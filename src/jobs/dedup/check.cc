#include "jobs/dedup/check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/plan/seeds.h"
#include "evaluate/recall_check.h"
#include "jobs/dedup/methods.h"

namespace kith::jobs {
namespace {

bool holds(std::span<const similar::SetPair> sorted, uint32_t a, uint32_t b) {
  const auto key = std::pair(std::min(a, b), std::max(a, b));
  const auto pair_of = [](const similar::SetPair& pair) { return std::pair(pair.a, pair.b); };
  return std::ranges::binary_search(sorted, key, {}, pair_of);
}

}  // namespace

KnownPairs::KnownPairs(const Matches& matches, const Groups& groups,
                       std::span<const uint32_t> queries, const Budget& memory)
    : matches_(matches),
      groups_(groups),
      queries_(queries),
      parts_of_(queries.size()),
      listed_(queries.size()) {
  find_parts(memory.bytes(Share::known_parts));
  find_listed(matches.pairs(), memory.bytes(Share::known_matches));
  if (holds_listed_) find_listed(groups.center_pairs(), memory.bytes(Share::known_centers));
  for (std::vector<uint32_t>& others : listed_) std::ranges::sort(others);
}

size_t KnownPairs::number_of(uint32_t id) const {
  const auto place = std::ranges::lower_bound(queries_, id);
  const bool is_query = place != queries_.end() && *place == id;
  return static_cast<size_t>((is_query ? place : queries_.end()) - queries_.begin());
}

void KnownPairs::find_parts(uint64_t memory) {
  const size_t documents = matches_.representative().size();
  for (uint32_t number = 0; number < matches_.parts().size(); ++number) {
    const std::span<const uint32_t> members = matches_.parts().members(number);
    bool any = false;
    for (size_t query = 0; query < queries_.size(); ++query) {
      if (!std::ranges::binary_search(members, queries_[query])) continue;
      parts_of_[query].push_back(static_cast<uint32_t>(parts_.size()));
      any = true;
    }
    if (any) {
      parts_.push_back({number});
      if (parts_.size() * documents / 8 <= memory) {
        parts_.back().is_member.resize(documents);
        for (const uint32_t id : members) parts_.back().is_member[id] = true;
      }
    }
    matches_.release();
  }
}

void KnownPairs::find_listed(std::span<const similar::SetPair> pairs, uint64_t memory) {
  constexpr size_t released_at_once = 1 << 16;
  std::vector<bool> is_query(matches_.representative().size());
  for (const uint32_t id : queries_) is_query[id] = true;
  uint64_t held = 0;
  for (size_t i = 0; i < pairs.size() && holds_listed_; ++i) {
    const similar::SetPair& pair = pairs[i];
    for (const auto& [query, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
      if (!is_query[query]) continue;
      listed_[number_of(query)].push_back(other);
      held += 2 * sizeof(uint32_t);  // a vector that grows may be half empty
    }
    if (held > memory) holds_listed_ = false;
    if (i % released_at_once != 0) continue;
    matches_.release();
    groups_.release();
  }
  if (!holds_listed_) listed_ = std::vector<std::vector<uint32_t>>(queries_.size());
  matches_.release();
  groups_.release();
}

bool KnownPairs::is_center(uint32_t representative) const {
  return matches_.representative()[groups_.center()[representative]] == representative;
}

bool KnownPairs::share_part(size_t number, uint32_t other) const {
  for (const uint32_t index : parts_of_[number]) {
    const Part& part = parts_[index];
    const bool is_member = part.is_member.empty() ? matches_.parts().contains(part.number, other)
                                                  : part.is_member[other];
    if (is_member) return true;
  }
  return false;
}

bool KnownPairs::is_listed(size_t number, uint32_t other) const {
  if (holds_listed_) return std::ranges::binary_search(listed_[number], other);
  return holds(matches_.pairs(), queries_[number], other) ||
         holds(groups_.center_pairs(), queries_[number], other);
}

bool KnownPairs::knows(size_t number, uint32_t other) const {
  if (is_listed(number, other)) return true;
  return share_part(number, other) && !(is_center(queries_[number]) && is_center(other));
}

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
                         const Budget& memory, ThreadPool& pool) {
  const Checked checked = checked_documents(documents, against, matches, groups);
  const uint64_t seed = cluster::seed_for(options, cluster::SeedUse::dedup_check);
  const std::vector<uint32_t> sampled =
      evaluate::sample_ids(checked.ids, options.check_queries, seed);
  const std::vector<uint32_t> kept =
      evaluate::sample_ids(checked.kept, options.check_queries, seed + 1);
  std::vector<uint32_t> queries;
  std::ranges::set_union(sampled, kept, std::back_inserter(queries));
  const KnownPairs known(matches, groups, queries, memory.share(Share::known_pairs));
  std::vector<std::vector<Counts>> by_worker(pool.size(), std::vector<Counts>(queries.size()));
  const similar::PairRule rule = pair_rule(options, documents);
  evaluate::find_similar(documents.sets(), checked.ids, queries, rule, pool,
                         memory.bytes(Share::checked_elements),
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
