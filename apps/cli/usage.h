// What a command line that cannot be understood is answered with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith::cli {

// One line for `error`, which `app` threw for `arguments`: names the command or the option that
// does not exist and the one that was perhaps meant, and the help that lists them.
std::string usage_message(const CLI::App& app, const std::vector<std::string>& arguments,
                          const CLI::ParseError& error);

// The candidate that differs least from `word` by letters that are missing, wrong, added or
// swapped, or that `word` begins; empty where none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kith::cli
