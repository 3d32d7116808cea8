#include "topics/split.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "topics/communities.h"
#include "topics/group_means.h"
#include "topics/languages.h"
#include "topics/reassignment.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

// Numbers of communities by pages, most first, ties by number; at most so many.
std::vector<uint32_t> largest(const Members& members, const TopicVectors& vectors, uint32_t count,
                              uint32_t most) {
  std::vector<uint64_t> pages(count);
  for (uint32_t c = 0; c < count; ++c) {
    for (const uint32_t node : members[c]) pages[c] += vectors.pages(node);
  }
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(
      order, [&](uint32_t a, uint32_t b) { return std::tie(pages[b], a) < std::tie(pages[a], b); });
  order.resize(std::min(count, most));
  return order;
}

// The group of each node or community, or no_group.
struct Grouping {
  std::vector<uint32_t> group;
  uint32_t groups = 0;
};

// By community. Groups of fewer than limits.min_pages pages dissolve.
Grouping join_and_dissolve(std::span<const Merge> tree, std::span<const uint64_t> pages,
                           const JoinLimits& limits) {
  Grouping joined{.group = join(tree, pages, limits)};
  std::vector<uint64_t> joined_pages(pages.size());
  for (size_t i = 0; i < pages.size(); ++i) joined_pages[joined.group[i]] += pages[i];
  std::vector<uint32_t> number(pages.size(), no_group);
  for (size_t g = 0; g < pages.size(); ++g) {
    if (joined_pages[g] > 0 && joined_pages[g] >= limits.min_pages) number[g] = joined.groups++;
  }
  for (uint32_t& group : joined.group) group = number[group];
  return joined;
}

// By community: the largest are groups of their own, the others dissolve.
Grouping take_first(std::span<const uint64_t> pages, const TreeOptions& options) {
  Grouping taken{.group = std::vector<uint32_t>(pages.size(), no_group)};
  for (size_t i = 0; i < std::min<size_t>(pages.size(), options.max_groups); ++i) {
    if (pages[i] >= options.min_group) taken.group[i] = taken.groups++;
  }
  return taken;
}

// By node, of the groups of communities.
Grouping place_nodes(const Members& members, std::span<const uint32_t> communities,
                     const Grouping& joined, size_t nodes) {
  Grouping placed{.group = std::vector<uint32_t>(nodes, no_group), .groups = joined.groups};
  for (size_t i = 0; i < communities.size(); ++i) {
    for (const uint32_t node : members[communities[i]]) placed.group[node] = joined.group[i];
  }
  return placed;
}

Grouping join_communities(const Members& members, uint32_t count, const TopicVectors& vectors,
                          std::span<const uint64_t> sum, const SplitLimits& given,
                          const TreeOptions& options, ThreadPool& pool) {
  const std::vector<uint32_t> communities =
      largest(members, vectors, count, options.max_communities);
  std::vector<uint32_t> group(vectors.size(), similar::no_id);
  std::vector<uint64_t> pages(communities.size());
  for (uint32_t i = 0; i < communities.size(); ++i) {
    for (const uint32_t node : members[communities[i]]) {
      group[node] = i;
      pages[i] += vectors.pages(node);
    }
  }
  const std::vector<Merge> tree =
      merge_tree(centred_averages(vectors, {group, pages}, sum, given.memory, pool), pages);
  // Where there are many small communities, most pages are in others: groups are large or small
  // beside the pages that are joined.
  const uint64_t joined_pages = std::reduce(pages.begin(), pages.end());
  const uint64_t all =
      2 * joined_pages < vectors.total_pages() ? joined_pages : vectors.total_pages();
  const JoinLimits limits{
      .least = given.min_gain * mean_square(sum, vectors.total_pages()),
      .min_pages = std::max<uint64_t>(options.min_group, all / given.group_share),
      .max_groups = options.max_groups};
  Grouping joined = join_and_dissolve(tree, pages, limits);
  if (joined.groups < 2 && count > communities.size()) joined = take_first(pages, options);
  return place_nodes(members, communities, joined, vectors.size());
}

size_t count_leaders(std::span<const uint32_t> leaders, size_t nodes) {
  if (leaders.empty()) return nodes;
  size_t count = 0;
  for (size_t node = 0; node < nodes; ++node) count += leaders[node] == node;
  return count;
}

// Numbers groups by pages, most first, ties by the smallest node.
void sort_groups(Groups& groups) {
  const auto count = static_cast<uint32_t>(groups.pages.size());
  std::vector<uint32_t> first(count, no_group);
  for (uint32_t node = 0; node < groups.group.size(); ++node) {
    uint32_t& known = first[groups.group[node]];
    known = std::min(known, node);
  }
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tie(groups.pages[b], first[a]) < std::tie(groups.pages[a], first[b]);
  });
  reorder_groups(groups, order);
}

}  // namespace

Split split(const PageGraphView& graph, std::span<const uint32_t> leaders,
            const TopicVectors& vectors, std::span<const uint64_t> sum, const SplitLimits& limits,
            const TreeOptions& options, ThreadPool& pool) {
  Split result;
  if (graph.size() < limits.least) return result;
  if (graph.edge_count() < count_leaders(leaders, graph.size()) / 2) return result;
  std::vector<uint32_t> community = find_communities(graph, options, pool);
  for (size_t node = 0; node < leaders.size(); ++node) community[node] = community[leaders[node]];
  const uint32_t count = renumber(community);
  result.communities = count;
  result.modularity = modularity(graph, community, 1);
  Grouping placed =
      join_communities(members_of(community, count), count, vectors, sum, limits, options, pool);
  if (placed.groups < 2) return result;
  Groups groups = make_groups(vectors, std::move(placed.group), placed.groups, pool);
  reassign(vectors, sum, options, groups, pool);
  if (!limits.languages.empty()) {
    const uint64_t least = vectors.total_pages() / limits.group_share + 1;
    separate_languages(vectors, sum, limits.languages, least, groups, pool);
  }
  if (groups.pages.size() < 2) return result;
  sort_groups(groups);
  result.groups = std::move(groups);
  return result;
}

}  // namespace kith::topics
