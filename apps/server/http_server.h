// The sockets of the server, its clients, and the threads that answer: HTTP/1.1 over TCP.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "server/message.h"

namespace kith::server {

struct ServerOptions {
  std::string address = "127.0.0.1";  // of an interface, as a number
  uint16_t port = 8080;               // 0: any that is free
  unsigned threads = 0;               // of the lanes quick and slow each; 0: one per processor
  // Further ones take the place of those that wait for a request; where none does they are answered
  // by 503 and closed. So many in all, fewer where half of the memory does not hold them:
  uint32_t most_connections = 1024;
  uint32_t most_per_address = 256;   // of IPv6 per network of 64 bits
  uint32_t header_bytes = 16 << 10;  // of a request; longer ones are answered by 431
  // Bytes of all connections with their requests and answers; what does not fit is answered by 503.
  uint64_t memory = 256 << 20;
  // For a request to come, for an answer to be made and taken, and between two requests.
  uint32_t timeout_seconds = 30;
};

// What is known of an answered request.
struct Exchange {
  std::string_view remote;  // address of the client
  std::string_view method;
  std::string_view target;
  std::string_view route;
  unsigned status = 0;
  uint64_t bytes = 0;  // of the body of the answer
  double seconds = 0;  // to make the answer
};

struct ServerCallbacks {
  // The server listens on this port.
  std::function<void(uint16_t port)> listening;
  // A request was answered; called on several threads at a time.
  std::function<void(const Exchange&)> answered;
  // What was thrown, which ends an answer or a connection and nothing else; called likewise.
  std::function<void(std::string_view what)> failed;
};

// What a connection takes at most beside bodies and answers.
inline constexpr uint64_t bytes_per_connection = 64 << 10;

// Serves until the process gets SIGINT or SIGTERM: then answers that are being made are sent, and
// it returns. Half of a request, a slow client or a body that is too long holds up nobody else.
// Errors: the address is none, or cannot be listened on; no thread can be started.
Status serve(const ServerOptions& options, Handler& handler, const ServerCallbacks& callbacks);

// Whether only programs on this machine reach the address.
bool is_loopback(const std::string& address);

// Who is connected, and who goes when there is no place for another one.

// Thread-safe.
class ConnectionTable {
 public:
  using Id = uint64_t;

  ConnectionTable(uint32_t max_connections, uint32_t max_per_address)
      : max_connections_(max_connections), max_per_address_(max_per_address) {}

  // A new connection, which waits for a request. Where there are too many, of this address or in
  // all, the one of those that has waited longest goes: its drop() is called. Nothing where none of
  // them waits.
  std::optional<Id> enter(const std::string& address, std::function<void()> drop);
  // From now on it waits for a request, or has one. Unknown ones (dropped, never entered) are
  // ignored, here and below.
  void set_waiting(Id id, bool is_waiting);
  void leave(Id id);
  // Drops the connection that has waited longest, if any waits.
  void drop_oldest() { (void)drop_oldest_of(nullptr); }

 private:
  struct Entry {
    std::string address;
    std::function<void()> drop;
    std::optional<std::list<Id>::iterator> waiting;  // its place in waiting_
  };
  using Entries = std::unordered_map<Id, Entry>;

  bool is_full(const std::string& address, bool& is_of_address) const;
  bool drop_oldest_of(const std::string* address);
  void erase(Entries::iterator at);  // under the lock

  const uint32_t max_connections_;
  const uint32_t max_per_address_;
  mutable std::mutex mutex_;  // guards all below
  Id next_ = 1;
  Entries entries_;
  std::unordered_map<std::string, uint32_t> of_address_;
  std::list<Id> waiting_;  // longest first
};

// What answers questions: threads of their own, the memory that they share, and what is counted.

// The memory that all connections share.

// Thread-safe.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : bytes_(bytes) {}

  // False, and nothing taken, where less is left.
  bool take(uint64_t bytes) {
    uint64_t taken = taken_;
    do {
      if (bytes > bytes_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes));
    return true;
  }
  void give_back(uint64_t bytes) { taken_ -= bytes; }
  uint64_t taken() const { return taken_; }

 private:
  const uint64_t bytes_;
  std::atomic<uint64_t> taken_{0};
};

// What one connection has taken of a budget, given back when it goes. Not thread-safe.
class Charge {
 public:
  explicit Charge(Budget& budget) : budget_(budget) {}
  ~Charge() { budget_.give_back(bytes_); }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  // Has taken so many bytes from now on. False, and nothing changed, where the budget lacks them.
  bool set(uint64_t bytes) {
    if (bytes > bytes_ && !budget_.take(bytes - bytes_)) return false;
    if (bytes < bytes_) budget_.give_back(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }

 private:
  Budget& budget_;
  uint64_t bytes_ = 0;
};

// The threads that make answers.

// Each lane but the instant one has threads of its own, and a queue. Thread-safe.
class Workers {
 public:
  // So many threads for the lanes quick and slow each, and one that writes; fewer, but one each,
  // where no more can be started. An error where not even these can be.
  static Result<std::unique_ptr<Workers>> start(unsigned threads);
  // Ends jobs that have begun. Others are dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // `job` throws nothing.
  void add(Lane lane, std::function<void()> job);

 private:
  struct Queue {
    std::deque<std::function<void()>> jobs;
    std::condition_variable has_job;
    std::vector<std::thread> threads;
  };

  Workers() = default;
  Queue& queue_of(Lane lane) { return queues_[static_cast<size_t>(lane) - 1]; }
  Status start(Queue& queue);
  void work(Queue& queue);

  std::mutex mutex_;  // guards jobs and is_ending_
  std::array<Queue, 3> queues_;
  bool is_ending_ = false;
  std::unique_ptr<char[]> kept_;  // while threads are started; never touched
};

// Counts of requests, as Prometheus reads them (text exposition format 0.0.4).

// Thread-safe.
class Metrics {
 public:
  void count(std::string_view route, unsigned status, double seconds, uint64_t bytes);
  std::string text() const;

 private:
  // Upper bounds of the buckets of times, in seconds.
  static constexpr std::array<double, 10> bounds{.0001, .00025, .0005, .001, .0025,
                                                 .005,  .01,    .05,   .25,  1};
  struct Times {
    std::array<uint64_t, bounds.size()> below{};
    uint64_t requests = 0;
    double seconds = 0;
    uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, unsigned>, uint64_t> requests_;  // by route and status
  std::map<std::string, Times> times_;                             // by route
};

}  // namespace kith::server
