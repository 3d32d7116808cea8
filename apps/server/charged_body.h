// The body of a request, whose memory is charged as it comes (a Body of Boost.Beast).
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "server/workers.h"

namespace kith::server {

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

}  // namespace kith::server
