// kith info: what a run read, skipped, chose and measured.
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "summary.h"

namespace kith::cli {

void add_info_command(CLI::App& app, Outcome& outcome) {
  struct Flags {
    std::string directory;
    bool json = false;
    bool verify = false;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      app.add_subcommand("info", "What a run read, skipped, chose and measured");
  command->add_option("DIR", flags->directory, "The run directory")->required();
  command->add_flag("--json", flags->json, "The whole report as JSON");
  command->add_flag("--verify", flags->verify, "Read every file and compare checksums");
  command->footer(R"(
Examples:
  kith info run
  kith info run --json | jq .clusters
  kith info run --verify)");
  command->callback([flags, &outcome] {
    const auto run = Run::open(flags->directory);
    if (!run) return outcome.fail(run.error());
    if (flags->verify) {
      if (const Status status = run->verify(); !status) return outcome.fail(status.error());
      fmt::print(stderr, "kith: all files of {} match their checksums\n", flags->directory);
    }
    if (flags->json) {
      fmt::print("{}\n", to_json(run->report()));
    } else {
      print_info(run->report(), stdout);
    }
  });
}

}  // namespace kith::cli
