#include "cli/commands/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/help/help.h"

// In this source alone, without exceptions and without a library.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace kith::cli {
namespace {

class ConfigReader {
 public:
  ConfigReader(std::string path, const CLI::App& app, const CLI::App& command)
      : path_(std::move(path)), app_(app), command_(command) {}

  Result<std::vector<ConfigEntry>> read(const toml::table& file) {
    for (const auto& [key, node] : file) {
      if (const toml::table* const section = node.as_table()) {
        KITH_TRY(read_section(std::string(key.str()), *section));
      } else {
        KITH_TRY(read_common(std::string(key.str()), node));
      }
    }
    // What the section of the command says goes before what is said for all.
    std::ranges::stable_sort(entries_, {}, [](const Entry& entry) { return entry.is_common; });
    std::vector<ConfigEntry> taken;
    for (Entry& entry : entries_) {
      const bool is_set =
          std::ranges::find(taken, entry.entry.option, &ConfigEntry::option) != taken.end();
      if (!is_set) taken.push_back(std::move(entry.entry));
    }
    return taken;
  }

 private:
  struct Entry {
    ConfigEntry entry;
    bool is_common = false;
  };

  std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }
  Error wrong(const toml::node& node, std::string_view what) const {
    return {ErrorKind::usage, fmt::format("{}: {}", place(node), what)};
  }

  static const CLI::Option* option_of(const CLI::App& command, std::string key) {
    if (key == "input") return command.get_option_no_throw("INPUT");
    std::ranges::replace(key, '_', '-');
    const CLI::Option* const option = command.get_option_no_throw("--" + key);
    return key == "help" || key == "config" ? nullptr : option;
  }

  Status read_section(const std::string& name, const toml::table& section) {
    const auto commands = app_.get_subcommands([](const CLI::App*) { return true; });
    const auto command = std::ranges::find(commands, name, &CLI::App::get_name);
    if (command == commands.end()) {
      std::vector<std::string> names;
      names.reserve(commands.size());
      for (const CLI::App* const one : commands) names.push_back(one->get_name());
      return wrong(section, fmt::format("kith has no command {}{}", name, meant(name, names)));
    }
    if (*command != &command_) return Status::ok();
    for (const auto& [key, node] : section) {
      const CLI::Option* const option = option_of(command_, std::string(key.str()));
      if (option == nullptr) {
        std::vector<std::string> names;
        for (const CLI::Option* const one : command_.get_options()) {
          for (const std::string& known : one->get_lnames()) names.push_back(known);
        }
        const std::string word(key.str());
        return wrong(node,
                     fmt::format("kith {} has no option {}{}", name, word, meant(word, names)));
      }
      KITH_TRY(add(std::string(key.str()), *option, node, false));
    }
    return Status::ok();
  }

  Status read_common(const std::string& key, const toml::node& node) {
    if (const CLI::Option* const option = option_of(command_, key))
      return add(key, *option, node, true);
    std::vector<std::string> names;
    for (const CLI::App* const command :
         app_.get_subcommands([](const CLI::App*) { return true; })) {
      if (option_of(*command, key) != nullptr) return Status::ok();
      for (const CLI::Option* const one : command->get_options()) {
        for (const std::string& known : one->get_lnames()) names.push_back(known);
      }
    }
    return wrong(node,
                 fmt::format("no command of kith has an option {}{}", key, meant(key, names)));
  }

  static std::string meant(const std::string& word, const std::vector<std::string>& names) {
    const std::string name = nearest(word, names);
    return name.empty() ? "" : fmt::format("; did you mean {}?", name);
  }

  Status add(const std::string& key, const CLI::Option& option, const toml::node& node,
             bool is_common) {
    Entry entry;
    entry.is_common = is_common;
    entry.entry.option = &option;
    entry.entry.place = place(node);
    entry.entry.is_flag = option.get_items_expected_max() == 0;
    if (entry.entry.is_flag) {
      const auto value = node.value_exact<bool>();
      if (!value) return wrong(node, fmt::format("{} must be true or false", key));
      if (*value) entry.entry.values.emplace_back();
    } else if (const toml::array* const values = node.as_array()) {
      for (const toml::node& value : *values) KITH_TRY(add_value(key, value, entry.entry));
    } else {
      KITH_TRY(add_value(key, node, entry.entry));
    }
    entries_.push_back(std::move(entry));
    return Status::ok();
  }

  Status add_value(const std::string& key, const toml::node& node, ConfigEntry& entry) const {
    if (const auto text = node.value_exact<std::string>()) {
      entry.values.push_back(*text);
    } else if (const auto whole = node.value_exact<int64_t>()) {
      entry.values.push_back(fmt::format("{}", *whole));
    } else if (const auto number = node.value_exact<double>()) {
      entry.values.push_back(fmt::format("{}", *number));
    } else {
      return wrong(node, fmt::format("{} must be a text or a number, or a list of these", key));
    }
    return Status::ok();
  }

  const std::string path_;
  const CLI::App& app_;
  const CLI::App& command_;
  std::vector<Entry> entries_;
};

}  // namespace

Result<std::vector<ConfigEntry>> read_config(const std::string& path, const CLI::App& app,
                                             const CLI::App& command) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return Error{ErrorKind::not_found,
                 fmt::format("--config: cannot open {}: {}", path, std::strerror(errno))};
  }
  const toml::parse_result parsed = toml::parse(std::string_view(text), std::string_view(path));
  if (!parsed) {
    return Error{ErrorKind::usage,
                 fmt::format("{}:{}: {}", path, parsed.error().source().begin.line,
                             parsed.error().description())};
  }
  return ConfigReader(path, app, command).read(parsed.table());
}

}  // namespace kith::cli
