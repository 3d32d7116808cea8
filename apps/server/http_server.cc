#include "server/http_server.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "server/connection.h"

namespace kith::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::beast::error_code;
using Clock = std::chrono::steady_clock;

// How long answers that are being sent are waited for at the end.
constexpr auto drain_time = std::chrono::seconds(5);

class Listener {
 public:
  Listener(asio::io_context& context, Shared& shared)
      : context_(context),
        shared_(shared),
        acceptor_(context),
        timer_(context),
        signals_(context, SIGINT, SIGTERM) {}

  Status listen() {
    error_code error;
    const auto address = asio::ip::make_address(shared_.options.address, error);
    if (error) {
      return Error{ErrorKind::usage,
                   fmt::format("--address {}: is no address of an interface, such as 127.0.0.1",
                               shared_.options.address)};
    }
    const tcp::endpoint endpoint(address, shared_.options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Error{ErrorKind::io,
                   fmt::format("{} port {}: cannot be listened on: {}", shared_.options.address,
                               shared_.options.port, error.message())};
    }
    return Status::ok();
  }

  uint16_t port() const { return acceptor_.local_endpoint().port(); }

  // Accepts clients until a signal comes.
  void start() {
    signals_.async_wait([this](error_code error, int) {
      if (!error) stop();
    });
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept(
        [this](error_code error, tcp::socket socket) { take(error, std::move(socket)); });
  }

  void stop() {
    shared_.is_ending = true;
    error_code ignored;
    acceptor_.close(ignored);
    await_answers(Clock::now() + drain_time);
  }

  void await_answers(Clock::time_point end) {
    if (shared_.answering == 0 || Clock::now() > end) return context_.stop();
    wait(moment, [this, end] { await_answers(end); });
  }

  template <class Do>
  void wait(Clock::duration time, Do&& what) {
    timer_.expires_after(time);
    timer_.async_wait([what](error_code cancelled) {
      if (!cancelled) what();
    });
  }

  void take(error_code error, tcp::socket socket) {
    if (shared_.is_ending) return;
    try {
      if (!error) {
        std::make_shared<Connection>(std::move(socket), shared_)->start();
        return accept();
      }
      // No file descriptor is left, or the like.
      shared_.table.drop_oldest();
    } catch (...) {
      note_exception(shared_.callbacks);
    }
    wait(moment, [this] { accept(); });
  }

  static constexpr auto moment = std::chrono::milliseconds(20);

  asio::io_context& context_;
  Shared& shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  asio::signal_set signals_;
};

// What is thrown by what was to be done next ends that only.
void run(asio::io_context& context, const ServerCallbacks& callbacks) {
  for (;;) {
    try {
      context.run();
      return;
    } catch (...) {
      note_exception(callbacks);
    }
  }
}

}  // namespace

bool is_loopback(const std::string& address) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

Status serve(const ServerOptions& options, Handler& handler, const ServerCallbacks& callbacks) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  const uint64_t holds = std::max<uint64_t>(1, options.memory / 2 / bytes_per_connection);
  const auto connections =
      static_cast<uint32_t>(std::min<uint64_t>(options.most_connections, holds));
  const uint64_t of_connections = std::min(options.memory, connections * bytes_per_connection);
  Shared shared{.options = options,
                .handler = handler,
                .callbacks = callbacks,
                .budget = Budget(options.memory - of_connections),
                .table = ConnectionTable(connections, options.most_per_address)};
  // Goes before that: connections that are open at the end go with it, and are counted.
  asio::io_context context(1);
  Listener listener(context, shared);
  KITH_TRY(listener.listen());
  // Goes first of all, so that no answer comes when there are no connections any more.
  KITH_ASSIGN(const std::unique_ptr<Workers> workers,
              Workers::start(options.threads > 0 ? options.threads : processors));
  shared.give_work = [&](Lane lane, std::function<void()> job) {
    workers->add(lane, std::move(job));
  };
  listener.start();
  callbacks.listening(listener.port());
  run(context, callbacks);
  return Status::ok();
}

}  // namespace kith::server
