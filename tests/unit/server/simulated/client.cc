#include "unit/server/simulated/client.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kith::server {

SimulatedClient::~SimulatedClient() {
  ::close(socket_);
}

void SimulatedClient::add(std::shared_ptr<SentRequest> request) {
  to_send_ += request->bytes;
  has_sent_last_ = request->is_garbled || request->is_refused() || !request->has_end;
  waiting_.push_back(std::move(request));
}

void SimulatedClient::send(size_t most) {
  if (has_ended_ || to_send_.empty()) return;
  const size_t bytes = std::min(most, to_send_.size());
  const ssize_t sent = ::send(socket_, to_send_.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) to_send_.erase(0, static_cast<size_t>(sent));
  // Nobody reads any more: what comes says why.
  if (sent < 0 && errno != EAGAIN) to_send_.clear();
}

void SimulatedClient::stop_sending() {
  for (auto request = waiting_.rbegin(); request != waiting_.rend() && !to_send_.empty();
       ++request) {
    (*request)->has_end = false;
    to_send_.resize(to_send_.size() - std::min(to_send_.size(), (*request)->bytes.size()));
  }
  has_sent_last_ = true;
  ::shutdown(socket_, SHUT_WR);
  may_end_ = true;
}

void SimulatedClient::receive(size_t most) {
  if (has_ended_) return;
  std::string bytes(most, '\0');
  const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  received_.append(bytes, 0, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  parse();
  if (got <= 0) take_end();
}

bool SimulatedClient::has(const SentRequest* request) const {
  return std::ranges::any_of(waiting_, [&](const auto& of) { return of.get() == request; });
}

void SimulatedClient::expect_answered() const {
  if (has_ended_) return;
  for (const auto& sent : waiting_) {
    if (!to_send_.empty() || sent->is_garbled || !sent->has_end) return;
    ADD_FAILURE() << "no answer comes to " << sent->bytes.substr(0, 500);
  }
}

SimulatedClient::Head SimulatedClient::parse_head(std::string_view text) {
  Head head;
  const std::string_view first = text.substr(0, text.find("\r\n"));
  EXPECT_TRUE(first.starts_with("HTTP/1.1 ") || first.starts_with("HTTP/1.0 ")) << first;
  if (testing::Test::HasFailure()) return head;
  head.is_old = first.starts_with("HTTP/1.0");
  std::from_chars(first.data() + 9, first.data() + first.size(), head.status);
  for (std::string_view rest = text.substr(first.size() + 2); rest.size() > 2;) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    const size_t colon = line.find(": ");
    EXPECT_NE(colon, std::string_view::npos) << line;
    if (testing::Test::HasFailure()) break;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    head.fields.emplace(name, line.substr(colon + 2));
  }
  return head;
}

// Whether the next answer has no body, whatever its length says.
bool SimulatedClient::has_head_only() const {
  return !waiting_.empty() && waiting_.front()->request.method == Method::head;
}

void SimulatedClient::parse() {
  for (;;) {
    // What comes after something garbled nobody knows; and who has no place gets an answer with a
    // body, whatever was asked.
    const bool is_garbled = !waiting_.empty() && waiting_.front()->is_garbled;
    if (is_garbled || (must_end_ && may_end_)) received_.clear();
    const size_t end = received_.find("\r\n\r\n");
    if (end == std::string::npos || testing::Test::HasFailure()) return;
    const Head head = parse_head(std::string_view(received_).substr(0, end + 4));
    if (head.status == 100) {
      EXPECT_TRUE(!waiting_.empty() && waiting_.front()->awaits_continue);
      received_.erase(0, end + 4);
      continue;
    }
    size_t bytes = 0;
    const auto length = head.fields.find("content-length");
    if (length != head.fields.end() && head.status != 304 && !has_head_only()) {
      const std::string& digits = length->second;
      std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    }
    if (received_.size() < end + 4 + bytes) return;
    const std::string body = received_.substr(end + 4, bytes);
    received_.erase(0, end + 4 + bytes);
    take_answer(head, body);
  }
}

void SimulatedClient::take_answer(const Head& head, std::string_view body) {
  EXPECT_FALSE(must_end_) << "an answer comes after the last one: " << body;
  const auto connection = head.fields.find("connection");
  const bool has_field = connection != head.fields.end();
  EXPECT_TRUE(!has_field || connection->second == (head.is_old ? "keep-alive" : "close"));
  must_end_ = has_field != head.is_old;
  if (waiting_.empty()) {
    EXPECT_EQ(head.status, 503u) << body;
    EXPECT_TRUE(must_end_ && may_end_) << body;
    return;
  }
  const std::shared_ptr<SentRequest> sent = waiting_.front();
  waiting_.pop_front();
  EXPECT_EQ(head.fields.find("server")->second, "kith");
  const bool is_busy = head.status == 503 && !(sent->answer && sent->answer->status == 503);
  if (is_busy) {
    EXPECT_TRUE(may_lack_memory_ || may_end_) << body;
    EXPECT_EQ(head.fields.find("retry-after")->second, "1");
    return;
  }
  if (sent->is_refused()) {
    EXPECT_NE(std::ranges::find(sent->refusals, head.status), sent->refusals.end())
        << head.status << " " << body << " to " << sent->bytes.substr(0, 500);
    EXPECT_TRUE(must_end_);
    return;
  }
  expect_right(*sent, head, body);
}

void SimulatedClient::expect_right(const SentRequest& sent, const Head& head,
                                   std::string_view body) const {
  ASSERT_TRUE(sent.answer) << head.status << " " << body << " to " << sent.bytes.substr(0, 500);
  const Response& answer = *sent.answer;
  EXPECT_EQ(head.status, answer.status);
  const bool has_body = sent.request.method != Method::head && answer.status != 304;
  EXPECT_EQ(body, has_body ? answer.body : "");
  std::multimap<std::string, std::string> fields{{"server", "kith"}, {"content-type", answer.type}};
  for (auto [name, value] : answer.fields) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    fields.emplace(name, value);
  }
  if (answer.status != 304) fields.emplace("content-length", std::to_string(answer.body.size()));
  auto given = head.fields;
  given.erase("connection");
  EXPECT_EQ(given, fields);
  EXPECT_TRUE(must_end_ == sent.closes || may_end_);
}

void SimulatedClient::take_end() {
  has_ended_ = true;
  if (must_end_ || may_end_) return;
  ASSERT_FALSE(waiting_.empty()) << "the connection has ended without a reason";
  EXPECT_TRUE(waiting_.front()->is_garbled)
      << "the connection has ended without an answer to " << waiting_.front()->bytes.substr(0, 500);
}

}  // namespace kith::server
