// The sites that a page belongs to: those whose pages share a template.
#pragma once

#include <cstdint>
#include <string_view>

namespace kith::bags {

// Hashes of a page's host and of its section, the host with the first segment of the path: where a
// host carries many sites, such as /~user/, each has a template of its own.
struct Sites {
  uint64_t host = 0;
  uint64_t section = 0;  // 0 where the path has no folder
};

// The host of a canonical http(s) URL, with its port if it has one; a view into `url`.
std::string_view host_of(std::string_view url);

// The sites of a canonical http(s) URL.
Sites sites_of(std::string_view url);

}  // namespace kith::bags
