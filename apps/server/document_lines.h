// The body of POST /api/documents: pages for a stream, part by part.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kith/kith.h"

#include "server/message.h"

namespace kith::server {

// What stops an answer before all lines are taken.
struct Problem {
  unsigned status = 500;
  std::string message;
};

struct LineOptions {
  uint64_t most_answer = 16 << 20;  // bytes; where the answer has them, no further part is taken
  std::function<Problem(const Error& error)> problem_of;
};

// Gives the lines to the stream in parts, between which others may ask it and give it pages. The
// answer has the decisions of all lines that were taken, and where these are not all of them says
// how many they are, and why: it would be too long (413), or problem_of(error).
Response add_documents(StreamService& stream, std::string_view lines, const LineOptions& options);
// The same, but nothing is added: what each page is similar to.
Response preview_documents(const StreamService& stream, std::string_view lines,
                           const LineOptions& options);

}  // namespace kith::server
