#include "cli/help/completions.h"

#include "cli/help/completion_scripts.h"

namespace kith::cli {

std::vector<OptionText> all_options(const CommandText& command) {
  std::vector<OptionText> options = command.options;
  options.insert(options.end(), command.general.begin(), command.general.end());
  return options;
}

std::string completions(const CLI::App& program, Shell shell) {
  ProgramText text{describe(program), describe_commands(program)};
  for (CommandText& command : text.commands) {
    for (OptionText& argument : command.arguments) {
      // To the parser it is any text.
      if (argument.names.front() != "TOPIC") continue;
      argument.choices = topic_names(program);
      argument.kind = ValueKind::choice;
    }
  }
  switch (shell) {
    case Shell::bash:
      return bash_script(text);
    case Shell::zsh:
      return zsh_script(text);
    case Shell::fish:
      break;
  }
  return fish_script(text);
}

}  // namespace kith::cli
