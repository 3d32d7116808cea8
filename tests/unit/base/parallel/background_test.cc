#include <thread>

#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"

namespace kith {
namespace {

Status failure() {
  return Error{ErrorKind::io, "disk full"};
}

TEST(Background, WaitsForWhatItStarted) {
  for (const unsigned threads : {1u, 2u}) {
    Background background(threads);
    EXPECT_TRUE(background.wait().is_ok());
    int done = 0;
    for (int i = 1; i <= 3; ++i) {
      background.start([&] {
        ++done;
        return Status::ok();
      });
      EXPECT_TRUE(background.wait().is_ok());
      EXPECT_EQ(done, i);
    }
    background.start(failure);
    const Status status = background.wait();
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().message, "disk full");
    EXPECT_TRUE(background.wait().is_ok());
  }
}

TEST(Background, RunsBesideItsCallerWhereThereAreThreads) {
  const auto caller = std::this_thread::get_id();
  for (const unsigned threads : {1u, 2u}) {
    Background background(threads);
    std::thread::id worker;
    background.start([&] {
      worker = std::this_thread::get_id();
      return Status::ok();
    });
    EXPECT_TRUE(background.wait().is_ok());
    EXPECT_EQ(worker == caller, threads == 1);
  }
}

}  // namespace
}  // namespace kith
