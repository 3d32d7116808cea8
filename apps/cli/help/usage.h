// What a command line that cannot be understood is answered with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith::cli {

// Makes the parser refuse numbers below 0 where a command, and all of its own, take none: it would
// read them as ones near 2^64.
void refuse_negative_numbers(CLI::App& command);

// What is wrong where a flag stands before a word that looks like its value, and would be taken for
// a file; empty where nothing is.
std::string flag_with_value(const CLI::App& app, const std::vector<std::string>& arguments);

// One line for `error`, which `app` threw for `arguments`: names the command or the option that
// does not exist and the one that was perhaps meant, and the help that lists them.
std::string usage_message(const CLI::App& app, const std::vector<std::string>& arguments,
                          const CLI::ParseError& error);

// The candidate that differs least from `word` by letters that are missing, wrong, added or
// swapped, or that `word` begins; empty where none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kith::cli
