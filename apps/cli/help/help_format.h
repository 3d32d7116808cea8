// What --help prints: options in groups, on lines of at most 100 columns. A command of many options
// shows the ones that people set on its first screen, and all of them by '--help all'.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith::cli {

// The headings of groups.
namespace group {
inline constexpr const char* reading = "Reading";
inline constexpr const char* words = "Words";
inline constexpr const char* similarity = "Similarity";
inline constexpr const char* time = "Time";
inline constexpr const char* lists = "Lists";
inline constexpr const char* output = "Output";
inline constexpr const char* resources = "Resources";
}  // namespace group

// Puts the options of `command` that are in no group yet under the heading `name`: called after
// those of a group are defined.
void end_group(CLI::App& command, const char* name);

class HelpFormat : public CLI::Formatter {
 public:
  // From now on all options are shown.
  void show_all() { all_ = true; }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  bool all_ = false;
};

// The options that the first screen of a command shows, as "--bags"; empty: all.
const std::vector<std::string_view>& first_options(std::string_view command);

// Takes the word "all" out of the words of a command line where it follows --help or -h, and says
// whether it did.
bool take_help_all(std::vector<std::string>& arguments);

}  // namespace kith::cli
