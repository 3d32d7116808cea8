// Texts as the library takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kith::test {

// Of texts that must stay.
inline std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace kith::test
