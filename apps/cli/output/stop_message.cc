#include "cli/output/stop_message.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output/log_file.h"

namespace kith::cli {
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
