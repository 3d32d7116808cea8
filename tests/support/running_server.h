// A server in this process, and a client of it.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http_server.h"

namespace kith::test {

// The socket of a client of a server on this machine, which closes it.
inline int connect(uint16_t port) {
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return client;
  }
  ::close(client);
  return -1;
}

// What comes back for these bytes until the server closes the connection; nothing where it does
// not take all of them. Nothing more is sent behind them if `is_last`.
inline std::string ask(uint16_t port, std::string_view bytes, bool is_last = false) {
  const int client = connect(port);
  std::string answer;
  if (::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(bytes.size())) {
    if (is_last) ::shutdown(client, SHUT_WR);
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(client, buffer, sizeof(buffer), 0)) > 0;) {
      answer.append(buffer, static_cast<size_t>(n));
    }
  }
  ::close(client);
  return answer;
}

// A server in this process, until the object goes.
class RunningServer {
 public:
  static server::ServerOptions usual_options() {
    server::ServerOptions options;
    options.threads = 2;
    options.timeout_seconds = 20;
    return options;
  }

  explicit RunningServer(server::Handler& handler,
                         server::ServerOptions options = usual_options()) {
    std::promise<uint16_t> promise;
    options.port = 0;
    server_ = std::thread([this, options, &handler, &promise] {
      status_ = server::serve(options, handler,
                              {.listening = [&](uint16_t port) { promise.set_value(port); },
                               .answered = [this](const server::Exchange&) { ++answered_; },
                               .failed = [this](std::string_view) { ++failed_; }});
    });
    port_ = promise.get_future().get();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer() { (void)end(); }

  Status end() {
    if (!server_.joinable()) return status_;
    ::kill(::getpid(), SIGTERM);
    server_.join();
    return status_;
  }

  uint16_t port() const { return port_; }
  int connect() const { return test::connect(port_); }
  std::string ask(std::string_view bytes, bool is_last = false) const {
    return test::ask(port_, bytes, is_last);
  }

  uint64_t answered() const { return answered_; }
  uint64_t failed() const { return failed_; }

 private:
  Status status_ = Status::ok();
  std::atomic<uint64_t> answered_ = 0;
  std::atomic<uint64_t> failed_ = 0;
  uint16_t port_ = 0;
  std::thread server_;
};

}  // namespace kith::test
