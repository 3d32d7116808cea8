#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/help/help.h"

namespace kith::cli {
namespace {

// Letters that must be added, removed, replaced or swapped with the next one (the restricted
// Damerau-Levenshtein distance).
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// What has the same meaning as an option that a command does not have, but might be looked for.
struct OtherSpelling {
  std::string_view command;  // empty: any
  std::string_view option;
  std::string_view spelling;
};
constexpr OtherSpelling other_spellings[] = {
    {"cluster", "--preset", "the command 'kith paper'"},
    {"cluster", "--topic-graph", "--topics"},
    {"cluster", "--no-topics", "--topics none"},
    {"cluster", "--similar-only", "--related similar"},
    {"", "--no-aliases", "--aliases keep"},
    {"", "--normalize", "to leave out --raw"},
    {"dedup", "--distinct-titles", "to leave out --no-distinct-titles"},
    {"dedup", "--similarity-of", "--method containment"},
    {"dedup", "--containment", "--method containment"},
    {"", "--unit", "--shingles"},
};

// How `option` of `command` is spelt: where it has another name that, else the nearest one; empty
// where none is near.
std::string spelling_of(std::string_view command, std::string_view option,
                        const std::vector<std::string>& names) {
  for (const OtherSpelling& other : other_spellings) {
    const bool is_of_command = other.command.empty() || other.command == command;
    if (is_of_command && other.option == option) return std::string(other.spelling);
  }
  return nearest(option, names);
}

std::string did_you_mean(std::string_view name) {
  return name.empty() ? "" : fmt::format("; did you mean {}?", name);
}

// All spellings of the options of a command: "--bags", "-o".
std::vector<std::string> names_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// The name in "--name", "--name=value", "-n" or "-nVALUE"; empty where the argument is no option.
std::string option_name(std::string_view argument) {
  if (argument.starts_with("--")) return std::string(argument.substr(0, argument.find('=')));
  const bool is_short = argument.size() > 1 && argument[0] == '-' &&
                        std::isalpha(static_cast<unsigned char>(argument[1])) != 0;
  return is_short ? std::string(argument.substr(0, 2)) : "";
}

// Where the command stands: behind options of the program, and their values.
size_t place_of_command(const std::vector<std::string>& arguments, const CLI::App& app) {
  size_t place = 0;
  while (place < arguments.size()) {
    const std::string name = option_name(arguments[place]);
    const CLI::Option* const option = name.empty() ? nullptr : app.get_option_no_throw(name);
    if (option == nullptr) return place;
    const bool is_value_next = option->get_items_expected_max() > 0 && arguments[place] == name;
    place += is_value_next ? 2 : 1;
  }
  return arguments.size();
}

// The first option behind `place` that the command does not have. "--" ends the options.
std::string unknown_option(const std::vector<std::string>& arguments, size_t place,
                           const CLI::App& command) {
  const std::vector<std::string> names = names_of(command);
  for (size_t i = place + 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string name = option_name(arguments[i]);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) return name;
  }
  return {};
}

// Whether a word is such as follows an option: a number, or a word for yes or no.
bool is_value(const std::string& word) {
  constexpr std::string_view words[] = {"true", "false", "yes", "no", "on", "off"};
  if (std::ranges::find(words, word) != std::end(words)) return true;
  double number = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  return code == std::errc() && end == word.data() + word.size();
}

// The first line of what the parser says.
std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// What is wrong with a value that is not read as the number that an option takes.
std::string_view number_fault(const CLI::Option* option, std::string_view value) {
  const std::string type = option == nullptr ? "" : option->get_type_name();
  const bool is_whole = type == "UINT" || type == "INT" || type == "N";
  const bool has_digits_only = value.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_whole && has_digits_only) return "is too large";
  return is_whole ? "must be a whole number" : "must be a number";
}

// What the parser says, without its own words for what people get wrong most.
std::string parser_message(const CLI::App& command, const CLI::ParseError& error) {
  std::string message(first_line(error.what()));
  constexpr std::string_view conversion = "Could not convert: ";  // --window = -3
  if (message.starts_with(conversion)) {
    message.erase(0, conversion.size());
    const size_t at = message.find(" = ");
    if (at == std::string::npos) return message + ": must be a number";
    const std::string name = message.substr(0, at);
    const std::string value = message.substr(at + 3);
    return fmt::format("{} {}: {}", name, value,
                       number_fault(command.get_option_no_throw(name), value));
  }
  constexpr std::string_view extra = "The following argument";
  if (message.starts_with(extra)) {
    return fmt::format("does not take '{}'", message.substr(message.find(": ") + 2));
  }
  // "--window: -3: must not be below 0", of a check.
  const size_t must = message.find(": must ");
  const size_t name_end = message.find(": ");
  if (must != std::string::npos && name_end < must) message.erase(name_end, 1);
  return message;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t least = std::string::npos;
  for (const std::string& candidate : candidates) {
    constexpr size_t prefix = 3;  // fewer letters begin too much
    const size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
    size_t changes = distance(word.substr(0, 64), candidate);
    if (letters >= prefix && candidate.starts_with(word)) changes = 1;
    if (changes > std::max<size_t>(1, letters / 3) || changes >= least || letters < 2) continue;
    least = changes;
    best = candidate;
  }
  return best;
}

void refuse_negative_numbers(CLI::App& command) {
  const auto check = [](const std::string& text) {
    return text.starts_with('-') ? text + ": must not be below 0" : std::string();
  };
  for (CLI::Option* const option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "UINT" || type == "N") option->check(check);
  }
  for (CLI::App* const own : command.get_subcommands([](CLI::App*) { return true; })) {
    refuse_negative_numbers(*own);
  }
}

