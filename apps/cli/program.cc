#include "cli/program.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/commands/command.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/output.h"

namespace kith::cli {

void Outcome::fail(const Error& error) {
  print_error(with_place(arguments, with_options(error.message)));
  exit_code = error.kind == ErrorKind::usage ? exit_usage : exit_failed;
}

CLI::Validator from_to(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double value = 0;
    // What is no number, or below 0, is told elsewhere.
    const bool is_number = CLI::detail::lexical_cast(text, value) && value >= 0;
    if (!is_number || (value >= least && value <= most)) return {};
    return fmt::format("{}: must be from {:.0f} to {:.0f}", text, least, most);
  };
  return {check, ""};
}

void add_format_option(CLI::App& command, ListFormat& format, const char* help) {
  add_choice(command, "--format", format,
             {ListFormat::tsv, ListFormat::csv, ListFormat::csv_bom, ListFormat::jsonl,
              ListFormat::parquet, ListFormat::arrow},
             help);
}

void add_text_format_option(CLI::App& command, ListFormat& format) {
  add_choice(command, "--format", format,
             {ListFormat::tsv, ListFormat::csv, ListFormat::csv_bom, ListFormat::jsonl},
             format_help);
}

void add_output_option(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "A file for the rows (default: standard output)")
      ->type_name("FILE");
}

void add_list_options(CLI::App& command, ListFormat& format, std::string& output) {
  add_format_option(command, format);
  add_output_option(command, output);
}

std::string version_text() {
  const std::string built_from = commit().empty() ? "" : fmt::format("commit {}, ", commit());
  return fmt::format("kith {} ({}{})", version(), built_from, simd_path());
}

namespace {

constexpr const char* examples = R"(
Examples:
  kith cluster crawl.warc.gz -o run            cluster a crawl: clusters, topics, related pages
  kith cluster crawl/ -o run --bags content    by the words of the pages
  kith crawl crawl.warc.gz | head              what does kith read in a crawl?
  kith clusters run --summary | head           the largest clusters, with labels
  kith topics run                              the tree of its topics
  kith related run https://example.org/ -n 5   what is related to a page?
  kith serve run                               the same by HTTP
  kith compare old.html new.html               how similar are two documents, and where?
  kith info run                                what was read, skipped, chosen and measured

'kith help TOPIC' also explains {}.
Exit codes: 0 done, 1 failed or nothing was read, 2 bad usage.)";

// "inputs, runs and memory".
std::string topics_in_words() {
  std::string text;
  const std::vector<HelpTopic>& topics = help_topics();
  for (const HelpTopic& topic : topics) {
    const char* const between = &topic == &topics.front()  ? ""
                                : &topic == &topics.back() ? " and "
                                                           : ", ";
    text += between + std::string(topic.name);
  }
  return text;
}

// The commands, in the order and under the headings of the help.
struct CommandGroup {
  const char* name;
  std::vector<void (*)(CLI::App&, Outcome&)> commands;
};
const std::vector<CommandGroup> command_groups = {
    {"Jobs on a crawl",
     {add_cluster_command, add_dedup_command, add_contaminated_command, add_stream_command,
      add_merge_command, add_paper_command}},
    {"What a run has found",
     {add_clusters_command, add_topics_command, add_related_command, add_pairs_command,
      add_bags_command, add_audit_command, add_info_command, add_evaluate_command,
      add_report_command, add_serve_command}},
    {"New pages and classes", {add_route_command, add_classify_command}},
    {"Tools",
     {add_doctor_command, add_crawl_command, add_compare_command, add_tune_command,
      add_help_command, add_completions_command}}};

void define_program(CLI::App& app, const std::shared_ptr<HelpFormat>& format, GeneralFlags& general,
                    Outcome& outcome) {
  format->label("UINT", "N");
  format->label("INT", "N");
  format->label("FLOAT", "NUMBER");
  app.formatter(format);
  app.name("kith");
  app.set_help_flag("-h,--help", "Print this help; with the word all after it every option");
  app.set_version_flag("-V,--version", version_text());
  app.require_subcommand(1);
  app.footer(fmt::format(examples, topics_in_words()));
  for (const CommandGroup& group : command_groups) {
    for (const auto add : group.commands) add(app, outcome);
    for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
      if (command->get_group() == "Subcommands") command->group(group.name);
    }
  }
  add_general_flags(app, general);
  for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
    add_general_flags(*command, general);
  }
  refuse_negative_numbers(app);
}

int run(int argc, char** argv, std::shared_ptr<TableFiles> tables) {
  CLI::App app{"kith finds the pages of a web crawl that belong together."};
  Outcome outcome;
  outcome.tables = std::move(tables);
  GeneralFlags general;
  const auto format = std::make_shared<HelpFormat>();
  define_program(app, format, general, outcome);
  know_options(app);
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto expanded = expand_arguments(app, words);
  if (!expanded) {
    outcome.fail(expanded.error());
    return outcome.exit_code;
  }
  outcome.arguments = *expanded;
  std::vector<std::string> arguments = expanded->words;
  if (take_help_all(arguments)) format->show_all();
  if (const std::string wrong = flag_with_value(app, arguments); !wrong.empty()) {
    outcome.fail({ErrorKind::usage, wrong});
    return outcome.exit_code;
  }
  // Before the command itself, which is not called when this throws.
  app.parse_complete_callback([&] {
    const Status status = begin_command(general, words);
    if (status) return;
    outcome.fail(status.error());
    throw CLI::Success();
  });
  try {
    // The parser wants them from the last to the first.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      outcome.fail({ErrorKind::usage, usage_message(app, arguments, error)});
      return outcome.exit_code;
    }
    // Help and version are "errors" of code 0 to the parser.
    std::ostringstream text;
    app.exit(error, text, text);
    write_text(stdout, text.str());
  }
  return outcome.exit_code;
}

