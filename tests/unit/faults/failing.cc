#include "unit/faults/failing.h"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include "storage/file_system.h"
#include "support/failing_file_system.h"
#include "unit/faults/countdown.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KITH_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KITH_SANITIZED
#endif
#endif

namespace kith::test {
namespace {

constinit Countdown allocations;
constinit Countdown threads;
// In the place of the operating system's files; null: those.
constinit storage::FileSystem* files = nullptr;

Attempt attempt(const FaultyJob& job, const std::string& output, uint64_t n, Countdown& things) {
  Attempt made;
  things.begin(n);
  try {
    made.status = job.run(output);
  } catch (const std::exception& thrown) {
    things.end();
    ADD_FAILURE() << "the job threw " << thrown.what();
    made.status = Error{ErrorKind::internal, thrown.what()};
  }
  made.has_failed = things.end();
  return made;
}

}  // namespace

Attempt with_failing_allocation(const FaultyJob& job, const std::string& output, uint64_t n) {
  Attempt made = attempt(job, output, n, allocations);
  if (!made.status) {
    EXPECT_EQ(made.status.error().kind, ErrorKind::memory) << made.status.error().message;
  }
  return made;
}

Attempt with_failing_thread(const FaultyJob& job, const std::string& output, uint64_t n) {
  Attempt made = attempt(job, output, n, threads);
  EXPECT_TRUE(made.status.is_ok()) << made.status.error().message;
  return made;
}

Attempt with_failing_file(const FaultyJob& job, const std::string& output, uint64_t n) {
  FailingFileSystem failing(n);
  files = &failing;
  Attempt made;
  made.status = job.run(output);
  files = nullptr;
  made.has_failed = failing.has_failed();
  return made;
}

}  // namespace kith::test

// The linker calls the first where the library calls storage::posix_file_system(), and that
// function itself is the second (--wrap).
kith::storage::FileSystem& wrapped_files() asm("__wrap__ZN4kith7storage17posix_file_systemEv");
kith::storage::FileSystem& real_files() asm("__real__ZN4kith7storage17posix_file_systemEv");

kith::storage::FileSystem& wrapped_files() {
  return kith::test::files != nullptr ? *kith::test::files : real_files();
}

// Large arrays are not made by operator new.
void* wrapped_calloc(size_t count, size_t size) asm("__wrap_calloc");
void* real_calloc(size_t count, size_t size) asm("__real_calloc");
void* wrapped_mmap(void* place, size_t size, int protection, int flags, int file,
                   off_t offset) asm("__wrap_mmap");
void* real_mmap(void* place, size_t size, int protection, int flags, int file,
                off_t offset) asm("__real_mmap");

void* wrapped_calloc(size_t count, size_t size) {
  return kith::test::allocations.is_turn() ? nullptr : real_calloc(count, size);
}

void* wrapped_mmap(void* place, size_t size, int protection, int flags, int file, off_t offset) {
  const bool is_memory = (flags & MAP_ANONYMOUS) != 0;
  if (is_memory && kith::test::allocations.is_turn()) return MAP_FAILED;
  return real_mmap(place, size, protection, flags, file, offset);
}

#ifdef KITH_SANITIZED

bool kith::test::can_fail() {
  return false;
}

#else

bool kith::test::can_fail() {
  return true;
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*begin)(void*), void* argument) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (kith::test::threads.is_turn()) return EAGAIN;
  return real(thread, attributes, begin, argument);
}

// Not inlined: GCC would take memory of new that free() gets for a mistake. The forms for arrays
// call these.
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  if (kith::test::allocations.is_turn()) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(size_t size, std::align_val_t alignment,
                                     const std::nothrow_t& /*tag*/) noexcept {
  if (kith::test::allocations.is_turn()) return nullptr;
  const auto step = static_cast<size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}
[[gnu::noinline]] void* operator new(size_t size, std::align_val_t alignment) {
  void* const memory = operator new(size, alignment, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

#endif
