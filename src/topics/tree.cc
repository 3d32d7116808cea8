#include "topics/tree.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>

#include "topics/communities.h"
#include "topics/group_means.h"
#include "topics/labels.h"
#include "topics/neighbour_graph.h"
#include "topics/reassignment.h"
#include "topics/topic_graphs.h"
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

namespace {

// Of a direction: a page is routed by its greatest coordinates.
constexpr size_t max_direction = 512;

// The parts of greatest size; of several of the least size that is kept the first ones.
std::vector<DirectionPart> direction_of(const TopicVectors& vectors,
                                        const TermMatrix<float>& directions, size_t g) {
  std::vector<float> sizes(directions.terms());
  for (size_t term = 0; term < sizes.size(); ++term) sizes[term] = std::fabs(directions[term][g]);
  float least = 0;
  size_t ties = max_direction;
  if (sizes.size() > max_direction) {
    least = nth_greatest(sizes, max_direction);
    ties -= static_cast<size_t>(
        std::ranges::count_if(sizes, [least](float size) { return size > least; }));
  }
  std::vector<DirectionPart> parts;
  for (uint32_t term = 0; term < sizes.size(); ++term) {
    if (sizes[term] == 0 || sizes[term] < least) continue;
    if (sizes[term] == least) {
      if (ties == 0) continue;
      --ties;
    }
    parts.push_back({vectors.term_id(term), directions[term][g]});
  }
  return parts;
}

// mean_square() of every group.
std::vector<double> mean_squares(const Groups& groups) {
  std::vector<double> squares(groups.pages.size());
  for (size_t term = 0; term < groups.sums.terms(); ++term) {
    const auto sums = groups.sums[term];
    for (size_t g = 0; g < squares.size(); ++g) {
      squares[g] += as_double(sums[g]) * as_double(sums[g]);
    }
  }
  for (size_t g = 0; g < squares.size(); ++g) {
    const double unit = vector_one * static_cast<double>(groups.pages[g]);
    squares[g] /= unit * unit;
  }
  return squares;
}

// What a split leaves for the tree: topics without their places in it.
struct Children {
  std::vector<uint32_t> group;  // by node of the topic
  std::vector<Topic> topics;
};

class TreeBuilder {
 public:
  TreeBuilder(const TreeInputs& inputs, TreeGraph graph, const TreeOptions& options,
              ThreadPool& pool)
      : inputs_(inputs),
        options_(options),
        pool_(pool),
        largest_alone_(largest_alone(options, inputs.nodes.size(), pool.size())),
        graphs_(std::move(graph.graph), std::move(graph.leaders)) {
    tree_.nodes.resize(inputs.nodes.size());
    std::iota(tree_.nodes.begin(), tree_.nodes.end(), 0u);
    for (unsigned i = 0; i < pool.size(); ++i) workers_.push_back(std::make_unique<Worker>(inputs));
    // Worker 0 is the calling thread.
    workers_[0]->alone.set_poll([&pool] { pool.poll(); });
    for (const uint32_t pages : inputs.nodes.pages) pages_ += pages;
  }

  Tree build() {
    add_root();
    for (size_t begin = 0; begin < tree_.topics.size();) {
      const size_t end = tree_.topics.size();
      split_level(begin, end);
      begin = end;
    }
    return std::move(tree_);
  }

 private:
  struct Worker {
    explicit Worker(const TreeInputs& inputs) : room(inputs.terms) {}
    ThreadPool alone{1};
    VectorRoom room;
  };

  std::span<const uint32_t> nodes_of(const Topic& topic) const {
    return std::span(tree_.nodes).subspan(topic.begin, topic.end - topic.begin);
  }

  void add_root() {
    Topic root;
    root.end = tree_.nodes.size();
    root.pages = pages_;
    tree_.topics.push_back(root);
  }

  void split_level(size_t begin, size_t end) {
    std::vector<Children> children(end - begin);
    std::vector<size_t> small;
    for (size_t t = begin; t < end; ++t) {
      const uint64_t nodes = tree_.topics[t].end - tree_.topics[t].begin;
      if (nodes > largest_alone_) {
        children[t - begin] = split_one(t, *workers_[0], pool_);
      } else if (nodes > 0) {
        small.push_back(t);
      }
    }
    pool_.for_chunks(small.size(), 1, [&](size_t i, size_t, unsigned worker) {
      Worker& own = *workers_[worker];
      children[small[i] - begin] = split_one(small[i], own, own.alone);
    });
    std::vector<SplitTopic> topics;
    for (size_t t = begin; t < end; ++t) {
      if (!children[t - begin].topics.empty())
        topics.push_back(add_children(t, children[t - begin]));
    }
    if (!topics.empty()) graphs_.split(topics, pool_);
  }

  // Changes nothing that other threads read but the root.
  Children split_one(size_t t, Worker& worker, ThreadPool& pool) {
    Children made;
    Topic& topic = tree_.topics[t];
    SplitLimits limits{.least = min_split(pages_),
                       .min_gain = t == 0 ? options_.min_gain_root : options_.min_gain,
                       .group_share = t == 0 ? options_.group_share_root : options_.group_share};
    const bool is_root = t == 0;
    const auto nodes = nodes_of(topic);
    if (!is_root && (nodes.size() < limits.least || topic.depth >= options_.max_depth)) return made;
    const TopicVectors vectors = vectors_of(nodes, worker.room, pool);
    limits.memory = joining_memory(vectors);
    const std::vector<uint64_t> sum = sum_all(vectors, pool);
    if (is_root) describe_root(vectors, sum, pool);
    const std::vector<uint8_t> languages =
        is_root ? of_nodes(inputs_.languages, nodes) : std::vector<uint8_t>();
    limits.languages = languages;
    const PageGraphView graph = graphs_.graph(topic.begin, topic.end);
    const auto leaders = graphs_.leaders(topic.begin, topic.end);
    // Where it counts most, and costs least against the rest.
    TreeOptions options = options_;
    if (!is_root) options.cycles = 0;
    Split found = split(graph, leaders, vectors, sum, limits, options, pool);
    if (is_root) {
      tree_.communities = found.communities;
      tree_.modularity = found.modularity;
    }
    if (!found.is_leaf()) made = describe(nodes, vectors, found.groups, pool);
    return made;
  }

