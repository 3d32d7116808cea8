#include "server/http_server.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/running_server.h"

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

std::string request(const std::string& line, const std::string& body = "") {
  return line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(HttpServer, AnswersManyAtATime) {
  Echo echo;
  test::RunningServer server(echo);
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
  Echo echo;
  const test::RunningServer server(echo);
  const std::string keep = "GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string answers = server.ask(keep + request("GET /second"));
  EXPECT_NE(answers.find("/first "), std::string::npos) << answers;
  EXPECT_TRUE(answers.ends_with("/second ")) << answers;
}

TEST(HttpServer, RefusesWhatIsTooLong) {
  Echo echo;
  const test::RunningServer server(echo);
  EXPECT_TRUE(server.ask(request("POST /", std::string(1001, 'x'))).starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(server.ask(request("POST /", std::string(1000, 'x'))).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(server.ask(request("GET /" + std::string(20000, 'x'))).starts_with("HTTP/1.1 431 "));
  const std::string head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "1f4\r\n" + std::string(500, 'x') + "\r\n";
  const std::string many = server.ask(head + chunk + chunk + chunk + "0\r\n\r\n");
  EXPECT_TRUE(many.starts_with("HTTP/1.1 413 ")) << many;
}

// Who sends a long body gets the answer, though it comes before the end of the body.
TEST(HttpServer, ReadsTheRestOfWhatItRefuses) {
  Echo echo;
  const test::RunningServer server(echo);
  const std::string answer = server.ask(request("POST /", std::string(size_t{16} << 20, 'x')));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer;
}

// Connections that are open at the end go with the server.
TEST(HttpServer, EndsWithIdleClients) {
  Echo echo;
  test::RunningServer server(echo);
  const int idle = server.connect();
  EXPECT_TRUE(server.ask(request("GET /")).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(server.end().is_ok());
  ::close(idle);
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
