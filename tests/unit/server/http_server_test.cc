#include "server/http_server.h"

#include <atomic>
#include <csignal>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kith::server {
namespace {

// Says what it was asked.
class Echo : public Handler {
 public:
  Response answer(const Request& request) override {
    Response response;
    response.type = "text/plain";
    response.body = request.target + " " + request.body;
    response.route = "echo";
    return response;
  }
  uint64_t max_body(const Request&) const override { return 1000; }
};

// A server in this process, until the object goes.
class Running {
 public:
  Running() {
    std::promise<uint16_t> promise;
    ServerOptions options;
    options.port = 0;
    options.threads = 2;
    options.timeout_seconds = 20;
    server_ = std::thread([this, options, &promise] {
      status_ = serve(options, handler_,
                      {.listening = [&](uint16_t port) { promise.set_value(port); },
                       .answered = [this](const Exchange&) { ++answered_; }});
    });
    port_ = promise.get_future().get();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { EXPECT_TRUE(end().is_ok()); }

  Status end() {
    if (!server_.joinable()) return status_;
    ::kill(::getpid(), SIGTERM);
    server_.join();
    return status_;
  }

  // What comes back for these bytes until the server closes the connection.
  std::string ask(const std::string& bytes) const {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0) {
      char buffer[4096];
      for (ssize_t n = 0; (n = ::recv(client, buffer, sizeof(buffer), 0)) > 0;) {
        answer.append(buffer, static_cast<size_t>(n));
      }
    }
    ::close(client);
    return answer;
  }

  uint64_t answered() const { return answered_; }

 private:
  Echo handler_;
  Status status_ = Status::ok();
  std::atomic<uint64_t> answered_ = 0;
  uint16_t port_ = 0;
  std::thread server_;
};

std::string request(const std::string& line, const std::string& body = "") {
  return line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(HttpServer, AnswersManyAtATime) {
  Running server;
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      for (int turn = 0; turn < 25; ++turn) {
        const std::string name = "/" + std::to_string(client) + "/" + std::to_string(turn);
        const std::string answer = server.ask(request("POST " + name, "a body"));
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
        EXPECT_TRUE(answer.ends_with("\r\n\r\n" + name + " a body")) << answer;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_TRUE(server.end().is_ok());
  EXPECT_EQ(server.answered(), 100u);
}

TEST(HttpServer, TakesSeveralRequestsOfAConnection) {
  const Running server;
  const std::string keep = "GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string answers = server.ask(keep + request("GET /second"));
  EXPECT_NE(answers.find("/first "), std::string::npos) << answers;
  EXPECT_TRUE(answers.ends_with("/second ")) << answers;
}

TEST(HttpServer, RefusesWhatIsTooLong) {
  const Running server;
  EXPECT_TRUE(server.ask(request("POST /", std::string(1001, 'x'))).starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(server.ask(request("POST /", std::string(1000, 'x'))).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(server.ask(request("GET /" + std::string(20000, 'x'))).starts_with("HTTP/1.1 431 "));
  const std::string head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "1f4\r\n" + std::string(500, 'x') + "\r\n";
  const std::string many = server.ask(head + chunk + chunk + chunk + "0\r\n\r\n");
  EXPECT_TRUE(many.starts_with("HTTP/1.1 413 ")) << many;
}

TEST(HttpServer, SaysWhatItCannotListenOn) {
  Echo handler;
  ServerOptions options;
  options.address = "nowhere";
  EXPECT_FALSE(serve(options, handler, {}).is_ok());
}

TEST(Loopback, IsThisMachine) {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1"}) EXPECT_TRUE(is_loopback(address));
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "", "localhost."}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

}  // namespace
}  // namespace kith::server