// The exit code of lost output, which is told first.
int fail_of_output(int cause) {
  Outcome outcome;
  outcome.fail(output_error(cause));
  return outcome.exit_code;
}

// A help only: kith keeps a bounded number of files open, far fewer than the usual limits.
void raise_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// On any thread, and nothing can be allocated any more. A run survives it like any other end.
[[noreturn]] void end_out_of_memory() {
  constexpr std::string_view message =
      "kith: out of memory; --memory bounds what a command takes, and the same command again "
      "continues after the last finished stage\n";
  // There is no way to tell that this fails, too.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  if (log_descriptor() >= 0) written = ::write(log_descriptor(), message.data(), message.size());
  ::_exit(exit_failed);
}

// SIGBUS: on any thread, and what it was about to read is not there. A run survives it like any
// other end.
[[noreturn]] void end_of_lost_file(int) {
  constexpr std::string_view message =
      "kith: a file that was being read has been cut off, or its disk fails; leave the files of a "
      "run alone while it is read, and run the same command again\n";
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  if (log_descriptor() >= 0) written = ::write(log_descriptor(), message.data(), message.size());
  ::_exit(exit_failed);
}

}  // namespace

int run_program(int argc, char** argv, std::shared_ptr<TableFiles> tables) {
#ifdef __GLIBC__
  // --memory counts what the C library keeps of what was freed: large pieces go back at once. By
  // default it keeps up to 64 MiB, the more the larger they were.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  // Every arena of threads reserves 64 MiB of address space. Where that is limited, little else
  // would be left.
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    mallopt(M_ARENA_MAX, 1);
  }
#endif
  std::set_new_handler(end_out_of_memory);
  raise_open_files();
  // A reader that closes the pipe early (head) ends the program quietly, as with other tools.
  std::signal(SIGPIPE, SIG_DFL);
  // A file that grows beyond what ulimit allows is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, end_of_lost_file);
  occupy_standard_streams();
  try {
    int exit_code = run(argc, argv, std::move(tables));
    // The last bytes leave only here, and a full disk must not end in exit code 0.
    if (exit_code == exit_done && std::fflush(stdout) != 0) exit_code = fail_of_output(errno);
    return end_command(exit_code);
  } catch (const std::system_error& error) {
    // So does write_bytes() tell of a write that failed.
    if (std::ferror(stdout) == 0) throw;
    return end_command(fail_of_output(error.code().value()));
  }
}

namespace {

using Clock = std::chrono::steady_clock;

std::optional<Clock::time_point> begin_of_command;

// The words of a command line; those with blanks in quotes, so that they can be told apart.
std::string command_line(const std::vector<std::string>& arguments) {
  std::string line = "kith";
  for (const std::string& word : arguments) {
    const bool is_plain = !word.empty() && word.find_first_of(" \t\n'\"") == std::string::npos;
    line += is_plain ? " " + word : fmt::format(" '{}'", word);
  }
  return line;
}

// The largest resident set of this process so far, in bytes.
double peak_memory() {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return 0;
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

}  // namespace

void add_general_flags(CLI::App& app, GeneralFlags& flags) {
  app.get_help_ptr()->group(general_group);
  app.add_flag("-q,--quiet", flags.quiet, "Print no progress, notes and summaries: errors only")
      ->group(general_group);
  app.add_flag("-v,--verbose", flags.verbose,
               "Also print every stage with its time, and what the command took")
      ->group(general_group);
  app.add_option("--log", flags.log,
                 "Append what is printed on standard error, and what --verbose would print, to a "
                 "file, with the times")
      ->type_name("FILE")
      ->group(general_group);
  app.add_option("--config", flags.config,
                 "Take options from a file in TOML, a section for each command (see 'kith help "
                 "options')")
      ->type_name("FILE")
      ->group(general_group);
}

Status begin_command(const GeneralFlags& flags, const std::vector<std::string>& arguments) {
  if (flags.quiet && flags.verbose) {
    return Error{ErrorKind::usage, "--quiet and --verbose: leave one of them out"};
  }
  if (!flags.log.empty()) KITH_TRY(open_log(flags.log));
  set_verbosity(flags.quiet     ? Verbosity::quiet
                : flags.verbose ? Verbosity::verbose
                                : Verbosity::normal);
  begin_of_command = Clock::now();
  log_line("begin", printable(fmt::format("{}: {}", version_text(), command_line(arguments))));
  return Status::ok();
}

int end_command(int exit_code) {
  if (!begin_of_command) return exit_code;
  const std::chrono::duration<double> took = Clock::now() - *begin_of_command;
  print_detail(fmt::format("{} in {}, with {} of memory at most",
                           exit_code == exit_done ? "done" : "failed", human_seconds(took.count()),
                           human_memory(peak_memory())));
  log_line("end", fmt::format("exit code {}", exit_code));
  const Status status = log_status();
  if (status || exit_code != exit_done) return exit_code;
  print_error(status.error().message);
  return exit_failed;
}

}  // namespace kith::cli
