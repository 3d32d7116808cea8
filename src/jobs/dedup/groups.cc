#include "jobs/dedup/groups.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <fmt/format.h>

#include "base/budget.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/families/center_scan.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/methods.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"

namespace kith::jobs {
namespace {

constexpr std::string_view kept_section = "kept";
constexpr std::string_view center_section = "center";
constexpr std::string_view common_counts_section = "common";
constexpr std::string_view center_pairs_section = "center_pairs";
constexpr uint32_t no_document = UINT32_MAX;

// How many documents have the elements of each representative.
std::vector<uint32_t> multiplicities(std::span<const uint32_t> representative) {
  std::vector<uint32_t> counts(representative.size());
  for (const uint32_t own : representative) ++counts[own];
  return counts;
}

// By representative: the members of the largest whole part that it is in, but for itself.
std::vector<uint32_t> part_neighbours(const Matches& matches) {
  std::vector<uint32_t> neighbours(matches.representative().size());
  for (size_t part = 0; part < matches.parts().size(); ++part) {
    const std::span<const uint32_t> members = matches.parts().members(part);
    for (const uint32_t id : members) {
      neighbours[id] = std::max(neighbours[id], static_cast<uint32_t>(members.size() - 1));
    }
    matches.release();
  }
  return neighbours;
}

// Similar documents of every representative, those with equal elements too; cut at UINT32_MAX.
std::vector<uint32_t> degrees(const Matches& matches) {
  const std::vector<uint32_t> counts = multiplicities(matches.representative());
  std::vector<uint32_t> degree(counts.size());
  const auto add = [&](uint32_t to, uint32_t more) {
    degree[to] += std::min(more, UINT32_MAX - degree[to]);
  };
  for (uint32_t id = 0; id < counts.size(); ++id) {
    if (counts[id] > 0) add(id, counts[id] - 1);
  }
  for (const similar::SetPair& pair : matches.pairs()) {
    add(pair.a, counts[pair.b]);
    add(pair.b, counts[pair.a]);
    matches.pass(pair);
  }
  const std::vector<uint32_t> in_parts = part_neighbours(matches);
  for (uint32_t id = 0; id < counts.size(); ++id) add(id, in_parts[id]);
  return degree;
}

GroupCounts count_groups(std::span<const uint32_t> group) {
  std::vector<uint32_t> sizes(group.size());
  for (const uint32_t own : group) ++sizes[own];
  GroupCounts counts;
  for (const uint32_t size : sizes) {
    if (size < 2) continue;
    ++counts.groups;
    counts.removed += size - 1;
    counts.largest = std::max<uint64_t>(counts.largest, size);
  }
  return counts;
}

std::vector<uint32_t> component_groups(cluster::Components& components,
                                       std::span<const uint32_t> representative) {
  std::vector<uint32_t> group(representative.size());
  for (uint32_t id = 0; id < group.size(); ++id) group[id] = components.find(representative[id]);
  return group;
}

// The elements that every document shares with the one that is kept. Counts how the documents that
// are removed are like it.
std::vector<uint32_t> compare_with_kept(const DocumentTable& documents,
                                        std::span<const uint32_t> kept,
                                        const similar::PairRule& rule,
                                        const DedupResources& resources, DedupGroups& counts) {
  const similar::HashSets& sets = documents.sets();
  std::vector<uint32_t> common(kept.size());
  std::atomic<uint64_t> weak = 0;
  std::atomic<uint64_t> equal_texts = 0;
  std::atomic<uint64_t> equal_shingles = 0;
  resources.pool.for_chunks(kept.size(), 1 << 10, [&](size_t begin, size_t end, unsigned) {
    similar::OverlapReader overlap_of(sets, sets);
    for (size_t id = begin; id < end; ++id) {
      if (kept[id] == id) {
        common[id] = static_cast<uint32_t>(sets.size_of(id));
        continue;
      }
      const sketch::SetOverlap both = overlap_of(id, kept[id]);
      common[id] = static_cast<uint32_t>(both.common);
      if (!rule.is_similar(both)) ++weak;
      if (both.resemblance() < 1) continue;
      ++(documents[static_cast<uint32_t>(id)].text == documents[kept[id]].text ? equal_texts
                                                                               : equal_shingles);
    }
  });
  counts.weak = weak;
  counts.equal_texts = equal_texts;
  counts.equal_shingles = equal_shingles;
  return common;
}

// The kept documents of the greatest counts, those of fewer than `least` left out.
std::vector<LargeGroup> largest_of(const DocumentTable& documents, std::span<const uint32_t> sizes,
                                   uint32_t least) {
  constexpr size_t most = 10;
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < sizes.size(); ++id) {
    if (sizes[id] >= least) ids.push_back(id);
  }
  const size_t count = std::min(most, ids.size());
  std::ranges::partial_sort(
      ids, ids.begin() + static_cast<ptrdiff_t>(count),
      [&](uint32_t a, uint32_t b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
  std::vector<LargeGroup> groups;
  for (size_t i = 0; i < count; ++i) {
    groups.push_back({sizes[ids[i]], std::string(documents.name(ids[i]))});
  }
  return groups;
}

std::vector<LargeGroup> largest_groups(const DocumentTable& documents,
                                       std::span<const uint32_t> kept) {
  std::vector<uint32_t> sizes(kept.size());
  for (const uint32_t own : kept) ++sizes[own];
  return largest_of(documents, sizes, 2);
}

// Counts what is removed with another title than the one that is kept: not the same words, where
// both have some.
void count_other_titles(const DocumentTable& documents, std::span<const uint32_t> kept,
                        DedupGroups& groups) {
  groups.other_title = 0;
  groups.other_titles.clear();
  const similar::Subjects& titles = documents.titles();
  if (titles.empty()) return;
  std::vector<uint32_t> counts(kept.size());
  for (uint32_t id = 0; id < kept.size(); ++id) {
    const auto own = titles.own(id);
    const auto other = titles.own(kept[id]);
    const bool both = !own.empty() && !other.empty();
    if (both && !std::ranges::equal(own, other, {}, similar::sure_word, similar::sure_word))
      ++counts[kept[id]];
  }
  for (const uint32_t count : counts) groups.other_title += count;
  groups.other_titles = largest_of(documents, counts, 1);
}

}  // namespace

Result<Groups> Groups::open(storage::FileSystem& fs, const std::string& path, uint32_t documents) {
  Groups groups;
  KITH_ASSIGN(groups.file_, storage::SectionFile::open(fs, path, groups_kind));
  KITH_ASSIGN(groups.kept_, groups.file_.array<uint32_t>(kept_section));
  KITH_ASSIGN(groups.center_, groups.file_.array<uint32_t>(center_section));
  KITH_ASSIGN(groups.common_, groups.file_.array<uint32_t>(common_counts_section));
  KITH_ASSIGN(groups.center_pairs_, groups.file_.array<similar::SetPair>(center_pairs_section));
  if (groups.kept_.size() != documents || groups.center_.size() != documents ||
      groups.common_.size() != documents) {
    return groups.file_.corrupt("is not of the same run as the documents");
  }
  for (uint32_t id = 0; id < documents; ++id) {
    const uint32_t kept = groups.kept_[id];
    if (kept >= documents || groups.kept_[kept] != kept || groups.center_[id] >= documents) {
      return groups.file_.corrupt("keeps a document that is not kept");
    }
  }
  for (const similar::SetPair& pair : groups.center_pairs_) {
    if (pair.a >= pair.b || pair.b >= documents) {
      return groups.file_.corrupt("holds a pair that is none");
    }
  }
  groups.release();
  return groups;
}

GroupCounts count_components(cluster::Components& components,
                             std::span<const uint32_t> representative) {
  return count_groups(component_groups(components, representative));
}

std::vector<uint32_t> center_ranks(const DocumentTable& documents, const Matches& matches,
                                   const DedupOptions& options) {
  std::vector<uint32_t> order(documents.size());
  std::iota(order.begin(), order.end(), 0u);
  const Preference preferred(documents, options);
  if (options.order == CenterOrder::degree) {
    const std::vector<uint32_t> degree = degrees(matches);
    const std::span<const uint32_t> representative = matches.representative();
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      const uint32_t degree_a = degree[representative[a]];
      const uint32_t degree_b = degree[representative[b]];
      return degree_a != degree_b ? degree_a > degree_b : a < b;
    });
  } else if (options.method == DedupMethod::containment) {
    // So that what is removed has no more elements than its center, and is contained in it.
    const similar::HashSets& sets = documents.sets();
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      if (sets.size_of(a) != sets.size_of(b)) return sets.size_of(a) > sets.size_of(b);
      return preferred(a, b);
    });
  } else if (!preferred.is_input_order()) {
    std::ranges::sort(order, preferred);
  }
  std::vector<uint32_t> rank(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) rank[order[place]] = place;
  return rank;
}

