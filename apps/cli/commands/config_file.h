// The file of --config, in TOML: options of all commands, and a section for each command.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/status.h"

namespace kith::cli {

// An option that the file sets, or INPUT.
struct ConfigEntry {
  const CLI::Option* option = nullptr;  // of the command
  std::vector<std::string> values;      // as the command line has them; of a flag one that is empty
  bool is_flag = false;
  std::string place;  // "kith.toml:3"
};

// What the file says for `command`, one of those of `app`: the keys of its section, and of those
// outside of sections the ones that it has as an option. Keys are names of options, with - or _ in
// them; "input" is the INPUT. Errors, of kind usage or not_found, name the line.
Result<std::vector<ConfigEntry>> read_config(const std::string& path, const CLI::App& app,
                                             const CLI::App& command);

}  // namespace kith::cli
