// Lists that a search looks through for a while.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kith/status.h"

namespace kith::server {

// Calls look(i) for i below n until it gives false, or 40 ms are over. Whether all were seen.
Result<bool> look_through(uint64_t n, const std::function<Result<bool>(uint64_t)>& look);

// The letters A to Z of a text in lower case, into a buffer that can be used again.
void make_ascii_lower(std::string_view text, std::string& lower);

}  // namespace kith::server
