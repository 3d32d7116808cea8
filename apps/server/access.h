// Who may ask and who may write: the host that is named, tokens and origins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/message.h"

namespace kith::server {

// Names by which clients call the server.
struct HostField {
  std::string name;  // in lower case, without a dot at its end; an IPv6 address in brackets
  std::string port;  // digits; may be empty
};

// A field Host; nothing where it names no host (RFC 9112, section 3.2).
std::optional<HostField> parse_host(std::string_view field);

// Whether a page of this origin (a field Origin) is one of the server that is called by this field
// Host. Ports that are left out are those of the scheme.
bool is_same_origin(std::string_view origin, std::string_view host);

// Who may write: give pages to a stream.

// Nothing where the request may write; else why not. A program that has the token may. Where there
// is no token (empty), programs of this machine may, but no page that a browser shows: a browser
// lets any page send what a form could, so that the type must be another one, and says in fields of
// the head which page it was.
std::optional<Response> refuse_writing(const Request& request, const std::string& token);

}  // namespace kith::server
