// Errors of the library name the fields of its options; those of the program the options of its
// commands, which have the same words.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace kith::cli {

// From now on with_options() knows the options of the program's commands. Not while another thread
// prints.
void know_options(const CLI::App& program);

// A message of the library with "field = value" and "`field`" as options that are known:
// "max_page = 3: must be" becomes "--max-page 3: must be". All else stays as it is.
std::string with_options(std::string_view message);

}  // namespace kith::cli
