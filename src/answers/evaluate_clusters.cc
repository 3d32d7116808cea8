// kith::evaluate_clusters: a run beside labels.
#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/evaluate.h"
#include "kith/run.h"
#include "kith/topics.h"

#include "evaluate/agreement.h"
#include "evaluate/label_table.h"
#include "run/guarded.h"
#include "run/stage_files.h"
#include "text/url/url.h"

namespace kith {
namespace {

using evaluate::LabelSets;
using evaluate::LabelTable;

constexpr uint32_t no_page = std::numeric_limits<uint32_t>::max();

class TopicEvaluator {
 public:
  explicit TopicEvaluator(const TopicTree& tree) : tree_(tree) {}

  Status read(std::span<const UrlId> ids) {
    uint32_t alone = tree_.topics();
    for (const UrlId id : ids) {
      KITH_ASSIGN(const auto leaf, tree_.leaf_of(id));
      node_.push_back(leaf ? *leaf : alone++);
    }
    for (uint32_t topic = 0; topic < tree_.topics(); ++topic) {
      parent_.push_back(tree_.topic(topic).parent);
    }
    parent_.resize(alone, 0);
    return Status::ok();
  }

  TopicEvaluation measure(uint32_t label_depth, const LabelSets& labels) const {
    TopicEvaluation evaluation;
    evaluation.label_depth = label_depth;
    evaluation.dendrogram_purity = evaluate::dendrogram_purity(parent_, node_, labels.first());
    for (uint32_t depth = 1; depth <= tree_.depth(); ++depth) {
      evaluation.cuts.push_back(measure_cut(tree_.level(depth), labels));
      evaluation.cuts.back().depth = depth;
    }
    const uint64_t count = measure_cut(tree_.level(0), labels).agreement.labels;
    evaluation.cuts.push_back(measure_cut(tree_.cut(count), labels));
    return evaluation;
  }

 private:
  TopicCutEvaluation measure_cut(std::span<const uint32_t> cut, const LabelSets& labels) const {
    std::vector<uint32_t> group(parent_.size());
    for (uint32_t node = 0; node < group.size(); ++node) group[node] = node;
    std::vector<bool> is_cut(parent_.size());
    for (const uint32_t topic : cut) is_cut[topic] = true;
    for (uint32_t topic = 1; topic < tree_.topics(); ++topic) {
      if (!is_cut[topic]) group[topic] = group[parent_[topic]];
    }
    std::vector<uint32_t> clusters;
    clusters.reserve(node_.size());
    for (const uint32_t node : node_) clusters.push_back(group[node]);
    return {0, cut.size(), evaluate::measure_agreement(clusters, labels)};
  }

  const TopicTree& tree_;
  std::vector<uint32_t> node_;    // by page: its leaf, or a node of its own
  std::vector<uint32_t> parent_;  // by topic, and of the nodes of such pages
};

// Of every level of labels the cuts of the tree at each depth, and that with about as many topics
// as there are labels. ids[i] is the page whose labels of a level are those of its item i; a page
// without a topic is a topic of its own.
Result<std::vector<TopicEvaluation>> evaluate_topics(const TopicTree& tree,
                                                     std::span<const UrlId> ids,
                                                     std::span<const LabelSets> levels) {
  TopicEvaluator evaluator(tree);
  KITH_TRY(evaluator.read(ids));
  std::vector<TopicEvaluation> evaluations;
  for (uint32_t level = 0; level < levels.size(); ++level) {
    evaluations.push_back(evaluator.measure(level + 1, levels[level]));
  }
  return evaluations;
}

// Labelled pages are numbered from 0, by ascending id of the run.
class ClusterEvaluator {
 public:
  ClusterEvaluator(const Run& run, const LabelTable& table) : run_(run), table_(table) {}

  // An error unless the run has a labelled page.
  Status find_pages(std::string_view file, const std::string& directory);
  Result<ClusterEvaluation> evaluate(const TopicTree* topics);

