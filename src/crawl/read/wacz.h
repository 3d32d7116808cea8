// Web archive collections (WACZ 1.1.1): zip files of WARC files, indexes, and lists of pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "crawl/container/container.h"
#include "crawl/read/page.h"

namespace kith::crawl {

// The folder in which a WACZ has all its crawl files.
inline constexpr std::string_view kFolderOfWacz = "archive/";

bool is_wacz(const Container& container);

// The titles of pages by their URLs, as a browser has shown them.
class PageTitles {
 public:
  // So much memory, about; the titles of further pages are left out.
  static constexpr uint64_t kMostBytes = 16u << 20;

  // Of the lists in pages/ of a WACZ, the first one of a URL; those that only repeat the URL are
  // none. A list ends where it is damaged. Errors: the file cannot be read.
  static Result<PageTitles> of_wacz(Container& wacz);

  // Of the URL as the list spells it, but for a fragment; empty where it has none. Thread-safe.
  std::string_view find(std::string_view url) const;

 private:
  Status read_list(Container& wacz, size_t member);
  void add(std::string_view url, std::string_view title);

  boost::unordered_flat_map<uint64_t, Slice> titles_;  // by hash64() of the URL
  std::string text_;
};

}  // namespace kith::crawl
