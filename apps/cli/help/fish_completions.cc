#include <fmt/format.h>

#include "cli/help/completion_scripts.h"

namespace kith::cli {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// What follows "complete -c kith -n CONDITION" for a value: -x takes one and no files, -r one and
// files.
std::string value_of(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::choice:
      return fmt::format(" -x -a {}",
                         fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::other:
      return " -x";
    case ValueKind::none:
      break;
  }
  return "";
}

std::string option_lines(const CommandText& command, const std::string& condition) {
  std::string text;
  for (const OptionText& option : all_options(command)) {
    std::string names;
    for (const std::string& name : option.names) {
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    text += fmt::format("complete -c kith -n {}{}{} -d {}\n", condition, names, value_of(option),
                        fish_quoted(option.description));
  }
  return text;
}

std::string argument_lines(const CommandText& command, const std::string& condition) {
  std::string text;
  for (const OptionText& argument : command.arguments) {
    std::string words;
    if (argument.kind == ValueKind::file) words = " -F";
    if (argument.kind == ValueKind::choice) words = " -f" + value_of(argument).substr(3);
    if (argument.kind == ValueKind::folder) words = " -f -a '(__fish_complete_directories)'";
    if (words.empty()) continue;
    text += fmt::format("complete -c kith -n {}{}\n", condition, words);
  }
  return text;
}

}  // namespace

std::string fish_script(const ProgramText& text) {
  std::string script =
      "# fish completion for kith, made by 'kith completions fish'\n"
      "complete -c kith -f\n";
  const std::string no_command = "__fish_use_subcommand";
  script += option_lines(text.program, no_command);
  for (const CommandText& command : text.commands) {
    script += fmt::format("complete -c kith -n {} -a {} -d {}\n", no_command, command.name,
                          fish_quoted(command.summary));
  }
  for (const CommandText& command : text.commands) {
    const std::string condition = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
    script += option_lines(command, condition) + argument_lines(command, condition);
  }
  return script;
}

}  // namespace kith::cli
