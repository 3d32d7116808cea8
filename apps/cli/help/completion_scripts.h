// The scripts of completions.h, one for each shell.
#pragma once

#include <string>
#include <vector>

#include "cli/help/command_text.h"

namespace kith::cli {

struct ProgramText {
  CommandText program;
  std::vector<CommandText> commands;
};

std::string bash_script(const ProgramText& text);
std::string zsh_script(const ProgramText& text);
std::string fish_script(const ProgramText& text);

// All options of a command: its own, then those of all commands.
std::vector<OptionText> all_options(const CommandText& command);

}  // namespace kith::cli
