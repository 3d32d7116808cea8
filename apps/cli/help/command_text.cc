#include "cli/help/command_text.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "cli/general_flags.h"

namespace kith::cli {
namespace {

constexpr const char* examples_line = "Examples:";

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.nonpositional()) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
  }
  return {option.get_name(true, false)};
}

// Of "auto|NUMBER" what is in lower case: the others are placeholders.
std::vector<std::string> choices_of(const std::string& value) {
  std::vector<std::string> choices;
  std::istringstream in(value);
  for (std::string word; std::getline(in, word, '|');) {
    if (CLI::detail::to_lower(word) == word) choices.push_back(word);
  }
  return choices;
}

ValueKind kind_of(const OptionText& option) {
  if (!option.choices.empty()) return ValueKind::choice;
  const bool is_argument = option.names.front().front() != '-';
  const std::string& name = is_argument ? option.names.front() : option.value;
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of({"DIR", "RUN"})) return ValueKind::folder;
  if (is_one_of({"FILE", "OUT", "INPUT", "A", "B", "LABELS"})) return ValueKind::file;
  return option.value.empty() ? ValueKind::none : ValueKind::other;
}

// The first name of each, without those that `option` itself has.
std::vector<std::string> first_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const CLI::Option* const option : options) names.push_back(option->get_name());
  std::ranges::sort(names);  // they are ordered by their addresses
  return names;
}

OptionText describe_option(const CLI::App& command, const CLI::Option& option) {
  OptionText text;
  text.group = option.get_group();
  text.names = names_of(option);
  text.description = option.get_description();
  if (option.get_items_expected_max() > 0) {
    text.value = command.get_formatter()->get_label(option.get_type_name());
    text.choices = choices_of(text.value);
    text.preset = option.get_default_str();
    text.is_repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  }
  text.is_required = option.get_required();
  text.needed = first_names(option.get_needs());
  text.excluded = first_names(option.get_excludes());
  text.kind = kind_of(text);
  return text;
}

}  // namespace

std::vector<ParagraphText> paragraphs_of(const std::string& text) {
  std::vector<ParagraphText> paragraphs;
  std::istringstream in(text);
  bool is_open = false;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      is_open = false;
      continue;
    }
    const bool is_verbatim = line.starts_with("  ");
    if (!is_open || paragraphs.back().is_verbatim != is_verbatim) {
      paragraphs.push_back({is_verbatim, {}});
    }
    is_open = true;
    paragraphs.back().lines.push_back(is_verbatim ? line.substr(2) : line);
  }
  return paragraphs;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, " "));
}

CommandText describe(const CLI::App& command) {
  CommandText text;
  text.name = command.get_name();
  text.group = command.get_group();
  text.summary = command.get_description();
  for (const CLI::Option* const option : command.get_options()) {
    OptionText described = describe_option(command, *option);
    if (!option->nonpositional()) {
      text.arguments.push_back(std::move(described));
    } else if (option->get_group() == general_group) {
      text.general.push_back(std::move(described));
    } else {
      text.options.push_back(std::move(described));
    }
  }
  bool is_example = false;
  for (ParagraphText& paragraph : paragraphs_of(command.get_footer())) {
    if (is_example && paragraph.is_verbatim) {
      text.examples = std::move(paragraph.lines);
      is_example = false;
      continue;
    }
    is_example = paragraph.lines.back() == examples_line;
    if (!is_example) text.paragraphs.push_back(std::move(paragraph));
  }
  return text;
}

std::string relations_of(const OptionText& option) {
  std::string text;
  if (!option.needed.empty()) text += fmt::format(" Only with {}.", fmt::join(option.needed, ", "));
  if (!option.excluded.empty()) {
    text += fmt::format(" Not with {}.", fmt::join(option.excluded, ", "));
  }
  return text;
}

std::vector<std::string> groups_of(const CommandText& command) {
  std::vector<std::string> groups;
  for (const OptionText& option : command.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

std::vector<CommandText> describe_commands(const CLI::App& program) {
  std::vector<CommandText> texts;
  for (const CLI::App* const command :
       program.get_subcommands([](const CLI::App*) { return true; })) {
    texts.push_back(describe(*command));
  }
  return texts;
}

}  // namespace kith::cli
