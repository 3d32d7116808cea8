#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kith/version.h"

#include "cli/commands/flags.h"
#include "cli/help/help.h"

namespace kith::cli {
namespace {

constexpr const char* inputs_text = R"(
Of a folder every file is read whose name ends in .warc, .wet, .wat, .arc, .jsonl, .ndjson, .csv or
.tsv, with or without .gz, .zst, .xz, .bz2 or .lz4 after it, or in .wacz, .parquet, .arrow or
.feather, in the order of the paths. A zip file or tar that is named is read as a folder of its
files; FILE/MEMBER names one of them. A URL is no INPUT: download it, or pipe it. Parquet, Arrow and
Feather files are read by the 'kith' of the Python package alone.

A row of JSON lines, CSV or a table is a page. Its text is in the field text, content, raw_content,
html or markdown, the first of them that it has, or in those that --text-field and --html-field
name. Its name is in url or warc_target_uri, else in id or doc_id, or where --url-field and
--id-field say; a row without any is named FILE:ROW.

A record that cannot be read is skipped, counted, and named in the report of the run (kith info);
--strict makes the first of them an error. Of the captures of a URL that can be decoded one is its
page, the first by their dates unless --captures says otherwise.

'kith crawl INPUT' lists the pages as all commands read them.
)";

constexpr const char* filters_text = R"(
--include FIELD:VALUE reads only pages that it matches, --exclude FIELD:VALUE leaves out those that
it matches. Both may be repeated: a page is read if, of every field that --include names, one filter
matches, and if no --exclude does.

