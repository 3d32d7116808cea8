// Slices of long lists as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kith/status.h"

#include "server/message.h"

namespace kith::server {

// The JSON of answers: objects keep the order in which their members are written.
using Json = nlohmann::ordered_json;

// Lists that are answered page by page.
inline constexpr uint64_t most_rows = 1000;  // of a list in one answer

// The rows [begin, end) of a list, for the parameters page (from 1) and size.
struct Slice {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t page = 1;
  uint64_t size = 0;
  uint64_t rows = 0;

  Json json() const {
    return {{"page", page}, {"size", size}, {"rows", rows}, {"pages", (rows + size - 1) / size}};
  }
};

// Errors: those of the parameters.
Result<Slice> slice_of(const Target& target, uint64_t rows);

// Lists that a search looks through for a while.

// Calls look(i) for i below n until it gives false, or 40 ms are over. Whether all were seen.
Result<bool> look_through(uint64_t n, const std::function<Result<bool>(uint64_t)>& look);

// The letters A to Z of a text in lower case, into a buffer that can be used again.
void make_ascii_lower(std::string_view text, std::string& lower);

}  // namespace kith::server
