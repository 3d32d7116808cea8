#include "jobs/dedup/super_shingles.h"

#include <algorithm>

#include "kith/tune.h"

#include "base/check.h"

namespace kith::jobs {
namespace {

constexpr uint32_t shared = 2;
constexpr uint32_t max_groups = 64;

}  // namespace

Result<std::vector<DedupSuperShingles>> plan_super_shingles(const DedupOptions& options) {
  std::vector<DedupSuperShingles> considered;
  const uint32_t most = std::min(max_groups, options.lanes);
  Status last = Status::ok();
  for (uint32_t groups = shared; groups <= most; ++groups) {
    const auto plans =
        plan_all_super_shingles(options.similarity, options.recall, options.lanes, groups, shared);
    if (!plans) last = plans.status();
    if (!plans) continue;
    // Longer ones than with fewer groups: the fewest groups for their length.
    for (const SuperShinglePlan& plan : *plans) {
      if (!considered.empty() && plan.minima <= considered.back().minima) continue;
      considered.push_back(
          {plan.minima, plan.groups, plan.least, plan.recall, plan.false_positives, false});
    }
  }
  if (considered.empty()) return last.error();
  std::ranges::min_element(considered, {}, &DedupSuperShingles::false_positives)->chosen = true;
  return considered;
}

const DedupSuperShingles& chosen_of(const std::vector<DedupSuperShingles>& considered) {
  const auto chosen = std::ranges::find(considered, true, &DedupSuperShingles::chosen);
  KITH_CHECK(chosen != considered.end());
  return *chosen;
}

}  // namespace kith::jobs
