#include <fmt/format.h>

#include "cli/help/completion_scripts.h"

namespace kith::cli {
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

}  // namespace kith::cli
