#include "cli/help/help_format.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/general_flags.h"
#include "cli/help/command_text.h"

namespace kith::cli {
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
       {"--output", "--language", "--bags", "--boilerplate", "--similarity", "--engine",
        "--neighbours", "--topics", "--no-check", "--memory", "--threads"}},
      {"paper",
       {"--output", "--language", "--bags", "--links", "--window", "--similarity", "--neighbours",
        "--no-check", "--memory", "--threads"}},
      {"dedup",
       {"--output", "--write", "--against", "--format", "--boilerplate", "--width", "--method",
        "--similarity", "--keep", "--memory", "--threads"}},
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
