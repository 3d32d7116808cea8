#include "jobs/dedup/directory.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "base/hash.h"
#include "jobs/dedup/common_shingles.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/lists.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/shard.h"
#include "jobs/dedup/shard_captures.h"
#include "jobs/dedup/titles.h"
#include "run/index_files.h"
#include "run/input_identity.h"
#include "run/json.h"
#include "run/report_json.h"
#include "run/shards.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "text/words/tokens.h"

namespace kith {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    DedupOptions, inputs, output, captures, shard, shards, base_url, max_page, status, strict, only,
    include, exclude, exclude_list, url_rules, text_field, html_field, id_field, url_field,
    title_field, time_field, method, shingles, width, bag, normalize, numbers, max_documents,
    boilerplate, distinct_titles, source_field, similarity, recall, lanes, distance, verify, groups,
    order, keep, against, max_comparisons, format, list_pairs, write, annotate, weights, max_loss,
    dry_run, revisit, check_queries, seed, memory, threads)
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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RemovedExample, removed, kept)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupLoss, part, name, documents, removed, groups,
                                                examples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupCopy, files, bytes_in, bytes_out, removed,
                                                replaced, kept_by_damage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DedupReport, version, options, tokens, threads,
                                                memory, crawl, documents, boilerplate, against,
                                                tables, super_shingles, samples, fingerprints,
                                                pairs, large, groups, check, losses, over_max_loss,
                                                copy, stages, peak_memory)

std::string to_json(const DedupReport& report) {
  return run::report_text(report);
}

}  // namespace kith

