#include "jobs/dedup/json.h"

#include <nlohmann/json.hpp>

#include "run/report_json.h"

namespace kith {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupOptions, inputs, output, base_url, max_page,
                                                status, strict, method, shingles, width, bag,
                                                normalize, numbers, max_documents, boilerplate,
                                                distinct_titles, similarity, recall, lanes,
                                                distance, verify, groups, order, keep, against,
                                                max_comparisons, format, list_pairs, write,
                                                check_queries, seed, memory, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DocumentCounts, documents, empty, cut, text_bytes,
                                                elements, common_shingles, dropped, rescued, links,
                                                linked)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupTables, per_key, tables, recall, collisions,
                                                split, seconds, chosen)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupSuperShingles, minima, groups, least, recall,
                                                false_positives, chosen)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupSamples, min_elements, documents, one_in,
                                                samples, looked_up)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupFingerprints, different, expected_recall,
                                                pairs_by_distance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupPairs, duplicates, collisions, candidates,
                                                similar, below_similarity, other_title,
                                                split_buckets, largest_split, blocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupLargeParts, parts, members, largest, pairs,
                                                max_comparisons, comparisons, candidates, similar,
                                                centers, absorbed, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AgainstRun, path, documents, removed, tables)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AgainstCheck, queries, near, found, recall)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupAgainst, removed, equal, collisions,
                                                candidates, similar, split_buckets, runs, check)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GroupCounts, groups, removed, largest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LargeGroup, documents, kept)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupGroups, groups, removed, largest, weak,
                                                equal_texts, equal_shingles, other_title,
                                                other_titles, components, unverified,
                                                largest_groups)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupCheck, queries, true_pairs, found, recall,
                                                recall_upper, promised, kept_queries, kept_similar)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupCopy, files, bytes_in, bytes_out, removed,
                                                kept_by_damage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupReport, version, options, tokens, threads,
                                                memory, crawl, documents, boilerplate, against,
                                                tables, super_shingles, samples, fingerprints,
                                                pairs, large, groups, check, copy, stages,
                                                peak_memory)

std::string to_json(const DedupReport& report) {
  return run::report_text(report);
}

namespace jobs {

json identity_of(const DedupOptions& options) {
  json identity = options;
  for (const char* const key : {"inputs", "output", "memory", "threads", "check_queries", "format",
                                "list_pairs", "write", "against"}) {
    identity.erase(key);
  }
  return identity;
}

Result<DedupReport> dedup_report_from_json(std::string_view text) {
  static const json shape = [] {
    auto report = run::with_one_item_each<DedupReport>();
    report.options.against = {""};
    report.against.runs = {{}};
    report.boilerplate.most = {{}};
    report.tables = {{}};
    report.super_shingles = {{}};
    report.samples = {{}};
    report.fingerprints.pairs_by_distance = {0};
    report.groups.largest_groups = {{}};
    report.groups.other_titles = {{}};
    return json(report);
  }();
  return run::read_report_text<DedupReport>(text, shape);
}

}  // namespace jobs
}  // namespace kith
