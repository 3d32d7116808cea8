#include "server/http_server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/running_server.h"

namespace kith::server {
namespace {

// Says what it was asked. Some targets have a meaning.
class Echo : public Handler {
 public:
  Response answer(const Request& request) override {
    if (request.target == "/throw") throw std::length_error("is too long");
    if (request.target == "/throw_int") throw 1;
    if (request.target == "/wait") wait();
    Response response;
    if (request.target == "/unchanged") response.status = 304;
    if (request.target == "/large") response.body.resize(size_t{4} << 20, 'x');
    response.type = "text/plain";
    if (response.body.empty()) response.body = request.target + " " + request.body;
    response.route = "echo";
    return response;
  }
  Needs needs(const Request& head) const override {
    if (head.target == "/throw_early") throw std::runtime_error("has no needs");
    Needs needs;
    needs.lane = head.target == "/wait" ? Lane::slow : Lane::quick;
    if (head.target == "/instant" || head.target == "/throw_int") needs.lane = Lane::instant;
    needs.max_body = max_body;
    needs.answer = 1000;
    return needs;
  }

  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ == count; });
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    goes_on_ = true;
    changed_.notify_all();
  }

  uint64_t max_body = 1000;

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return goes_on_; });
  }

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  int waiting_ = 0;
  bool goes_on_ = false;
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

constexpr const char* chunked_head =
    "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";

// Sends the part again and again until nobody takes it any more. What came back.
std::string send_without_end(const test::RunningServer& server, const std::string& begin,
                             const std::string& part, size_t most) {
  const int client = server.connect();
  ::send(client, begin.data(), begin.size(), MSG_NOSIGNAL);
  std::string answer(4096, '\0');
  ssize_t got = -1;
  for (size_t sent = 0; sent < most && got < 0; sent += part.size()) {
    ::send(client, part.data(), part.size(), MSG_NOSIGNAL);
    got = ::recv(client, answer.data(), answer.size(), MSG_DONTWAIT);
  }
  ::close(client);
  answer.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return answer;
}

