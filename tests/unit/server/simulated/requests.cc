#include "unit/server/simulated/requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace kith::server {
namespace {

constexpr std::string_view documents = "/api/documents";

// What can be asked of a run of kith cluster "run", one of kith dedup "copies", and a stream.
constexpr auto targets = std::to_array<std::string_view>({
    "/api/related?url=oven.example/1&words=3",
    "/api/related?url=https%3A%2F%2Fguit.example%2F2&n=3",
    "/api/page?url=guit.example/2",
    "/api/page?url=unknown.example",
    "/api/cluster?number=1",
    "/api/clusters",
    "/api/topics",
    "/api/topic/0",
    "/api/topic/77",
    "/api/run",
    "/api/runs",
    "/api/search?q=oven",
    "/api/stream",
    "/api/stream?x=1",
    "/api/compare?a=oven.example/1&b=oven.example/2",
    "/api/groups",
    "/api/pairs?number=1",
    "/api/document?name=https://oven.example/1",
    "/api/overlap?a_id=0&b_id=1",
    "/api/search?run=copies&q=guit",
    "/api/related?n=many",
    "/api/related?n=1&n=1",
    "/%61pi/runs",
    "/nothing",
    "/api/documents",
    "/healthz",
    "/metrics",
    "/",
    "/api/openapi.json",
});

constexpr std::string_view good_head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
constexpr std::string_view chunked_head =
    "POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

SentRequest refused(std::string bytes, std::vector<unsigned> statuses) {
  SentRequest sent;
  sent.bytes = std::move(bytes);
  sent.refusals = std::move(statuses);
  return sent;
}

}  // namespace

// No bits that flip make one of another.
std::string RequestMaker::next_id() {
  return fmt::format("\"request {:x}\"", mix64(++requests_));
}

std::string RequestMaker::any_case(std::string name) {
  for (char& c : name) {
    if (rng_.below(8) == 0) c = static_cast<char>(c ^ (c == '-' ? 0 : 0x20));
  }
  return name;
}

std::string RequestMaker::chunked(const std::string& body) {
  std::string text;
  for (size_t at = 0; at < body.size();) {
    const size_t bytes = std::min<size_t>(body.size() - at, 1 + rng_.below(1 + rng_.below(500)));
    text += fmt::format("{:x}", bytes);
    if (rng_.below(8) == 0) text += ";name=value";
    text += "\r\n" + body.substr(at, bytes) + "\r\n";
    at += bytes;
  }
  return text + (rng_.below(8) == 0 ? "0\r\nX-Sum: 1\r\n\r\n" : "0\r\n\r\n");
}

void RequestMaker::write(SentRequest& sent) {
  Request& of = sent.request;
  const bool is_old = rng_.below(16) == 0;
  const bool has_body = of.method == Method::post || rng_.below(16) == 0;
  const bool is_chunked = has_body && !is_old && rng_.below(3) == 0;
  of.if_none_match = next_id();
  std::vector<std::string> fields;
  const auto add = [&](std::string name, std::string_view value) {
    fields.push_back(
        fmt::format("{}:{}{}", any_case(std::move(name)), rng_.below(4) == 0 ? "" : " ", value));
  };
  if (of.host.empty()) of.host = rng_.below(16) == 0 ? "localhost:80" : "localhost";
  add("Host", of.host);
  add("If-None-Match", of.if_none_match);
  if (!of.content_type.empty()) add("Content-Type", of.content_type);
  if (!of.origin.empty()) add("Origin", of.origin);
  if (rng_.below(8) == 0) add("Accept-Encoding", of.accept_encoding = "gzip");
  if (rng_.below(8) == 0) add("X-Filler", std::string(rng_.below(2000), 'x'));
  if (is_chunked) add("Transfer-Encoding", "chunked");
  if (has_body && !is_chunked) add("Content-Length", std::to_string(of.body.size()));
  sent.awaits_continue = has_body && !is_old && rng_.below(8) == 0;
  if (sent.awaits_continue) add("Expect", "100-continue");
  sent.closes = is_old || rng_.below(12) == 0;
  if (sent.closes && !is_old) add("Connection", "close");
  const std::string_view method = of.method == Method::post   ? "POST"
                                  : of.method == Method::get  ? "GET"
                                  : of.method == Method::head ? "HEAD"
                                                              : "DELETE";
  std::string text = rng_.below(16) == 0 ? "\r\n" : "";
  text += fmt::format("{} {} HTTP/1.{}\r\n", method, of.target, is_old ? 0 : 1);
  while (!fields.empty()) {
    const size_t at = rng_.below(fields.size());
    text += fields[at] + "\r\n";
    fields.erase(fields.begin() + static_cast<ptrdiff_t>(at));
  }
  text += "\r\n";
  if (has_body) text += is_chunked ? chunked(of.body) : of.body;
  sent.bytes = std::move(text);
}

