// What a command line takes from files: @FILE and --config.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/status.h"

namespace kith::cli {

struct Arguments {
  std::vector<std::string> words;
  std::map<std::string, std::string> places;  // of the options of --config: "kith.toml:3"
};

// Puts the lines of a file in the place of each word @FILE ("@-": of standard input), and behind
// all words what the file of --config says for the command that they call; an option that the words
// have is not taken from there. `app` has all commands. Errors are of kind usage or not_found.
Result<Arguments> expand_arguments(const CLI::App& app, const std::vector<std::string>& words);

// The message, behind it where the first option that it names was set by --config.
std::string with_place(const Arguments& arguments, std::string message);

// Of expand_arguments: the lines of a file, each an argument, or an option and its value with a
// blank between them. Empty ones, and those that begin with #, are left out.
Result<std::vector<std::string>> read_argument_file(const std::string& path);

}  // namespace kith::cli
