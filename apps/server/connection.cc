#include "server/connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "server/message.h"

namespace kith::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

// What a connection reads at once, beyond a head.
constexpr size_t read_bytes = 4096;
// Sizes and extensions of chunks may be so much longer than the body.
constexpr uint64_t most_framing = 16 << 10;
// Trailers come as one piece of buffer_bytes at most, and take up to this as fields.
constexpr uint64_t bytes_of_trailers = 512 << 10;
// Connections without a place that are told so at a time; further ones are closed without a word.
constexpr uint32_t most_refused = 64;

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
Request request_of(const http::request<ChargedBody>& message) {
  const auto field = [&](http::field name) { return text_of(message[name]); };
  Request request;
  request.method = method_of(message.method());
  request.target = text_of(message.target());
  request.authorization = field(http::field::authorization);
  request.accept_encoding = field(http::field::accept_encoding);
  request.if_none_match = field(http::field::if_none_match);
  request.host = field(http::field::host);
  request.content_type = field(http::field::content_type);
  request.content_encoding = field(http::field::content_encoding);
  request.origin = field(http::field::origin);
  request.sec_fetch_site = text_of(message["Sec-Fetch-Site"]);
  return request;
}

// Clients of an IPv6 network have 2^64 addresses and more.
std::string network_of(const asio::ip::address& address) {
  if (!address.is_v6()) return address.to_string();
  const asio::ip::address_v6 six = address.to_v6();
  if (six.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, six).to_string();
  asio::ip::address_v6::bytes_type bytes = six.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return asio::ip::address_v6(bytes).to_string();
}

bool is_gone(beast::error_code error) {
  return error == http::error::end_of_stream || error == beast::error::timeout ||
         error.category() == asio::error::get_system_category() || error == asio::error::eof ||
         error == asio::error::operation_aborted || error == http::error::partial_message;
}

}  // namespace

void note_exception(const ServerCallbacks& callbacks) {
  if (!callbacks.failed) return;
  try {
    try {
      throw;
    } catch (const std::exception& exception) {
      callbacks.failed(exception.what());
    } catch (...) {
      callbacks.failed("something was thrown that is no std::exception");
    }
  } catch (...) {
    // There is no memory to say it in.
    return;
  }
}

// What is not sent yet can be another answer.
void Connection::fail() {
  note_exception(shared_.callbacks);
  if (is_sending_) return;
  try {
    refuse(500, "the server has failed, and has said why on its standard error");
  } catch (...) {
    note_exception(shared_.callbacks);
  }
}

Connection::Connection(tcp::socket socket, Shared& shared)
    : stream_(std::move(socket)),
      shared_(shared),
      buffer_(shared.options.header_bytes + read_bytes),
      charge_(shared.budget) {}

Connection::~Connection() {
  if (id_) {
    shared_.table.leave(*id_);
  } else {
    --shared_.refused;
  }
  set_busy(false);
}

void Connection::start() {
  enter_table();
  if (id_) return read_head();
  keeps_alive_ = false;
  if (shared_.refused > most_refused) return;
  send(busy_response("too many connections"), false);
}

void Connection::enter_table() {
  ++shared_.refused;
  error_code error;
  const tcp::endpoint client = stream_.socket().remote_endpoint(error);
  if (!error) remote_ = client.address().to_string();
  id_ = shared_.table.enter(error ? "" : network_of(client.address()), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->stream_.close();
  });
  if (id_) --shared_.refused;
  stream_.socket().set_option(tcp::no_delay(true), error);
}

void Connection::set_busy(bool is_busy) {
  if (id_) shared_.table.set_waiting(*id_, !is_busy);
  if (is_busy == is_busy_) return;
  is_busy_ = is_busy;
  is_busy ? ++shared_.answering : --shared_.answering;
}

void Connection::expire_later() {
  stream_.expires_after(std::chrono::seconds(shared_.options.timeout_seconds));
}

void Connection::read_head() {
  searched_ = 0;
  version_ = 11;
  expire_later();
  find_head();
}