  host:example.org         the host is this one
  domain:example.org       the host is this one or below it
  url:REGEX                the URL has a match of this expression (RE2), as in url:/20[0-9]{2}/
  type:text/html           the media type is this one; type:text/* is all of text
  language:de              the language, a tag or an English name; other: none that kith knows
  date:2020..2021-06       the capture is of these years, months or days (UTC), both included
  size:1k..                the text or markup has so many bytes; a range as in 1k..2M or ..2M

Pages are filtered before the first capture of each URL is chosen. What is left out is counted.
)";

constexpr const char* runs_text = R"(
'kith cluster', 'merge' and 'dedup' make a folder, the run: all that they have found, and a report
of what was read, chosen and measured. 'kith info DIR' prints the report, and with --verify compares
the files with their checksums.

A command that was stopped, by Ctrl-C, kill or a failure of the machine, goes on after its last
finished stage when it is called again with the same input and options. A folder that another input
or other options have made is refused, and so is one in which a kith is at work.

The same input and options give the same files, byte for byte, for any --memory and --threads.

A run of 'kith cluster' is also an INPUT: 'kith cluster RUN -o OTHER' clusters its bags with other
options, without reading the crawl again.
)";

constexpr const char* memory_text = R"(
--memory bounds what a command takes, all in all, from its start to its end: for example 500M, 4G or
1.5G, in powers of 1024. The default is three quarters of the memory of the machine, or of the
control group. What does not fit is sorted and joined on the disk, and the results are the same. A
limit that is too small is refused before the work begins, or as soon as that is known; the message
says how much is needed. Of 'kith serve' it bounds what clients and a stream take, not the runs.

--threads is the number of threads; the default is one for each processor. Results do not depend on
it.
)";

constexpr const char* messages_text = R"(
Results are printed on standard output; progress, notes, errors and summaries on standard error. On
a terminal progress is drawn on one line.

--quiet leaves errors only, --verbose adds every stage with its time. Both do the same with every
command. --log FILE appends all that would be printed with --verbose to a file, whatever is printed:
a line each, with the time (UTC) and its kind: begin, note, detail, summary, error, end.

Names and texts of pages are escaped, so that none of them can control a terminal.

Exit codes: 0 done, 1 failed or nothing was read, 2 bad usage.
)";

constexpr const char* options_text = R"(
@FILE stands for the lines of a file, and @- for those of standard input: each is an INPUT, or an
option and its value. Empty lines and those that begin with # are left out.

  find crawl -name '*.warc.gz' | kith cluster @- -o run

--config FILE takes options from a file in TOML. A key is an option without its hyphens in front,
"input" is INPUT; a list is for what may be repeated, true for an option without a value. What
stands before the sections is for every command that has such an option, a section for the command
of its name. What the command line says goes before what the file says.

  memory = "4G"
  include = ["domain:example.org", "language:en"]

  [dedup]
  input = ["a.jsonl", "b.jsonl"]
  similarity = 0.9
)";

constexpr const char* environment_text = R"(
NO_COLOR, if it is set and not empty, turns off colours and bold letters. These are for terminals
only, and for none whose TERM is dumb; on such a terminal no progress is drawn either.

TMPDIR names the folder for temporary files of 'kith pairs' and 'kith crawl --boilerplate'. Without
it they are in the run directory or the current folder, or in /tmp where that cannot be written to.
)";

}  // namespace

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = {
      {"inputs", "What is read, and how", std::string(input_help) + inputs_text},
      {"filters", "Which pages are read: --include and --exclude", filters_text},
      {"runs", "The folders that commands make", runs_text},
      {"memory", "How much memory and how many threads", memory_text},
      {"options", "Options and inputs from files: @FILE and --config", options_text},
      {"messages", "What is printed where, and exit codes", messages_text},
      {"environment", "Variables that kith reads", environment_text},
  };
  return topics;
}

namespace {

// Text that troff prints as it is: a backslash, and a dash that is to be copied as one.
std::string roff_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// A line of text, which must not begin as a request does.
std::string roff_line(std::string_view text) {
  const bool is_request = text.starts_with('.') || text.starts_with('\'');
  return fmt::format("{}{}\n", is_request ? "\\&" : "", roff_text(text));
}

std::string roff_bold(std::string_view text) {
  return fmt::format("\\fB{}\\fR", roff_text(text));
}

std::string roff_italic(std::string_view text) {
  return fmt::format("\\fI{}\\fR", roff_text(text));
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string heading(std::string_view name, std::string_view summary) {
  return fmt::format(
      ".\\\" Made by 'kith help --man'.\n.TH {0} 1 {1} \"kith {2}\" \"User Commands\"\n.SH "
      "NAME\n{3} "
      "\\- {4}\n",
      roff_text(upper(std::string(name))), commit_date(), version(), roff_text(name),
      roff_text(summary));
}

std::string verbatim(const std::vector<std::string>& lines) {
  std::string text = ".nf\n";
  for (const std::string& line : lines) text += roff_line(line);
  return text + ".fi\n";
}

std::string paragraphs(const std::vector<ParagraphText>& all) {
  std::string text;
  for (const ParagraphText& paragraph : all) {
    if (!text.empty()) text += ".PP\n";
    text += paragraph.is_verbatim ? verbatim(paragraph.lines) : roff_line(joined(paragraph.lines));
  }
  return text;
}

std::string option_entry(const OptionText& option) {
  std::string text = ".TP\n";
  for (size_t i = 0; i < option.names.size(); ++i) {
    text += (i == 0 ? "" : ", ") + roff_bold(option.names[i]);
  }
  if (!option.value.empty() && option.names.front().starts_with('-')) {
    text +=
        option.choices.empty() ? " " + roff_italic(option.value) : " " + roff_text(option.value);
  }
  if (option.is_repeated) text += " ...";
  std::string description = option.description;
  if (!description.ends_with('.')) description += '.';
  if (option.is_required) description += " Required.";
  if (!option.preset.empty()) description += fmt::format(" Default: {}.", option.preset);
  return text + "\n" + roff_line(description + relations_of(option));
}

std::string option_section(std::string_view title, const std::vector<OptionText>& options) {
  if (options.empty()) return {};
  std::string text = fmt::format(".SH {}\n", title);
  for (const OptionText& option : options) text += option_entry(option);
  return text;
}

// The options of a command under the headings that --help has.
std::string option_groups(const CommandText& command) {
  const std::vector<std::string> groups = groups_of(command);
  if (groups.size() < 2) return option_section("OPTIONS", command.options);
  std::string text = ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    text += fmt::format(".SS {}\n", group);
    for (const OptionText& option : command.options) {
      if (option.group == group) text += option_entry(option);
    }
  }
  return text;
}

std::string synopsis(const CommandText& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n{}", roff_bold("kith " + command.name));
  if (!command.options.empty()) text += fmt::format(" [{}]", roff_italic("OPTION") + "...");
  for (const OptionText& argument : command.arguments) {
    const std::string name =
        roff_italic(argument.names.front()) + (argument.is_repeated ? "..." : "");
    text += argument.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  return text + "\n";
}

std::string page_name(std::string_view command) {
  return fmt::format("kith-{}", command);
}

std::string command_list(const std::vector<CommandText>& commands) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandText& command : commands) {
    text += fmt::format(".TP\n{}(1)\n{}", roff_bold(page_name(command.name)),
                        roff_line(command.summary + "."));
  }
  return text;
}

}  // namespace

std::string program_manual(const CLI::App& program) {
  const CommandText text = describe(program);
  // "kith finds ... together." as what a page is named for.
  std::string summary = text.summary.substr(text.name.size() + 1);
  summary.pop_back();
  std::string page = heading(text.name, summary);
  page += fmt::format(".SH SYNOPSIS\n{} {} [{}...]\n.br\n{} [{}]\n", roff_bold("kith"),
                      roff_italic("COMMAND"), roff_italic("ARGUMENT"), roff_bold("kith help"),
                      roff_italic("TOPIC"));
  page += command_list(describe_commands(program));
  page += option_section("OPTIONS", text.options);
  page += option_section("OPTIONS OF ALL COMMANDS", text.general);
  for (const HelpTopic& topic : help_topics()) {
    page += fmt::format(".SH {}\n{}", upper(topic.name), paragraphs(paragraphs_of(topic.text)));
  }
  return page + ".SH EXAMPLES\n" + verbatim(text.examples);
}

std::string command_manual(const CLI::App& command) {
  const CommandText text = describe(command);
  std::string page = heading(page_name(text.name), text.summary) + synopsis(text);
  if (!text.paragraphs.empty()) page += ".SH DESCRIPTION\n" + paragraphs(text.paragraphs);
  page += option_section("ARGUMENTS", text.arguments);
  page += option_groups(text);
  page += option_section("GENERAL OPTIONS", text.general);
  if (!text.examples.empty()) page += ".SH EXAMPLES\n" + verbatim(text.examples);
  return page + fmt::format(".SH SEE ALSO\n{}(1)\n", roff_bold("kith"));
}

}  // namespace kith::cli
