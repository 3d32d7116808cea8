#include "cli/output/console.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kith/rows.h"

#include "cli/help/help.h"
#include "cli/output/output.h"
#include "cli/signals.h"

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

namespace {

std::atomic<int> descriptor{-1};
std::atomic<int> first_failure{0};  // an errno
std::string log_path;               // set before there is a descriptor

// "2026-11-25T22:45:01Z"
std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace

Status open_log(const std::string& path) {
  constexpr mode_t readable_by_all = 0644;
  const int opened =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, readable_by_all);
  if (opened < 0) {
    return Error{ErrorKind::io,
                 fmt::format("--log {}: cannot be written: {}", path, std::strerror(errno))};
  }
  log_path = path;
  descriptor = opened;
  return Status::ok();
}

void log_line(std::string_view kind, std::string_view text) {
  if (descriptor < 0) return;
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) {
      lines += fmt::format("{} {:<7} {}\n", now_text(), kind, printable(text.substr(0, end)));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // In one call, so that the lines of threads, and of programs with the same log, are not mixed.
  const ssize_t written = lines.empty() ? 0 : ::write(descriptor, lines.data(), lines.size());
  if (written == static_cast<ssize_t>(lines.size())) return;
  int none = 0;
  first_failure.compare_exchange_strong(none, written < 0 ? errno : ENOSPC);
}

Status log_status() {
  if (first_failure == 0) return Status::ok();
  return Error{ErrorKind::io, fmt::format("--log {}: cannot be written: {}", log_path,
                                          std::strerror(first_failure))};
}

int log_descriptor() {
  return descriptor;
}

namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);

size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string rate_text(const Progress& progress, double seconds) {
  if (progress.unit.empty() || seconds <= 0) return {};
  const double rate = progress.done / seconds;
  if (progress.unit == "bytes") return fmt::format("  {}/s", human_bytes(rate));
  return fmt::format("  {} {}/s", with_commas(static_cast<uint64_t>(rate)), progress.unit);
}

}  // namespace

std::string progress_line(const Progress& progress, double seconds, size_t width) {
  std::string line = fmt::format("{:<8}", progress.stage);
  if (progress.total > 0) {
    const double share = std::clamp(progress.done / progress.total, 0.0, 1.0);
    constexpr size_t bar_width = 24;
    const auto full = static_cast<size_t>(share * bar_width);
    line += fmt::format(" [{}{}] {:5.1f} %", std::string(full, '#'),
                        std::string(bar_width - full, '.'), 100 * share);
    line += rate_text(progress, seconds);
    if (share > 0.01 && seconds > 1) {
      line += fmt::format("  {} left", human_seconds(seconds / share - seconds));
    }
  } else {
    line += fmt::format(" {} {}", with_commas(static_cast<uint64_t>(progress.done)), progress.unit);
    line += rate_text(progress, seconds);
  }
  return line.substr(0, width);
}

ProgressBar::ProgressBar() : terminal_(is_terminal(stderr) && verbosity() != Verbosity::quiet) {}
ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::finish(std::string_view stage) {
  set_finished_stage(stage);
  const auto now = Clock::now();
  const std::chrono::duration<double> took = now - last_finish_;
  last_finish_ = now;
  clear();
  print_detail(fmt::format("stage '{}' is finished after {}", stage, human_seconds(took.count())));
}

void ProgressBar::show(const Progress& progress) {
  if (!progress.finished.empty()) return finish(progress.finished);
  if (!progress.note.empty()) {
    clear();
    print_message(progress.note);
    return;
  }
  if (!terminal_) return;
  const auto now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_start_ = now;
  } else if (now - last_draw_ < redraw_interval) {
    return;
  }
  last_draw_ = now;
  const std::chrono::duration<double> in_stage = now - stage_start_;
  write_bytes(stderr, "\r\x1b[K" + printable(progress_line(progress, in_stage.count(),
                                                           terminal_width() - 1)));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  write_bytes(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace kith::cli