std::string flag_with_value(const CLI::App& app, const std::vector<std::string>& arguments) {
  const size_t place = place_of_command(arguments, app);
  if (place == arguments.size()) return {};
  const auto commands = commands_of(app);
  const auto command = std::ranges::find(commands, arguments[place], &CLI::App::get_name);
  if (command == commands.end()) return {};
  for (size_t i = place + 1; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    const CLI::Option* const option = (*command)->get_option_no_throw(arguments[i]);
    if (option == nullptr || option->get_items_expected_max() > 0) continue;
    const std::string& next = arguments[i + 1];
    if (!is_value(next) || ::access(next.c_str(), F_OK) == 0) continue;
    return fmt::format("{}: {} takes no value, such as '{}' (see 'kith {} --help')",
                       arguments[place], arguments[i], next, arguments[place]);
  }
  return {};
}

std::string usage_message(const CLI::App& app, const std::vector<std::string>& arguments,
                          const CLI::ParseError& error) {
  constexpr std::string_view help = "'kith --help' lists the commands";
  const size_t place = place_of_command(arguments, app);
  if (place == arguments.size()) return fmt::format("no command is given; {}", help);
  const std::string& word = arguments[place];
  const auto commands = commands_of(app);
  const auto command = std::ranges::find(commands, word, &CLI::App::get_name);
  if (command == commands.end()) {
    if (const std::string option = option_name(word); !option.empty()) {
      return fmt::format("there is no option {}{} ({})", option,
                         did_you_mean(nearest(option, names_of(app))), help);
    }
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CLI::App* one : commands) names.push_back(one->get_name());
    return fmt::format("there is no command '{}'{} ({})", word, did_you_mean(nearest(word, names)),
                       help);
  }
  const std::string see = fmt::format("see 'kith {} --help'", word);
  // Only where the parser did not find its own fault with a value, which may look like an option.
  const bool is_general = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                          dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (const std::string option = unknown_option(arguments, place, **command);
      is_general && !option.empty()) {
    return fmt::format("{}: there is no option {}{} ({})", word, option,
                       did_you_mean(spelling_of(word, option, names_of(**command))), see);
  }
  return fmt::format("{}: {} ({})", word, parser_message(**command, error), see);
}

namespace {

// Fields whose options have another name, or are flags without a value.
struct OwnName {
  std::string_view field;  // with its value
  std::string_view option;
};
constexpr OwnName own_names[] = {
    {"aliases = false", "--aliases keep"},
    {"aliases = true", "--aliases fold"},
    {"bag = false", "no --bag"},
    {"bag = true", "--bag"},
    {"check_queries = 0", "--no-check"},
    {"distinct_titles = false", "--no-distinct-titles"},
    {"distinct_titles = true", "no --no-distinct-titles"},
    {"engine = paper", "kith paper"},
    {"normalize = false", "--raw"},
    {"normalize = true", "no --raw"},
    {"pairs = false", "no --pairs"},
    {"pairs = true", "--pairs"},
    {"repair = true", "--repair"},
    {"strict = false", "no --strict"},
    {"strict = true", "--strict"},
    {"verify = false", "--no-verify"},
    {"verify = true", "no --no-verify"},
};
constexpr OwnName other_fields[] = {
    {"forget_after_ms", "--forget-after"},
    {"forget_after_pages", "--forget-after"},
    {"half_life_ms", "--half-life"},
    {"labels", "--train"},
    {"max_skew_ms", "--max-skew"},
    {"measure", "--similarity-of"},
    {"normalize", "--raw"},
};

// "--max-page" by "max_page".
std::map<std::string, std::string, std::less<>> known;

std::string option_of(std::string_view field) {
  const auto found = known.find(field);
  return found == known.end() ? std::string() : found->second;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view word_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

// What the first letters of a message are printed as.
struct Piece {
  std::string text;
  size_t length;
};

// is_begin: whether a word may begin here.
Piece first_piece(std::string_view message, bool is_begin) {
  constexpr std::string_view sign = " = ";
  if (message.front() == '`') {
    const std::string_view word = word_at(message, 1);
    const std::string option = option_of(word);
    if (!option.empty() && message.substr(word.size() + 1).starts_with('`')) {
      return {option, word.size() + 2};
    }
  }
  if (!is_begin || !is_word(message.front())) return {std::string(1, message.front()), 1};
  for (const OwnName& own : own_names) {
    if (message.starts_with(own.field)) return {std::string(own.option), own.field.size()};
  }
  const std::string_view word = word_at(message, 0);
  const bool has_value = message.substr(word.size()).starts_with(sign);
  const std::string option = has_value ? option_of(word) : std::string();
  if (option.empty()) return {std::string(word), word.size()};
  return {option + " ", word.size() + sign.size()};
}

}  // namespace

void know_options(const CLI::App& program) {
  for (const CLI::App* const command :
       program.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* const option : command->get_options()) {
      for (std::string field : option->get_lnames()) {
        const std::string name = "--" + field;
        std::ranges::replace(field, '-', '_');
        known.emplace(field, name);
      }
    }
  }
  for (const OwnName& other : other_fields) known.emplace(other.field, other.option);
}

std::string with_options(std::string_view message) {
  if (known.empty()) return std::string(message);
  std::string out;
  while (!message.empty()) {
    const Piece piece = first_piece(message, out.empty() || !is_word(out.back()));
    out += piece.text;
    message.remove_prefix(piece.length);
  }
  return out;
}

}  // namespace kith::cli
