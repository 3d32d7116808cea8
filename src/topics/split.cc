#include "topics/split.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "topics/communities.h"
#include "topics/contraction.h"
#include "topics/group_similarity.h"
#include "topics/joining.h"
#include "topics/sums.h"

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

// By node: the joined group of its community, or no_group.
struct JoinedNodes {
  std::vector<uint32_t> group;
  uint32_t groups = 0;
};

// Groups of too few pages dissolve.
JoinedNodes place_nodes(const Members& members, std::span<const uint32_t> communities,
                        std::span<const uint32_t> joined, std::span<const uint64_t> pages,
                        uint64_t min_pages, size_t nodes) {
  std::vector<uint64_t> joined_pages(joined.size());
  for (size_t i = 0; i < joined.size(); ++i) joined_pages[joined[i]] += pages[i];
  std::vector<uint32_t> number(joined.size(), no_group);
  JoinedNodes placed;
  for (size_t g = 0; g < joined.size(); ++g) {
    if (joined_pages[g] >= min_pages) number[g] = placed.groups++;
  }
  placed.group.assign(nodes, no_group);
  for (size_t i = 0; i < communities.size(); ++i) {
    for (const uint32_t node : members[communities[i]]) placed.group[node] = number[joined[i]];
  }
  return placed;
}

JoinedNodes join_communities(const Members& members, uint32_t count, const TopicVectors& vectors,
                             std::span<const uint64_t> sum, const SplitLimits& given,
                             const TreeOptions& options, ThreadPool& pool) {
  const std::vector<uint32_t> communities =
      largest(members, vectors, count, options.max_communities);
  std::vector<uint32_t> group(vectors.size(), pairs::no_id);
  std::vector<uint64_t> pages(communities.size());
  for (uint32_t i = 0; i < communities.size(); ++i) {
    for (const uint32_t node : members[communities[i]]) {
      group[node] = i;
      pages[i] += vectors.pages(node);
    }
  }
  const std::vector<Merge> tree =
      merge_tree(centred_averages(vectors, {group, pages}, sum, given.memory, pool), pages);
  // Of the pages in these communities: where there are many small ones, most pages are in others.
  const uint64_t considered = std::reduce(pages.begin(), pages.end());
  const JoinLimits limits{
      .least = given.min_gain * mean_square(sum, vectors.total_pages()),
      .min_pages = std::max<uint64_t>(options.min_group, considered / options.group_share),
      .max_groups = options.max_groups};
  const std::vector<uint32_t> joined = join(tree, pages, limits);
  return place_nodes(members, communities, joined, pages, limits.min_pages, vectors.size());
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
  JoinedNodes placed =
      join_communities(members_of(community, count), count, vectors, sum, limits, options, pool);
  if (placed.groups < 2) return result;
  Groups groups = make_groups(vectors, std::move(placed.group), placed.groups, pool);
  reassign(vectors, sum, options, groups, pool);
  if (groups.pages.size() < 2) return result;
  sort_groups(groups);
  result.groups = std::move(groups);
  return result;
}

}  // namespace kith::topics
