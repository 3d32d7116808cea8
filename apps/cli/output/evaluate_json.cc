#include <optional>

#include <nlohmann/json.hpp>

#include "kith/escape.h"

#include "cli/output/evaluate_output.h"

namespace kith::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string row_line(const Json& json) {
  return escaped_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json counts_json(const LabelCounts& counts) {
  return {{"rows", counts.rows},         {"skipped_rows", counts.skipped_rows},
          {"urls", counts.urls},         {"missing", counts.missing},
          {"labels", counts.labels},     {"pages", counts.pages},
          {"labelled", counts.labelled}, {"several", counts.several}};
}

Json head_of(std::string_view job, const EvaluateOptions& options, const LabelCounts& counts) {
  return {{"job", job}, {"columns", options.columns}, {"labels", counts_json(counts)}};
}

Json agreement_json(const Agreement& agreement) {
  return {{"pages", agreement.pages},
          {"clusters", agreement.clusters},
          {"labels", agreement.labels},
          {"ari", agreement.ari},
          {"nmi", agreement.nmi},
          {"ami", agreement.ami},
          {"purity", agreement.purity},
          {"pair_precision", agreement.pair_precision},
          {"pair_recall", agreement.pair_recall},
          {"bcubed_precision", agreement.bcubed_precision},
          {"bcubed_recall", agreement.bcubed_recall},
          {"bcubed_f1", agreement.bcubed_f1}};
}

Json ranking_json(const RankingPrecision& ranking) {
  Json at = Json::array();
  for (const PrecisionAt& one : ranking.at) {
    at.push_back({{"k", one.k}, {"precision", number_or_null(one.precision)}, {"full", one.full}});
  }
  return {{"pages", ranking.pages}, {"without", ranking.without}, {"at", at}};
}

Json order_json(const OrderAgreement& order) {
  return {
      {"agree", order.agree}, {"disagree", order.disagree}, {"gamma", number_or_null(order.gamma)}};
}

Json pairs_json(const PairAgreement& pairs) {
  return {{"found", pairs.found},
          {"correct", pairs.correct},
          {"truth", pairs.truth},
          {"precision", number_or_null(pairs.precision)},
          {"recall", number_or_null(pairs.recall)}};
}

Json topics_json(const std::vector<TopicEvaluation>& topics) {
  Json all = Json::array();
  for (const TopicEvaluation& level : topics) {
    Json cuts = Json::array();
    for (const TopicCutEvaluation& cut : level.cuts) {
      cuts.push_back({{"depth", cut.depth},
                      {"topics", cut.topics},
                      {"agreement", agreement_json(cut.agreement)}});
    }
    all.push_back({{"label_depth", level.label_depth},
                   {"dendrogram_purity", number_or_null(level.dendrogram_purity)},
                   {"cuts", cuts}});
  }
  return all;
}

}  // namespace

std::string evaluation_json(const EvaluateOptions& options, const ClusterEvaluation& evaluation) {
  Json json = head_of("cluster", options, evaluation.labels);
  json["alone"] = evaluation.alone;
  json["neighbours"] = evaluation.neighbours;
  json["levels"] = Json::array();
  for (const LevelEvaluation& level : evaluation.levels) {
    Json one = {{"depth", level.depth},
                {"all", agreement_json(level.all)},
                {"clustered", agreement_json(level.clustered)}};
    if (evaluation.neighbours > 0) {
      one["neighbours"] = ranking_json(level.neighbours);
      one["other_hosts"] = ranking_json(level.other_hosts);
    }
    json["levels"].push_back(one);
  }
  if (evaluation.neighbours > 0) {
    json["order"] = {{"all", order_json(evaluation.order.all)},
                     {"sibling", order_json(evaluation.order.sibling)},
                     {"cousin", order_json(evaluation.order.cousin)},
                     {"unrelated", order_json(evaluation.order.unrelated)}};
  }
  if (!evaluation.topics.empty()) json["topics"] = topics_json(evaluation.topics);
  return row_line(json);
}

std::string evaluation_json(const EvaluateOptions& options, const DedupEvaluation& evaluation) {
  Json json = head_of("dedup", options, evaluation.labels);
  json["alone"] = evaluation.alone;
  json["verified"] = pairs_json(evaluation.verified);
  json["grouped"] = pairs_json(evaluation.grouped);
  json["groups"] = agreement_json(evaluation.groups);
  return row_line(json);
}

}  // namespace kith::cli
