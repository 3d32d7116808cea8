#include "base/parallel/thread_pool.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kith {
namespace {

TEST(ThreadPool, RunsTheJobOnceOnEveryWorker) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> calls(threads);
      pool.run([&](unsigned worker) { ++calls[worker]; });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, HandsOutNoChunkOnceSomethingIsThrown) {
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    std::atomic<size_t> chunks = 0;
    const auto job = [&](size_t begin, size_t, unsigned) {
      ++chunks;
      if (begin == 0) throw std::bad_alloc();
      std::this_thread::yield();
    };
    EXPECT_THROW(pool.for_chunks(1'000'000, 1, job), std::bad_alloc);
    EXPECT_LT(chunks, 1'000'000u);
  }
}

TEST(ThreadPool, PollsOnTheCallingThreadBetweenChunks) {
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    const auto caller = std::this_thread::get_id();
    size_t polls = 0;
    pool.set_poll([&] {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      if (++polls == 3) throw std::bad_alloc();
    });
    std::atomic<size_t> chunks = 0;
    const auto job = [&](size_t, size_t, unsigned worker) {
      ++chunks;
      // Lets worker 0 have its turns.
      if (worker != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    EXPECT_THROW(pool.for_chunks(100'000, 1, job), std::bad_alloc);
    EXPECT_EQ(polls, 3u);
    EXPECT_LT(chunks, 100'000u);
    pool.set_poll(nullptr);
    pool.for_chunks(10, 1, job);
  }
}

// A worker at work, for longer than the caller waits between two polls.
void sleep_long(unsigned worker) {
  if (worker != 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

TEST(ThreadPool, PollsWhileOtherWorkersAreAtWork) {
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  size_t polls = 0;
  pool.set_poll([&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ++polls;
  });
  pool.run(sleep_long);
  EXPECT_GE(polls, 1u);
}

TEST(ThreadPool, AsksNoFurtherOnceAPollHasThrown) {
  ThreadPool pool(2);
  size_t polls = 0;
  pool.set_poll([&] {
    ++polls;
    throw std::bad_alloc();
  });
  EXPECT_THROW(pool.run(sleep_long), std::bad_alloc);
  EXPECT_EQ(polls, 1u);
}

TEST(ThreadPool, ThrowsWhatAJobThrewWhenAllAreDone) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (unsigned thrower = 0; thrower < threads; ++thrower) {
      std::atomic<unsigned> done = 0;
      const auto job = [&](unsigned worker) {
        if (worker == thrower) throw std::bad_alloc();
        ++done;
      };
      EXPECT_THROW(pool.run(job), std::bad_alloc);
      EXPECT_EQ(done, threads - 1);
    }
    EXPECT_THROW(pool.for_chunks(100, 1, [](size_t, size_t, unsigned) { throw 1; }), int);
    std::atomic<unsigned> calls = 0;
    pool.run([&](unsigned) { ++calls; });
    EXPECT_EQ(calls, threads);
  }
}

TEST(ThreadPool, ChunksCoverEverythingOnce) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (const size_t n : {0u, 1u, 7u, 1000u}) {
      for (const size_t grain : {1u, 3u, 5000u}) {
        std::vector<std::atomic<int>> seen(n);
        pool.for_chunks(n, grain, [&](size_t begin, size_t end, unsigned worker) {
          EXPECT_LT(worker, threads);
          EXPECT_LE(end - begin, grain);
          for (size_t i = begin; i < end; ++i) ++seen[i];
        });
        for (const auto& count : seen) EXPECT_EQ(count, 1);
      }
    }
  }
}

TEST(ThreadPool, ZeroMeansOnePerProcessor) {
  EXPECT_GE(ThreadPool(0).size(), 1u);
}

// Starts `possible` threads, and fails then as a system without room for more does.
ThreadPool::StartThread starts_only(unsigned possible) {
  return [left = possible](const std::function<void()>& work) mutable {
    if (left-- == 0) throw std::system_error(EAGAIN, std::generic_category());
    return std::jthread(work);
  };
}

TEST(ThreadPool, GoesOnWithTheThreadsThatCouldBeStarted) {
  for (unsigned possible = 0; possible < 9; ++possible) {
    ThreadPool pool(10, starts_only(possible));
    EXPECT_EQ(pool.size() + pool.missing(), 10u);
    EXPECT_LE(pool.size(), possible + 1);
    EXPECT_GE(pool.size(), (possible + 1) / 2);
    std::vector<std::atomic<int>> calls(pool.size());
    pool.run([&](unsigned worker) { ++calls.at(worker); });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    std::atomic<size_t> sum = 0;
    pool.for_chunks(1000, 1, [&](size_t begin, size_t, unsigned) { sum += begin; });
    EXPECT_EQ(sum, 499'500u);
  }
}

TEST(ThreadPool, MissesNoneWhereAllCouldBeStarted) {
  const ThreadPool pool(10, starts_only(9));
  EXPECT_EQ(pool.size(), 10u);
  EXPECT_EQ(pool.missing(), 0u);
}

TEST(ThreadPool, GoesOnWhereThereIsNoMemoryForAThread) {
  const ThreadPool pool(
      3, [](const std::function<void()>&) -> std::jthread { throw std::bad_alloc(); });
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.missing(), 2u);
}

TEST(FirstError, KeepsOneErrorAndTellsTheOthers) {
  ThreadPool pool(4);
  FirstError error;
  EXPECT_TRUE(error.keep(Status::ok()));
  EXPECT_FALSE(error.failed());
  pool.run([&](unsigned worker) {
    EXPECT_FALSE(error.keep(Error{ErrorKind::io, "worker " + std::to_string(worker)}));
  });
  EXPECT_TRUE(error.failed());
  EXPECT_EQ(error.status().error().message.substr(0, 7), "worker ");
}

TEST(ThreadPool, TryEachCallsForEachOnce) {
  for (const unsigned threads : {1u, 4u}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> calls(1000);
    const Status status = pool.try_each(calls.size(), [&](size_t i, unsigned worker) {
      EXPECT_LT(worker, pool.size());
      ++calls[i];
      return Status::ok();
    });
    EXPECT_TRUE(status.is_ok());
    EXPECT_TRUE(std::ranges::all_of(calls, [](const auto& n) { return n == 1; }));
    EXPECT_TRUE(pool.try_each(0,
                              [](size_t, unsigned) -> Status {
                                return Error{ErrorKind::io, "is not called"};
                              })
                    .is_ok());
  }
}

TEST(ThreadPool, TryChunksEndsWithTheFirstError) {
  ThreadPool pool(1);
  size_t called = 0;
  const Status status = pool.try_chunks(100, 10, [&](size_t begin, size_t end, unsigned) -> Status {
    ++called;
    EXPECT_EQ(end, begin + 10);
    if (begin >= 30) return Error{ErrorKind::io, "chunk " + std::to_string(begin)};
    return Status::ok();
  });
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().message, "chunk 30");
  EXPECT_EQ(called, 4u);
}

}  // namespace
}  // namespace kith
