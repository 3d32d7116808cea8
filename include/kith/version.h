// The version of the library that is linked.
#pragma once

#include <string_view>

namespace kith {

std::string_view version();  // "0.1.0"

}  // namespace kith
