// The sockets of the server: HTTP/1.1 over TCP, by Boost.Beast.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

}  // namespace kith::server