TEST(HttpServer, EveryByteOfABodyHasALimit) {
  Echo echo;
  const test::RunningServer server(echo);
  const std::string much(1 << 16, 'y');
  constexpr size_t most = size_t{1} << 26;
  const auto answer_to = [&](const std::string& begin, const std::string& part) {
    return send_without_end(server, chunked_head + begin, part, most);
  };
  EXPECT_TRUE(answer_to("1;", much).starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(answer_to("1\r\na\r\n0\r\n", "X-field: y\r\n").starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(answer_to("1\r\na\r\n0\r\nX: ", much).starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(answer_to("00000000", std::string(1 << 16, '0')).starts_with("HTTP/1.1 4"));
  // Extensions that are short each.
  echo.max_body = 1 << 20;
  const std::string chunk = "1;" + std::string(1000, 'x') + "\r\na\r\n";
  EXPECT_TRUE(answer_to("", chunk).starts_with("HTTP/1.1 431 "));
  // What is within the limits is read.
  const std::string fine = server.ask(std::string(chunked_head) +
                                      "2;name=value\r\nab\r\n1\r\nc\r\n0\r\nX-Sum: 1\r\n\r\n");
  EXPECT_TRUE(fine.ends_with("/ abc")) << fine;
}

// Trailers are no fields of the head, though the parser puts them there.
TEST(HttpServer, RefusesWhatMeansSeveralThings) {
  Echo echo;
  const test::RunningServer server(echo);
  const std::string get = "GET / HTTP/1.1\r\nConnection: close\r\n";
  EXPECT_TRUE(server.ask(get + "\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(server.ask(get + "Host: a\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(server.ask(get + "Host: a\r\nX: a\r\n b\r\n\r\n").starts_with("HTTP/1.1 400 "));
  const std::string coded = get + "Host: a\r\nTransfer-Encoding: ";
  EXPECT_TRUE(server.ask(coded + "xchunked\r\n\r\n").starts_with("HTTP/1.1 501 "));
  EXPECT_TRUE(server.ask(coded + "chunked, identity\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(server.ask("\r\n\r\n" + request("GET /")).starts_with("HTTP/1.1 200 "));
}

TEST(HttpServer, LivesThroughExceptions) {
  Echo echo;
  test::RunningServer server(echo);
  for (const char* target : {"/throw", "/throw_int", "/throw_early"}) {
    const std::string answer = server.ask(request(std::string("GET ") + target));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 ")) << answer;
  }
  EXPECT_EQ(server.failed(), 3u);
  EXPECT_TRUE(server.ask(request("GET /")).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(server.end().is_ok());
}

TEST(HttpServer, NobodyWaitsForLongQuestions) {
  Echo echo;
  const test::RunningServer server(echo);
  std::vector<std::thread> clients;
  for (int client = 0; client < 6; ++client) {
    clients.emplace_back(
        [&] { EXPECT_TRUE(server.ask(request("GET /wait")).starts_with("HTTP/1.1 200 ")); });
  }
  echo.wait_for(2);
  EXPECT_TRUE(server.ask(request("GET /")).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(server.ask(request("GET /instant")).starts_with("HTTP/1.1 200 "));
  echo.go_on();
  for (std::thread& client : clients) client.join();
}

TEST(HttpServer, SilentClientsKeepNobodyOut) {
  Echo echo;
  server::ServerOptions options = test::RunningServer::usual_options();
  options.most_connections = 8;
  options.most_per_address = 4;
  options.threads = 4;
  const test::RunningServer server(echo, options);
  std::vector<int> clients;
  for (int number = 0; number < 20; ++number) {
    clients.push_back(server.connect());
    if (number % 2 == 0) ::send(clients.back(), "GET /", 5, MSG_NOSIGNAL);
  }
  EXPECT_TRUE(server.ask(request("GET /")).starts_with("HTTP/1.1 200 "));
  // Those that are answered keep their places.
  std::vector<std::thread> waiting;
  for (int number = 0; number < 4; ++number) {
    waiting.emplace_back(
        [&] { EXPECT_TRUE(server.ask(request("GET /wait")).starts_with("HTTP/1.1 200 ")); });
    echo.wait_for(number + 1);
  }
  const std::string answer = server.ask(request("GET /"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: "), std::string::npos);
  echo.go_on();
  for (std::thread& client : waiting) client.join();
  for (const int client : clients) ::close(client);
}

TEST(HttpServer, ConnectionsShareTheMemory) {
  Echo echo;
  echo.max_body = 1 << 20;
  server::ServerOptions options = test::RunningServer::usual_options();
  options.most_connections = 4;
  options.memory = options.most_connections * bytes_per_connection + (1 << 20);
  const test::RunningServer server(echo, options);
  // Half of a body stays there, in a text that can grow to all of it.
  const int holder = server.connect();
  const std::string half = request("POST /", std::string(600'000, 'x')).substr(0, 500'000);
  ASSERT_EQ(::send(holder, half.data(), half.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(half.size()));
  const std::string body(300'000, 'y');
  std::string answer;
  do {
    answer = server.ask(request("POST /", body));
  } while (answer.starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: "), std::string::npos);
  ::close(holder);
  do {
    answer = server.ask(request("POST /", body));
  } while (answer.starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer.substr(0, 200);
}

// An answer that does not fit beside those of others is none.
TEST(HttpServer, AnswersShareTheMemory) {
  Echo echo;
  server::ServerOptions options = test::RunningServer::usual_options();
  options.most_connections = 4;
  options.memory = options.most_connections * bytes_per_connection + (1 << 20);
  const test::RunningServer server(echo, options);
  const std::string answer = server.ask(request("GET /large"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 ")) << answer.substr(0, 200);
  EXPECT_NE(answer.find("Retry-After: "), std::string::npos);
  EXPECT_TRUE(server.ask(request("GET /small")).starts_with("HTTP/1.1 200 "));
}

TEST(HttpServer, WhatIsUnchangedHasNoLength) {
  Echo echo;
  const test::RunningServer server(echo);
  const std::string answer = server.ask(request("HEAD /unchanged"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 304 ")) << answer;
  EXPECT_EQ(answer.find("Content-Length"), std::string::npos) << answer;
  EXPECT_NE(server.ask(request("HEAD /")).find("Content-Length: 2"), std::string::npos);
}

TEST(HttpServer, SendsTheAnswersThatItMakesAtItsEnd) {
  Echo echo;
  test::RunningServer server(echo);
  std::string answer;
  std::thread client([&] { answer = server.ask(request("GET /wait")); });
  echo.wait_for(1);
  std::thread going([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    echo.go_on();
  });
  EXPECT_TRUE(server.end().is_ok());
  going.join();
  client.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
}

// Half of a body, and then nobody.
TEST(HttpServer, SaysNothingToClientsThatWent) {
  Echo echo;
  const test::RunningServer server(echo);
  const std::string half = request("POST /", std::string(900, 'x')).substr(0, 500);
  EXPECT_EQ(server.ask(half, true), "");
  EXPECT_EQ(server.ask(std::string(chunked_head) + "5\r\nab", true), "");
  EXPECT_EQ(server.ask("GET / HT", true), "");
  EXPECT_TRUE(server.ask(std::string(chunked_head) + "x\r\n").starts_with("HTTP/1.1 400 "));
}

// Whoever does not want to know of exceptions lives through them as well.
TEST(HttpServer, NeedsNobodyToTellOfExceptions) {
  Echo echo;
  server::ServerOptions options = test::RunningServer::usual_options();
  options.port = 0;
  std::promise<uint16_t> port;
  std::thread serving([&] {
    EXPECT_TRUE(serve(options, echo,
                      {.listening = [&](uint16_t own) { port.set_value(own); },
                       .answered = [](const Exchange&) { throw std::runtime_error("no room"); },
                       .failed = nullptr})
                    .is_ok());
  });
  const uint16_t own = port.get_future().get();
  for (const auto& [target, status] : {std::pair{"/throw", "500"}, {"/", "200"}}) {
    EXPECT_TRUE(test::ask(own, request(std::string("GET ") + target))
                    .starts_with(std::string("HTTP/1.1 ") + status + " "));
  }
  ::kill(::getpid(), SIGTERM);
  serving.join();
}

TEST(HttpServer, TellsSomeOfThoseThatItHasNoPlaceFor) {
  Echo echo;
  server::ServerOptions options = test::RunningServer::usual_options();
  options.most_connections = 2;
  const test::RunningServer server(echo, options);
  std::vector<std::thread> waiting;
  for (int number = 0; number < 2; ++number) {
    waiting.emplace_back(
        [&] { EXPECT_TRUE(server.ask(request("GET /wait")).starts_with("HTTP/1.1 200 ")); });
    echo.wait_for(number + 1);
  }
  // They stay as long as the server waits for what they still send.
  std::vector<int> clients(150);
  for (int& client : clients) client = server.connect();
  size_t told = 0;
  for (const int client : clients) {
    char byte = 0;
    told += ::recv(client, &byte, 1, 0) == 1 ? 1 : 0;
  }
  EXPECT_GE(told, 64u);
  EXPECT_LT(told, clients.size());
  for (const int client : clients) ::close(client);
  echo.go_on();
  for (std::thread& client : waiting) client.join();
}

// The memory of a client of IPv4 counts for its own address.
TEST(HttpServer, KnowsClientsOfBothProtocols) {
  Echo echo;
  server::ServerOptions options = test::RunningServer::usual_options();
  options.address = "::";
  options.most_per_address = 1;
  std::promise<uint16_t> port;
  std::promise<Status> ended;
  std::mutex mutex;
  std::vector<std::string> remotes;
  options.port = 0;
  std::thread serving([&] {
    ended.set_value(serve(options, echo,
                          {.listening = [&](uint16_t own) { port.set_value(own); },
                           .answered =
                               [&](const Exchange& exchange) {
                                 const std::lock_guard lock(mutex);
                                 remotes.emplace_back(exchange.remote);
                               },
                           .failed = [](std::string_view) {}}));
  });
  auto listening = port.get_future();
  auto status = ended.get_future();
  using namespace std::chrono_literals;
  constexpr auto ready = std::future_status::ready;
  while (listening.wait_for(10ms) != ready && status.wait_for(0ms) != ready) continue;
  if (listening.wait_for(0ms) != ready) {
    serving.join();
    GTEST_SKIP() << status.get().error().message;
  }
  EXPECT_TRUE(test::ask(listening.get(), request("GET /")).starts_with("HTTP/1.1 200 "));
  ::kill(::getpid(), SIGTERM);
  serving.join();
  ASSERT_EQ(remotes.size(), 1u);
  EXPECT_NE(remotes[0].find("127.0.0.1"), std::string::npos);
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
  // The port is taken.
  const test::RunningServer server(handler);
  options.address = "127.0.0.1";
  options.port = server.port();
  const Status status = serve(options, handler, {});
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.error().message.find("cannot be listened on"), std::string::npos);
}

TEST(Loopback, IsThisMachine) {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1"}) EXPECT_TRUE(is_loopback(address));
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "", "localhost."}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

}  // namespace
}  // namespace kith::server
