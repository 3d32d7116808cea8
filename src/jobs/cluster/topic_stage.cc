#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "jobs/cluster/cluster_stage.h"
#include "run/memory_budget.h"
#include "topics/group_means.h"
#include "topics/neighbour_graph.h"
#include "topics/reassignment.h"
#include "topics/topic_file.h"
#include "topics/topic_graphs.h"
#include "topics/tree.h"
#include "topics/vectors.h"

namespace kith::jobs {
namespace {

bool is_hiragana(char32_t c) {
  return c >= 0x3041 && c <= 0x309f;
}

}  // namespace

bool may_be_label(std::string_view word) {
  size_t letters = 0;
  bool is_ascii = true;
  bool is_hiragana_only = true;
  for (size_t at = 0; at < word.size(); ++letters) {
    const CodePoint c = decode_utf8(word, at);
    is_ascii = is_ascii && c.value < 0x80;
    is_hiragana_only = is_hiragana_only && is_hiragana(c.value);
    at += c.size;
  }
  return letters >= (is_ascii ? 3 : 2) && !is_hiragana_only;
}

std::vector<bool> label_words(const bags::TermTable& terms) {
  std::vector<bool> words(terms.size());
  for (uint32_t term = 0; term < terms.size(); ++term)
    words[term] = may_be_label(terms.surface(term));
  return words;
}

namespace {

// By URL: the number of its host. URLs of a host stand together.
std::vector<uint32_t> number_hosts(const bags::UrlTable& urls) {
  const std::vector<uint32_t> first_ids = bags::first_ids_of_hosts(urls);
  std::vector<uint32_t> numbers(urls.size());
  for (uint32_t host = 0; host < first_ids.size(); ++host) {
    const uint32_t end = host + 1 < first_ids.size() ? first_ids[host + 1] : urls.size();
    std::fill(numbers.begin() + first_ids[host], numbers.begin() + end, host);
  }
  return numbers;
}

// By URL: 2 for pages, 1 for those that are lists of links, 0 for what was not fetched.
std::vector<uint8_t> as_examples(const bags::UrlTable& urls) {
  std::vector<uint8_t> suits(urls.size());
  for (uint32_t id = 0; id < urls.size(); ++id) {
    const auto page = urls.page(id);
    suits[id] = !page ? 0 : page->is_list ? 1 : 2;
  }
  return suits;
}

// By URL: the language as a number, 0 where it is not known.
std::vector<uint8_t> number_languages(const bags::UrlTable& urls) {
  std::vector<uint8_t> languages(urls.size());
  for (uint32_t id = 0; id < urls.size(); ++id) {
    const auto page = urls.page(id);
    if (!page || page->language == text::Language::other) continue;
    languages[id] = static_cast<uint8_t>(1 + static_cast<uint8_t>(page->language));
  }
  return languages;
}

TopicLevel level_of(std::span<const topics::Topic> tree) {
  TopicLevel level;
  std::vector<uint64_t> sizes;
  uint64_t pages = 0;
  for (const topics::Topic& topic : tree) {
    level.leaves += topic.children == 0;
    level.cohesion += topic.cohesion * static_cast<double>(topic.pages);
    pages += topic.pages;
    sizes.push_back(topic.pages);
  }
  std::ranges::sort(sizes);
  level.topics = sizes.size();
  level.largest = sizes.back();
  level.median = sizes[sizes.size() / 2];
  level.cohesion /= static_cast<double>(std::max<uint64_t>(1, pages));
  return level;
}

TopicCounts counts_of(const topics::Tree& tree, uint64_t edges) {
  TopicCounts counts;
  counts.topics = tree.topics.size();
  counts.pages = tree.topics.front().pages;
  counts.edges = edges;
  counts.communities = tree.communities;
  counts.modularity = tree.modularity;
  const std::span all(tree.topics);
  for (size_t begin = 1; begin < all.size();) {
    size_t end = begin;
    while (end < all.size() && all[end].depth == all[begin].depth) ++end;
    counts.levels.push_back(level_of(all.subspan(begin, end - begin)));
    begin = end;
  }
  return counts;
}

// For the means of communities that are joined: what so many words take, but no more than `most`.
uint64_t joining_bytes(uint64_t words, uint64_t most) {
  return std::min(topics::bytes_of_joined_word * words, most);
}

// Entries of the rows of a graph, at most: every edge stands in two.
uint64_t max_entries(const TopicStageInputs& inputs, TopicGraph graph) {
  switch (graph) {
    case TopicGraph::full:
      return 2 * inputs.size.entries;
    case TopicGraph::mutual:
      return inputs.size.entries;
    case TopicGraph::clusters:
      return 2 * std::min(inputs.size.entries, uint64_t{inputs.list_length} * inputs.clusters);
    case TopicGraph::none:
      break;
  }
  return 0;
}

// Of working memory, but for what makes it faster.
uint64_t fixed_bytes(const TopicStageInputs& inputs, TopicGraph graph, unsigned threads) {
  const topics::TreeOptions options;
  const uint64_t urls = inputs.bags.size();
  const uint64_t words = inputs.bags.entries().size();
  const uint64_t by_term =
      16 * (options.max_groups + topics::max_separated + 2) + 8 * uint64_t{threads};
  const uint64_t of_graph = run::topic_bytes(urls, inputs.size.nodes, max_entries(inputs, graph));
  const uint64_t leaders = graph == TopicGraph::clusters ? 2 * sizeof(uint32_t) * urls : 0;
  // A thread has the graph and the vectors of a topic of its own.
  const uint64_t largest = topics::largest_alone(options, inputs.size.nodes, threads);
  const uint64_t alone = std::min(urls, largest);
  const uint64_t alone_words = alone * (words / std::max<uint64_t>(1, urls) + 1);
  const uint64_t list = std::min(inputs.list_length, topics::max_neighbours);
  const uint64_t by_thread =
      run::topic_part_bytes(alone, 2 * list * alone) +
      topics::TopicVectors::bytes_of_copy(alone, alone_words) +
      joining_bytes(alone_words, topics::join_memory_alone(options, largest));
  return of_graph + leaders + inputs.terms.size() * by_term +
         joining_bytes(words, options.join_bytes) + threads * by_thread;
}

topics::PageGraph make_graph(const run::Neighbours& neighbours, const topics::Nodes& nodes,
                             std::span<const uint32_t> leaders, const TopicStageInputs& inputs,
                             ThreadPool& pool) {
  switch (inputs.graph) {
    case TopicGraph::full:
      break;
    case TopicGraph::mutual:
      return topics::make_mutual_graph(neighbours, nodes, pool);
    case TopicGraph::clusters:
      return topics::make_cluster_graph(neighbours, nodes, leaders, inputs.list_length, pool);
    case TopicGraph::none:
      break;
  }
  return topics::make_neighbour_graph(neighbours, nodes, pool);
}

}  // namespace

TopicSize measure_topics(const run::Neighbours& neighbours, const sketch::BagCollection& bags,
                         const similar::DuplicateGroups& groups, uint32_t min_words) {
  TopicSize size;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    if (!groups.is_representative(id)) continue;
    if (bags[id].size() < min_words && !groups.has_copies(id)) continue;
    ++size.nodes;
    size.entries += std::min<uint64_t>(neighbours[id].size(), topics::max_neighbours);
  }
  neighbours.release();
  return size;
}

