// One client of the server: HTTP/1.1, request after request, by Boost.Beast.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "server/http_server.h"
#include "server/message.h"

namespace kith::server {

// The body of a request, whose memory is charged as it comes (a Body of Boost.Beast).

struct ChargedBody {
  struct value_type {
    std::string text;
    // Set before the body is read:
    Charge* charge = nullptr;
    uint64_t max_size = 0;  // which the parser compares; so much is set aside at most
    uint64_t beside = 0;    // bytes that are charged beside the text
  };

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>&, value_type& body) : body_(body) {}

    // Whoever announces a long body has not sent it yet: nothing is set aside for it.
    void init(const boost::optional<uint64_t>&, boost::beast::error_code& error) { error = {}; }

    template <class Buffers>
    size_t put(const Buffers& buffers, boost::beast::error_code& error) {
      const size_t more = boost::beast::buffer_bytes(buffers);
      if (!make_place(body_.text.size() + more)) {
        error = boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
        return 0;
      }
      for (const auto part : boost::beast::buffers_range_ref(buffers)) {
        body_.text.append(static_cast<const char*>(part.data()), part.size());
      }
      error = {};
      return more;
    }

    void finish(boost::beast::error_code& error) { error = {}; }

   private:
    // While a text grows, it lies in the memory twice.
    bool make_place(size_t size) {
      std::string& text = body_.text;
      if (size <= text.capacity()) return true;
      constexpr size_t min_capacity = 4096;
      const size_t twice = std::min<size_t>(2 * text.capacity(), body_.max_size);
      const size_t capacity = std::max({size, twice, min_capacity});
      if (!body_.charge->set(body_.beside + text.capacity() + capacity)) return false;
      try {
        text.reserve(capacity);
      } catch (const std::bad_alloc&) {
        return false;
      }
      return body_.charge->set(body_.beside + text.capacity());
    }

    value_type& body_;
  };
};

// One client of the server: HTTP/1.1, request after request, by Boost.Beast.

// What all connections share.
struct Shared {
  const ServerOptions& options;
  Handler& handler;
  const ServerCallbacks& callbacks;
  Budget budget;  // for bodies and answers
  ConnectionTable table;
  std::atomic<uint32_t> answering{0};  // requests that have begun, and whose answer is not sent
  std::atomic<uint32_t> refused{0};    // connections that are not in the table
  std::atomic<bool> is_ending{false};
  // Gives a job, which throws nothing, to the threads of the lane (Workers::add).
  std::function<void(Lane lane, std::function<void()> job)> give_work = {};
};

// Says what was thrown; of a catch (...).
void note_exception(const ServerCallbacks& callbacks);

// All that it does is done by the thread of the sockets, except answers of lanes that have others.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, Shared& shared);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();

 private:
  using error_code = boost::beast::error_code;
  using Clock = std::chrono::steady_clock;
  using Act = void (Connection::*)(error_code error, size_t bytes);

  // A handler that calls it with this connection. No exception leaves it.
  auto then(Act act);
  void fail();

  void enter_table();
  void set_busy(bool is_busy);
  void expire_later();

  void read_head();
  void find_head();
  void take_more_head(error_code error, size_t bytes);
  void take_head(std::string_view head);
  bool limit_body();
  void begin_body();
  void read_body(error_code error, size_t bytes);
  void take_body(error_code error, size_t bytes);

  void answer();
  void work(Clock::time_point asked);
  Response make_answer(Clock::time_point asked);
  void log(const Response& response, std::chrono::duration<double> took) const;

  void refuse(unsigned status, std::string_view message);
  void send(Response response, bool without_body);
  void take_sent(error_code error, size_t bytes);
  void close();
  void drain();
  void take_rest(error_code error, size_t bytes);

  boost::beast::tcp_stream stream_;
  Shared& shared_;
  std::string remote_;
  std::optional<ConnectionTable::Id> id_;  // nothing: there is no place for it
  boost::beast::flat_buffer buffer_;
  size_t searched_ = 0;  // bytes of the buffer that have no end of a head
  Charge charge_;
  std::optional<boost::beast::http::request_parser<ChargedBody>> parser_;
  std::function<void(uint64_t, boost::beast::string_view, error_code&)> on_chunk_;
  uint64_t framing_bytes_ = 0;  // of the body: sizes and extensions of chunks
  Request request_;
  std::string method_;
  unsigned version_ = 11;
  Needs needs_;
  Response response_;  // of a worker
  std::optional<boost::beast::http::response<boost::beast::http::empty_body>> continue_;
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> answer_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>>
      serializer_;
  Clock::time_point drain_end_;
  bool keeps_alive_ = true;
  bool is_busy_ = false;
  bool is_sending_ = false;
};

inline auto Connection::then(Act act) {
  return [self = shared_from_this(), act](error_code error, size_t bytes) {
    try {
      ((*self).*act)(error, bytes);
    } catch (...) {
      self->fail();
    }
  };
}

}  // namespace kith::server
