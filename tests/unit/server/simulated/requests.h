// Requests of all kinds, good and bad, from a seed, with what must be answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/message.h"
#include "unit/jobs/stream/steps.h"

namespace kith::server {

// A line of the body that gives pages to the stream.
struct Line {
  std::string text;
  std::optional<jobs::Step> step;  // nothing: blank or broken; elements: none yet
  std::string words;               // of a page
  bool has_time = false;
  bool is_broken = false;
};

struct SentRequest {
  std::string bytes;
  Request request;          // as the handler must see it
  std::vector<Line> lines;  // of the body, where that is pages for the stream
  // Of a request that no handler may see: the status is one of these, or where it has no end none.
  std::vector<unsigned> refusals;
  bool has_end = true;
  bool closes = false;             // asks for the end of the connection
  bool is_garbled = false;         // what it means nobody knows
  bool awaits_continue = false;    // "Expect: 100-continue"
  bool is_asked = false;           // the handler has seen it
  std::optional<Response> answer;  // of the handler

  bool is_refused() const { return !refusals.empty(); }
};

class RequestMaker {
 public:
  // Longer heads and bodies are made, too.
  RequestMaker(uint64_t seed, uint64_t head_bytes, uint64_t body_bytes)
      : rng_(seed), head_bytes_(head_bytes), body_bytes_(body_bytes) {}

  // date_ms: the times of pages are about then.
  std::shared_ptr<SentRequest> next(int64_t date_ms);

 private:
  SentRequest question();
  SentRequest pages(int64_t date_ms);
  Line line(int64_t date_ms);
  SentRequest with_bad_head();
  SentRequest with_bad_body();
  SentRequest garbled();
  // Gives it fields and a body, as bytes.
  void write(SentRequest& sent);
  std::string chunked(const std::string& body);
  std::string next_id();
  std::string any_case(std::string name);

  Rng rng_;
  const uint64_t head_bytes_;
  const uint64_t body_bytes_;
  uint64_t requests_ = 0;
  std::vector<std::vector<Line>> batches_;  // that were sent, to be sent again
};

}  // namespace kith::server
