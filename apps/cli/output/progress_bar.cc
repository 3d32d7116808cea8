#include "cli/output/progress_bar.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output/console.h"
#include "cli/output/stop_message.h"
#include "cli/output/text_format.h"

namespace kith::cli {
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
