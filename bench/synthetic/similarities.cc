#include "synthetic/similarities.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.h"

namespace kith::synthetic {
namespace {

// A URL and the groups it belongs to: its topic and subtopic, or its site and family.
struct Member {
  uint32_t group;
  uint32_t part;
  uint32_t id;
  friend auto operator<=>(const Member&, const Member&) = default;
};

struct Members {
  std::vector<Member> plain;     // by topic, subtopic
  std::vector<Member> families;  // by site, family
};

Members members_of(const sketch::BagCollection& bags, const Model& model) {
  Members members;
  for (uint32_t id = 0; id < model.urls(); ++id) {
    const Page page = model.page(id);
    if (page.source != id || bags[id].empty()) continue;
    if (page.kind == PageKind::plain) members.plain.push_back({page.topic, page.subtopic, id});
    if (page.kind == PageKind::family) {
      members.families.push_back({page.family_site, page.family, id});
    }
  }
  std::ranges::sort(members.plain);
  std::ranges::sort(members.families);
  return members;
}

// The members in [first, last] of those that are sorted.
std::span<const Member> range_of(std::span<const Member> sorted, const Member& first,
                                 const Member& last) {
  const auto begin = std::ranges::lower_bound(sorted, first);
  const auto end = std::ranges::upper_bound(sorted, last);
  return sorted.subspan(static_cast<size_t>(begin - sorted.begin()),
                        static_cast<size_t>(end - begin));
}

using Candidates = std::function<std::span<const Member>(const Member&)>;
using Wanted = std::function<bool(const Member&, const Member&)>;

// Draws a member and a partner among its candidates; pairs that are not wanted are drawn again.
PairSimilarities sample(std::string_view name, const sketch::BagCollection& bags,
                        std::span<const Member> members, const Candidates& candidates_of,
                        const Wanted& is_wanted, uint32_t samples, uint64_t seed) {
  PairSimilarities result;
  result.pairs = name;
  if (members.empty()) return result;
  Rng rng(seed);
  std::vector<double> met;
  for (uint64_t tries = 0; met.size() < samples && tries < 20 * uint64_t{samples}; ++tries) {
    const Member& a = members[rng.below(members.size())];
    const std::span<const Member> candidates = candidates_of(a);
    const Member& b = candidates[rng.below(candidates.size())];
    if (a.id != b.id && is_wanted(a, b)) met.push_back(sketch::similarity(bags[a.id], bags[b.id]));
  }
  if (met.empty()) return result;
  std::ranges::sort(met);
  const auto at = [&](double share) {
    return met[static_cast<size_t>(share * static_cast<double>(met.size() - 1))];
  };
  result.sampled = static_cast<uint32_t>(met.size());
  result.mean = std::accumulate(met.begin(), met.end(), 0.0) / static_cast<double>(met.size());
  result.quantiles = {at(0.1), at(0.25), at(0.5), at(0.75), at(0.9)};
  return result;
}

}  // namespace

std::array<PairSimilarities, 4> measure_similarities(const sketch::BagCollection& bags,
                                                     const Model& model, uint32_t samples,
                                                     uint64_t seed) {
  const Members members = members_of(bags, model);
  const std::span<const Member> plain = members.plain;
  const auto everyone = [&](const Member&) { return plain; };
  const auto same_group = [&](const Member& a) {
    return range_of(plain, {a.group, 0, 0}, {a.group, UINT32_MAX, UINT32_MAX});
  };
  const auto same_part_of = [](std::span<const Member> all) {
    return [all](const Member& a) {
      return range_of(all, {a.group, a.part, 0}, {a.group, a.part, UINT32_MAX});
    };
  };
  const auto any = [](const Member&, const Member&) { return true; };
  const auto other_part = [](const Member& a, const Member& b) { return a.part != b.part; };
  const auto other_group = [](const Member& a, const Member& b) { return a.group != b.group; };
  return {sample("same family", bags, members.families, same_part_of(members.families), any,
                 samples, seed),
          sample("same subtopic", bags, plain, same_part_of(plain), any, samples, seed + 1),
          sample("same topic", bags, plain, same_group, other_part, samples, seed + 2),
          sample("strangers", bags, plain, everyone, other_group, samples, seed + 3)};
}

}  // namespace kith::synthetic
