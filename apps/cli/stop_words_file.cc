#include "cli/stop_words_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace kith::cli {

Result<std::vector<std::string>> read_stop_words(const std::string& path) {
  const auto unusable = [&](std::string_view why) {
    return Error{ErrorKind::usage, fmt::format("--stop-words {}: {}", path, why)};
  };
  errno = 0;
  std::ifstream file(path);
  if (!file.is_open()) {
    return Error{ErrorKind::not_found,
                 fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (words.empty() && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    std::istringstream parts(line);
    for (std::string word; parts >> word && word.front() != '#';) words.push_back(word);
  }
  if (file.bad() || !file.eof()) return unusable("cannot be read");
  if (words.empty()) return unusable("has no words");
  return words;
}

}  // namespace kith::cli
