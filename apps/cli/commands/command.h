// What every subcommand shares. Each subcommand is one function that adds it to the program: its
// flags are defined there and nowhere else.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "kith/kith.h"
#include "kith/status.h"

#include "cli/commands/arguments.h"
#include "cli/output/output.h"

namespace kith::cli {

// What every subcommand shares. Each subcommand is one file with one function that adds it to
// the program: its flags are defined there and nowhere else.

// Exit codes.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

// What the program gives a subcommand, and the exit code, which its callback sets.
struct Outcome {
  int exit_code = exit_done;
  Arguments arguments;                 // of the command line
  std::shared_ptr<TableFiles> tables;  // what reads and makes tables, if anything does
  // Prints one line on standard error and sets the code: 2 for usage, 1 for the rest.
  void fail(const Error& error);
};

void add_cluster_command(CLI::App& app, Outcome& outcome);
void add_paper_command(CLI::App& app, Outcome& outcome);
void add_dedup_command(CLI::App& app, Outcome& outcome);
void add_contaminated_command(CLI::App& app, Outcome& outcome);
void add_merge_command(CLI::App& app, Outcome& outcome);
void add_crawl_command(CLI::App& app, Outcome& outcome);
void add_doctor_command(CLI::App& app, Outcome& outcome);
void add_clusters_command(CLI::App& app, Outcome& outcome);
void add_pairs_command(CLI::App& app, Outcome& outcome);
void add_bags_command(CLI::App& app, Outcome& outcome);
void add_related_command(CLI::App& app, Outcome& outcome);
void add_topics_command(CLI::App& app, Outcome& outcome);
void add_route_command(CLI::App& app, Outcome& outcome);
void add_classify_command(CLI::App& app, Outcome& outcome);
void add_audit_command(CLI::App& app, Outcome& outcome);
void add_info_command(CLI::App& app, Outcome& outcome);
void add_compare_command(CLI::App& app, Outcome& outcome);
void add_evaluate_command(CLI::App& app, Outcome& outcome);
void add_stream_command(CLI::App& app, Outcome& outcome);
void add_serve_command(CLI::App& app, Outcome& outcome);
void add_report_command(CLI::App& app, Outcome& outcome);
void add_tune_command(CLI::App& app, Outcome& outcome);
void add_help_command(CLI::App& app, Outcome& outcome);
void add_completions_command(CLI::App& app, Outcome& outcome);

// "kith 0.1.0 (commit 0123456789ab, AVX2)"
std::string version_text();

// A flag that takes one of a few names, in either case. It says itself what is wrong with another
// one: CLI11 would print the values behind the names, which are bytes that nobody can read.
// REQUIRES: `value` is one of the choices.
template <class Value>
void add_choice(CLI::App& command, const std::string& flag, Value& value,
                const std::vector<std::pair<std::string, Value>>& choices,
                const std::string& help) {
  std::vector<std::string> names;
  std::string preset;
  for (const auto& [name, choice] : choices) {
    names.push_back(name);
    if (choice == value) preset = name;
  }
  const auto choose = [first_name = flag.substr(0, flag.find(',')), choices, names,
                       &value](const std::string& text) {
    for (const auto& [name, choice] : choices) {
      if (CLI::detail::to_lower(text) != name) continue;
      value = choice;
      return;
    }
    throw CLI::ValidationError(
        first_name, fmt::format("'{}' is not one of {}", printable(text), fmt::join(names, ", ")));
  };
  command.add_option_function<std::string>(flag, choose, help)
      ->type_name(CLI::detail::join(names, "|"))
      ->default_str(preset);
}

// The same for an enum of kith, by kith's own names.
template <class Enum>
void add_choice(CLI::App& command, const std::string& flag, Enum& value,
                std::initializer_list<Enum> choices, const std::string& help) {
  std::vector<std::pair<std::string, Enum>> named;
  for (const Enum choice : choices) named.emplace_back(name(choice), choice);
  add_choice(command, flag, value, named, help);
}

// For a number: an error that names the range where it is not in it. What the parser says by itself
// names neither the option nor that it is a range.
CLI::Validator from_to(double least, double most);

inline constexpr const char* format_help = "How to print; csv-bom is for spreadsheets";
// "--format tsv|csv|csv-bom|jsonl|parquet|arrow".
void add_format_option(CLI::App& command, ListFormat& format, const char* help = format_help);
// The same without parquet and arrow, for rows that are written while they come.
void add_text_format_option(CLI::App& command, ListFormat& format);
// "-o FILE".
void add_output_option(CLI::App& command, std::string& output);
// Both, for commands that print a list.
void add_list_options(CLI::App& command, ListFormat& format, std::string& output);

// The flags that the program and all of its commands have: how much is said, and where else.

// The heading above them in the help.
inline constexpr const char* general_group = "General options";

struct GeneralFlags {
  bool quiet = false;
  bool verbose = false;
  std::string log;
  std::string config;  // read before the command line is: see expand_arguments
};

// Adds --quiet, --verbose, --log and --config to `app`; `flags` outlives the parsing. Python's
// functions have none of them.
void add_general_flags(CLI::App& app, GeneralFlags& flags);

// A command begins that was called by these arguments: says no more and no less than `flags` want.
Status begin_command(const GeneralFlags& flags, const std::vector<std::string>& arguments);

// Says how long the command took and how much memory, if any began, and ends its log. The exit code
// is exit_failed instead of exit_done where the log is not whole.
int end_command(int exit_code);

// Subcommands that read a run and print lists.

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
Status print_of_stream(const Flags& flags, const PrintStream& print_stream,
                       const std::shared_ptr<TableFiles>& tables) {
  KITH_ASSIGN(const Stream stream, Stream::read(flags.directory));
  Output out(tables);
  KITH_TRY(out.open(flags.output));
  KITH_TRY(print_stream(stream, flags, out));
  return out.finish();
}

// The same of a run.
template <class Flags, class Print>
Status print_of_run(const Flags& flags, const Print& print,
                    const std::shared_ptr<TableFiles>& tables) {
  KITH_ASSIGN(const Run run, Run::open(flags.directory));
  Output out(tables);
  KITH_TRY(out.open(flags.output));
  KITH_TRY(print(run, flags, out));
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
      if (const Status status = print_of_stream(*flags, print_stream, outcome.tables); !status) {
        outcome.fail(status.error());
      }
      return;
    }
    if (const Status status = print_of_run(*flags, print, outcome.tables); !status) {
      outcome.fail(status.error());
    }
  });
  return command;
}

}  // namespace kith::cli