std::vector<uint32_t> choose_kept(const Preference& preferred, std::span<const uint32_t> center) {
  std::vector<uint32_t> best(center.size(), no_document);  // by center
  for (uint32_t id = 0; id < center.size(); ++id) {
    uint32_t& now = best[center[id]];
    if (now == no_document || preferred(id, now)) now = id;
  }
  std::vector<uint32_t> kept(center.size());
  for (uint32_t id = 0; id < kept.size(); ++id) kept[id] = best[center[id]];
  return kept;
}

namespace {

// What may take long is said before it begins.
void announce_comparisons(const DedupLargeParts& large, const ProgressCallback& progress) {
  constexpr uint64_t few = 100'000'000;
  if (large.max_comparisons < few || !progress) return;
  const std::string note = fmt::format(
      "{} documents of {} large buckets are compared with centers: {} million comparisons at the "
      "most, fewer where buckets are alike; `max_comparisons` sets a limit",
      large.members, large.parts, large.max_comparisons / 1'000'000);
  progress({groups_stage, 0, 1, "", note});
}

// Scans for the centers, and writes the pairs that whole parts bring. Fills `components` with all
// pairs.
Result<std::vector<uint32_t>> scan_centers(storage::SectionWriter& file,
                                           const DocumentTable& documents, const Against& against,
                                           const Matches& matches, const DedupOptions& options,
                                           const DedupResources& resources,
                                           cluster::Components& components, DedupReport& report,
                                           const ProgressCallback& progress) {
  announce_comparisons(report.large, progress);
  const WholeParts& parts = matches.parts();
  KITH_ASSIGN(const auto meeting, meeting_rule(documents, parts.size() > 0, options, resources));
  const CenterScanOptions scan{
      .rule = pair_rule(options, documents),
      .all_centers = options.groups == Grouping::components,
      .max_centers =
          max_centers_of(parts.size(), parts.members(), documents.size(), options.max_comparisons)};
  storage::ExternalSort sort(
      resources.fs, resources.pool,
      {.scratch = resources.scratch + "/center_pairs",
       .memory =
           run::working_memory(resources.memory, documents.size()).bytes(Share::center_pairs)});
  cluster::Components unverified(documents.size());
  for (uint32_t id = 0; id < documents.size(); ++id) unverified.join(id, matches.unverified()[id]);
  const CenterScanSinks sinks{
      .pairs =
          [&](const similar::SetPair& pair) { return append_pairs(sort, std::span(&pair, 1)); },
      .candidates = [&](uint32_t a, uint32_t b) { unverified.join(a, b); },
      .progress =
          [&](double share) {
            if (progress) progress({groups_stage, share, 1, ""});
          }};
  const std::vector<uint32_t> rank = center_ranks(documents, matches, options);
  KITH_ASSIGN(std::vector<uint32_t> center,
              center_groups(documents, against, matches, rank, *meeting, scan, resources, sinks,
                            report.large));
  report.groups.unverified = count_components(unverified, matches.representative());
  KITH_TRY(file.begin(center_pairs_section));
  KITH_TRY(write_pairs(file, sort,
                       [&](const similar::SetPair& pair) { components.join(pair.a, pair.b); }));
  return center;
}

}  // namespace

