#include "cli/general_flags.h"

#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

#include "cli/commands/command.h"
#include "cli/output/console.h"
#include "cli/output/log_file.h"
#include "cli/output/text_format.h"

namespace kith::cli {
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
