#include "run/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/rows.h"

#include "base/check.h"
#include "base/hash.h"
#include "run/report_json.h"

namespace kith {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    ClusterOptions, inputs, output, captures, shard, shards, base_url, bags, content_share, urls,
    boilerplate, links, window, aliases, max_terms, weighting, min_df, max_df, stop_words,
    similarity, recall, engine, lanes, max_tables, min_words, order, assign, neighbours,
    other_sites, related, topics, within, check_queries, max_page, status, strict, language,
    include, exclude, only, exclude_list, url_rules, text_field, html_field, id_field, url_field,
    title_field, time_field, seed, memory, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TextCounts, words, long_words, links, bad_links,
                                                self_links, windows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FoldedPages, target, pages, of)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AliasReport, canonical, refresh, redirect, folded,
                                                targets, largest, largest_target, large, other_text,
                                                other_page, fetched, circular)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BagsCounts, urls, fetched, empty, duplicates,
                                                entries, vocabulary, terms, frequent_terms, rescued,
                                                cut_entries, left_out, contents, copied, copies,
                                                partitions, fragment_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Quantiles, p10, p25, p50, p75, p90)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ThresholdReport, similarity, automatic, queries,
                                                nearest, tenth, twentieth, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TablesReport, per_key, tables, recall, probes,
                                                candidates, exact_checks, memory, seconds, chosen)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EngineReport, engine, automatic, exact_seconds,
                                                lsh_seconds, per_key, tables, promised_recall,
                                                expected_leaders, reason, considered_threshold,
                                                considered)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PairCounts, skipped, collisions, passed, candidates,
                                                similar, split_buckets, split_members,
                                                largest_split, rare_postings, rare_compared,
                                                rare_found, refined_candidates, refined_compared,
                                                refined_found, blocks, hosts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SmoothReport, entries, listed, others, similarity,
                                                per_key, tables)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ClusterCounts, clusters, clustered, singles,
                                                few_words, largest, order, phases, probes,
                                                candidates, exact_checks, split_buckets,
                                                split_members, largest_split)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TopicLevel, topics, leaves, largest, median,
                                                cohesion)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TopicCounts, topics, pages, edges, communities,
                                                modularity, missing_memory, mutual_memory,
                                                clusters_memory, levels)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WithinReport, rows, skipped_rows, unknown,
                                                unknown_urls, classes, alone, largest, without)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CheckReport, queries, true_pairs, cut_pairs,
                                                pair_recall, pair_precision, neighbour_recall,
                                                neighbour_precision, similar_neighbour_recall,
                                                recall_upper, promised)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Report, version, options, own_bags, threads, memory,
                                                crawl, text, boilerplate, aliases, bags, within,
                                                threshold, engine, pairs, smooth, clusters, topics,
                                                check, stages, steps, peak_memory)

std::string to_json(const Report& report) {
  return run::report_text(report);
}

