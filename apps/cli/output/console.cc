#include "cli/output/console.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "cli/help/field_names.h"
#include "cli/output/log_file.h"

namespace kith::cli {
namespace {

std::atomic<Verbosity> chosen{Verbosity::normal};

// Sequences of ECMA-48 (SGR).
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view bold_red = "\x1b[1;31m";
constexpr std::string_view bold_yellow = "\x1b[1;33m";
constexpr std::string_view plain = "\x1b[0m";

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// https://no-color.org: set, and not empty.
std::string styled(std::FILE* out, std::string_view text, std::string_view style) {
  if (!is_terminal(out) || !variable("NO_COLOR").empty()) return std::string(text);
  return fmt::format("{}{}{}", style, text, plain);
}

// To standard error and to the log.
void tell(std::string_view kind, std::string_view text, std::string_view style, bool is_shown) {
  log_line(kind, text);
  if (!is_shown) return;
  write_bytes(stderr, fmt::format("{} {}\n", styled(stderr, "kith:", style), printable(text)));
}

}  // namespace

void set_verbosity(Verbosity verbosity) {
  chosen = verbosity;
}

Verbosity verbosity() {
  return chosen;
}

bool is_terminal(std::FILE* out) {
  return ::isatty(::fileno(out)) != 0 && variable("TERM") != "dumb";
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is the one that is missing. Where it fails, nothing is lost.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void write_bytes(std::FILE* out, std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size()) return;
  const int cause = errno;
  if (out == stderr) return std::clearerr(stderr);
  throw std::system_error(cause, std::generic_category());
}

void write_text(std::FILE* out, std::string_view text) {
  if (out == stderr) {
    log_line("summary", text);
    if (chosen == Verbosity::quiet) return;
  }
  std::string lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
  write_bytes(out, lines);
}

void write_row(std::FILE* out, std::string_view label, std::string_view text) {
  const std::string padded = fmt::format("{:<12}", label);
  if (out == stderr) {
    log_line("summary", padded + printable(text));
    if (chosen == Verbosity::quiet) return;
  }
  const std::string_view style = label == "warning" ? bold_yellow : bold;
  write_bytes(out, fmt::format("{}{}\n", styled(out, padded, style), printable(text)));
}

void print_error(std::string_view text) {
  tell("error", with_options(text), bold_red, true);
}

void print_message(std::string_view text) {
  tell("note", with_options(text), bold, chosen != Verbosity::quiet);
}

void print_detail(std::string_view text) {
  tell("detail", text, bold, chosen == Verbosity::verbose);
}

}  // namespace kith::cli
