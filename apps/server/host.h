// Names by which clients call the server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kith::server {

struct HostField {
  std::string name;  // in lower case, without a dot at its end; an IPv6 address in brackets
  std::string port;  // digits; may be empty
};

// A field Host; nothing where it names no host (RFC 9112, section 3.2).
std::optional<HostField> parse_host(std::string_view field);

// Whether a page of this origin (a field Origin) is one of the server that is called by this field
// Host. Ports that are left out are those of the scheme.
bool is_same_origin(std::string_view origin, std::string_view host);

}  // namespace kith::server
