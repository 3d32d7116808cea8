// A client that sends and reads in parts, and knows what it must be answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "unit/server/simulated/requests.h"

namespace kith::server {

class SimulatedClient {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // socket: an end of a pair, which it closes.
  SimulatedClient(int socket, Time now) : socket_(socket), since_(now) {}
  ~SimulatedClient();
  SimulatedClient(const SimulatedClient&) = delete;
  SimulatedClient& operator=(const SimulatedClient&) = delete;

  // It may send another request.
  bool takes_requests() const { return !has_sent_last_ && !has_ended_; }
  void add(std::shared_ptr<SentRequest> request);
  void send(size_t most);
  void receive(size_t most);
  // Sends nothing more, though it still reads.
  void stop_sending();
  // The server may end the connection, or refuse what comes: because of time that has passed, or of
  // too many clients, or since it ends itself.
  void allow_end() { may_end_ = true; }
  // The same where the server has waited for so long.
  void allow_end_after(Time now, std::chrono::seconds timeout) {
    if (now - since_ > timeout) may_end_ = true;
  }
  void allow_lack_of_memory() { may_lack_memory_ = true; }
  // The handler was asked something of it.
  void note_answer(Time now) { since_ = now; }

  bool has(const SentRequest* request) const;
  bool has_ended() const { return has_ended_; }
  // All that was sent, and has an end, is answered.
  void expect_answered() const;

 private:
  struct Head {
    unsigned status = 0;
    bool is_old = false;
    std::multimap<std::string, std::string> fields;  // names in lower case
  };

  void parse();
  static Head parse_head(std::string_view text);
  void take_answer(const Head& head, std::string_view body);
  void expect_right(const SentRequest& sent, const Head& head, std::string_view body) const;
  void take_end();
  bool has_head_only() const;

  const int socket_;
  Time since_;  // since then at the latest the server waits for a request
  std::string to_send_;
  std::string received_;
  std::deque<std::shared_ptr<SentRequest>> waiting_;  // for answers
  bool has_sent_last_ = false;
  bool must_end_ = false;
  bool may_end_ = false;
  bool may_lack_memory_ = false;
  bool has_ended_ = false;
};

}  // namespace kith::server
