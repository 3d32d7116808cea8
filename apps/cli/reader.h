// Subcommands that read a run and print lists.
#pragma once

#include <memory>

#include "cli/commands/command.h"
#include "cli/output/output.h"

namespace kith::cli {

// What a command says of a stream that it cannot read.
struct NoStream {
  template <class Flags>
  Status operator()(const Stream&, const Flags& flags, Output&) const {
    return Error{
        ErrorKind::usage,
        fmt::format("{} is a stream, not a run: 'kith clusters', 'related' and 'info' read "
                    "it",
                    flags.directory)};
  }
};

// Opens the stream flags.directory, as of its last snapshot, and prints it.
template <class Flags, class PrintStream>
Status print_of_stream(const Flags& flags, const PrintStream& print_stream) {
  KITH_ASSIGN(const Stream stream, Stream::read(flags.directory));
  Output out;
  KITH_TRY(print_stream(stream, flags, out));
  return out.finish();
}

// Adds a subcommand that opens the run flags->directory, and calls print(run, flags, out), or of a
// stream print_stream(stream, flags, out); they return a Status.
template <class Flags, class Print, class PrintStream = NoStream>
CLI::App* add_reader(CLI::App& app, Outcome& outcome, const char* name, const char* help,
                     const std::shared_ptr<Flags>& flags, Print print,
                     PrintStream print_stream = {}) {
  CLI::App* const command = app.add_subcommand(name, help);
  command->add_option("DIR", flags->directory, "The run directory")->required();
  command->callback([flags, &outcome, print, print_stream] {
    if (is_stream(flags->directory)) {
      if (const Status status = print_of_stream(*flags, print_stream); !status) {
        outcome.fail(status.error());
      }
      return;
    }
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
