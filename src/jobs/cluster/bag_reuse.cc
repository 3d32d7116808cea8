#include "jobs/cluster/bag_reuse.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "run/json.h"

namespace kith::jobs {
namespace {

using nlohmann::json;

// The options that decide what the bags hold.
constexpr const char* bag_options[] = {
    "bags",      "content_share", "urls",     "links",       "window",     "aliases",
    "max_terms", "weighting",     "min_df",   "max_df",      "max_page",   "status",
    "strict",    "language",      "base_url", "boilerplate", "stop_words",
};

// The options of the new run, with those of the earlier one where they are about bags.
Result<ClusterOptions> merged_options(const ClusterOptions& options,
                                      const ClusterOptions& earlier) {
  // What the paper says of bags is about a crawl that is read for it.
  ClusterOptions defaults_of;
  if (options.engine == EngineChoice::paper) paper_preset(defaults_of);
  const json defaults = run::identity_of(defaults_of);
  const json before = run::identity_of(earlier);
  const json requested = run::identity_of(options);
  json taken = json::object();
  for (const char* const key : bag_options) {
    if (requested[key] != defaults[key] && requested[key] != before[key]) {
      return Error{
          ErrorKind::usage,
          fmt::format("{}: its bags were made with {} = {}; read the crawl again to change it",
                      options.inputs.front(), key, before[key].dump())};
    }
    taken[key] = before[key];
  }
  return run::with_values(options, taken);
}

Result<RunDirectory> open_earlier(storage::FileSystem& fs, const Report& report) {
  return RunDirectory::open(fs, report.options.inputs.front(), "bags");
}

}  // namespace

Result<bool> reuses_bags(storage::FileSystem& fs, const ClusterOptions& options) {
  for (const std::string& input : options.inputs) {
    if (!RunDirectory::is_shard(fs, input)) continue;
    KITH_ASSIGN(const RunDirectory shard, RunDirectory::open_shard(fs, input));
    return shard.is_no_run();
  }
  const auto is_run = [&](const std::string& input) { return RunDirectory::is_run(fs, input); };
  const auto run = std::ranges::find_if(options.inputs, is_run);
  if (run == options.inputs.end()) return false;
  if (options.inputs.size() == 1) return true;
  return Error{ErrorKind::usage,
               fmt::format("{}: is a run of kith; it can only be the one input", *run)};
}

Status adopt_bag_options(storage::FileSystem& fs, RunDirectory& run) {
  Report& report = run.report();
  KITH_ASSIGN(const RunDirectory earlier, open_earlier(fs, report));
  const ClusterOptions& made_with = earlier.report().options;
  if (report.options.order == Order::inlinks && made_with.bags == BagKind::content &&
      made_with.order != Order::inlinks) {
    return Error{ErrorKind::usage,
                 fmt::format("--order inlinks: {} did not count them; read the crawl again",
                             earlier.path())};
  }
  KITH_ASSIGN(report.options, merged_options(report.options, made_with));
  return Status::ok();
}

Result<RunDirectory> open_with_report(storage::FileSystem& fs, Report& report) {
  KITH_ASSIGN(RunDirectory earlier, open_earlier(fs, report));
  KITH_TRY(earlier.verify("bags"));
  report.crawl = earlier.report().crawl;
  report.text = earlier.report().text;
  report.boilerplate = earlier.report().boilerplate;
  report.aliases = earlier.report().aliases;
  report.bags = earlier.report().bags;
  return earlier;
}

Status take_bags(storage::FileSystem& fs, RunDirectory& run) {
  KITH_ASSIGN(const RunDirectory earlier, open_with_report(fs, run.report()));
  run.report().own_bags = false;
  for (const std::string_view name : run::bag_files) {
    KITH_TRY(fs.share(earlier.file(name), run.file(name)));
  }
  if (fs.exists(earlier.file(run::aliases_file))) {
    KITH_TRY(fs.share(earlier.file(run::aliases_file), run.file(run::aliases_file)));
  }
  return Status::ok();
}

}  // namespace kith::jobs