SentRequest RequestMaker::question() {
  SentRequest sent;
  sent.request.target = targets[rng_.below(targets.size())];
  const uint64_t choice = rng_.below(16);
  if (choice == 0) sent.request.method = Method::other;
  if (choice == 1 || choice == 2) sent.request.method = Method::head;
  if (choice == 3 && sent.request.target != documents) sent.request.method = Method::post;
  if (choice == 4) sent.request.host = "evil.example";
  write(sent);
  return sent;
}

// A few families of similar texts, under names that come again; removals; lines that are none.
Line RequestMaker::line(int64_t date_ms) {
  Line line;
  const uint64_t choice = rng_.below(24);
  if (choice == 0) return line;
  if (choice == 1) {
    line.text = "{\"url\": \"https://broken.exa";
    line.is_broken = true;
    return line;
  }
  jobs::Step& step = line.step.emplace();
  step.name = fmt::format("https://{}.example/", rng_.below(40));
  line.has_time = rng_.below(3) > 0;
  std::string time;
  if (line.has_time) {
    const int64_t day = 86'400;
    int64_t seconds = date_ms / 1000 - 10 + static_cast<int64_t>(rng_.below(20));
    if (rng_.below(40) == 0) seconds += 30 * day;
    step.time = seconds * 1000;
    time = fmt::format(", \"time\": {}", seconds);
  }
  step.is_removal = choice < 4;
  if (step.is_removal) {
    line.text = fmt::format(R"({{"url": "{}", "deleted": true{}}})", step.name, time);
    return line;
  }
  const uint64_t family = rng_.below(8);
  const uint64_t size = 10 + rng_.below(8);
  for (uint64_t word = 0; word < size; ++word) {
    if (rng_.below(16) > 0) line.words += fmt::format("f{}w{} ", family, word);
  }
  if (line.words.empty()) line.words = "one ";
  line.words.pop_back();
  line.text = fmt::format(R"({{"url": "{}", "text": "{}"{}}})", step.name, line.words, time);
  return line;
}

// New pages, or a batch that was sent before, as of a client that does not know what has arrived.
SentRequest RequestMaker::pages(int64_t date_ms) {
  SentRequest sent;
  if (!batches_.empty() && rng_.below(4) == 0) {
    sent.lines = batches_[rng_.below(batches_.size())];
  } else {
    const uint64_t most = rng_.below(8) == 0 ? 120 : 8;
    for (uint64_t left = rng_.below(most); left > 0; --left) sent.lines.push_back(line(date_ms));
    batches_.push_back(sent.lines);
  }
  Request& of = sent.request;
  of.method = Method::post;
  of.target = documents;
  of.content_type = rng_.below(2) == 0 ? "application/json" : "application/x-ndjson";
  const uint64_t choice = rng_.below(24);
  if (choice == 0) of.content_type = "text/plain";
  if (choice == 1) of.origin = "https://evil.example";
  if (choice == 2 || choice == 3) of.target += "?dry_run=1";
  if (choice == 4) of.target += "?dry_runs=1";
  for (const Line& line : sent.lines) of.body += line.text + "\n";
  write(sent);
  return sent;
}

