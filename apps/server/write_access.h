// Who may write: give pages to a stream.
#pragma once

#include <optional>
#include <string>

#include "message.h"

namespace kith::server {

// Nothing where the request may write; else why not. A program that has the token may. Where there
// is no token (empty), programs of this machine may, but no page that a browser shows: a browser
// lets any page send what a form could, so that the type must be another one, and says in fields of
// the head which page it was.
std::optional<Response> refuse_writing(const Request& request, const std::string& token);

}  // namespace kith::server
