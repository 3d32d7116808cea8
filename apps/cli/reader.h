// Subcommands that read a run and print lists.
#pragma once

#include <memory>

#include "command.h"
#include "output.h"

namespace kith::cli {

// Adds a subcommand that opens the run flags->directory, and calls print(run, flags, out), which
// returns a Status.
template <class Flags, class Print>
CLI::App* add_reader(CLI::App& app, Outcome& outcome, const char* name, const char* help,
                     const std::shared_ptr<Flags>& flags, Print print) {
  CLI::App* const command = app.add_subcommand(name, help);
  command->add_option("DIR", flags->directory, "The run directory")->required();
  command->callback([flags, &outcome, print] {
    const auto run = Run::open(flags->directory);
    if (!run) return outcome.fail(run.error());
    Output out;
    if (const Status status = print(*run, *flags, out); !status)
      return outcome.fail(status.error());
    if (const Status status = out.finish(); !status) return outcome.fail(status.error());
  });
  return command;
}

}  // namespace kith::cli
