// Text for people, on standard output or standard error: the only way to either of them, beside
// rows (output.h) and the progress bar.
#pragma once

#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kith/escape.h"

namespace kith::cli {

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

// "label      text", the labels in one column; one line, whatever the arguments hold.
template <class... Args>
void row(std::FILE* out, std::string_view label, fmt::format_string<Args...> format,
         Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  write_bytes(out, fmt::format("{:<12}{}\n", label, printable(text)));
}

// "kith: text" on standard error, one line.
void print_message(std::string_view text);

}  // namespace kith::cli
