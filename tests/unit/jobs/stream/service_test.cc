// A stream that several callers ask: full disks and locks.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "kith/stream_job.h"

#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

// Files can grow to so many bytes as long as it lives: like a disk that is full, for as long as it
// is.
class FileLimit {
 public:
  explicit FileLimit(uint64_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  void (*ignored_)(int);
  rlimit before_{};
};

std::string lines(int begin, int end, int words = 10) {
  std::string text;
  for (int page = begin; page < end; ++page) {
    text += R"({"url": "http://x.example/)" + std::to_string(page) + R"(", "time": 1, "text": ")";
    for (int word = 0; word < words; ++word) text += "w" + std::to_string(page * 31 + word) + " ";
    text += "\"}\n";
  }
  return text;
}

class Service : public testing::Test {
 protected:
  Service() {
    EXPECT_TRUE(Stream::open(folder()).is_ok());
    reopen();
  }
  std::string folder() const { return dir_ / "stream"; }
  void reopen() {
    service_.reset();
    auto opened = StreamService::open({.directory = folder(), .memory = 512 << 20});
    ASSERT_TRUE(opened.is_ok()) << opened.status().error().message;
    service_.emplace(std::move(*opened));
  }

  test::TempDir dir_;
  std::optional<StreamService> service_;
};

TEST_F(Service, GoesOnWhenThereIsRoomAgain) {
  ASSERT_TRUE(service_->add(lines(0, 5)).is_ok());
  const StreamCounts before = service_->counts();
  {
    const FileLimit full(std::filesystem::file_size(folder() + "/stream.1.log") + 500);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const auto refused = service_->add(lines(5, 200));
      ASSERT_FALSE(refused.is_ok());
      EXPECT_EQ(refused.error().kind, ErrorKind::io);
      EXPECT_NE(refused.error().message.find("of the pages of this call the first 0 were taken"),
                std::string::npos)
          << refused.error().message;
      EXPECT_EQ(service_->counts().pages, before.pages);
      EXPECT_EQ(service_->counts().documents, before.documents);
    }
    // A page for which there is room.
    EXPECT_TRUE(service_->add(lines(5, 6)).is_ok());
  }
  const auto taken = service_->add(lines(6, 200));
  ASSERT_TRUE(taken.is_ok()) << taken.status().error().message;
  EXPECT_EQ(taken->answer.decisions.size(), 194u);
  EXPECT_EQ(service_->counts().documents, 200u);
  // Nothing of it was kept in memory only.
  reopen();
  EXPECT_EQ(service_->counts().documents, 200u);
  EXPECT_EQ(service_->counts().pages, 200u);
}

TEST_F(Service, SaysHowManyPagesWereTakenBeforeAnError) {
  const std::string body = lines(0, 6000, 60);
  const FileLimit full(2'500'000);
  const auto refused = service_->add(body);
  ASSERT_FALSE(refused.is_ok());
  const uint64_t taken = service_->counts().pages;
  EXPECT_GT(taken, 1000u);
  EXPECT_LT(taken, 6000u);
  EXPECT_NE(refused.error().message.find("the first " + std::to_string(taken) + " were taken"),
            std::string::npos)
      << refused.error().message;
  reopen();
  EXPECT_EQ(service_->counts().pages, taken);
}

TEST_F(Service, AnswersOthersWhileItReadsABody) {
  const std::string body = lines(0, 12'000, 60);
  bool was_between = false;
  for (int attempt = 0; attempt < 10 && !was_between; ++attempt) {
    const uint64_t before = service_->counts().pages;
    std::atomic<bool> is_done = false;
    std::thread adding([&] {
      EXPECT_TRUE(service_->add(body).is_ok());
      is_done = true;
    });
    while (!is_done) {
      const uint64_t pages = service_->counts().pages;
      was_between |= pages > before && pages < before + 12'000;
    }
    adding.join();
  }
  EXPECT_TRUE(was_between) << "the lock was held from the first page to the last";
}

TEST_F(Service, TakesPagesOfManyCallersEachInItsOrder) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([this, caller] {
      const auto answer = service_->add(lines(caller * 1000, caller * 1000 + 500));
      ASSERT_TRUE(answer.is_ok());
      ASSERT_EQ(answer->answer.decisions.size(), 500u);
      for (int page = 0; page < 500; ++page) {
        EXPECT_EQ(answer->answer.decisions[static_cast<size_t>(page)].document,
                  "http://x.example/" + std::to_string(caller * 1000 + page));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(service_->counts().documents, 2000u);
}

}  // namespace
}  // namespace kith::jobs
