// kith info: what a run read, skipped, chose and measured.
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/output/console.h"
#include "cli/output/dedup_summary.h"
#include "cli/output/stream_lists.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

struct InfoFlags {
  std::string directory;
  bool json = false;
  bool verify = false;
  bool memory = false;
};

// `verify` reads all files of the run, `print` is for people; both give a Status.
template <class AnyReport, class Verify, class Print>
void show(const InfoFlags& flags, const AnyReport& report, const Verify& verify, const Print& print,
          Outcome& outcome) {
  if (flags.verify) {
    if (const Status status = verify(); !status) return outcome.fail(status.error());
    print_message(fmt::format("all files of {} match their checksums", flags.directory));
  }
  if (flags.json) {
    write_bytes(stdout, to_json(report) + "\n");
  } else if (flags.memory) {
    print_memory(report, stdout);
  } else if (const Status status = print(); !status) {
    outcome.fail(status.error());
  }
}

void show_dedup(const InfoFlags& flags, Outcome& outcome) {
  const auto report = read_dedup_report(flags.directory);
  if (!report) return outcome.fail(report.error());
  const auto print = [&] {
    print_dedup_info(*report, stdout);
    return Status::ok();
  };
  show(
      flags, *report, [&] { return verify_dedup_run(flags.directory); }, print, outcome);
}

// To open it is to verify it.
void show_stream(const InfoFlags& flags, Outcome& outcome) {
  if (flags.memory) {
    return outcome.fail({ErrorKind::usage,
                         "--memory: is about the stages of a run, and a stream "
                         "has none; leave it out"});
  }
  const auto stream = Stream::read(flags.directory);
  if (!stream) return outcome.fail(stream.error());
  if (flags.verify) {
    print_message(fmt::format("the snapshot of {} matches its checksums", flags.directory));
  }
  print_stream_info(*stream, flags.json);
}

void show_run(const InfoFlags& flags, Outcome& outcome) {
  const auto run = Run::open(flags.directory);
  if (!run) return outcome.fail(run.error());
  const auto print = [&] {
    print_info(run->report(), stdout);
    return print_largest(*run, stdout);
  };
  show(
      flags, run->report(), [&] { return run->verify(); }, print, outcome);
}

}  // namespace

void add_info_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<InfoFlags>();
  CLI::App* const command =
      app.add_subcommand("info", "What a run read, skipped, chose and measured");
  command->add_option("DIR", flags->directory, "The run directory")->required();
  CLI::Option* const json = command->add_flag("--json", flags->json, "The whole report as JSON");
  command->add_flag("--verify", flags->verify, "Read every file and compare checksums");
  command
      ->add_flag("--memory", flags->memory,
                 "Only what every stage was given of --memory, by shares")
      ->excludes(json);
  command->footer(R"(
Examples:
  kith info run
  kith info run --json | jq .clusters
  kith info run --verify
  kith info run --memory)");
  command->callback([flags, &outcome] {
    if (is_stream(flags->directory)) return show_stream(*flags, outcome);
    if (is_dedup_run(flags->directory)) return show_dedup(*flags, outcome);
    show_run(*flags, outcome);
  });
}

}  // namespace kith::cli
