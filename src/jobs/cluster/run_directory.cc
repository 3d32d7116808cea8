#include "jobs/cluster/run_directory.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "bags/aliases.h"
#include "bags/shard/file.h"
#include "bags/tables.h"
#include "base/hash.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/pair_stage.h"
#include "run/index_files.h"
#include "run/input_identity.h"
#include "run/json.h"
#include "run/shards.h"
#include "sketch/lsh/tables.h"
#include "topics/topic_file.h"

namespace kith::jobs {
namespace {

using nlohmann::json;

json hash_row(const char* key, const std::string& text) {
  return {{key, fmt::format("{:016x}", hash64(text))}};
}

// Of an earlier run only the bags are read. They are known by their checksums, since they may have
// been made again; in runs of before these were kept, by their content.
Result<json> run_identity(storage::FileSystem& fs, const std::string& input) {
  const auto run = RunDirectory::open(fs, input, "bags");
  const run::Checksums known = run ? run->checksums("bags") : run::Checksums();
  std::string files;
  for (const std::string_view name : run::bag_files) {
    const auto found = known.find(name);
    if (found != known.end()) {
      files += found->second + "\n";
      continue;
    }
    KITH_ASSIGN(const std::string content,
                run::file_fingerprint(fs, fmt::format("{}/{}", input, name)));
    files += content + "\n";
  }
  return hash_row("bags", files);
}

Result<json> shard_identity(storage::FileSystem& fs, const std::string& input) {
  KITH_ASSIGN(const RunDirectory shard, RunDirectory::open_shard(fs, input));
  return run::shard_row(shard.checksums(run::shard_stage));
}

Result<json> inputs_identity(storage::FileSystem& fs, const ClusterOptions& options) {
  json rows = json::array();
  for (const std::string& input : options.inputs) {
    if (RunDirectory::is_run(fs, input)) {
      KITH_ASSIGN(rows.emplace_back(), run_identity(fs, input));
    } else if (RunDirectory::is_shard(fs, input)) {
      KITH_ASSIGN(rows.emplace_back(), shard_identity(fs, input));
    }
  }
  // Runs and crawls are not mixed, which is told later.
  if (!rows.empty()) return rows;
  crawl::Share share;
  if (options.shards > 0) share = {options.shard, options.shards};
  return run::crawl_identity(fs, options, false, share);
}

Result<std::string> identity_text(storage::FileSystem& fs, const ClusterOptions& options,
                                  json inputs) {
  json identity = json::object();
  identity["options"] = run::identity_of(options);
  if (!options.within.empty()) {
    KITH_ASSIGN(identity["options"]["within"], run::file_fingerprint(fs, options.within));
  }
  identity["inputs"] = std::move(inputs);
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

// Whether threshold, engine and tables are such as the plan stage chooses: what comes after it
// takes them from the report.
bool is_plan(const Report& report) {
  const EngineReport& engine = report.engine;
  const bool has_tables = engine.per_key >= 1 && engine.per_key <= sketch::max_per_key &&
                          engine.tables >= 1 && engine.tables <= sketch::tables_limit;
  const bool by_paper = report.options.engine == EngineChoice::paper;
  return engine.engine != EngineChoice::automatic &&
         (engine.engine == EngineChoice::paper) == by_paper &&
         (has_tables || !cluster::needs_signatures(engine.engine, report.options.order)) &&
         report.threshold.similarity >= 0 && report.threshold.similarity <= 1;
}

constexpr run::StageFile files[] = {
    {"bags", run::urls_file, bags::urls_kind},
    {"bags", run::titles_file, bags::titles_kind},
    {"bags", run::terms_file, bags::terms_kind},
    {"bags", run::bags_file, bags::bags_kind},
    {"bags", run::aliases_file, bags::aliases_kind, true},
    {"bags", run::times_file, bags::times_kind, true},
    {"sketch", run::signatures_file, signatures_kind},
    {"pairs", run::neighbours_file, run::neighbours_kind},
    {"pairs", run::other_sites_file, run::neighbours_kind, true},
    {"pairs", run::pairs_file, run::neighbours_kind, true},
    {"smooth", run::smoothed_file, run::neighbours_kind, true},
    {"smooth", run::smoothed_sites_file, run::neighbours_kind, true},
    {"cluster", run::clusters_file, run::clusters_kind},
    {"topics", run::topics_file, topics::topics_kind, true},
    {run::shard_stage, run::shard_file, bags::shard_kind, true},
    {run::shard_stage, run::signature_shard_file, signature_shard_kind, true},
};

}  // namespace

run::StageFiles RunDirectory::stage_files() const {
  return files;
}

Result<RunDirectory> RunDirectory::create(storage::FileSystem& fs, const ClusterOptions& options) {
  KITH_TRY(run::check_output_place(options.output, options.inputs));
  KITH_ASSIGN(json inputs, inputs_identity(fs, options));
  KITH_ASSIGN(const std::string identity, identity_text(fs, options, std::move(inputs)));
  return enter(fs, options, identity);
}

Result<RunDirectory> RunDirectory::create_for_bags(storage::FileSystem& fs,
                                                   const ClusterOptions& options) {
  KITH_ASSIGN(const std::string identity, identity_text(fs, options, options.inputs));
  return enter(fs, options, identity);
}

Result<RunDirectory> RunDirectory::enter(storage::FileSystem& fs, const ClusterOptions& options,
                                         const std::string& identity) {
  RunDirectory run(fs, options.output);
  KITH_TRY(run.JobDirectory::enter(identity));
  run.report_.options = options;
  run.report_.version = version();
  return run;
}

bool RunDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  const RunDirectory run(fs, path);
  return run.has_manifest() && fs.exists(run.file(run::bags_file));
}

Result<RunDirectory> RunDirectory::open(storage::FileSystem& fs, const std::string& path,
                                        std::string_view stage) {
  RunDirectory run(fs, path);
  KITH_TRY(run.read("run directory of kith", "kith cluster INPUT..."));
  if (run.has(run::shard_stage)) return run.is_no_run();
  if (!run.has(stage)) return run.is_unfinished("cluster");
  return run;
}

Result<RunDirectory> RunDirectory::open_shard(storage::FileSystem& fs, const std::string& path) {
  RunDirectory run(fs, path);
  KITH_TRY(run.read("shard", "kith cluster INPUT... --shard I/N"));
  if (run.has(run::shard_stage)) return run;
  if (run.stages().empty()) return run.is_unfinished("cluster");
  return run::is_run_no_shard(path);
}

bool RunDirectory::is_shard(storage::FileSystem& fs, const std::string& path) {
  const RunDirectory run(fs, path);
  return run.has_manifest() && (fs.exists(run.file(run::shard_file)) || run.holds_signatures());
}

bool RunDirectory::holds_signatures() const {
  return file_system().exists(file(run::signature_shard_file));
}

Error RunDirectory::is_no_run() const {
  return run::is_shard_no_run(path(), report_.options.shard, report_.options.shards);
}

bool RunDirectory::read_report(const std::string& json) {
  auto parsed = run::report_from_json(json);
  const bool planned = has("plan") || has("cluster");
  if (!parsed || !validate(parsed->options) || (planned && !is_plan(*parsed)) ||
      has(run::shard_stage) != (parsed->options.shards > 0)) {
    return false;
  }
  report_ = std::move(*parsed);
  return true;
}

std::string RunDirectory::report_json() const {
  return kith::to_json(report_);
}

}  // namespace kith::jobs
