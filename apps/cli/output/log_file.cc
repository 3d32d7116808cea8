#include "cli/output/log_file.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "kith/escape.h"

namespace kith::cli {
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

}  // namespace kith::cli
