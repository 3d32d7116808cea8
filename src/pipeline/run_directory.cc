#include "pipeline/run_directory.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "base/hash.h"
#include "lsh/tables.h"
#include "pipeline/input_identity.h"
#include "pipeline/json.h"
#include "pipeline/similarity_plan.h"

namespace kith::pipeline {
namespace {

namespace fs_path = std::filesystem;
using nlohmann::json;

// Of an earlier run only the bags are read. They are known by their checksums, since they may have
// been made again; in runs of before these were kept, by size and time of change.
std::string run_identity(storage::FileSystem& fs, const std::string& input) {
  const auto run = RunDirectory::open(fs, input, "bags");
  const Checksums known = run ? run->checksums("bags") : Checksums();
  std::vector<std::string> files;
  for (const std::string_view name : bag_files) {
    const auto found = known.find(name);
    files.push_back(found != known.end() ? found->second
                                         : file_identity(fs_path::path(input) / name));
  }
  return fmt::format("{}:{:016x}", input, hash64(fmt::format("{}", fmt::join(files, "\n"))));
}

// A shard is known by the checksums of what it holds, wherever it was copied to.
std::string shard_identity(storage::FileSystem& fs, const std::string& input) {
  std::string all;
  if (const auto shard = RunDirectory::open_shard(fs, input)) {
    for (const auto& [name, checksum] : shard->checksums(shard_stage)) all += checksum + "\n";
  }
  return fmt::format("{}:{:016x}", input, hash64(all));
}

json input_identity(storage::FileSystem& fs, const std::string& input) {
  std::error_code ignored;
  if (fs_path::is_directory(input, ignored)) {
    if (RunDirectory::is_run(fs, input)) return run_identity(fs, input);
    if (RunDirectory::is_shard(fs, input)) return shard_identity(fs, input);
  }
  return crawl_identity(input);
}

std::string identity_text(storage::FileSystem& fs, const ClusterOptions& options) {
  json identity;
  identity["options"] = identity_of(options);
  identity["inputs"] = json::array();
  for (const std::string& input : options.inputs) {
    identity["inputs"].push_back(input_identity(fs, input));
  }
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

// Whether floor, engine and tables are such as the plan stage chooses: what comes after it takes
// them from the report.
bool is_plan(const Report& report) {
  const EngineReport& engine = report.engine;
  const bool has_tables = engine.per_key >= 1 && engine.per_key <= lsh::max_per_key &&
                          engine.tables >= 1 && engine.tables <= lsh::most_tables;
  const bool by_paper = report.options.engine == EngineChoice::paper;
  return engine.engine != EngineChoice::automatic &&
         (engine.engine == EngineChoice::paper) == by_paper &&
         (has_tables || !needs_signatures(engine.engine, report.options.order)) &&
         report.floor.similarity >= 0 && report.floor.similarity <= 1;
}

}  // namespace

Result<RunDirectory> RunDirectory::create(storage::FileSystem& fs, const ClusterOptions& options) {
  RunDirectory run(fs, options.output);
  KITH_TRY(run.enter(identity_text(fs, options)));
  run.report_.options = options;
  run.report_.version = version();
  return run;
}

bool RunDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  const RunDirectory run(fs, path);
  return run.has_manifest() && fs.exists(run.file(bags_file));
}

Result<RunDirectory> RunDirectory::open(storage::FileSystem& fs, const std::string& path,
                                        std::string_view stage) {
  RunDirectory run(fs, path);
  if (!run.has_manifest()) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: is no run directory of kith (it has no {}); make one with "
                             "'kith cluster INPUT... -o {}'",
                             path, manifest_file, path)};
  }
  KITH_TRY(run.read());
  if (run.has(shard_stage)) return run.is_no_run();
  if (!run.has(stage)) return run.is_unfinished();
  return run;
}

Result<RunDirectory> RunDirectory::open_shard(storage::FileSystem& fs, const std::string& path) {
  RunDirectory run(fs, path);
  if (!run.has_manifest()) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: is no shard (it has no {}); make one with 'kith cluster INPUT... "
                             "--shard I/N -o {}'",
                             path, manifest_file, path)};
  }
  KITH_TRY(run.read());
  if (run.has(shard_stage)) return run;
  if (run.stages().empty()) return run.is_unfinished();
  return Error{ErrorKind::usage,
               fmt::format("{}: is a run, not a shard: it was made without --shard", path)};
}

bool RunDirectory::is_shard(storage::FileSystem& fs, const std::string& path) {
  const RunDirectory run(fs, path);
  return run.has_manifest() && (fs.exists(run.file(shard_file)) || run.holds_signatures());
}

bool RunDirectory::holds_signatures() const {
  return file_system().exists(file(signature_shard_file));
}

Error RunDirectory::is_no_run() const {
  return {ErrorKind::usage,
          fmt::format("{}: is shard {} of {}, not a run; make a run of all shards with 'kith merge "
                      "DIR... -o RUN'",
                      path(), report_.options.shard, report_.options.shards)};
}

Error RunDirectory::is_unfinished() const {
  return {ErrorKind::not_found,
          fmt::format("{}: the run is not finished; run the same 'kith cluster' command again to "
                      "go on with it",
                      path())};
}

bool RunDirectory::read_report(const std::string& json) {
  auto parsed = report_from_json(json);
  const bool planned = has("plan") || has("cluster");
  if (!parsed || !validate(parsed->options) || (planned && !is_plan(*parsed)) ||
      has(shard_stage) != (parsed->options.shards > 0)) {
    return false;
  }
  report_ = std::move(*parsed);
  return true;
}

std::string RunDirectory::report_json() const {
  return to_json(report_);
}

}  // namespace kith::pipeline