uint64_t topic_memory(const TopicStageInputs& inputs, TopicGraph graph, unsigned threads) {
  const uint64_t working = run::working_memory(inputs.memory, inputs.bags.size()).bytes();
  return inputs.memory.bytes() - working + fixed_bytes(inputs, graph, threads);
}

Result<TopicCounts> write_topic_tree(storage::FileSystem& fs, const std::string& path,
                                     const run::Neighbours& neighbours,
                                     const run::Clusters& clusters, const TopicStageInputs& inputs,
                                     ThreadPool& pool) {
  topics::Nodes nodes = topics::make_nodes(inputs.bags, inputs.groups, inputs.min_words);
  std::vector<uint32_t> leaders;
  if (inputs.graph == TopicGraph::clusters) leaders = topics::find_leaders(clusters, nodes);
  topics::PageGraph graph = make_graph(neighbours, nodes, leaders, inputs, pool);
  const uint64_t edges = graph.edge_count();
  const std::vector<bool> words = label_words(inputs.terms);
  const std::vector<uint32_t> hosts = number_hosts(inputs.urls);
  const std::vector<uint8_t> suits = as_examples(inputs.urls);
  const std::vector<uint8_t> languages = number_languages(inputs.urls);
  const Budget left =
      run::working_memory(inputs.memory, inputs.bags.size())
          .without(Share::topic_graph, fixed_bytes(inputs, inputs.graph, pool.size()));
  const topics::TreeInputs tree_inputs{.bags = inputs.bags,
                                       .nodes = nodes,
                                       .terms = inputs.terms.size(),
                                       .words = words,
                                       .hosts = hosts,
                                       .suits = suits,
                                       .languages = languages,
                                       .memory = left.bytes()};
  topics::Tree tree =
      topics::make_tree(tree_inputs, {std::move(graph), std::move(leaders)}, {}, pool);
  topics::join_nearest(neighbours, nodes, tree);
  KITH_TRY(topics::write_topics(fs, path, tree, nodes));
  return counts_of(tree, edges);
}

}  // namespace kith::jobs
