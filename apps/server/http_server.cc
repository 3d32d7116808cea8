#include "server/http_server.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "kith/version.h"

#include "server/connection.h"

namespace kith::server {

Result<std::unique_ptr<Workers>> Workers::start(unsigned threads) {
  std::unique_ptr<Workers> workers(new Workers);
  // Where address space is short, threads must not take what answers need.
  constexpr size_t bytes_of_answers = 256 << 20;
  workers->kept_.reset(new (std::nothrow) char[bytes_of_answers]);
  const auto start_in = [&](Lane lane) { return workers->start(workers->queue_of(lane)); };
  for (const Lane lane : {Lane::write, Lane::quick, Lane::slow}) KITH_TRY(start_in(lane));
  for (unsigned i = 1; i < threads; ++i) {
    if (!start_in(Lane::quick) || !start_in(Lane::slow)) break;
  }
  workers->kept_.reset();
  return workers;
}

Status Workers::start(Queue& queue) {
  try {
    queue.threads.emplace_back([this, &queue] { work(queue); });
    return Status::ok();
  } catch (const std::system_error& error) {
    return Error{ErrorKind::memory,
                 fmt::format("no thread can be started ({}): give the server more threads or "
                             "memory (ulimit -u, -v, or the limits of its control group)",
                             error.what())};
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  for (Queue& queue : queues_) queue.has_job.notify_all();
  for (Queue& queue : queues_) {
    for (std::thread& thread : queue.threads) thread.join();
  }
}

void Workers::add(Lane lane, std::function<void()> job) {
  Queue& queue = queue_of(lane);
  {
    const std::lock_guard lock(mutex_);
    queue.jobs.push_back(std::move(job));
  }
  queue.has_job.notify_one();
}

void Workers::work(Queue& queue) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      queue.has_job.wait(lock, [&] { return is_ending_ || !queue.jobs.empty(); });
      if (is_ending_) return;
      job = std::move(queue.jobs.front());
      queue.jobs.pop_front();
    }
    job();
  }
}

void Metrics::count(std::string_view route, unsigned status, double seconds, uint64_t bytes) {
  const std::string name(route);
  const std::lock_guard lock(mutex_);
  ++requests_[{name, status}];
  Times& times = times_[name];
  for (size_t i = 0; i < bounds.size(); ++i) times.below[i] += seconds <= bounds[i] ? 1 : 0;
  ++times.requests;
  times.seconds += seconds;
  times.bytes += bytes;
}

std::string Metrics::text() const {
  std::string text;
  const auto out = std::back_inserter(text);
  const std::lock_guard lock(mutex_);
  fmt::format_to(out, "# HELP kith_info The version of kith.\n# TYPE kith_info gauge\n");
  fmt::format_to(out, "kith_info{{version=\"{}\"}} 1\n", version());
  fmt::format_to(out,
                 "# HELP kith_requests_total Requests that were answered.\n"
                 "# TYPE kith_requests_total counter\n");
  for (const auto& [key, count] : requests_) {
    fmt::format_to(out, "kith_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                   key.second, count);
  }
  fmt::format_to(out,
                 "# HELP kith_response_bytes_total Bytes of the bodies of answers.\n"
                 "# TYPE kith_response_bytes_total counter\n");
  for (const auto& [route, times] : times_) {
    fmt::format_to(out, "kith_response_bytes_total{{route=\"{}\"}} {}\n", route, times.bytes);
  }
  fmt::format_to(out,
                 "# HELP kith_request_seconds Time to make an answer.\n"
                 "# TYPE kith_request_seconds histogram\n");
  for (const auto& [route, times] : times_) {
    for (size_t i = 0; i < bounds.size(); ++i) {
      fmt::format_to(out, "kith_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                     bounds[i], times.below[i]);
    }
    fmt::format_to(out, "kith_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", route,
                   times.requests);
    fmt::format_to(out, "kith_request_seconds_sum{{route=\"{}\"}} {}\n", route, times.seconds);
    fmt::format_to(out, "kith_request_seconds_count{{route=\"{}\"}} {}\n", route, times.requests);
  }
  return text;
}

bool ConnectionTable::is_full(const std::string& address, bool& is_of_address) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_address_.find(address);
  is_of_address = found != of_address_.end() && found->second >= max_per_address_;
  return is_of_address || entries_.size() >= max_connections_;
}

std::optional<ConnectionTable::Id> ConnectionTable::enter(const std::string& address,
                                                          std::function<void()> drop) {
  bool is_of_address = false;
  while (is_full(address, is_of_address)) {
    if (!drop_oldest_of(is_of_address ? &address : nullptr)) return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  const Id id = next_++;
  const auto at = waiting_.insert(waiting_.end(), id);
  entries_.emplace(id, Entry{address, std::move(drop), at});
  ++of_address_[address];
  return id;
}

void ConnectionTable::set_waiting(Id id, bool is_waiting) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end() || at->second.waiting.has_value() == is_waiting) return;
  if (is_waiting) {
    at->second.waiting = waiting_.insert(waiting_.end(), id);
  } else {
    waiting_.erase(*std::exchange(at->second.waiting, std::nullopt));
  }
}

void ConnectionTable::leave(Id id) {
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(id); at != entries_.end()) erase(at);
}

void ConnectionTable::erase(Entries::iterator at) {
  if (at->second.waiting) waiting_.erase(*at->second.waiting);
  const auto count = of_address_.find(at->second.address);
  if (--count->second == 0) of_address_.erase(count);
  entries_.erase(at);
}

bool ConnectionTable::drop_oldest_of(const std::string* address) {
  std::function<void()> drop;
  {
    const std::lock_guard lock(mutex_);
    const auto oldest = std::ranges::find_if(waiting_, [&](Id id) {
      return address == nullptr || entries_.find(id)->second.address == *address;
    });
    if (oldest == waiting_.end()) return false;
    const auto at = entries_.find(*oldest);
    drop = std::move(at->second.drop);
    erase(at);
  }
  // Not under the lock: it may end the connection, which leaves.
  drop();
  return true;
}

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
