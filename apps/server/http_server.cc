#include "http_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace kith::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;
using Clock = std::chrono::steady_clock;

// How long answers that are being sent are waited for at the end.
constexpr auto drain_time = std::chrono::seconds(5);

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::get;
    case http::verb::head:
      return Method::head;
    case http::verb::post:
      return Method::post;
    default:
      return Method::other;
  }
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

// Without its body.
Request request_of(const http::request<http::string_body>& message) {
  Request request;
  request.method = method_of(message.method());
  request.target = text_of(message.target());
  request.authorization = text_of(message[http::field::authorization]);
  request.accept_encoding = text_of(message[http::field::accept_encoding]);
  request.if_none_match = text_of(message[http::field::if_none_match]);
  request.host = text_of(message[http::field::host]);
  return request;
}

// What all connections share.
struct Shared {
  const ServerOptions& options;
  Handler& handler;
  const ServerCallbacks& callbacks;
  std::atomic<uint32_t> connections{0};
  std::atomic<uint32_t> answering{0};  // requests that have begun, and whose answer is not sent
  std::atomic<bool> is_ending{false};
};

Response refusal(unsigned status, std::string_view message) {
  Response response;
  response.status = status;
  response.body =
      fmt::format("{{\"error\":{{\"status\":{},\"message\":\"{}\"}}}}\n", status, message);
  return response;
}

// One client, request after request. All that it does runs on the strand of its stream.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)),
        shared_(shared),
        is_one_too_many_(++shared.connections > shared.options.most_connections) {
    error_code ignored;
    const tcp::endpoint client = stream_.socket().remote_endpoint(ignored);
    if (!ignored) remote_ = client.address().to_string();
    stream_.socket().set_option(tcp::no_delay(true), ignored);
  }
  ~Connection() {
    --shared_.connections;
    set_busy(false);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->begin(); });
  }

 private:
  void set_busy(bool is_busy) {
    if (is_busy == is_busy_) return;
    is_busy_ = is_busy;
    is_busy ? ++shared_.answering : --shared_.answering;
  }

  void begin() {
    if (is_one_too_many_) {
      keeps_alive_ = false;
      return send(refusal(503, "too many connections"), 11, false);
    }
    read_head();
  }

  void expire_later() {
    stream_.expires_after(std::chrono::seconds(shared_.options.timeout_seconds));
  }

  void read_head() {
    parser_.emplace();
    parser_->header_limit(shared_.options.header_bytes);
    // Which limit holds is known with the head; by then the parser has compared a length with its
    // own.
    parser_->body_limit(std::numeric_limits<uint64_t>::max());
    expire_later();
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, size_t) { self->take_head(error); });
  }

  void take_head(error_code error) {
    if (error) return refuse(error);
    set_busy(true);
    const auto& head = parser_->get();
    const uint64_t most = shared_.handler.max_body(request_of(head));
    if (parser_->content_length().value_or(0) > most) return refuse(http::error::body_limit);
    parser_->body_limit(most);
    if (beast::iequals(head[http::field::expect], "100-continue")) {
      continue_.emplace(http::status::continue_, head.version());
      return http::async_write(stream_, *continue_,
                               [self = shared_from_this()](error_code failed, size_t) {
                                 if (!failed) self->read_body();
                               });
    }
    read_body();
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, size_t) {
                       error ? self->refuse(error) : self->answer();
                     });
  }

  // What is said to a client whose request cannot be read; nothing where nobody listens any more.
  void refuse(error_code error) {
    keeps_alive_ = false;
    if (error == http::error::header_limit) {
      return send(refusal(431, "the head of the request is too long"), 11, false);
    }
    if (error == http::error::body_limit) {
      return send(refusal(413, "the body of the request is too long"), 11, false);
    }
    const bool is_gone = error == http::error::end_of_stream || error == beast::error::timeout ||
                         error.category() == asio::error::get_system_category() ||
                         error == asio::error::eof || error == asio::error::operation_aborted ||
                         error == http::error::partial_message;
    if (is_gone) return close();
    send(refusal(400, "the request is no HTTP"), 11, false);
  }

  void answer() {
    auto message = parser_->release();
    Request request = request_of(message);
    request.body = std::move(message.body());
    keeps_alive_ = message.keep_alive() && !shared_.is_ending;
    const Clock::time_point start = Clock::now();
    const Response response = shared_.handler.answer(request);
    const std::chrono::duration<double> took = Clock::now() - start;
    const std::string method = text_of(message.method_string());
    shared_.callbacks.answered({remote_, method, request.target, response.route, response.status,
                                response.body.size(), took.count()});
    send(response, message.version(), request.method == Method::head);
  }

  void send(const Response& response, unsigned version, bool without_body) {
    answer_.emplace(static_cast<http::status>(response.status), version);
    answer_->set(http::field::server, "kith");
    answer_->set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.fields) answer_->set(name, value);
    answer_->keep_alive(keeps_alive_);
    // 304 has no body, and another length than what it stands for.
    if (response.status != 304) answer_->content_length(response.body.size());
    if (!without_body) answer_->body() = response.body;
    expire_later();
    serializer_.emplace(*answer_);
    const auto sent = [self = shared_from_this()](error_code error, size_t) {
      self->set_busy(false);
      self->keeps_alive_ && !error ? self->read_head() : self->close();
    };
    // The length of what HEAD asks for, and not that.
    if (without_body) return http::async_write_header(stream_, *serializer_, sent);
    http::async_write(stream_, *serializer_, sent);
  }

  // What the client still sends is read until it is silent for a moment: a socket that is closed
  // before would make it lose the answer.
  void close() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    if (!ignored) drain(Clock::now() + std::chrono::seconds(shared_.options.timeout_seconds));
  }

  void drain(Clock::time_point end) {
    constexpr auto silence = std::chrono::seconds(1);
    constexpr size_t most_at_once = 1 << 16;
    stream_.expires_at(std::min(end, Clock::now() + silence));
    stream_.async_read_some(buffer_.prepare(most_at_once),
                            [self = shared_from_this(), end](error_code error, size_t) {
                              if (!error && Clock::now() < end) self->drain(end);
                            });
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  const bool is_one_too_many_;
  std::string remote_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::empty_body>> continue_;
  std::optional<http::response<http::string_body>> answer_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool keeps_alive_ = true;
  bool is_busy_ = false;
};

