// What RFC 9112 has refused of the head of a request, and Boost.Beast does not.
#pragma once

#include <optional>
#include <string_view>

namespace kith::server {

struct HeadFault {
  unsigned status = 400;
  std::string_view message;
};

// `head`: the lines of a request up to and with the empty one. Nothing where they are sound, or
// where the parser that comes after this one refuses them.
std::optional<HeadFault> fault_of_head(std::string_view head);

}  // namespace kith::server