  TopicVectors vectors_of(std::span<const uint32_t> nodes, VectorRoom& room,
                          ThreadPool& pool) const {
    uint64_t entries = 0;
    for (const uint32_t node : nodes) entries += inputs_.bags[inputs_.nodes.page[node]].size();
    if (nodes.size() > largest_alone_ &&
        TopicVectors::bytes_of_copy(nodes.size(), entries) > inputs_.memory) {
      room.release();  // joining has this memory instead
      return TopicVectors::in_place(inputs_.bags, inputs_.nodes, nodes, inputs_.terms);
    }
    return TopicVectors::copy(inputs_.bags, inputs_.nodes, nodes, room, pool);
  }

  uint64_t joining_memory(const TopicVectors& vectors) const {
    if (vectors.size() <= largest_alone_) return join_memory_alone(options_, largest_alone_);
    const uint64_t left = inputs_.memory - std::min(inputs_.memory, vectors.copied_bytes());
    return options_.join_bytes + left;
  }

  void describe_root(const TopicVectors& vectors, std::span<const uint64_t> sum, ThreadPool& pool) {
    Topic& root = tree_.topics.front();
    root.cohesion = mean_square(sum, root.pages);
    TermMatrix<uint64_t> sums(vectors.terms(), 1);
    for (size_t term = 0; term < sum.size(); ++term) sums[term][0] = sum[term];
    const std::vector<uint32_t> group(vectors.size(), 0);
    root.exemplar =
        find_exemplars(vectors, group, sums, of_nodes(inputs_.suits, tree_.nodes), pool).front();
  }

  // What is known of pages, by node; empty where it is.
  std::vector<uint8_t> of_nodes(std::span<const uint8_t> by_page,
                                std::span<const uint32_t> nodes) const {
    std::vector<uint8_t> values;
    if (by_page.empty()) return values;
    values.reserve(nodes.size());
    for (const uint32_t node : nodes) values.push_back(by_page[inputs_.nodes.page[node]]);
    return values;
  }

  Children describe(std::span<const uint32_t> nodes, const TopicVectors& vectors, Groups& groups,
                    ThreadPool& pool) const {
    const auto count = static_cast<uint32_t>(groups.pages.size());
    std::vector<uint32_t> hosts;
    hosts.reserve(nodes.size());
    for (const uint32_t node : nodes) hosts.push_back(inputs_.hosts[inputs_.nodes.page[node]]);
    auto labels = label_groups(vectors, groups.group, groups.directions, inputs_.words, hosts,
                               options_.max_labels, pool);
    const auto exemplars =
        find_exemplars(vectors, groups.group, groups.sums, of_nodes(inputs_.suits, nodes), pool);
    const std::vector<double> cohesions = mean_squares(groups);
    Children made;
    made.topics.resize(count);
    for (uint32_t g = 0; g < count; ++g) {
      Topic& topic = made.topics[g];
      topic.pages = groups.pages[g];
      topic.cohesion = cohesions[g];
      topic.exemplar = nodes[exemplars[g]];
      topic.labels = std::move(labels[g]);
      topic.direction = direction_of(vectors, groups.directions, g);
    }
    made.group = std::move(groups.group);
    return made;
  }

  // Sorts the nodes of a topic by child, and enters the children.
  SplitTopic add_children(size_t t, Children& children) {
    const auto count = static_cast<uint32_t>(children.topics.size());
    const uint64_t begin = tree_.topics[t].begin;
    Members members = members_of(children.group, count);
    const auto own = nodes_of(tree_.topics[t]);
    const std::vector<uint32_t> nodes(own.begin(), own.end());
    for (size_t i = 0; i < nodes.size(); ++i) tree_.nodes[begin + i] = nodes[members.items[i]];
    tree_.topics[t].first_child = static_cast<uint32_t>(tree_.topics.size());
    tree_.topics[t].children = count;
    for (uint32_t g = 0; g < count; ++g) {
      Topic& child = children.topics[g];
      child.parent = static_cast<uint32_t>(t);
      child.depth = tree_.topics[t].depth + 1;
      child.begin = begin + members.at[g];
      child.end = begin + members.at[g + 1];
      tree_.topics.push_back(std::move(child));
    }
    return {begin, std::move(members)};
  }

  const TreeInputs& inputs_;
  const TreeOptions& options_;
  ThreadPool& pool_;
  const uint64_t largest_alone_;
  uint64_t pages_ = 0;
  TopicGraphs graphs_;  // of the topics that are split
  std::vector<std::unique_ptr<Worker>> workers_;
  Tree tree_;
};

}  // namespace

Tree make_tree(const TreeInputs& inputs, TreeGraph graph, const TreeOptions& options,
               ThreadPool& pool) {
  return TreeBuilder(inputs, std::move(graph), options, pool).build();
}

}  // namespace kith::topics
