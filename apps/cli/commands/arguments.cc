#include "cli/commands/arguments.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/config_file.h"

namespace kith::cli {
namespace {

// What of a command line counts for what a file may add to it.
struct Given {
  const CLI::App* command = nullptr;
  std::set<const CLI::Option*> options;
  bool has_argument = false;  // such as INPUT
  std::string config;
};

const CLI::Option* option_of_word(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  if (word[1] == '-') return app.get_option_no_throw(word.substr(0, word.find('=')));
  return app.get_option_no_throw(word.substr(0, 2));
}

Given look_at(const CLI::App& app, const std::vector<std::string>& words) {
  Given given;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const CLI::App& at = given.command != nullptr ? *given.command : app;
    if (word.size() > 1 && word[0] == '-') {
      const CLI::Option* const option = option_of_word(at, word);
      if (option == nullptr) continue;
      given.options.insert(option);
      const size_t sign = word.find('=');
      const bool has_value = word[1] == '-' ? sign != std::string::npos : word.size() > 2;
      const bool takes_next = option->get_items_expected_max() > 0 && !has_value;
      if (option->check_name("--config")) {
        if (has_value) given.config = word.substr(sign + 1);
        if (takes_next && i + 1 < words.size()) given.config = words[i + 1];
      }
      i += takes_next ? 1 : 0;
    } else if (given.command == nullptr) {
      const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
      const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
      if (found == commands.end()) return given;
      given.command = *found;
    } else {
      given.has_argument = true;
    }
  }
  return given;
}

Status add_config(const CLI::App& app, Arguments& arguments) {
  const Given given = look_at(app, arguments.words);
  if (given.config.empty() || given.command == nullptr) return Status::ok();
  KITH_ASSIGN(const std::vector<ConfigEntry> entries,
              read_config(given.config, app, *given.command));
  for (const ConfigEntry& entry : entries) {
    if (entry.option->get_positional()) {
      if (given.has_argument) continue;
      arguments.words.insert(arguments.words.end(), entry.values.begin(), entry.values.end());
      continue;
    }
    if (given.options.contains(entry.option)) continue;
    const std::string name = "--" + entry.option->get_lnames().front();
    arguments.places[name] = entry.place;
    for (const std::string& value : entry.values) {
      arguments.words.push_back(entry.is_flag ? name : fmt::format("{}={}", name, value));
    }
  }
  return Status::ok();
}

}  // namespace

Result<std::vector<std::string>> read_argument_file(const std::string& path) {
  std::ifstream file;
  errno = 0;
  if (path != "-") file.open(path);
  std::istream& in = path == "-" ? std::cin : file;
  if (path != "-" && !file.is_open()) {
    return Error{
        ErrorKind::not_found,
        fmt::format("cannot open {}, whose lines @{} stands for: {} (an INPUT of that name "
                    "is ./@{}, a value of an option --OPTION=@{})",
                    path, path, std::strerror(errno), path, path)};
  }
  std::vector<std::string> words;
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (words.empty() && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    while (!line.empty() && std::strchr(" \t\r", line.back()) != nullptr) line.pop_back();
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.empty() || line[0] == '#') continue;
    const size_t blank = line[0] == '-' ? line.find_first_of(" \t") : std::string::npos;
    words.push_back(line.substr(0, blank));
    if (blank == std::string::npos) continue;
    words.push_back(line.substr(line.find_first_not_of(" \t", blank)));
  }
  if (in.bad() || !in.eof()) {
    return Error{ErrorKind::usage, fmt::format("@{}: cannot be read", path)};
  }
  return words;
}

Result<Arguments> expand_arguments(const CLI::App& app, const std::vector<std::string>& words) {
  Arguments arguments;
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '@') {
      arguments.words.push_back(word);
      continue;
    }
    KITH_ASSIGN(const std::vector<std::string> lines, read_argument_file(word.substr(1)));
    arguments.words.insert(arguments.words.end(), lines.begin(), lines.end());
  }
  KITH_TRY(add_config(app, arguments));
  return arguments;
}

std::string with_place(const Arguments& arguments, std::string message) {
  size_t first = std::string::npos;
  std::string place;
  for (const auto& [name, at] : arguments.places) {
    for (size_t begin = message.find(name); begin != std::string::npos;
         begin = message.find(name, begin + 1)) {
      const size_t end = begin + name.size();
      const bool is_longer =
          end < message.size() &&
          (std::isalnum(static_cast<unsigned char>(message[end])) != 0 || message[end] == '-');
      if (is_longer || begin > first) continue;
      first = begin;
      place = fmt::format("{} is set in {}", name, at);
    }
  }
  return place.empty() ? message : fmt::format("{} ({})", message, place);
}

}  // namespace kith::cli
