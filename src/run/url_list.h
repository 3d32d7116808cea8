// The URLs to which a run is limited: --only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "base/hash.h"
#include "text/url/url_rules.h"

namespace kith::run {

// Of a file with a URL in each line, or of an index of captures (CDX, CDXJ), plain or compressed;
// docs/formats/url_lists.md. Memory: some 60 bytes a URL.
class UrlList {
 public:
  // Errors: the file cannot be read; a line that names no URL (kind usage), by its number.
  // URLs that `rules` make equal are one.
  static Result<std::unique_ptr<UrlList>> read(const std::string& path, text::UrlRules rules);

  // Whether it names the URL, in any spelling. Notes it as found if `is_page`. Thread-safe.
  bool take(std::string_view url, bool is_page);

  // Different URLs, and those that were found. Thread-safe.
  uint64_t named() const { return numbers_.size(); }
  uint64_t found() const { return found_.load(std::memory_order_relaxed); }

 private:
  Status add_line(std::string_view line, uint64_t number);
  std::optional<Key128> key_of(std::string_view url) const;

  text::UrlRules rules_;
  boost::unordered_flat_map<Key128, uint32_t, Key128Hash> numbers_;
  std::unique_ptr<std::atomic<bool>[]> is_found_;  // by number
  std::atomic<uint64_t> found_ = 0;
};

}  // namespace kith::run
