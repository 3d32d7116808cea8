// A stream that several callers ask: full disks and locks.
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream_job.h"

#include "support/file_limit.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

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
    const test::FileLimit full(std::filesystem::file_size(folder() + "/stream.1.log") + 500);
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
  const test::FileLimit full(2'500'000);
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

// A body of removals with long names: 75 MB of log, and nothing in memory.
std::string long_log() {
  std::string text;
  for (int page = 0; page < 1200; ++page) {
    text += R"({"url": "http://x.example/)" + std::to_string(page) + std::string(62'000, 'x') +
            R"(", "deleted": true, "time": 1})" + "\n";
  }
  return text;
}

TEST_F(Service, WritesASnapshotWhenTheLogIsLarge) {
  const std::string body = long_log();
  const auto log_size = [&](int number) {
    const std::string log = folder() + "/stream." + std::to_string(number) + ".log";
    return std::filesystem::exists(log) ? std::filesystem::file_size(log) : 0;
  };
  ASSERT_TRUE(service_->add(body).is_ok());
  EXPECT_EQ(log_size(1), 0u);
  EXPECT_EQ(log_size(2), 16u);
  // Where none can be written the log grows on, and it is not tried again before long.
  const std::string temporary = folder() + "/stream.kith.tmp";
  std::filesystem::create_directory(temporary);
  ASSERT_TRUE(service_->add(body).is_ok());
  EXPECT_GT(log_size(2), 70u << 20);
  std::filesystem::remove(temporary);
  ASSERT_TRUE(service_->add(lines(0, 5)).is_ok());
  EXPECT_GT(log_size(2), 70u << 20);
  EXPECT_EQ(log_size(3), 0u);
  EXPECT_EQ(service_->counts().unknown, 2400u);
  reopen();
  EXPECT_EQ(service_->counts().unknown, 2400u);
  EXPECT_EQ(service_->counts().documents, 5u);
}

TEST_F(Service, KeepsWhatItHasAnsweredWhateverItIsWorth) {
  for (const Durable durable : {Durable::page, Durable::second, Durable::none}) {
    const uint64_t before = service_->counts().pages;
    service_.reset();
    auto opened =
        StreamService::open({.directory = folder(), .durable = durable, .memory = 512 << 20});
    ASSERT_TRUE(opened.is_ok());
    service_.emplace(std::move(*opened));
    ASSERT_TRUE(service_->add(lines(0, 3)).is_ok());
    reopen();
    EXPECT_EQ(service_->counts().pages, before + 3) << name(durable);
  }
}

}  // namespace
}  // namespace kith::jobs
