#include "pipeline/dedup_plan.h"

#include <algorithm>

#include "base/rng.h"
#include "pairs/operation_costs.h"
#include "pairs/set_join.h"
#include "pipeline/dedup_seeds.h"

namespace kith::pipeline {
namespace {

constexpr uint32_t most_tables = 512;
constexpr uint32_t plane_bits = 8;

// How many pairs of all are expected to agree in so many values: [0, m].
std::vector<double> agreements(const Signatures& signatures, std::span<const uint32_t> ids,
                               uint64_t seed, ThreadPool& pool) {
  constexpr size_t queries = 64;
  constexpr size_t most_others = 1 << 15;
  const uint32_t lanes = signatures.lanes();
  std::vector<std::vector<double>> counts(pool.size(), std::vector<double>(lanes + 1));
  if (ids.size() < 2) return counts.front();
  Rng rng(seed);
  std::vector<uint32_t> sample;
  for (size_t i = 0; i < queries; ++i) sample.push_back(ids[rng.below(ids.size())]);
  const size_t others = std::min(most_others, ids.size());
  const double all = static_cast<double>(ids.size()) * static_cast<double>(ids.size() - 1) / 2;
  const double weight = all / static_cast<double>(queries * others);
  pool.for_chunks(others, 256, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t i = begin; i < end; ++i) {
      // Evenly over all, so that families which stand side by side are met.
      const uint32_t other = ids[i * ids.size() / others];
      const std::span<const uint16_t> row = signatures[other];
      for (const uint32_t query : sample) {
        if (query == other) continue;
        const std::span<const uint16_t> mine = signatures[query];
        uint32_t equal = 0;
        for (uint32_t lane = 0; lane < lanes; ++lane) equal += mine[lane] == row[lane] ? 1 : 0;
        counts[worker][equal] += 1;
      }
    }
  });
  std::vector<double> sum(lanes + 1);
  for (const auto& some : counts) {
    for (uint32_t equal = 0; equal <= lanes; ++equal) sum[equal] += some[equal];
  }
  // Whole numbers until here, so that the sum does not depend on the workers.
  for (double& count : sum) count *= weight;
  return sum;
}

// C(x, k) / C(m, k): the share of the k-subsets of m lanes that lie among x.
double subset_share(uint32_t x, uint32_t m, uint32_t k) {
  double share = 1;
  for (uint32_t i = 0; i < k; ++i) {
    if (x <= i) return 0;
    share *= static_cast<double>(x - i) / static_cast<double>(m - i);
  }
  return share;
}

DedupTables cost_of(const lsh::TableParams& tables, std::span<const double> agreeing, size_t ids,
                    const DedupOptions& options) {
  DedupTables cost;
  cost.per_key = tables.per_key;
  cost.tables = tables.tables;
  const uint32_t least = pairs::least_equal_bytes({.similarity = options.similarity}, tables.lanes);
  cost.recall = lsh::filtered_collision_probability(options.similarity, tables, plane_bits, least);
  for (uint32_t equal = 0; equal < agreeing.size(); ++equal) {
    cost.collisions += agreeing[equal] * subset_share(equal, tables.lanes, tables.per_key);
  }
  cost.collisions *= tables.tables;
  const double keys = static_cast<double>(ids) * tables.tables;
  cost.seconds = 1e-9 * (keys * pairs::cost::sort + cost.collisions * pairs::cost::join_compare);
  return cost;
}

}  // namespace

Result<DedupPlan> plan_tables(const Signatures& signatures, std::span<const uint32_t> ids,
                              const DedupOptions& options, ThreadPool& pool) {
  // The plane may lose a few as well.
  const double wanted =
      std::min(options.recall / (1 - pairs::SetJoinOptions().plane_miss), (1 + options.recall) / 2);
  KITH_ASSIGN(const auto choices,
              lsh::table_choices(options.similarity, wanted, signatures.lanes(), most_tables,
                                 seed_for(options, DedupSeed::tables)));
  const std::vector<double> agreeing =
      agreements(signatures, ids, seed_for(options, DedupSeed::plan), pool);
  DedupPlan plan;
  for (const lsh::TableParams& tables : choices) {
    plan.considered.push_back(cost_of(tables, agreeing, ids.size(), options));
  }
  const auto best = std::ranges::min_element(plan.considered, {}, &DedupTables::seconds);
  best->chosen = true;
  plan.tables = choices[static_cast<size_t>(best - plan.considered.begin())];
  return plan;
}

}  // namespace kith::pipeline
