#include "run/whole_file.h"

#include <algorithm>
#include <span>

#include "crawl/read/byte_source.h"

namespace kith::run {

Result<std::string> read_whole_file(const std::string& path) {
  KITH_ASSIGN(const auto source, crawl::FileSource::open(path));
  constexpr size_t piece = 1u << 16;
  constexpr size_t max_piece = 1u << 28;
  std::string bytes;
  for (;;) {
    const size_t before = bytes.size();
    bytes.resize(before + std::clamp<size_t>(before, piece, max_piece));
    KITH_ASSIGN(const size_t n, source->read(std::span(bytes).subspan(before)));
    bytes.resize(before + n);
    if (n == 0) return bytes;
  }
}

std::string name_of_input(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace kith::run
