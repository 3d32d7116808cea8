#pragma once

#include <string>
#include <string_view>

namespace kith::test {

// The path of a file of tests/data.
std::string test_data(std::string_view path);

}  // namespace kith::test
