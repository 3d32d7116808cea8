#include "answers/evaluate_topics.h"

#include "evaluate/agreement.h"
#include "evaluate/ordering.h"

namespace kith::answers {
namespace {

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

  TopicEvaluation measure(uint32_t label_depth, const evaluate::LabelSets& labels) const {
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
  TopicCutEvaluation measure_cut(std::span<const uint32_t> cut,
                                 const evaluate::LabelSets& labels) const {
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

}  // namespace

Result<std::vector<TopicEvaluation>> evaluate_topics(const TopicTree& tree,
                                                     std::span<const UrlId> ids,
                                                     std::span<const evaluate::LabelSets> levels) {
  TopicEvaluator evaluator(tree);
  KITH_TRY(evaluator.read(ids));
  std::vector<TopicEvaluation> evaluations;
  for (uint32_t level = 0; level < levels.size(); ++level) {
    evaluations.push_back(evaluator.measure(level + 1, levels[level]));
  }
  return evaluations;
}

}  // namespace kith::answers
