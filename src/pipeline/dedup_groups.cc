#include "pipeline/dedup_groups.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "cluster/center_stream.h"
#include "pipeline/dedup_methods.h"
#include "pipeline/memory_budget.h"
#include "storage/external_sort.h"

namespace kith::pipeline {
namespace {

constexpr std::string_view kept_section = "kept";
constexpr std::string_view center_section = "center";
constexpr std::string_view common_section = "common";
constexpr uint32_t nobody = UINT32_MAX;

// How many documents have the elements of each representative.
std::vector<uint32_t> multiplicities(std::span<const uint32_t> representative) {
  std::vector<uint32_t> counts(representative.size());
  for (const uint32_t own : representative) ++counts[own];
  return counts;
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
  for (const pairs::SetPair& pair : matches.pairs()) {
    add(pair.a, counts[pair.b]);
    add(pair.b, counts[pair.a]);
    matches.pass(pair);
  }
  return degree;
}

// Whether a is to be kept rather than b.
bool preferred(const DocumentTable& documents, Keep keep, uint32_t a, uint32_t b) {
  if (keep == Keep::inlinks && documents.inlinks(a) != documents.inlinks(b)) {
    return documents.inlinks(a) > documents.inlinks(b);
  }
  const uint32_t size_a = documents[a].bytes;
  const uint32_t size_b = documents[b].bytes;
  if (keep == Keep::longest && size_a != size_b) return size_a > size_b;
  if (keep == Keep::shortest && size_a != size_b) return size_a < size_b;
  return a < b;
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

// The elements that every document shares with the one that is kept, and how many documents that
// are removed resemble it less than the similarity.
std::vector<uint32_t> compare_with_kept(const DocumentTable& documents,
                                        std::span<const uint32_t> kept, const pairs::PairRule& rule,
                                        const DedupResources& resources, uint64_t& weak) {
  const pairs::HashSets& sets = documents.sets();
  std::vector<uint32_t> common(kept.size());
  std::atomic<uint64_t> weak_ones = 0;
  resources.pool.for_chunks(kept.size(), 1 << 10, [&](size_t begin, size_t end, unsigned) {
    pairs::OverlapReader overlap_of(sets, sets);
    for (size_t id = begin; id < end; ++id) {
      if (kept[id] == id) {
        common[id] = static_cast<uint32_t>(sets.size_of(id));
        continue;
      }
      const SetOverlap both = overlap_of(id, kept[id]);
      common[id] = static_cast<uint32_t>(both.common);
      if (!rule.is_similar(both)) ++weak_ones;
    }
  });
  weak = weak_ones;
  return common;
}

std::vector<LargeGroup> largest_groups(const DocumentTable& documents,
                                       std::span<const uint32_t> kept) {
  constexpr size_t most = 10;
  std::vector<uint32_t> sizes(kept.size());
  for (const uint32_t own : kept) ++sizes[own];
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < sizes.size(); ++id) {
    if (sizes[id] > 1) ids.push_back(id);
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

}  // namespace

Result<Groups> Groups::open(storage::FileSystem& fs, const std::string& path, uint32_t documents) {
  Groups groups;
  KITH_ASSIGN(groups.file_, storage::SectionFile::open(fs, path, groups_kind));
  KITH_ASSIGN(groups.kept_, groups.file_.array<uint32_t>(kept_section));
  KITH_ASSIGN(groups.center_, groups.file_.array<uint32_t>(center_section));
  KITH_ASSIGN(groups.common_, groups.file_.array<uint32_t>(common_section));
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
  if (options.order == CenterOrder::degree) {
    const std::vector<uint32_t> degree = degrees(matches);
    const std::span<const uint32_t> representative = matches.representative();
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      const uint32_t degree_a = degree[representative[a]];
      const uint32_t degree_b = degree[representative[b]];
      return degree_a != degree_b ? degree_a > degree_b : a < b;
    });
  } else if (options.similarity_of == SimilarityOf::containment) {
    // So that what is removed has no more elements than its center, and is contained in it.
    const pairs::HashSets& sets = documents.sets();
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      if (sets.size_of(a) != sets.size_of(b)) return sets.size_of(a) > sets.size_of(b);
      return preferred(documents, options.keep, a, b);
    });
  } else if (options.keep != Keep::first) {
    std::ranges::sort(
        order, [&](uint32_t a, uint32_t b) { return preferred(documents, options.keep, a, b); });
  }
  std::vector<uint32_t> rank(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) rank[order[place]] = place;
  return rank;
}

