// Text for people, on standard output or standard error: the only way to either of them, beside
// rows (output.h) and the progress bar. What is said on standard error is also in the log, if there
// is one (log_file.h).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kith/escape.h"

namespace kith::cli {

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

}  // namespace kith::cli
