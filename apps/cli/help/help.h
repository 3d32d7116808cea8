// What is said of the commands: help, manual pages, completions, and what is answered to a command
// line that cannot be understood. All of it is made of the one definition of each option.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith::cli {

// What the help of a command says, in parts: manual pages and completions are made of it, so that
// an option is described where it is defined and nowhere else.

// What the value of an option, or an argument, may be completed with.
enum class ValueKind { none, choice, file, folder, other };

// An option, or an argument without a name such as INPUT.
struct OptionText {
  std::string group;                 // the heading above it in the help
  std::vector<std::string> names;    // "-o", "--output"; of an argument "INPUT"
  std::string value;                 // "FILE", "tsv|jsonl"; empty where it takes none
  std::vector<std::string> choices;  // where it is one of few
  std::string preset;                // the default; empty where there is none to show
  std::string description;
  std::vector<std::string> needed;    // the other options that it needs
  std::vector<std::string> excluded;  // and those that it excludes
  bool is_required = false;
  bool is_repeated = false;  // takes several values
  ValueKind kind = ValueKind::none;
};

// Lines that are one paragraph, or are printed as they are.
struct ParagraphText {
  bool is_verbatim = false;
  std::vector<std::string> lines;
};

struct CommandText {
  std::string name;   // "cluster"; of the program "kith"
  std::string group;  // the heading above it in the help of the program
  std::string summary;
  std::vector<OptionText> arguments;
  std::vector<OptionText> options;
  std::vector<OptionText> general;        // those of all commands
  std::vector<ParagraphText> paragraphs;  // what stands below the options
  std::vector<std::string> examples;      // lines
};

CommandText describe(const CLI::App& command);

// What --help and the manual add to a description: "Only with --stream. Not with --why."
std::string relations_of(const OptionText& option);

// The groups of the options of a command, in the order in which its options name them.
std::vector<std::string> groups_of(const CommandText& command);

// All commands in the order of the help.
std::vector<CommandText> describe_commands(const CLI::App& program);

// Text with empty lines between paragraphs; those that are set in by blanks are verbatim.
std::vector<ParagraphText> paragraphs_of(const std::string& text);

// "lines of text" joined by blanks.
std::string joined(const std::vector<std::string>& lines);

// What --help prints: options in groups, on lines of at most 100 columns. A command of many options
// shows the ones that people set on its first screen, and all of them by '--help all'.

// The headings of groups.
namespace group {
inline constexpr const char* reading = "Reading";
inline constexpr const char* rows = "Rows";
inline constexpr const char* words = "Words";
inline constexpr const char* similarity = "Similarity";
inline constexpr const char* time = "Time";
inline constexpr const char* lists = "Lists";
inline constexpr const char* passages = "Passages";
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

// What concerns several commands, told once: 'kith help TOPIC' prints it, and the manual page of
// kith has a section for each.

struct HelpTopic {
  const char* name;
  const char* summary;
  std::string text;  // paragraphs; lines that are set in by two blanks stay as they are
};

const std::vector<HelpTopic>& help_topics();

// Manual pages of kith, in the macros of man(7), made of what --help is made of.

// kith.1: the commands, the options of all of them, and the help topics.
std::string program_manual(const CLI::App& program);

// kith-COMMAND.1.
std::string command_manual(const CLI::App& command);

// Scripts that complete the words of a kith command in a shell, made of what --help is made of.

enum class Shell { bash, zsh, fish };

std::string completions(const CLI::App& program, Shell shell);

// What 'kith help' takes: the commands, and the help topics.
std::vector<std::string> topic_names(const CLI::App& program);

// What a command line that cannot be understood is answered with.

// Makes the parser refuse numbers below 0 where a command, and all of its own, take none: it would
// read them as ones near 2^64.
void refuse_negative_numbers(CLI::App& command);

// What is wrong where a flag stands before a word that looks like its value, and would be taken for
// a file; empty where nothing is.
std::string flag_with_value(const CLI::App& app, const std::vector<std::string>& arguments);

// One line for `error`, which `app` threw for `arguments`: names the command or the option that
// does not exist and the one that was perhaps meant, and the help that lists them.
std::string usage_message(const CLI::App& app, const std::vector<std::string>& arguments,
                          const CLI::ParseError& error);

// The candidate that differs least from `word` by letters that are missing, wrong, added or
// swapped, or that `word` begins; empty where none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// Errors of the library name the fields of its options; those of the program the options of its
// commands, which have the same words.

// From now on with_options() knows the options of the program's commands. Not while another thread
// prints.
void know_options(const CLI::App& program);

// A message of the library with "field = value" and "`field`" as options that are known:
// "max_page = 3: must be" becomes "--max-page 3: must be". All else stays as it is.
std::string with_options(std::string_view message);

}  // namespace kith::cli
