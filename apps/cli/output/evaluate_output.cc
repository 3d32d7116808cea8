#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/rows.h"

#include "cli/output/comparison.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

using Cells = std::vector<std::string>;

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.3f}", *share) : "-";
}

// The label of a line and its text, as in the summaries of other commands.
void print_row(Output& out, std::string_view label, const std::string& text) {
  out.line(printable(fmt::format("{:<12}{}", label, text)));
}

// Columns as wide as their widest cell: the first `left` at the left, the others at the right.
void print_table(Output& out, std::string_view title, const std::vector<Cells>& rows, size_t left) {
  std::vector<size_t> widths;
  for (const Cells& cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  out.line("");
  out.line(title);
  for (const Cells& cells : rows) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      line += i < left ? fmt::format("{:<{}}", cells[i], widths[i])
                       : fmt::format("{:>{}}", cells[i], widths[i]);
    }
    out.line(line);
  }
}

void print_counts(const EvaluateOptions& options, const LabelCounts& counts, std::string_view page,
                  Output& out) {
  std::string file = options.labels == "-" ? "standard input" : options.labels;
  print_row(out, "labels",
            fmt::format("{} {} of {}, {} of them not in the run; {}", with_commas(counts.urls),
                        counts.urls == 1 ? "page" : "pages", file, with_commas(counts.missing),
                        counted(counts.labels, "different label")));
  if (counts.skipped_rows > 0) {
    print_row(
        out, "",
        fmt::format("{} without a page or a label, left out", counted(counts.skipped_rows, "row")));
  }
  print_row(
      out, page,
      fmt::format("{} in the run, {} of them with a label, {} without", with_commas(counts.pages),
                  with_commas(counts.labelled), with_commas(counts.pages - counts.labelled)));
  if (counts.several > 0) {
    print_row(out, "",
              fmt::format("{} with several labels: B-cubed and related pages take all, "
                          "the other measures the first",
                          with_commas(counts.several)));
  }
}

std::string alone_text(uint64_t alone, uint64_t labelled, std::string_view what) {
  return fmt::format("{} of the {} with a label",
                     percent(static_cast<double>(alone) / static_cast<double>(labelled)), what);
}

void add_agreement(Cells& cells, const Agreement& agreement) {
  cells.push_back(with_commas(agreement.pages));
  cells.push_back(with_commas(agreement.labels));
  cells.push_back(with_commas(agreement.clusters));
  for (const double value : {agreement.purity, agreement.bcubed_precision, agreement.bcubed_recall,
                             agreement.bcubed_f1, agreement.ari, agreement.nmi, agreement.ami,
                             agreement.pair_precision, agreement.pair_recall}) {
    cells.push_back(share_text(agreement.pages > 0 ? std::optional(value) : std::nullopt));
  }
}

const Cells agreement_columns{"labels", "clusters", "purity", "B3-P",   "B3-R",  "B3-F1",
                              "ARI",    "NMI",      "AMI",    "pair-P", "pair-R"};

Cells with_columns(Cells cells, const Cells& columns) {
  cells.insert(cells.end(), columns.begin(), columns.end());
  return cells;
}

void print_agreement(const ClusterEvaluation& evaluation, Output& out) {
  std::vector<Cells> rows{with_columns({"level", "pages", ""}, agreement_columns)};
  for (const LevelEvaluation& level : evaluation.levels) {
    rows.push_back({fmt::format("{}", level.depth), "all"});
    add_agreement(rows.back(), level.all);
    rows.push_back({"", "clustered"});
    add_agreement(rows.back(), level.clustered);
  }
  print_table(out, "Clusters compared with labels; a page that is alone is a cluster of its own",
              rows, 2);
}

void print_topic_levels(const ClusterEvaluation& evaluation, Output& out) {
  std::vector<Cells> rows{
      with_columns({"level", "topics of depth", "topics", "pages"}, agreement_columns)};
  for (const TopicEvaluation& level : evaluation.topics) {
    for (const TopicCutEvaluation& cut : level.cuts) {
      const bool is_first = &cut == &level.cuts.front();
      rows.push_back({is_first ? fmt::format("{}", level.label_depth) : "",
                      cut.depth == 0 ? "as labels" : fmt::format("{}", cut.depth),
                      with_commas(cut.topics)});
      add_agreement(rows.back(), cut.agreement);
    }
  }
  print_table(
      out,
      "Topics compared with labels; 'as labels' is the cut with about as many topics as labels",
      rows, 2);
}

