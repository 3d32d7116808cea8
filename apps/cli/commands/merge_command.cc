// kith merge: shards of a crawl, read on several machines, become one run.
#include <cstdio>
#include <memory>

#include "cli/commands/command.h"
#include "cli/job_options.h"
#include "cli/output/progress_bar.h"
#include "cli/output/stop_message.h"
#include "cli/output/summary.h"
#include "cli/read_flags.h"

namespace kith::cli {
namespace {

constexpr const char* merge_examples = R"(
DIR are all shards of one crawl, 1 to N, in any order: what 'kith cluster INPUT... --shard I/N' has
left, with the same inputs and options for every I. The run is the one that the same command
without --shard would make, file by file. Where INPUT is a run, shards hold signatures of its bags:
the merge takes the bags from that run.

Examples:
  kith cluster /data/*.warc.gz --shard 1/2 -o part-1     on one machine
  kith cluster /data/*.warc.gz --shard 2/2 -o part-2     on another one
  kith merge part-1 part-2 -o run)";

struct MergeFlags {
  MergeOptions options;
  std::string memory;
};

void run(const MergeOptions& options, Outcome& outcome) {
  announce_stops();
  ProgressBar bar;
  const auto report = merge(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  print_summary(*report, stderr);
  if (report->bags.urls == 0) outcome.fail(nothing_read(report->crawl));
}

}  // namespace

void define_merge_command(CLI::App& app, std::function<void(const Result<MergeOptions>&)> take) {
  const auto flags = std::make_shared<MergeFlags>();
  CLI::App* const command =
      app.add_subcommand("merge", "From the shards of a crawl to the run on the whole");
  command->footer(merge_examples);
  command->add_option("DIR", flags->options.shards, "The directories of all shards")->required();
  command->add_option("-o,--output", flags->options.output, "The run directory to make")
      ->type_name("DIR")
      ->required();
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([flags, take = std::move(take)] {
    const Status status = read_size_flag("--memory", flags->memory, flags->options.memory);
    take(status ? Result<MergeOptions>(flags->options) : status.error());
  });
}

void add_merge_command(CLI::App& app, Outcome& outcome) {
  define_merge_command(app, [&outcome](const Result<MergeOptions>& options) {
    if (!options) return outcome.fail(options.error());
    run(*options, outcome);
  });
}

}  // namespace kith::cli
