#include "cli/help/help.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands/command.h"

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

namespace {

constexpr size_t max_columns = 100;
constexpr size_t text_column = 30;  // where descriptions begin

// Words in lines of at most `width` columns.
std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

// "  name        text", the text in a column of its own.
std::string entry(const std::string& name, const std::string& text) {
  std::string out = "  " + name;
  if (out.size() + 2 > text_column) {
    out += '\n';
    out.append(text_column, ' ');
  } else {
    out.resize(text_column, ' ');
  }
  std::string between;
  for (const std::string& line : wrapped(text, max_columns - text_column)) {
    out += between + line;
    between = "\n" + std::string(text_column, ' ');
  }
  return out + '\n';
}

// "-o, --output DIR", "INPUT...".
std::string heading_of(const OptionText& option) {
  const bool is_argument = option.names.front().front() != '-';
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (!is_argument && !option.value.empty()) text += " " + option.value;
  if (option.is_repeated) text += "...";
  return text;
}

std::string text_of(const OptionText& option) {
  std::string text = option.description;
  const bool is_argument = option.names.front().front() != '-';
  if (option.is_required && !is_argument) text += " (required)";
  if (!option.preset.empty()) text += fmt::format(" [{}]", option.preset);
  const std::string relations = relations_of(option);
  return relations.empty() ? text
                           : fmt::format("{}.{}", text, relations.substr(0, relations.size() - 1));
}

std::string section(std::string_view title, const std::vector<OptionText>& options) {
  if (options.empty()) return {};
  std::string text = fmt::format("\n{}:\n", title);
  for (const OptionText& option : options) text += entry(heading_of(option), text_of(option));
  return text;
}

std::string usage_line(const CommandText& command) {
  std::string line = "Usage: kith";
  if (command.name != "kith") line += " " + command.name;
  line += " [OPTION]...";
  for (const OptionText& argument : command.arguments) {
    const std::string name = heading_of(argument);
    line += argument.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  for (const OptionText& option : command.options) {
    if (option.is_required) line += fmt::format(" {} {}", option.names.front(), option.value);
  }
  return line;
}

bool is_first(const OptionText& option, const std::vector<std::string_view>& first) {
  return std::ranges::any_of(option.names, [&](const std::string& name) {
    return std::ranges::find(first, name) != first.end();
  });
}

std::string command_help(const CLI::App& app, bool all) {
  const CommandText command = describe(app);
  const auto& first = first_options(command.name);
  const bool is_short = !all && !first.empty();
  std::string text = fmt::format(
      "{}\n\n{}\n", fmt::join(wrapped(command.summary, max_columns), "\n"), usage_line(command));
  text += section("Arguments", command.arguments);
  for (const std::string& group : groups_of(command)) {
    std::vector<OptionText> shown;
    for (const OptionText& option : command.options) {
      if (option.group == group && (!is_short || is_first(option, first))) shown.push_back(option);
    }
    text += section(group, shown);
  }
  if (!is_short) return text + section(general_group, command.general) + app.get_footer() + '\n';
  return text +
         fmt::format("\n'kith {} --help all' shows all {} options.\n", command.name,
                     command.options.size() + command.general.size()) +
         app.get_footer() + '\n';
}

std::string program_help(const CLI::App& app) {
  const CommandText program = describe(app);
  std::string text = program.summary + "\n\nUsage: kith COMMAND [OPTION]... [ARGUMENT]...\n";
  std::string group;
  for (const CommandText& command : describe_commands(app)) {
    if (command.group != group) text += fmt::format("\n{}:\n", command.group);
    group = command.group;
    text += entry(command.name, command.summary);
  }
  return text + section("Options", program.options) + section(general_group, program.general) +
         app.get_footer() + '\n';
}

}  // namespace

void end_group(CLI::App& command, const char* name) {
  for (CLI::Option* const option : command.get_options()) {
    const bool is_free = option->get_group() == "Options" && option != command.get_help_ptr();
    if (option->nonpositional() && is_free) option->group(name);
  }
}

std::string HelpFormat::make_help(const CLI::App* app, std::string /*name*/,
                                  CLI::AppFormatMode /*mode*/) const {
  return app->get_parent() == nullptr ? program_help(*app) : command_help(*app, all_);
}

const std::vector<std::string_view>& first_options(std::string_view command) {
  using Names = std::vector<std::string_view>;
  static const std::map<std::string_view, Names> first = {
      {"cluster",
       {"--output", "--text-field", "--language", "--bags", "--boilerplate", "--similarity",
        "--engine", "--neighbours", "--topics", "--no-check", "--memory", "--threads"}},
      {"paper",
       {"--output", "--language", "--bags", "--links", "--window", "--similarity", "--neighbours",
        "--no-check", "--memory", "--threads"}},
      {"dedup",
       {"--output", "--text-field", "--write", "--against", "--format", "--boilerplate", "--unit",
        "--method", "--similarity", "--keep", "--memory", "--threads"}},
      {"contaminated",
       {"--evals", "--eval-field", "--rule", "--width", "--containment", "--suite", "--write",
        "--output", "--format", "--summary", "--text-field", "--threads"}},
      {"crawl",
       {"--output", "--format", "--base-url", "--text-field", "--status", "--max-page",
        "--language", "--include", "--exclude", "--boilerplate", "--host"}},
      {"route",
       {"--output", "--format", "--base-url", "--text-field", "--status", "--max-page",
        "--language", "--strict", "--threads"}},
      {"doctor",
       {"--sample", "--json", "--base-url", "--text-field", "--status", "--max-page", "--language",
        "--include", "--exclude", "--only", "--exclude-list"}},
      {"stream",
       {"--output", "--format", "--by", "--similarity", "--dictionary", "--forget-after",
        "--half-life", "--width", "--durable", "--memory"}},
      {"tune",
       {"--for", "--similarity", "--recall", "--lanes", "--max-tables", "--distance", "--documents",
        "--svg", "--format", "--memory"}},
      {"compare",
       {"--run", "--width", "--shingles", "--raw", "--input", "--diff", "--html", "--json"}},
  };
  static const Names all;
  const auto found = first.find(command);
  return found == first.end() ? all : found->second;
}

bool take_help_all(std::vector<std::string>& arguments) {
  for (size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] != "--help" && arguments[i] != "-h") continue;
    if (arguments[i + 1] != "all") return false;
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

}  // namespace kith::cli
