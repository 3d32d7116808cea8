// What the help of a command says, in parts: manual pages and completions are made of it, so that
// an option is described where it is defined and nowhere else.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith::cli {

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

}  // namespace kith::cli
