#include "crawl/read/left_out.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/enum_words.h"

namespace kith::crawl {

std::string_view left_out_name(LeftOut kind) {
  return word_of(
      kind, {"other_file", "page_file", "run_folder", "linked_folder", "broken_link", "no_file"});
}

bool holds_run(const std::string& folder) {
  constexpr uint64_t longest = 16u << 20;
  const std::filesystem::path path = std::filesystem::path(folder) / "manifest.json";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (std::filesystem::file_size(path, error) > longest || error) return false;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::ranges::all_of(std::array{"\"kith\":", "\"identity\":", "\"stages\":"},
                             [&](const char* key) { return text.find(key) != std::string::npos; });
}

}  // namespace kith::crawl
