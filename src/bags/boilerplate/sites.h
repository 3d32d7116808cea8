// The sites that a page belongs to: those whose pages share a template.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kith::bags {

// Hashes of a page's host and of its sections, the folders of its path that are nearest to the
// host: where a host carries many sites, such as /~user/ or /docs/project/, each has a template of
// its own.
class Sites {
 public:
  static constexpr size_t max_sections = 3;

  Sites() = default;
  // Hashes as all() gives them. REQUIRES: 1 to 1 + max_sections of them.
  explicit Sites(std::span<const uint64_t> hashes) : count_(hashes.size()) {
    std::ranges::copy(hashes, hashes_.begin());
  }

  uint64_t host() const { return hashes_[0]; }
  // The host and its sections, the deepest one last.
  std::span<const uint64_t> all() const { return std::span(hashes_).first(count_); }

 private:
  friend Sites sites_of(std::string_view url);
  std::array<uint64_t, 1 + max_sections> hashes_ = {};
  size_t count_ = 1;
};

// The sites of a canonical http(s) URL.
Sites sites_of(std::string_view url);

}  // namespace kith::bags
