#include "console.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace kith::cli {

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

void print_message(std::string_view text) {
  write_bytes(stderr, fmt::format("kith: {}\n", printable(text)));
}

}  // namespace kith::cli
