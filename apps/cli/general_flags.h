// The flags that the program and all of its commands have: how much is said, and where else.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/status.h"

namespace kith::cli {

// The heading above them in the help.
inline constexpr const char* general_group = "General options";

struct GeneralFlags {
  bool quiet = false;
  bool verbose = false;
  std::string log;
};

// Adds --quiet, --verbose and --log to `app`; `flags` outlives the parsing. Python's functions have
// none of them.
void add_general_flags(CLI::App& app, GeneralFlags& flags);

// A command begins that was called by these arguments: says no more and no less than `flags` want.
Status begin_command(const GeneralFlags& flags, const std::vector<std::string>& arguments);

// Says how long the command took and how much memory, if any began, and ends its log. The exit code
// is exit_failed instead of exit_done where the log is not whole.
int end_command(int exit_code);

}  // namespace kith::cli