Status write_groups(const std::string& path, const DocumentTable& documents, const Against& against,
                    const Matches& matches, const DedupOptions& options,
                    const DedupResources& resources, DedupReport& report,
                    const ProgressCallback& progress) {
  cluster::Components components(documents.size());
  for (const similar::SetPair& pair : matches.pairs()) {
    components.join(pair.a, pair.b);
    matches.pass(pair);
  }
  matches.release();
  KITH_ASSIGN(auto file, storage::SectionWriter::create(resources.fs, path, groups_kind));
  KITH_ASSIGN(std::vector<uint32_t> center, scan_centers(file, documents, against, matches, options,
                                                         resources, components, report, progress));
  report.groups.components = count_components(components, matches.representative());
  if (options.groups == Grouping::components) {
    center = component_groups(components, matches.representative());
  }
  const std::vector<uint32_t> kept = options.method == DedupMethod::containment
                                         ? center
                                         : choose_kept(Preference(documents, options), center);
  static_cast<GroupCounts&>(report.groups) = count_groups(kept);
  report.groups.largest_groups = largest_groups(documents, kept);
  count_other_titles(documents, kept, report.groups);
  const std::vector<uint32_t> common =
      compare_with_kept(documents, kept, pair_rule(options), resources, report.groups);
  KITH_TRY(file.write_array(kept_section, kept));
  KITH_TRY(file.write_array(center_section, center));
  KITH_TRY(file.write_array(common_counts_section, common));
  return file.finish();
}

}  // namespace kith::jobs
