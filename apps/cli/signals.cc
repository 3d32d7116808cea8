#include "cli/signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/output/console.h"

namespace kith::cli {
namespace {

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// What a signal handler can read: the path of the folder, or nothing.
char folder_of_program[PATH_MAX];

// An entry of a folder as getdents64() gives it: man 2 getdents.
struct Entry {
  uint64_t inode;
  int64_t offset;
  uint16_t size;  // of this entry with its name, bytes
  uint8_t type;
  char name[1];  // ends with a zero
};

// readdir() allocates, which a signal handler must not.
void remove_files_in(int folder) {
  alignas(Entry) char entries[4096];
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, entries, sizeof(entries));
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const Entry*>(entries + at);
      ::unlinkat(folder, entry->name, 0);  // fails for "." and "..", as it should
      at += entry->size;
    }
  }
}

// Only calls that are safe in a signal handler (man 7 signal-safety). Other threads may still make
// files: once the folder is gone they cannot.
void remove_folder(const char* path) {
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    remove_files_in(folder);
    ::close(folder);
    if (::rmdir(path) == 0) return;
  }
}

extern "C" void end_by_signal(int signal) {
  if (folder_of_program[0] != 0) remove_folder(folder_of_program);
  // The handler was reset when it was called: this ends the program as if there had been none.
  ::raise(signal);
}

void watch_signals() {
  for (const int signal : ending_signals) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = end_by_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

// A new folder, or errno in `code`.
std::string make_folder(const std::string& prefix, const std::string& place, int& code) {
  std::string path = fmt::format("{}/{}-XXXXXX", place, prefix);
  errno = 0;
  if (path.size() < PATH_MAX && ::mkdtemp(path.data()) != nullptr) return path;
  code = errno != 0 ? errno : ENAMETOOLONG;
  return {};
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create(const std::string& prefix,
                                                const std::string& place) {
  const char* const requested = std::getenv("TMPDIR");
  const std::string first = requested != nullptr && *requested != 0 ? requested : place;
  int code = 0;
  std::string path = make_folder(prefix, first, code);
  if (path.empty() && first == place && (code == EACCES || code == EROFS || code == EPERM)) {
    int ignored = 0;
    path = make_folder(prefix, "/tmp", ignored);
  }
  if (!path.empty()) return TemporaryFolder(std::move(path));
  return Error{ErrorKind::io,
               fmt::format("cannot make a folder for temporary files in {}: {}; set TMPDIR to "
                           "another place",
                           first, std::generic_category().message(code))};
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {
  std::memcpy(folder_of_program, path_.c_str(), path_.size() + 1);
  watch_signals();
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  remove_folder(path_.c_str());
  folder_of_program[0] = 0;
}

namespace {

// What a signal handler can read. The one that is not shown is written, and then they change
// places; a handler that still reads the older one ends the program with an older message.
using Message = std::array<char, 256>;
Message messages[2] = {
    {"kith: stopped; no stage is finished yet, and the same command begins anew\n"}};
std::atomic<size_t> shown{0};

extern "C" void tell_and_end(int signal) {
  const char* const text = messages[shown.load()].data();
  // The line of a progress bar is left standing. Nothing can be done about an error here.
  const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  [[maybe_unused]] ssize_t written = is_terminal ? ::write(STDERR_FILENO, "\n", 1) : 0;
  written = ::write(STDERR_FILENO, text, std::strlen(text));
  if (log_descriptor() >= 0) written = ::write(log_descriptor(), text, std::strlen(text));
  // The handler was reset when it was called: this ends the program as if there had been none.
  ::raise(signal);
}

}  // namespace

void announce_stops() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = tell_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

void set_finished_stage(std::string_view stage) {
  const size_t hidden = 1 - shown.load();
  const std::string text =
      fmt::format("kith: stopped; the same command goes on behind the stage '{}'\n",
                  stage.substr(0, messages[hidden].size() / 2));
  std::memcpy(messages[hidden].data(), text.c_str(), text.size() + 1);
  shown.store(hidden);
}

}  // namespace kith::cli