namespace kith::jobs {
namespace {

constexpr run::StageFile files[] = {
    {documents_stage, documents_file, documents_kind},
    {documents_stage, names_file, names_kind},
    {documents_stage, digests_file, digests_kind, true},
    {documents_stage, sources_file, sources_kind, true},
    {documents_stage, keep_keys_file, keep_keys_kind, true},
    {documents_stage, shingles_file, shingles_kind},
    {documents_stage, sketches_file, run::sketches_kind, true},
    {documents_stage, common_file, common_kind, true},
    {documents_stage, title_words_file, titles_kind},
    {documents_stage, inlinks_file, inlinks_kind, true},
    {against_stage, against_file, against_kind},
    {matches_stage, matches_file, matches_kind},
    {matches_stage, fingerprints_file, similar::fingerprint_groups_kind, true},
    {groups_stage, groups_file, groups_kind},
    {run::shard_stage, documents_file, documents_kind, true},
    {run::shard_stage, names_file, names_kind, true},
    {run::shard_stage, digests_file, digests_kind, true},
    {run::shard_stage, sources_file, sources_kind, true},
    {run::shard_stage, keep_keys_file, keep_keys_kind, true},
    {run::shard_stage, shingles_file, shingles_kind, true},
    {run::shard_stage, sketches_file, run::sketches_kind, true},
    {run::shard_stage, title_words_file, titles_kind, true},
    {run::shard_stage, shard_texts_file, shard_texts_kind, true},
    {run::shard_stage, shard_links_file, shard_links_kind, true},
    {run::shard_stage, shard_captures_file, shard_captures_kind, true},
};

}  // namespace

run::StageFiles dedup_stage_files() {
  return files;
}

namespace {

// The options that decide what the binary files hold; not inputs, output, memory, threads, nor what
// only the lists and the check depend on.
json identity_of(const DedupOptions& options) {
  json identity = options;
  for (const char* const key :
       {"inputs", "output", "memory", "threads", "check_queries", "format", "list_pairs", "write",
        "annotate", "weights", "max_loss", "dry_run", "revisit", "against"}) {
    identity.erase(key);
  }
  return identity;
}

// Reads what to_json(DedupReport) wrote; unknown keys are passed over, missing ones keep defaults.
Result<DedupReport> dedup_report_from_json(std::string_view text) {
  static const json shape = [] {
    auto report = run::with_one_item_each<DedupReport>();
    report.options.against = {""};
    report.options.keep = {""};
    report.options.include = {""};
    report.options.exclude = {""};
    report.against.runs = {{}};
    report.boilerplate.most = {{}};
    report.tables = {{}};
    report.super_shingles = {{}};
    report.samples = {{}};
    report.fingerprints.pairs_by_distance = {0};
    report.groups.largest_groups = {{}};
    report.groups.other_titles = {{}};
    report.losses = {DedupLoss()};
    report.losses.front().groups = {{}};
    report.losses.front().examples = {{}};
    report.over_max_loss = report.losses;
    return json(report);
  }();
  return run::read_report_text<DedupReport>(text, shape);
}

// `against`: identities of the earlier runs. A shard is made without them.
Result<std::string> identity_text(const DedupOptions& options,
                                  const std::vector<std::string>& against, json inputs) {
  json identity = json::object();
  identity["options"] = identity_of(options);
  identity["tokens"] = text::tokens_version;
  identity["options"]["against"] = against;
  identity["inputs"] = std::move(inputs);
  KITH_ASSIGN(const std::string sources, sources_text(options));
  if (!sources.empty()) identity["options"]["sources"] = fmt::format("{:016x}", hash64(sources));
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string dedup_identity(const DedupOptions& options) {
  json identity = identity_of(options);
  identity["against"] = options.against;
  return identity.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<DedupDirectory> DedupDirectory::create(storage::FileSystem& fs, const DedupOptions& options,
                                              const std::vector<std::string>& against) {
  KITH_TRY(run::check_output_place(options.output, options.inputs));
  crawl::Share share;
  if (options.shards > 0) share = {options.shard, options.shards};
  KITH_ASSIGN(json inputs, run::crawl_identity(fs, options, true, share));
  KITH_ASSIGN(const std::string identity, identity_text(options, against, std::move(inputs)));
  return enter(fs, options, identity);
}

Result<DedupDirectory> DedupDirectory::create_merged(storage::FileSystem& fs,
                                                     const DedupOptions& options,
                                                     const std::vector<std::string>& against,
                                                     std::span<const DedupDirectory> shards) {
  json inputs = json::array();
  std::vector<std::string> places;
  for (const DedupDirectory& shard : shards) {
    inputs.push_back(run::shard_row(shard.checksums(run::shard_stage)));
    places.push_back(shard.path());
  }
  KITH_TRY(run::check_output_place(options.output, places));
  KITH_ASSIGN(const std::string identity, identity_text(options, against, std::move(inputs)));
  return enter(fs, options, identity);
}

Result<DedupDirectory> DedupDirectory::enter(storage::FileSystem& fs, const DedupOptions& options,
                                             const std::string& identity) {
  DedupDirectory run(fs, options.output);
  KITH_TRY(run.JobDirectory::enter(identity));
  run.report_.options = options;
  run.report_.version = version();
  run.report_.tokens = text::tokens_version;
  return run;
}

Result<DedupDirectory> DedupDirectory::open(storage::FileSystem& fs, const std::string& path) {
  DedupDirectory run(fs, path);
  KITH_TRY(run.read("run directory of kith", "kith dedup INPUT..."));
  if (run.has(run::shard_stage)) {
    return run::is_shard_no_run(path, run.report_.options.shard, run.report_.options.shards);
  }
  if (!run.has(groups_stage)) return run.is_unfinished("dedup");
  return run;
}

Result<DedupDirectory> DedupDirectory::open_shard(storage::FileSystem& fs,
                                                  const std::string& path) {
  DedupDirectory run(fs, path);
  KITH_TRY(run.read("shard", "kith dedup INPUT... --shard I/N"));
  if (run.has(run::shard_stage)) return run;
  if (run.stages().empty()) return run.is_unfinished("dedup");
  return run::is_run_no_shard(path);
}

bool DedupDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  return DedupDirectory(fs, path).has_own_manifest();
}

Status DedupDirectory::verify() const {
  KITH_TRY(verify_manifest());
  for (const std::string& stage : stages()) KITH_TRY(verify(stage));
  return verify_lists(file_system(), path(), lists());
}

bool DedupDirectory::read_report(const std::string& json) {
  auto parsed = dedup_report_from_json(json);
  if (!parsed || !validate(parsed->options) ||
      has(run::shard_stage) != (parsed->options.shards > 0)) {
    return false;
  }
  report_ = std::move(*parsed);
  return true;
}

std::string DedupDirectory::report_json() const {
  return kith::to_json(report_);
}

Status DedupDirectory::remove_other_temporaries() {
  return remove_list_temporaries(file_system(), path());
}

}  // namespace kith::jobs