void Connection::find_head() {
  constexpr std::string_view line_end = "\r\n";
  constexpr std::string_view head_end = "\r\n\r\n";
  const auto text = [&] {
    return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  };
  // Some clients send an empty line after a body (RFC 9112, section 2.2).
  while (text().starts_with(line_end)) buffer_.consume(line_end.size());
  const size_t limit = shared_.options.header_bytes;
  const size_t end = text().find(head_end, std::min(searched_, buffer_.size()));
  if (end != std::string_view::npos && end + head_end.size() <= limit) {
    return take_head(text().substr(0, end + head_end.size()));
  }
  if (end != std::string_view::npos || buffer_.size() > limit) {
    return refuse(431, fmt::format("the head of the request is longer than {} bytes", limit));
  }
  searched_ = std::max(buffer_.size(), head_end.size()) - head_end.size();
  stream_.async_read_some(buffer_.prepare(read_bytes), then(&Connection::take_more_head));
}

void Connection::take_more_head(error_code error, size_t bytes) {
  if (error) return close();
  buffer_.commit(bytes);
  find_head();
}

void Connection::take_head(std::string_view head) {
  set_busy(true);
  if (const auto fault = fault_of_head(head)) return refuse(fault->status, fault->message);
  parser_.emplace();
  parser_->header_limit(shared_.options.header_bytes);
  // Which limit holds is known with the head; by then the parser has compared a length with its
  // own.
  parser_->body_limit(std::numeric_limits<uint64_t>::max());
  error_code error;
  const size_t taken = parser_->put(asio::buffer(head.data(), head.size()), error);
  if (!parser_->is_header_done()) return refuse(400, "the request is no HTTP");
  buffer_.consume(taken);
  const auto& message = parser_->get();
  request_ = request_of(message);
  method_ = text_of(message.method_string());
  version_ = message.version();
  keeps_alive_ = parser_->keep_alive() && !shared_.is_ending;
  needs_ = shared_.handler.needs(request_);
  if (limit_body()) begin_body();
}

// False where the request was refused.
bool Connection::limit_body() {
  if (parser_->content_length().value_or(0) > needs_.max_body) {
    refuse(413, fmt::format("the body of the request is longer than {} bytes", needs_.max_body));
    return false;
  }
  parser_->body_limit(needs_.max_body);
  const bool is_chunked = parser_->chunked();
  parser_->get().body() = {{}, &charge_, needs_.max_body, is_chunked ? bytes_of_trailers : 0};
  framing_bytes_ = 0;
  on_chunk_ = [this](uint64_t size, beast::string_view extensions, error_code& error) {
    constexpr uint64_t usual_bytes = 8;  // of a size and two line ends
    framing_bytes_ += usual_bytes + extensions.size();
    if (framing_bytes_ > most_framing + parser_->get().body().text.size() + size) {
      error = http::error::buffer_overflow;
    }
  };
  parser_->on_chunk_header(on_chunk_);
  return true;
}

void Connection::begin_body() {
  if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
    return read_body({}, 0);
  }
  continue_.emplace(http::status::continue_, version_);
  http::async_write(stream_, *continue_, then(&Connection::read_body));
}

void Connection::read_body(error_code error, size_t) {
  if (error) return close();
  http::async_read(stream_, buffer_, *parser_, then(&Connection::take_body));
}

// Nothing is said where nobody listens any more.
void Connection::take_body(error_code error, size_t) {
  if (!error) return answer();
  if (error == http::error::body_limit) {
    return refuse(413,
                  fmt::format("the body of the request is longer than {} bytes", needs_.max_body));
  }
  if (error == http::error::buffer_overflow) {
    return refuse(431, "the request has too long extensions of chunks, or trailers");
  }
  if (error == boost::system::errc::not_enough_memory) {
    keeps_alive_ = false;
    return send(busy_response("the server has no memory left for this body; send it later, or in "
                              "smaller parts"),
                false);
  }
  if (is_gone(error)) return close();
  refuse(400, "the body of the request is no HTTP");
}

}  // namespace kith::server