// Documents with equal elements have the same neighbours, so it is enough to scan one of each: the
// first by rank. The others join where it is (docs/algorithms/center.md).
Result<std::vector<uint32_t>> center_groups(const Matches& matches, std::span<const uint32_t> rank,
                                            const DedupResources& resources) {
  const std::span<const uint32_t> representative = matches.representative();
  const size_t n = representative.size();
  // By representative: the first by rank of those with its elements; by rank: the document.
  std::vector<uint32_t> first(n, nobody);
  std::vector<uint32_t> by_rank(n);
  for (uint32_t id = 0; id < n; ++id) {
    uint32_t& best = first[representative[id]];
    if (best == nobody || rank[id] < rank[best]) best = id;
    by_rank[rank[id]] = id;
  }
  storage::ExternalSort sort(resources.fs, resources.pool,
                             {.scratch = resources.scratch + "/center",
                              .memory = working_memory(resources.memory, n) / 2});
  for (const pairs::SetPair& pair : matches.pairs()) {
    const uint64_t a = rank[first[pair.a]];
    const uint64_t b = rank[first[pair.b]];
    KITH_TRY(sort.append({a << 32 | b, 0}));
    KITH_TRY(sort.append({b << 32 | a, 0}));
    matches.pass(pair);
  }
  matches.release();
  KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
  cluster::CenterStream stream(n);
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) break;
    for (const KeyId& record : records) {
      stream.scan(static_cast<uint32_t>(record.key >> 32), static_cast<uint32_t>(record.key), 0);
    }
  }
  const cluster::Clustering scanned = stream.finish({});
  std::vector<uint32_t> center(n);
  for (uint32_t id = 0; id < n; ++id) {
    const uint32_t own = first[representative[id]];
    const uint32_t found = scanned.center[rank[own]];
    center[id] = found == cluster::no_center ? own : by_rank[found];
  }
  return center;
}

std::vector<uint32_t> choose_kept(const DocumentTable& documents, std::span<const uint32_t> center,
                                  Keep keep) {
  std::vector<uint32_t> best(center.size(), nobody);  // by center
  for (uint32_t id = 0; id < center.size(); ++id) {
    uint32_t& now = best[center[id]];
    if (now == nobody || preferred(documents, keep, id, now)) now = id;
  }
  std::vector<uint32_t> kept(center.size());
  for (uint32_t id = 0; id < kept.size(); ++id) kept[id] = best[center[id]];
  return kept;
}

Status write_groups(const std::string& path, const DocumentTable& documents, const Matches& matches,
                    const DedupOptions& options, const DedupResources& resources,
                    DedupReport& report) {
  cluster::Components components(documents.size());
  for (const pairs::SetPair& pair : matches.pairs()) {
    components.join(pair.a, pair.b);
    matches.pass(pair);
  }
  matches.release();
  std::vector<uint32_t> center;
  report.groups.components = count_components(components, matches.representative());
  if (options.groups == Grouping::components) {
    center = component_groups(components, matches.representative());
  } else {
    const std::vector<uint32_t> rank = center_ranks(documents, matches, options);
    KITH_ASSIGN(center, center_groups(matches, rank, resources));
  }
  const std::vector<uint32_t> kept = options.similarity_of == SimilarityOf::containment
                                         ? center
                                         : choose_kept(documents, center, options.keep);
  static_cast<GroupCounts&>(report.groups) = count_groups(kept);
  report.groups.largest_groups = largest_groups(documents, kept);
  const std::vector<uint32_t> common =
      compare_with_kept(documents, kept, pair_rule(options), resources, report.groups.weak);
  KITH_ASSIGN(auto file, storage::SectionWriter::create(resources.fs, path, groups_kind));
  KITH_TRY(file.begin(kept_section));
  KITH_TRY(file.append_array(std::span<const uint32_t>(kept)));
  KITH_TRY(file.begin(center_section));
  KITH_TRY(file.append_array(std::span<const uint32_t>(center)));
  KITH_TRY(file.begin(common_section));
  KITH_TRY(file.append_array(std::span<const uint32_t>(common)));
  return file.finish();
}

}  // namespace kith::pipeline