SentRequest RequestMaker::with_bad_head() {
  const std::string good(good_head);
  switch (rng_.below(16)) {
    case 0:
      return refused("GET /healthz HTTP/1.1\r\n\r\n", {400});
    case 1:
      return refused(good + "Host: localhost\r\n\r\n", {400});
    case 2:
      return refused(good + "X-Long: a\r\n b\r\n\r\n", {400});
    case 3:
      return refused(good + "Transfer-Encoding: chunked, identity\r\n\r\n", {400});
    case 4:
      return refused(good + "Transfer-Encoding: gzip\r\n\r\n", {501});
    case 5:
      return refused(good + "Content-Length: 12x\r\n\r\n", {400});
    case 6:
      return refused(good + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", {400});
    case 7:
      return refused(good + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", {400});
    case 8:
      return refused("NONSENSE\r\n\r\n", {400});
    case 9:
      return refused(good + "X: " + std::string(head_bytes_, 'x') + "\r\n\r\n", {431});
    case 10: {
      std::string many = good;
      for (int field = 0; field < 101; ++field) many += "X:\r\n";
      return refused(many + "\r\n", {431});
    }
    case 11:
      return refused(good + "X: a" + std::string(1, '\0') + "b\r\n\r\n", {400});
    case 12:
      return refused("GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n", {400});
    case 13:
      return refused(good + "X : a\r\n\r\n", {400});
    case 14:
      return refused(good + "X: a\nY: b\r\n\r\n", {400});
    default:
      return refused("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", {400});
  }
}

SentRequest RequestMaker::with_bad_body() {
  const std::string chunked(chunked_head);
  const std::string size = std::to_string(body_bytes_ + 1 + rng_.below(1000));
  switch (rng_.below(6)) {
    case 0:
      return refused(chunked + "zz\r\nab\r\n0\r\n\r\n", {400});
    case 1:
      return refused(chunked + "2;" + std::string(30'000, 'x') + "\r\nab\r\n0\r\n\r\n", {431});
    case 2:
      return refused(chunked + "2\r\nabcd\r\n0\r\n\r\n", {400});
    case 3:
      return refused(
          chunked + "1\r\na\r\n0\r\nX: " + std::string(2 * head_bytes_, 'x') + "\r\n\r\n", {431});
    case 4:
      return refused(fmt::format("POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                 "application/json\r\nContent-Length: {}\r\n\r\n",
                                 size),
                     {413});
    default: {
      const std::string part =
          fmt::format("{:x}\r\n{}\r\n", body_bytes_ / 2 + 1, std::string(body_bytes_ / 2 + 1, ' '));
      return refused(chunked + part + part + "0\r\n\r\n", {413});
    }
  }
}

// Noise, or a question with some other bytes.
SentRequest RequestMaker::garbled() {
  SentRequest sent;
  if (rng_.below(3) == 0) {
    for (uint64_t left = rng_.below(3000); left > 0; --left) {
      sent.bytes += static_cast<char>(rng_.below(256));
    }
  } else {
    sent = question();
    for (uint64_t left = 1 + rng_.below(3); left > 0; --left) {
      sent.bytes[rng_.below(sent.bytes.size())] ^= static_cast<char>(1 << rng_.below(8));
    }
  }
  sent.is_garbled = true;
  return sent;
}

std::shared_ptr<SentRequest> RequestMaker::next(int64_t date_ms) {
  const uint64_t choice = rng_.below(24);
  const auto sent = std::make_shared<SentRequest>(choice < 11   ? question()
                                                  : choice < 20 ? pages(date_ms)
                                                  : choice < 22 ? with_bad_head()
                                                  : choice < 23 ? with_bad_body()
                                                                : garbled());
  // Its end never comes.
  if (!sent->is_garbled && !sent->is_refused() && rng_.below(24) == 0) {
    sent->bytes.resize(rng_.below(sent->bytes.size()));
    sent->has_end = false;
  }
  return sent;
}

}  // namespace kith::server