 private:
  Status read_clusters();
  Status read_hosts();
  Status rank_neighbours();
  void rank_neighbours_of(uint32_t page, std::span<const Related> related);
  void rank_other_hosts_of(uint32_t page, std::span<const Related> related);
  void add_ranking(uint32_t page, std::span<const uint32_t> neighbours,
                   std::vector<evaluate::PrecisionCounter>& levels) const;
  LevelEvaluation measure_level(size_t level) const;

  const Run& run_;
  const LabelTable& table_;
  evaluate::LabelledItems labelled_;
  std::vector<uint32_t> page_of_;                        // by id; no_page without a label
  std::vector<LabelSets> levels_;                        // labels of pages, cut at depth 1, 2, ...
  std::vector<uint32_t> cluster_;                        // by page
  std::vector<bool> alone_;                              // by page
  std::vector<uint32_t> host_;                           // by page
  std::vector<evaluate::PrecisionCounter> all_hosts_;    // by level
  std::vector<evaluate::PrecisionCounter> other_hosts_;  // by level
  evaluate::OrderCounter order_;
  ClusterEvaluation result_;
};

Status ClusterEvaluator::find_pages(std::string_view file, const std::string& directory) {
  std::vector<evaluate::NamedItem> named;
  for (uint32_t name = 0; name < table_.names.size(); ++name) {
    const auto id = run_.find(table_.names[name]);
    if (id) {
      named.push_back({*id, name});
    } else if (id.error().kind != ErrorKind::not_found && id.error().kind != ErrorKind::usage) {
      return id.error();
    }
  }
  const uint64_t missing = table_.names.size() - named.size();
  if (named.empty()) return evaluate::nothing_labelled(file, directory, missing);
  labelled_ = evaluate::join_names(table_, std::move(named));
  result_.labels = evaluate::count_labels(table_, labelled_, run_.urls(), missing);
  page_of_.assign(run_.urls(), no_page);
  for (uint32_t page = 0; page < labelled_.items.size(); ++page) {
    page_of_[labelled_.items[page]] = page;
  }
  for (uint32_t depth = 1; depth <= table_.tree.max_depth(); ++depth) {
    levels_.push_back(table_.tree.cut(labelled_.classes, depth));
  }
  return Status::ok();
}

Status ClusterEvaluator::read_clusters() {
  cluster_.resize(labelled_.items.size());
  alone_.resize(labelled_.items.size());
  for (uint64_t number = 0; number < run_.clusters(); ++number) {
    KITH_ASSIGN(const Cluster cluster, run_.cluster(number));
    for (const Related& member : cluster.members) {
      const uint32_t page = page_of_[member.id];
      if (page == no_page) continue;
      cluster_[page] = static_cast<uint32_t>(number);
      alone_[page] = cluster.members.size() == 1;
      if (alone_[page]) ++result_.alone;
    }
  }
  return Status::ok();
}

Status ClusterEvaluator::read_hosts() {
  boost::unordered_flat_map<std::string, uint32_t> numbers;
  for (const uint32_t id : labelled_.items) {
    KITH_ASSIGN(const std::string url, run_.url(id));
    const auto number = static_cast<uint32_t>(numbers.size());
    host_.push_back(numbers.try_emplace(std::string(text::host_of(url)), number).first->second);
  }
  return Status::ok();
}

Status ClusterEvaluator::rank_neighbours() {
  result_.neighbours = run_.report().pairs.skipped ? 0 : run_.report().options.neighbours;
  if (result_.neighbours == 0) return Status::ok();
  KITH_TRY(read_hosts());
  all_hosts_.resize(levels_.size());
  other_hosts_.resize(levels_.size());
  for (uint32_t page = 0; page < labelled_.items.size(); ++page) {
    KITH_ASSIGN(const auto related, run_.related(labelled_.items[page], result_.neighbours));
    rank_neighbours_of(page, related);
    if (!run_.report().pairs.has_other_sites()) {
      rank_other_hosts_of(page, related);
      continue;
    }
    KITH_ASSIGN(
        const auto elsewhere,
        run_.related_on_other_sites(labelled_.items[page], run_.report().options.other_sites));
    rank_other_hosts_of(page, elsewhere);
  }
  result_.order = order_.order();
  return Status::ok();
}

void ClusterEvaluator::rank_neighbours_of(uint32_t page, std::span<const Related> related) {
  std::vector<uint32_t> neighbours;
  std::vector<evaluate::RankedItem> ranked;
  for (const Related& entry : related) {
    const uint32_t other = page_of_[entry.id];
    if (other == no_page) continue;
    neighbours.push_back(other);
    ranked.push_back(
        {entry.similarity, evaluate::familial_distance(table_.tree, labelled_.classes[page],
                                                       labelled_.classes[other])});
  }
  // The list of a run with smoothed bags is in another order.
  std::ranges::stable_sort(ranked, std::greater(), &evaluate::RankedItem::similarity);
  order_.add(ranked);
  add_ranking(page, neighbours, all_hosts_);
}

// `related`: most similar first; those on the host of the page are left out.
void ClusterEvaluator::rank_other_hosts_of(uint32_t page, std::span<const Related> related) {
  std::vector<uint32_t> neighbours;
  for (const Related& entry : related) {
    const uint32_t other = page_of_[entry.id];
    if (other != no_page && host_[page] != host_[other]) neighbours.push_back(other);
  }
  add_ranking(page, neighbours, other_hosts_);
}

// Counts a list of labelled pages at every level.
void ClusterEvaluator::add_ranking(uint32_t page, std::span<const uint32_t> neighbours,
                                   std::vector<evaluate::PrecisionCounter>& levels) const {
  std::vector<uint8_t> right;
  for (size_t level = 0; level < levels_.size(); ++level) {
    right.clear();
    for (const uint32_t other : neighbours) {
      right.push_back(levels_[level].share(page, other) ? 1 : 0);
    }
    levels[level].add(right);
  }
}

LevelEvaluation ClusterEvaluator::measure_level(size_t level) const {
  const LabelSets& labels = levels_[level];
  LevelEvaluation evaluation;
  evaluation.depth = static_cast<uint32_t>(level + 1);
  evaluation.all = evaluate::measure_agreement(cluster_, labels);
  std::vector<uint32_t> clusters;
  LabelSets clustered;
  for (size_t page = 0; page < labels.size(); ++page) {
    if (alone_[page]) continue;
    clusters.push_back(cluster_[page]);
    clustered.add(labels, page);
  }
  evaluation.clustered = evaluate::measure_agreement(clusters, clustered);
  if (result_.neighbours > 0) {
    evaluation.neighbours = all_hosts_[level].precision();
    evaluation.other_hosts = other_hosts_[level].precision();
  }
  return evaluation;
}

Result<ClusterEvaluation> ClusterEvaluator::evaluate(const TopicTree* topics) {
  KITH_TRY(read_clusters());
  KITH_TRY(rank_neighbours());
  for (size_t level = 0; level < levels_.size(); ++level) {
    result_.levels.push_back(measure_level(level));
  }
  if (topics != nullptr) {
    KITH_ASSIGN(result_.topics, evaluate_topics(*topics, labelled_.items, levels_));
  }
  return result_;
}

}  // namespace

Result<ClusterEvaluation> evaluate_clusters(const EvaluateOptions& options) {
  return run::guarded([&]() -> Result<ClusterEvaluation> {
    KITH_ASSIGN(const Run run, Run::open(options.run));
    KITH_ASSIGN(const std::string bytes, run::read_whole_file(options.labels));
    const std::string file = run::name_of_input(options.labels);
    KITH_ASSIGN(const LabelTable table, evaluate::parse_labels(bytes, file, options.columns));
    ClusterEvaluator evaluator(run, table);
    KITH_TRY(evaluator.find_pages(file, options.run));
    if (run.report().topics.topics == 0) return evaluator.evaluate(nullptr);
    KITH_ASSIGN(const TopicTree topics, TopicTree::open(options.run));
    return evaluator.evaluate(&topics);
  });
}

}  // namespace kith
