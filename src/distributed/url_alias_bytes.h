// Aliases on their way between machines, for UrlAliases and PageFile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/aliases.h"
#include "base/hash.h"

namespace kith::distributed {

// The slice of a URL.
inline uint64_t slice_of(const Key128& url, uint32_t slices) {
  return url.high % slices;
}

// By slice the aliases, and which URLs were fetched.
std::vector<std::string> deal_out(std::span<const bags::Alias> aliases,
                                  std::span<const Key128> fetched, uint32_t slices);

// Of FoldedUrls::slices. An error of kind corrupt if the bytes are no folded URLs.
Result<bags::AliasMap> read_folded(std::string_view bytes);

}  // namespace kith::distributed
