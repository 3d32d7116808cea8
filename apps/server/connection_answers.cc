// What a connection answers: a question is asked, its answer sent, and the socket closed.
#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <boost/asio/post.hpp>

#include "server/connection.h"

namespace kith::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

}  // namespace

void Connection::answer() {
  request_.body = std::move(parser_->get().body().text);
  parser_.reset();
  if (!charge_.set(request_.body.capacity() + needs_.answer)) {
    return send(busy_response("the server has no memory left for this answer; ask again later"),
                request_.method == Method::head);
  }
  const Clock::time_point asked = Clock::now();
  if (needs_.lane == Lane::instant) {
    return send(make_answer(asked), request_.method == Method::head);
  }
  shared_.give_work(needs_.lane, [self = shared_from_this(), asked] { self->work(asked); });
}

// On the thread of a worker.
void Connection::work(Clock::time_point asked) {
  try {
    response_ = make_answer(asked);
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      try {
        self->send(std::move(self->response_), self->request_.method == Method::head);
      } catch (...) {
        self->fail();
      }
    });
  } catch (...) {
    note_exception(shared_.callbacks);
  }
}

Response Connection::make_answer(Clock::time_point asked) {
  const Clock::time_point start = Clock::now();
  Response response;
  try {
    // Nobody waits any longer than this, and others do.
    const bool is_late = start - asked > std::chrono::seconds(shared_.options.timeout_seconds);
    response = is_late ? busy_response("too many questions before this one; ask again later")
                       : shared_.handler.answer(request_);
    std::string().swap(request_.body);
    if (!charge_.set(response.body.capacity())) {
      response = busy_response("the server has no memory left for this answer; ask again later");
    }
  } catch (const std::bad_alloc&) {
    response = busy_response("not enough memory for this answer");
  } catch (...) {
    note_exception(shared_.callbacks);
    response = error_response(500, "the server has failed, and has said why on its standard error");
  }
  log(response, Clock::now() - start);
  return response;
}

void Connection::log(const Response& response, std::chrono::duration<double> took) const {
  try {
    shared_.callbacks.answered({remote_, method_, request_.target, response.route, response.status,
                                response.body.size(), took.count()});
  } catch (...) {
    note_exception(shared_.callbacks);
  }
}

// A request that cannot be read has no end that could be told.
void Connection::refuse(unsigned status, std::string_view message) {
  keeps_alive_ = false;
  send(error_response(status, message), false);
}

void Connection::send(Response response, bool without_body) {
  answer_.emplace(static_cast<http::status>(response.status), version_);
  answer_->set(http::field::server, "kith");
  answer_->set(http::field::content_type, response.type);
  for (const auto& [name, value] : response.fields) answer_->set(name, value);
  answer_->keep_alive(keeps_alive_);
  // 304 has no body, and another length than what it stands for.
  if (response.status != 304) answer_->content_length(response.body.size());
  if (!without_body) answer_->body() = std::move(response.body);
  expire_later();
  serializer_.emplace(*answer_);
  is_sending_ = true;
  // The length of what HEAD asks for, and not that.
  if (without_body) {
    return http::async_write_header(stream_, *serializer_, then(&Connection::take_sent));
  }
  http::async_write(stream_, *serializer_, then(&Connection::take_sent));
}

void Connection::take_sent(error_code error, size_t) {
  is_sending_ = false;
  serializer_.reset();
  answer_.reset();
  parser_.reset();
  charge_.set(0);
  set_busy(false);
  keeps_alive_ && !error ? read_head() : close();
}

// What the client still sends is read until it is silent for a moment: a socket that is closed
// before would make it lose the answer.
void Connection::close() {
  // A connection that waits so is the first to go where others come.
  set_busy(false);
  keeps_alive_ = false;
  error_code error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  if (error) return;
  drain_end_ = Clock::now() + std::chrono::seconds(shared_.options.timeout_seconds);
  drain();
}

void Connection::drain() {
  constexpr auto silence = std::chrono::seconds(1);
  stream_.expires_at(std::min(drain_end_, Clock::now() + silence));
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(buffer_.max_size()), then(&Connection::take_rest));
}

void Connection::take_rest(error_code error, size_t) {
  if (!error && Clock::now() < drain_end_) drain();
}

}  // namespace kith::server
