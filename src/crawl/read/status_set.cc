#include "crawl/read/status_set.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace kith::crawl {
namespace {

// Sets the codes that an item names; false when it names none.
bool add_item(std::string_view item, std::bitset<1000>& codes) {
  if (equals_ignoring_case(item, "any")) {
    codes.set();
    return true;
  }
  if (item.size() != 3 || item[0] < '1' || item[0] > '9') return false;
  const auto hundreds = static_cast<size_t>(item[0] - '0') * 100;
  if (equals_ignoring_case(item.substr(1), "xx")) {
    for (size_t code = hundreds; code < hundreds + 100; ++code) codes.set(code);
    return true;
  }
  if (!is_ascii_digit(item[1]) || !is_ascii_digit(item[2])) return false;
  codes.set(hundreds + static_cast<size_t>(item[1] - '0') * 10 +
            static_cast<size_t>(item[2] - '0'));
  return true;
}

}  // namespace

Result<StatusSet> StatusSet::parse(std::string_view list) {
  StatusSet set;
  set.codes_.reset();
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(',');
    const std::string_view item = trim(rest.substr(0, comma));
    if (!add_item(item, set.codes_)) {
      return Error{ErrorKind::usage,
                   fmt::format("status = {}: '{}' is no HTTP status; write a list such as 200,203 "
                               "or 2xx, or any",
                               list, item)};
    }
    if (comma == std::string_view::npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace kith::crawl
