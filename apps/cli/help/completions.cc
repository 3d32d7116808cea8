// Scripts that complete the words of a command, one for each shell.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/help/help.h"

namespace kith::cli {

// The scripts of completions.h, one for each shell.

struct ProgramText {
  CommandText program;
  std::vector<CommandText> commands;
};

std::string bash_script(const ProgramText& text);
std::string zsh_script(const ProgramText& text);
std::string fish_script(const ProgramText& text);

// All options of a command: its own, then those of all commands.
std::vector<OptionText> all_options(const CommandText& command);

namespace {

// Finds the command: the first word that is neither an option nor the value of one. Bash cuts words
// at "=", so that --log=FILE are three.
constexpr const char* begin = R"(# bash completion for kith, made by 'kith completions bash'
_kith() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --log) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); ((i++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  COMPREPLY=()
  local words= files=
)";

constexpr const char* script_end = R"(  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "-$files" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -F _kith kith
)";

// What is set for a value: -f and -d are compgen's words for files and folders.
std::string bash_action(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::choice:
      return fmt::format("words='{}'", fmt::join(option.choices, " "));
    case ValueKind::file:
      return "files=f";
    case ValueKind::folder:
      return "files=d";
    case ValueKind::none:
    case ValueKind::other:
      break;
  }
  return ":";
}

std::string cases_of_values(const CommandText& command, const std::string& name) {
  std::string text;
  for (const OptionText& option : all_options(command)) {
    if (option.kind == ValueKind::none) continue;
    std::string pattern;
    for (const std::string& spelling : option.names) {
      pattern += fmt::format("{}\"{} {}\"", pattern.empty() ? "" : " | ", name, spelling);
    }
    text += fmt::format("    {}) {} ;;\n", pattern, bash_action(option));
  }
  return text;
}

// Without a value before it: options where the word begins as one, else arguments. Of several
// arguments the first with files or choices stands for all: few commands have two kinds.
std::string case_of_words(const CommandText& command, const std::string& name,
                          const std::string& arguments) {
  std::vector<std::string> options;
  for (const OptionText& option : all_options(command)) {
    options.insert(options.end(), option.names.begin(), option.names.end());
  }
  return fmt::format(
      "    \"{} \"*)\n      if [[ $current == -* ]]; then\n        words='{}'\n"
      "      else\n        {}\n      fi ;;\n",
      name, fmt::join(options, " "), arguments);
}

std::string arguments_of(const CommandText& command) {
  for (const OptionText& argument : command.arguments) {
    if (std::string found = bash_action(argument); found != ":") return found;
  }
  return ":";
}

}  // namespace

std::string bash_script(const ProgramText& text) {
  std::vector<std::string> names;
  for (const CommandText& command : text.commands) names.push_back(command.name);
  std::string script = begin;
  script += "  case \"$command $before\" in\n" + cases_of_values(text.program, "");
  for (const CommandText& command : text.commands) {
    script += cases_of_values(command, command.name);
  }
  script += case_of_words(text.program, "", fmt::format("words='{}'", fmt::join(names, " ")));
  for (const CommandText& command : text.commands) {
    script += case_of_words(command, command.name, arguments_of(command));
  }
  return script + "  esac\n" + script_end;
}

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