void add_ranking(Cells& cells, const RankingPrecision& ranking) {
  cells.push_back(with_commas(ranking.pages));
  cells.push_back(with_commas(ranking.without));
  for (const PrecisionAt& at : ranking.at) cells.push_back(share_text(at.precision));
}

void print_ranking(const ClusterEvaluation& evaluation, Output& out) {
  std::vector<Cells> rows{{"level", "neighbours", "pages", "without"}};
  for (const PrecisionAt& at : evaluation.levels.front().neighbours.at) {
    rows.front().push_back(fmt::format("P@{}", at.k));
  }
  for (const LevelEvaluation& level : evaluation.levels) {
    rows.push_back({fmt::format("{}", level.depth), "all"});
    add_ranking(rows.back(), level.neighbours);
    rows.push_back({"", "other hosts"});
    add_ranking(rows.back(), level.other_hosts);
  }
  print_table(out, "Related pages that share a label", rows, 2);
}

void print_order(const FamilialOrder& order, Output& out) {
  std::vector<Cells> rows{{"related pages of", "pairs", "gamma"}};
  const auto add = [&](std::string name, const OrderAgreement& agreement) {
    rows.push_back({std::move(name), with_commas(agreement.agree + agreement.disagree),
                    share_text(agreement.gamma)});
  };
  add("different distance", order.all);
  add("the same class, a sibling class", order.sibling);
  add("the same class, a cousin class", order.cousin);
  add("the same class, an unrelated class", order.unrelated);
  print_table(out, "Order of related pages compared with the tree of labels", rows, 1);
}

std::string ranking_text(const RankingPrecision& ranking) {
  std::string text;
  for (const PrecisionAt& at : ranking.at) {
    text += fmt::format("{}P@{} {}", text.empty() ? "" : ", ", at.k, share_text(at.precision));
  }
  return text;
}

Cells pair_cells(std::string name, const PairAgreement& pairs) {
  return {std::move(name),          with_commas(pairs.found),    with_commas(pairs.correct),
          with_commas(pairs.truth), share_text(pairs.precision), share_text(pairs.recall)};
}

}  // namespace

void print_evaluation(const EvaluateOptions& options, const ClusterEvaluation& evaluation,
                      Output& out) {
  print_counts(options, evaluation.labels, "pages", out);
  print_row(out, "alone", alone_text(evaluation.alone, evaluation.labels.labelled, "pages"));
  const LevelEvaluation& whole = evaluation.levels.back();
  print_row(out, "clusters",
            fmt::format("purity {:.3f}, B-cubed F1 {:.3f}, AMI {:.3f}", whole.all.purity,
                        whole.all.bcubed_f1, whole.all.ami));
  if (!evaluation.topics.empty()) {
    const TopicEvaluation& topics = evaluation.topics.back();
    print_row(out, "topics",
              fmt::format("dendrogram purity {}; first level: {}, ARI {:.3f}",
                          share_text(topics.dendrogram_purity),
                          counted(topics.cuts.front().topics, "topic"),
                          topics.cuts.front().agreement.ari));
  }
  if (evaluation.neighbours > 0) {
    print_row(out, "related", ranking_text(whole.neighbours));
  } else {
    print_row(out, "related", "the run keeps none");
  }
  print_agreement(evaluation, out);
  if (!evaluation.topics.empty()) print_topic_levels(evaluation, out);
  if (evaluation.neighbours == 0) return;
  print_ranking(evaluation, out);
  if (evaluation.levels.size() > 1) print_order(evaluation.order, out);
}

void print_evaluation(const EvaluateOptions& options, const DedupEvaluation& evaluation,
                      Output& out) {
  print_counts(options, evaluation.labels, "documents", out);
  print_row(out, "alone", alone_text(evaluation.alone, evaluation.labels.labelled, "documents"));
  print_row(
      out, "groups",
      fmt::format("precision {}, recall {}, ARI {:.3f}", share_text(evaluation.grouped.precision),
                  share_text(evaluation.grouped.recall), evaluation.groups.ari));
  print_table(out, "Pairs of documents compared with pairs that share a label",
              {{"pairs", "found", "correct", "truth", "precision", "recall"},
               pair_cells("verified", evaluation.verified),
               pair_cells("in one group", evaluation.grouped)},
              1);
  std::vector<Cells> rows{with_columns({"documents"}, agreement_columns), {}};
  add_agreement(rows.back(), evaluation.groups);
  print_table(out, "Groups compared with labels; a document in no group is a group of its own",
              rows, 0);
}

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