class Listener {
 public:
  Listener(asio::io_context& context, Shared& shared)
      : context_(context),
        shared_(shared),
        strand_(asio::make_strand(context)),
        acceptor_(strand_),
        timer_(strand_),
        signals_(strand_, SIGINT, SIGTERM) {}

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
    asio::dispatch(strand_, [this] {
      signals_.async_wait([this](error_code error, int) {
        if (!error) stop();
      });
      accept();
    });
  }

 private:
  void accept() {
    acceptor_.async_accept(
        asio::make_strand(context_),
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
    if (!error) {
      std::make_shared<Connection>(std::move(socket), shared_)->start();
      return accept();
    }
    // No file descriptor is left, or the like: some time later there may be one.
    wait(moment, [this] { accept(); });
  }

  static constexpr auto moment = std::chrono::milliseconds(20);

  asio::io_context& context_;
  Shared& shared_;
  asio::strand<asio::io_context::executor_type> strand_;
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  asio::signal_set signals_;
};

}  // namespace

bool is_loopback(const std::string& address) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

Status serve(const ServerOptions& options, Handler& handler, const ServerCallbacks& callbacks) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads = options.threads > 0 ? options.threads : processors;
  Shared shared{options, handler, callbacks};
  // Goes before that: connections that are open at the end go with it, and are counted.
  asio::io_context context(static_cast<int>(threads));
  Listener listener(context, shared);
  KITH_TRY(listener.listen());
  listener.start();
  callbacks.listening(listener.port());
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&] { context.run(); });
  context.run();
  for (std::thread& other : others) other.join();
  return Status::ok();
}

}  // namespace kith::server
