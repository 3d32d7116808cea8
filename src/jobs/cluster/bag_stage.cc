#include "jobs/cluster/bag_stage.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bags/tables.h"
#include "base/dates.h"
#include "run/json.h"
#include "text/url/url_rules.h"
#include "text/words/language.h"

namespace kith::jobs {
bags::FragmentOptions fragment_options(const ClusterOptions& options) {
  bags::FragmentOptions fragments;
  fragments.kind = options.bags;
  fragments.links = options.links;
  fragments.count_inlinks = options.order == Order::inlinks;
  fragments.language = text::language_of_tag(options.language);
  fragments.url_rules = text::UrlRules::of_valid(options.url_rules);
  fragments.window = window_of(options);
  fragments.stop_words = options.stop_words;
  fragments.keep_aliases = folds_aliases(options);
  fragments.remove_boilerplate = options.boilerplate == Boilerplate::remove;
  // Copies of a page are known by them.
  fragments.blocks = fragments.remove_boilerplate || options.bags == BagKind::both;
  return fragments;
}

bags::BagBuilderOptions builder_options(const ClusterOptions& options, const Budget& memory,
                                        unsigned workers, uint64_t input_bytes) {
  // A crawl compresses about six to one, and half of that comes back as anchor-windows.
  constexpr uint64_t fragments_per_input_byte = 3;
  bags::BagBuilderOptions builder;
  builder.fragments = fragment_options(options);
  builder.urls = options.urls;
  builder.dictionary = {options.weighting, options.min_df, options.max_df};
  builder.content_share = options.content_share;
  builder.max_terms = max_terms_of(options);
  builder.memory = run::bag_memory(memory);
  builder.expected_bytes = input_bytes * fragments_per_input_byte;
  builder.workers = workers;
  return builder;
}

AliasReport alias_report(const bags::FragmentCounts& met, const AliasReport& folded) {
  AliasReport report = folded;
  report.canonical = met.aliases[static_cast<size_t>(bags::AliasKind::canonical)];
  report.refresh = met.aliases[static_cast<size_t>(bags::AliasKind::refresh)];
  report.redirect = met.aliases[static_cast<size_t>(bags::AliasKind::redirect)];
  return report;
}

Status count_months(storage::FileSystem& fs, RunDirectory& run) {
  if (!fs.exists(run.file(run::times_file))) return Status::ok();
  KITH_ASSIGN(const auto times, bags::TimeTable::open(fs, run.file(run::times_file)));
  MonthCounts months;
  for (const int64_t time : times.times()) months.add(time);
  run.report().crawl.months = months.list();
  return Status::ok();
}

void report_bags(const bags::BagCounts& counts, Report& report) {
  report.text = counts.fragments;
  report.boilerplate = counts.boilerplate;
  report.aliases = alias_report(counts.fragments, counts.aliases);
  report.bags = counts.bags;
}

Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                     const Budget& memory, const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  const auto make = [&](const run::ReadingBudget& budget, const crawl::PageReader& reader) {
    return bags::BagBuilder::create(
        fs, run.scratch(), builder_options(options, memory, budget.workers, reader.bytes_total()));
  };
  const auto add = [](bags::BagBuilder::Worker& worker, const crawl::PageBatch&,
                      const crawl::Page& page, const text::Url& url, const text::HtmlText& text) {
    return worker.add(url, text, page.title, page.time);
  };
  KITH_ASSIGN(auto read, read_into<bags::BagBuilder>(run, {}, pool, memory, progress, make, add));
  KITH_ASSIGN(const bags::BagCounts counts,
              read.builder.finish(pool, run.file(""), [&](double share) {
                if (progress) progress({"bags", share, 1.0, ""});
              }));
  run.report().crawl = run::counts_of(read.reader.report());
  run.report().crawl.lost_revisits = read.lost_revisits;
  report_bags(counts, run.report());
  return count_months(fs, run);
}

namespace {

using nlohmann::json;

// The options that decide what the bags hold.
constexpr const char* bag_options[] = {
    "bags",       "content_share", "urls",         "links",       "window",     "aliases",
    "max_terms",  "weighting",     "min_df",       "max_df",      "max_page",   "status",
    "strict",     "language",      "base_url",     "boilerplate", "stop_words", "include",
    "exclude",    "only",          "exclude_list", "url_rules",   "captures",   "text_field",
    "html_field", "id_field",      "url_field",    "title_field", "time_field",
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
      return Error{ErrorKind::usage,
                   fmt::format("{}: its bags were made with {}; read the crawl again to change it",
                               options.inputs.front(), run::option_text(before, key))};
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
  for (const std::string_view name : {run::aliases_file, run::times_file}) {
    if (!fs.exists(earlier.file(name))) continue;
    KITH_TRY(fs.share(earlier.file(name), run.file(name)));
  }
  return Status::ok();
}

}  // namespace kith::jobs
