#include <fmt/format.h>

#include "cli/help/completion_scripts.h"

namespace kith::cli {
namespace {

// In single quotes, for a description of _arguments or _describe: brackets and colons end parts.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::choice:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::none:
    case ValueKind::other:
      break;
  }
  return " ";
}

// A line for each option; "--output=" takes its value behind the sign or as the next word.
std::string specification(const OptionText& option, const char* indent) {
  const std::string others =
      option.is_repeated ? "*" : fmt::format("({})", fmt::join(option.names, " "));
  std::string text;
  for (const std::string& name : option.names) {
    const bool has_value = option.kind != ValueKind::none;
    const char* const sign = !has_value ? "" : name.starts_with("--") ? "=" : "+";
    text += fmt::format(
        "{}'{}{}{}[{}]{}' \\\n", indent, others, name, sign, zsh_quoted(option.description),
        has_value ? fmt::format(":{}:{}", zsh_quoted(option.value), zsh_action(option)) : "");
  }
  return text;
}

std::string options_of(const CommandText& command, const char* indent) {
  std::string text;
  for (const OptionText& option : all_options(command)) text += specification(option, indent);
  return text;
}

std::string case_of(const CommandText& command) {
  std::string text = fmt::format("    {})\n      _arguments -s \\\n", command.name);
  text += options_of(command, "        ");
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const OptionText& argument = command.arguments[i];
    text += fmt::format("        '{}:{}:{}' \\\n",
                        argument.is_repeated ? "*" : fmt::format("{}", i + 1),
                        zsh_quoted(argument.names.front()), zsh_action(argument));
  }
  return text + "        && return ;;\n";
}

}  // namespace

std::string zsh_script(const ProgramText& text) {
  std::string script =
      "#compdef kith\n# Made by 'kith completions zsh'.\n_kith() {\n"
      "  local curcontext=\"$curcontext\" state line\n"
      "  local -a commands=(\n";
  for (const CommandText& command : text.commands) {
    script += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.summary));
  }
  script += "  )\n  _arguments -C -s \\\n" + options_of(text.program, "    ") +
            "    '1:command:->command' \\\n    '*::argument:->argument' && return\n"
            "  if [[ $state == command ]]; then\n"
            "    _describe -t commands 'kith command' commands\n    return\n  fi\n"
            "  case $words[1] in\n";
  for (const CommandText& command : text.commands) script += case_of(command);
  return script +
         "  esac\n  return 1\n}\n\n"
         "if [[ $funcstack[1] == _kith ]]; then\n  _kith \"$@\"\nelse\n"
         "  compdef _kith kith\nfi\n";
}

}  // namespace kith::cli
