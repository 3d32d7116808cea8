#include "pipeline/json.h"

#include <nlohmann/json.hpp>

namespace nlohmann {

template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& out, const std::optional<T>& value) {
    if (value) {
      out = *value;
    } else {
      out = "auto";
    }
  }
  static void from_json(const json& in, std::optional<T>& value) {
    value = in.is_number() ? std::optional<T>(in.get<T>()) : std::nullopt;
  }
};

}  // namespace nlohmann

namespace kith {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(BagKind, {{BagKind::anchor, "anchor"}, {BagKind::content, "content"}})
NLOHMANN_JSON_SERIALIZE_ENUM(LinkScope,
                             {{LinkScope::all, "all"}, {LinkScope::external, "external"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Weighting, {{Weighting::tf_idf, "tf-idf"},
                                         {Weighting::nmdf, "nmdf"},
                                         {Weighting::tf, "tf"}})
NLOHMANN_JSON_SERIALIZE_ENUM(EngineChoice, {{EngineChoice::automatic, "auto"},
                                            {EngineChoice::exact, "exact"},
                                            {EngineChoice::lsh, "lsh"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Order, {{Order::automatic, "auto"},
                                     {Order::degree, "degree"},
                                     {Order::mass, "mass"},
                                     {Order::inlinks, "inlinks"},
                                     {Order::url, "url"},
                                     {Order::random, "random"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Assign, {{Assign::first, "first"}, {Assign::best, "best"}})

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ClusterOptions, inputs, output, base_url, bags,
                                                links, window, weighting, min_df, max_df,
                                                similarity, recall, engine, lanes, max_tables,
                                                order, assign, neighbours, check_queries, max_page,
                                                seed, memory, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SkippedRecord, kind, file, offset, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CrawlCounts, files, bytes_in, bytes_unpacked,
                                                records, pages, page_bytes, cut_pages, short_pages,
                                                skipped, examples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TextCounts, words, links, bad_links, self_links,
                                                windows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BagsCounts, urls, fetched, empty, duplicates,
                                                entries, vocabulary, terms, frequent_terms, rescued,
                                                cut_entries, partitions, fragment_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Quantiles, p10, p25, p50, p75, p90)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FloorReport, similarity, automatic, queries,
                                                nearest, tenth, twentieth, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EngineReport, engine, automatic, exact_seconds,
                                                lsh_seconds, per_key, tables, promised_recall,
                                                reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ClusterCounts, clusters, clustered, singles,
                                                largest, order)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CheckReport, queries, true_pairs, pair_recall,
                                                pair_precision, neighbour_recall,
                                                neighbour_precision)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StageReport, stage, seconds, peak_memory, reused)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Report, version, options, threads, memory, crawl,
                                                text, bags, floor, engine, clusters, check, stages)

// Paths and skip reasons may hold any bytes; JSON may not.
std::string to_json(const Report& report) {
  return json(report).dump(2, ' ', false, json::error_handler_t::replace);
}

namespace pipeline {

json identity_of(const ClusterOptions& options) {
  json identity = options;
  for (const char* const key : {"inputs", "output", "memory", "threads", "check_queries"}) {
    identity.erase(key);
  }
  return identity;
}

Result<Report> report_from_json(std::string_view text) {
  const Error damaged{ErrorKind::corrupt, "is no report of kith"};
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return damaged;
  // The one place where the JSON library can only answer by an exception: a wrong type.
  try {
    return parsed.get<Report>();
  } catch (const json::exception&) {
    return damaged;
  }
}

}  // namespace pipeline
}  // namespace kith
