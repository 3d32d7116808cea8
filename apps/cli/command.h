// What every subcommand shares. Each subcommand is one file with one function that adds it to
// the program: its flags are defined there and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "kith/kith.h"

namespace kith::cli {

// Exit codes (DESIGN.md section 4).
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

// The exit code of the subcommand that was run; its callback sets it.
struct Outcome {
  int exit_code = exit_done;
  // Prints one line on standard error and sets the code: 2 for usage, 1 for the rest.
  void fail(const Error& error);
};

void add_cluster_command(CLI::App& app, Outcome& outcome);
void add_dedup_command(CLI::App& app, Outcome& outcome);
void add_merge_command(CLI::App& app, Outcome& outcome);
void add_crawl_command(CLI::App& app, Outcome& outcome);
void add_clusters_command(CLI::App& app, Outcome& outcome);
void add_pairs_command(CLI::App& app, Outcome& outcome);
void add_bags_command(CLI::App& app, Outcome& outcome);
void add_related_command(CLI::App& app, Outcome& outcome);
void add_info_command(CLI::App& app, Outcome& outcome);
void add_compare_command(CLI::App& app, Outcome& outcome);
void add_tune_command(CLI::App& app, Outcome& outcome);

// "--format tsv|jsonl" for the reading commands.
enum class Format { tsv, jsonl };
void add_format_option(CLI::App& command, Format& format);

// Turns a flag's text into a value of an enum by kith's own names for them.
template <class Enum>
void add_choice(CLI::App& command, const std::string& flag, Enum& value,
                std::initializer_list<Enum> choices, const std::string& help) {
  std::map<std::string, Enum> names;
  std::string list;
  for (const Enum choice : choices) {
    names.emplace(name(choice), choice);
    list += (list.empty() ? "" : "|") + std::string(name(choice));
  }
  command.add_option(flag, value, help)
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case).description(""))
      ->type_name(list)
      ->default_str(std::string(name(value)));
}

}  // namespace kith::cli
