// From options to a server that answers: what is refused before it listens, and what it notes.
#include "server/serve.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/api.h"
#include "support/running_server.h"
#include "support/served_run.h"

namespace kith::server {
namespace {

std::string usage_of(const ServeOptions& options) {
  const Status status = serve_runs(
      options, [](const std::string& at) { ADD_FAILURE() << "listens at " << at; },
      [](const std::string& note) { ADD_FAILURE() << note; });
  EXPECT_FALSE(status.is_ok());
  return status ? "" : status.error().message;
}

class Serve : public testing::Test {
 protected:
  Serve() {
    EXPECT_TRUE(served_.make().is_ok());
    options_.site.directories = {served_.path("run"), served_.path("copies")};
    options_.port = 0;
    options_.threads = 2;
    options_.memory = 128 << 20;
  }

  // Serves while use(port) goes on.
  template <class Use>
  Status serve_while(Use&& use) {
    std::promise<std::string> listening;
    std::promise<Status> ended;
    std::thread serving([&] {
      ended.set_value(serve_runs(
          options_, [&](const std::string& at) { listening.set_value(at); },
          [&](const std::string& note) {
            const std::lock_guard lock(mutex_);
            notes_.push_back(note);
          }));
    });
    auto status = ended.get_future();
    auto at = listening.get_future();
    while (at.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready &&
           status.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) {
    }
    if (at.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready) {
      address_ = at.get();
      use(static_cast<uint16_t>(std::stoi(address_.substr(address_.rfind(':') + 1))));
      ::kill(::getpid(), SIGTERM);
    }
    serving.join();
    return status.get();
  }
  static std::string get(const std::string& target, const std::string& more = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more +
           "\r\n";
  }

  test::ServedRun served_;
  ServeOptions options_;
  std::string address_;
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

TEST_F(Serve, NotesEveryRequest) {
  options_.access_log = served_.path("access.log");
  ASSERT_TRUE(serve_while([&](uint16_t port) {
                EXPECT_TRUE(test::ask(port, get("/healthz")).starts_with("HTTP/1.1 200 "));
                EXPECT_TRUE(test::ask(port, get("/none?a=\"b")).starts_with("HTTP/1.1 4"));
              }).is_ok());
  EXPECT_EQ(address_.substr(0, 17), "http://127.0.0.1:");
  std::ifstream log(options_.access_log);
  std::vector<Json> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(Json::parse(line));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["target"], "/healthz");
  EXPECT_EQ(lines[0]["status"], 200);
  EXPECT_EQ(lines[0]["remote"], "127.0.0.1");
  EXPECT_EQ(lines[1]["method"], "GET");
  // What was there before stays.
  ASSERT_TRUE(serve_while([&](uint16_t port) { test::ask(port, get("/healthz")); }).is_ok());
  EXPECT_EQ(std::ranges::count(test::read_file(options_.access_log), '\n'), 3);
}

TEST_F(Serve, NotesRequestsOnStandardOutput) {
  options_.access_log = "-";
  testing::internal::CaptureStdout();
  const Status status =
      serve_while([&](uint16_t port) { test::ask(port, get("/healthz?printed=1")); });
  const std::string printed = testing::internal::GetCapturedStdout();
  ASSERT_TRUE(status.is_ok());
  EXPECT_EQ(Json::parse(printed)["target"], "/healthz?printed=1");
  // It is not closed with the server.
  EXPECT_EQ(std::fputs("", stdout) < 0, false);
}

TEST_F(Serve, NotesDamageThatIsFoundMeanwhile) {
  std::fstream file(served_.path("run/urls.kith"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(64);
  file.write(std::string(100, '\x55').data(), 100);
  file.close();
  ASSERT_TRUE(serve_while([&](uint16_t port) {
                EXPECT_TRUE(test::ask(port, get("/healthz")).starts_with("HTTP/1.1 200 "));
              }).is_ok());
  ASSERT_FALSE(notes_.empty());
  EXPECT_NE(notes_[0].find("urls.kith"), std::string::npos) << notes_[0];
}

TEST_F(Serve, TakesTheTokenWithoutTheBlanksAroundItsEnd) {
  options_.memory = 1 << 30;
  options_.site.directories.clear();
  options_.site.stream = served_.path("other");
  ASSERT_TRUE(Stream::open(options_.site.stream).is_ok());
  options_.token_file = served_.path("token");
  test::write_file(options_.token_file, "sixteen-characters \t\r\nsecond line\n");
  const auto post = [](const std::string& token) {
    return "POST /api/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
           "Content-Type: application/json\r\nContent-Length: 0\r\nAuthorization: Bearer " +
           token + "\r\n\r\n";
  };
  const Status status = serve_while([&](uint16_t port) {
    EXPECT_TRUE(test::ask(port, post("sixteen-characters")).starts_with("HTTP/1.1 200 "));
    EXPECT_TRUE(test::ask(port, post("sixteen-charactars")).starts_with("HTTP/1.1 401 "));
  });
  EXPECT_TRUE(status.is_ok()) << status.error().message;
}

TEST_F(Serve, AnswersOnAnAddressOfIPv6) {
  options_.address = "::1";
  const Status status = serve_while([&](uint16_t) {});
  if (!status) GTEST_SKIP() << status.error().message;
  EXPECT_TRUE(address_.starts_with("http://[::1]:")) << address_;
}

TEST_F(Serve, RefusesOptionsOutOfRange) {
  const ServeOptions usual = options_;
  options_.threads = 1025;
  EXPECT_NE(usage_of(options_).find("--threads 1025: must be at most 1024"), std::string::npos);
  options_ = usual;
  options_.memory = 1 << 20;
  EXPECT_NE(usage_of(options_).find("must be at least 64M"), std::string::npos);
  options_ = usual;
  options_.memory = 100 << 20;
  options_.site.stream = served_.path("stream");
  EXPECT_NE(usage_of(options_).find("must be at least 128M with --stream"), std::string::npos);
  options_ = usual;
  options_.access_log = served_.path("none/access.log");
  EXPECT_NE(usage_of(options_).find("cannot be written"), std::string::npos);
}

TEST_F(Serve, RefusesTokensThatAreNone) {
  options_.token_file = served_.path("token");
  EXPECT_NE(usage_of(options_).find("cannot open "), std::string::npos);
  for (const char* token : {"", " \t \n", "too short\nsixteen characters and more"}) {
    test::write_file(options_.token_file, token);
    EXPECT_NE(usage_of(options_).find("must have 16 characters or more"), std::string::npos);
  }
  options_.token_file.clear();
  options_.address = "0.0.0.0";
  options_.memory = 1 << 30;
  options_.site.stream = served_.path("stream");
  EXPECT_NE(usage_of(options_).find("--stream needs --token-file"), std::string::npos);
}

}  // namespace
}  // namespace kith::server
