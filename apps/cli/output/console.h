// Text for people, on standard output or standard error, in a log and as progress: the only way to
// either of them, except rows (output.h).
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kith/progress.h"
#include "kith/rows.h"
#include "kith/status.h"

namespace kith::cli {

// What is said on standard error is also in the log, if there is one.

enum class Verbosity {
  quiet,    // on standard error errors only
  normal,   // also notes, progress and summaries
  verbose,  // also every stage with its time, and what the command took
};

// Of all that follows; normal before. Not while another thread prints.
void set_verbosity(Verbosity verbosity);
Verbosity verbosity();

// Whether lines can be redrawn: a terminal that is not dumb (TERM).
bool is_terminal(std::FILE* out);

// Opens /dev/null for each of the three standard streams that is closed, the wrong way round so
// that using it stays an error: a file of a run must not become one of them.
void occupy_standard_streams();

// Writes the bytes as they are. What standard error cannot take is lost, since there is nobody to
// tell; a failure of any other stream throws std::system_error.
void write_bytes(std::FILE* out, std::string_view bytes);

// Lines of ours around foreign text: line ends stay, all else is made printable().
void write_text(std::FILE* out, std::string_view text);

template <class... Args>
void print_to(std::FILE* out, fmt::format_string<Args...> format, Args&&... args) {
  write_text(out, fmt::format(format, std::forward<Args>(args)...));
}

// "label      text", the labels in one column, and on a terminal in bold; one line, whatever the
// text holds.
void write_row(std::FILE* out, std::string_view label, std::string_view text);

template <class... Args>
void row(std::FILE* out, std::string_view label, fmt::format_string<Args...> format,
         Args&&... args) {
  write_row(out, label, fmt::format(format, std::forward<Args>(args)...));
}

// "kith: text" on standard error, one line: what is wrong, which is printed even if --quiet.
void print_error(std::string_view text);
// The same for what is no failure.
void print_message(std::string_view text);
// The same for what only --verbose prints.
void print_detail(std::string_view text);

// --log FILE: what a command says, a line each with its time, appended to a file.

// From now on log_line() writes to the file at `path`, behind what is in it. At most once.
Status open_log(const std::string& path);

// A line of the time (UTC), the kind and the text, escaped; of a text of several lines each that is
// not empty. Does nothing where no log is open. Thread-safe. A failure is kept for log_status().
void log_line(std::string_view kind, std::string_view text);

// The first failure of log_line(), with the name of the file.
Status log_status();

// For signal handlers, which write to it themselves; -1 where no log is open.
int log_descriptor();

// Progress on a terminal: stage, share done, rate, time left, on one line of standard error
// that is redrawn. Not drawn when standard error is no terminal, or with --quiet. Notes and
// finished stages are messages.

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Redraws at most ten times a second.
  void show(const Progress& progress);
  // Wipes the line, so that what is printed next starts clean.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void finish(std::string_view stage);
  bool terminal_;
  bool drawn_ = false;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_finish_ = Clock::now();
  Clock::time_point last_draw_;
};

// The line without the terminal's control codes, at most `width` columns wide.
std::string progress_line(const Progress& progress, double seconds_in_stage, size_t width);

}  // namespace kith::cli
