// The connections of a server on one thread, which does what a simulation says next.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/connection.h"
#include "unit/server/simulated/machine.h"

namespace kith::server {

// What serve() is made of, without its threads and its port. Clients are connected by pairs of
// local sockets, which carry every byte at once. REQUIRES: the machine lives as long.
class SimulatedServer {
 public:
  // options.memory: for bodies and answers.
  SimulatedServer(Machine& machine, Handler& handler, const ServerOptions& options)
      : machine_(machine),
        options_(options),
        callbacks_{.listening = {},
                   .answered = [](const Exchange&) {},
                   .failed = [](std::string_view what) { ADD_FAILURE() << what; }},
        shared_{.options = options_,
                .handler = handler,
                .callbacks = callbacks_,
                .budget = Budget(options.memory),
                .table = ConnectionTable(options.most_connections, options.most_per_address)},
        timer_(context_) {
    shared_.give_work = [this](Lane lane, std::function<void()> job) {
      lanes_[static_cast<size_t>(lane)].push_back(std::move(job));
    };
  }

  // The socket of a new client, which closes it.
  int connect() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      ADD_FAILURE() << "no sockets";
    }
    // Slow readers are noticed.
    constexpr int sent_at_once = 4096;
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &sent_at_once, sizeof(sent_at_once));
    using boost::asio::ip::tcp;
    const auto connection =
        std::make_shared<Connection>(tcp::socket(context_, tcp::v4(), ends[0]), shared_);
    connections_.push_back(connection);
    connection->start();
    return ends[1];
  }
  size_t connections() {
    std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
    return connections_.size();
  }

  // One thing that can be done with a socket. False: there is none.
  bool step() {
    context_.restart();
    return context_.poll_one() > 0;
  }
  // One answer of the lane.
  bool work(Lane lane) {
    auto& jobs = lanes_[static_cast<size_t>(lane)];
    if (jobs.empty()) return false;
    const std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    job();
    return true;
  }
  // All that can be done before a client does something, or time passes.
  void settle() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      while (step()) goes_on = true;
      for (const Lane lane : {Lane::quick, Lane::slow, Lane::write}) {
        while (work(lane)) goes_on = true;
      }
    }
  }

  // The timers know only that the time has changed when one is set.
  void advance(std::chrono::milliseconds time) {
    while (step()) {
    }
    machine_.advance(time);
    bool has_come = false;
    timer_.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(1)));
    timer_.async_wait([&](boost::beast::error_code) { has_come = true; });
    while (!has_come) step();
    while (step()) {
    }
  }

  // No further request is waited for.
  void begin_end() { shared_.is_ending = true; }
  // That nobody is connected, and nothing is kept for anybody.
  void expect_idle() {
    EXPECT_EQ(connections(), 0u);
    EXPECT_EQ(shared_.budget.taken(), 0u);
    EXPECT_EQ(shared_.answering, 0u);
    EXPECT_EQ(shared_.refused, 0u);
    context_.restart();
    context_.poll();
    EXPECT_TRUE(context_.stopped()) << "something is waited for";
  }
  uint32_t answering() const { return shared_.answering; }

 private:
  Machine& machine_;
  const ServerOptions options_;
  const ServerCallbacks callbacks_;
  Shared shared_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_;
  std::vector<std::weak_ptr<Connection>> connections_;
  std::array<std::deque<std::function<void()>>, 4> lanes_;  // hold connections: they go first
};

}  // namespace kith::server