namespace run {

json identity_of(const ClusterOptions& options) {
  json identity = options;
  identity["window"] = window_of(options);
  identity["aliases"] = folds_aliases(options);
  identity["max_terms"] = max_terms_of(options);
  identity["related"] = related_of(options);
  for (const char* const key :
       {"inputs", "output", "memory", "threads", "check_queries", "within"}) {
    identity.erase(key);
  }
  // A run without topics may get them later.
  if (options.topics == TopicGraph::none) identity["topics"] = TopicGraph::full;
  return identity;
}

ClusterOptions with_values(const ClusterOptions& options, const json& changed) {
  json all = options;
  all.update(changed);
  return all.get<ClusterOptions>();
}

std::string option_text(const json& options, const std::string& key) {
  const auto whole = [&](const char* part) { return options.value(part, 0u); };
  if (key == "shard" || key == "shards") {
    return whole("shards") == 0 ? "no `shard`"
                                : fmt::format("shard = {}/{}", whole("shard"), whole("shards"));
  }
  const json value = options.value(key, json());
  const auto* const text = value.get_ptr<const std::string*>();
  if (text != nullptr ? text->empty() : value.empty()) return fmt::format("no `{}`", key);
  if (key == "against") {
    std::string runs;  // each with its fingerprint behind a colon
    for (const std::string run : value) {
      runs += (runs.empty() ? "against = " : ", against = ") + run.substr(0, run.rfind(':'));
    }
    return runs;
  }
  // A table is known by a fingerprint, which nobody has given.
  if (value.is_structured() || key == "within") return fmt::format("`{}`", key);
  return fmt::format("{} = {}", key, value.is_string() ? value.get<std::string>() : value.dump());
}

std::string option_difference(const json& earlier, const json& now, const std::string& key) {
  const std::string before = option_text(earlier, key);
  const std::string after = option_text(now, key);
  return before == after ? "another " + before : fmt::format("{} instead of {}", before, after);
}

bool fits(const json& value, const json& shape) {
  switch (shape.type()) {
    case json::value_t::null:
      return true;
    case json::value_t::object:
      return value.is_object() && std::ranges::all_of(shape.items(), [&](const auto& part) {
               const auto found = value.find(part.key());
               return found == value.end() || fits(*found, part.value());
             });
    case json::value_t::array:
      if (!value.is_array()) return false;
      for (size_t i = 0; i < value.size(); ++i) {
        if (!fits(value[i], shape[std::min(i, shape.size() - 1)])) return false;
      }
      return true;
    case json::value_t::number_float:
      return value.is_number();
    default:
      return value.type() == shape.type();
  }
}

bool keeps_values(const json& value, const json& again) {
  switch (value.type()) {
    case json::value_t::object:
      return std::ranges::all_of(value.items(), [&](const auto& part) {
        const auto found = again.find(part.key());
        return found == again.end() || keeps_values(part.value(), *found);
      });
    case json::value_t::array:
      for (size_t i = 0; i < value.size(); ++i) {
        if (!again.is_array() || i >= again.size() || !keeps_values(value[i], again[i]))
          return false;
      }
      return true;
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return !again.is_number_integer() || value == again;
    case json::value_t::string:
      return !again.is_string() || value == again;
    default:
      return true;
  }
}

json parse_json(std::string_view text) {
  constexpr int deepest = 16;
  bool too_deep = false;
  const auto look = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > deepest;
    return !too_deep;
  };
  json parsed = json::parse(text, look, false);
  return too_deep ? json(json::value_t::discarded) : parsed;
}

namespace {

constexpr const char* checksum_key = "checksum";

std::string checksum_of(json object) {
  object.erase(checksum_key);
  return fmt::format("{:016x}",
                     hash64(object.dump(-1, ' ', false, json::error_handler_t::replace)));
}

}  // namespace

std::string with_checksum(std::string_view object) {
  json parsed = parse_json(object);
  KITH_CHECK(parsed.is_object());
  parsed[checksum_key] = checksum_of(parsed);
  return escaped_json(parsed.dump(2, ' ', false, json::error_handler_t::replace));
}

bool matches_checksum(std::string_view text) {
  const json parsed = parse_json(text);
  return parsed.is_object() && parsed.value(checksum_key, json()) == json(checksum_of(parsed));
}

std::string plan_text(const Report& report) {
  const json plan{{"threshold", report.threshold}, {"engine", report.engine}};
  return plan.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Report> report_from_json(std::string_view text) {
  static const json shape = [] {
    auto report = with_one_item_each<Report>();
    report.options.stop_words = {{}};
    report.options.include = {{}};
    report.options.exclude = {{}};
    report.boilerplate.most = {{}};
    report.engine.considered = {{}};
    report.within.unknown_urls = {{}};
    report.topics.levels = {{}};
    report.steps = {{}};
    report.aliases.large = {{}};
    json made = report;
    for (const char* const key : {"similarity", "window", "aliases", "max_terms"}) {
      made["options"][key] = nullptr;  // a value, or a word
    }
    return made;
  }();
  return read_report_text<Report>(text, shape);
}

}  // namespace run
}  // namespace kith
