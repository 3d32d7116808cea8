// The web page: files of the program, and how a browser keeps them.
#pragma once

#include <optional>
#include <string_view>

#include "message.h"

namespace kith::server {

// The answer to GET or HEAD of a path of the page; nothing for any other path. In a program without
// the page, "/" says so.
std::optional<Response> page_response(const Request& request, std::string_view path);

// Whether the field Accept-Encoding of a request admits gzip.
bool accepts_gzip(std::string_view field);

}  // namespace kith::server
