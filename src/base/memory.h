// Memory: large arrays, what is reserved, freed and read ahead, and what a mapped file keeps
// resident; and tidying up where even memory may be wanting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "kith/status.h"

#include "base/bytes.h"

namespace kith {

// Arrays of many megabytes that are read and written at random.

// n values, all bytes zero, at a fixed place. The kernel is asked for huge pages: with pages of
// 4 KiB a random access to a large array misses the address cache as well as the data cache.
// Pages that are never written take no memory. Where there is no memory, the new-handler is called
// once, and std::bad_alloc thrown.
template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= alignof(std::max_align_t));

 public:
  LargeArray() = default;
  // Begins with a cache line. From the kernel and not from the heap, unless it is small: what is
  // freed leaves the resident set at once.
  explicit LargeArray(size_t n) : size_(n) {
    if (n == 0) return;
    const bool is_small = n * sizeof(T) < huge_page;
    const size_t unit = is_small ? cache_line : huge_page;
    const size_t bytes = (n * sizeof(T) / unit + 2) * unit;  // room to align
    if (is_small) {
      memory_ = {static_cast<std::byte*>(std::calloc(bytes, 1)), Free{0}};
      if (memory_ == nullptr) fail();
    } else {
      void* const address =
          ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (address == MAP_FAILED) fail();
      ::madvise(address, bytes, MADV_HUGEPAGE);
      memory_ = {static_cast<std::byte*>(address), Free{bytes}};
    }
    const size_t beyond = reinterpret_cast<uintptr_t>(memory_.get()) % unit;
    values_ = reinterpret_cast<T*>(memory_.get() + (beyond == 0 ? 0 : unit - beyond));
  }

  // Keeps the first n values, which stay where they are. REQUIRES: n <= size().
  void shrink(size_t n) {
    size_ = n;
    const uint64_t mapped = memory_.get_deleter().mapped;
    if (mapped == 0) return;
    std::byte* const begin = memory_.get();
    const auto used = static_cast<size_t>(reinterpret_cast<std::byte*>(values_ + n) - begin);
    const size_t kept = (used + huge_page - 1) / huge_page * huge_page;
    if (kept < mapped) ::madvise(begin + kept, mapped - kept, MADV_DONTNEED);
  }

  size_t size() const { return size_; }
  T* data() { return values_; }
  const T* data() const { return values_; }
  T& operator[](size_t i) { return values_[i]; }
  const T& operator[](size_t i) const { return values_[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  static constexpr size_t cache_line = 64;
  static constexpr size_t huge_page = size_t{2} << 20;
  struct Free {
    size_t mapped = 0;  // bytes; 0: from the heap
    void operator()(std::byte* address) const {
      if (mapped == 0) {
        std::free(address);
      } else {
        ::munmap(address, mapped);
      }
    }
  };
  [[noreturn]] static void fail() {
    if (const std::new_handler handler = std::get_new_handler()) handler();
    throw std::bad_alloc();
  }

  std::unique_ptr<std::byte, Free> memory_;
  T* values_ = nullptr;  // in it, where a cache line or, if it is mapped, a huge page begins
  size_t size_ = 0;
};

// A LargeArray that grows: room for twice as many when it is full, unless reserve() made more.
template <class T>
class LargeVector {
 public:
  size_t size() const { return size_; }
  const T* data() const { return values_.data(); }
  const T& operator[](size_t i) const { return values_[i]; }
  std::span<const T> span() const { return values_.span().first(size_); }
  std::span<T> span() { return values_.span().first(size_); }
  operator std::span<const T>() const { return span(); }

  void reserve(size_t room) {
    if (room <= values_.size()) return;
    LargeArray<T> larger(room);
    std::copy_n(values_.data(), size_, larger.data());
    values_ = std::move(larger);
  }
  // Adds n values, and returns them to be written.
  std::span<T> grow(size_t n) {
    if (size_ + n > values_.size()) reserve(std::max(size_ + n, 2 * values_.size()));
    size_ += n;
    return values_.span().subspan(size_ - n, n);
  }
  // Keeps the first n values, n <= size(). The room stays.
  void shrink(size_t n) { size_ = n; }
  void clear() { shrink(0); }

 private:
  LargeArray<T> values_;
  size_t size_ = 0;
};

// Freeing what a container holds, as assigning an empty one does not.

// Leaves the container empty and without room. A string to which an empty one is assigned keeps its
// room, and so does a vector after `= {}`.
template <class Container>
void free_memory(Container& container) {
  Container().swap(container);
}

// Arrays that grow by small additions.

// Room for more values, so that many small additions take linear time together.
template <class T>
void reserve_more(std::vector<T>& values, size_t more) {
  const size_t size = values.size() + more;
  if (size > values.capacity()) values.reserve(std::max(size, 2 * values.size()));
}

// Asking for memory before it is read.

// Has no effect but that the values may be read faster soon: all their cache lines are fetched.
template <class T>
inline void prefetch(std::span<const T> values) {
  constexpr size_t cache_line = 64;
  const auto bytes = std::as_bytes(values);
  for (size_t i = 0; i < bytes.size(); i += cache_line) __builtin_prefetch(bytes.data() + i);
}

// The seam by which readers of a mapped file keep the resident set small, and learn that a part of
// it can no longer be read.

// Thrown by Mapping::copy(): the loops that compare values have no place for an error in each of
// them, as they have none for std::bad_alloc. guarded() (run/guarded.h) returns the error.
class Unreadable : public std::exception {
 public:
  explicit Unreadable(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// Memory that stands for the bytes of a file. To touch it ends the program (SIGBUS) where another
// process has cut the file off; read() and copy() return and throw an error then.
class Mapping {
 public:
  virtual ~Mapping() = default;
  // Says that `bytes`, a part of this memory, will not be read for a while. They may leave the
  // resident set, and are read from the file again when they are touched. Thread-safe, also
  // against readers of the same bytes.
  virtual void release(Bytes bytes) const = 0;
  // As std::memcpy of `from`, a part of this memory, but the resident set stays as it is. For
  // values that lie anywhere: touching one may map as much as two MiB around it. Thread-safe.
  virtual Status read(Bytes from, std::byte* to) const = 0;
  // The same; throws Unreadable.
  void copy(Bytes from, std::byte* to) const {
    Status status = read(from, to);
    if (!status) throw Unreadable(std::move(status).error());
  }
};

// What is tidied up after an error, or in a destructor, where nothing can be done if that fails,
// too.

// Calls work(), drops the error that it returns, and what it throws, such as std::bad_alloc.
template <class Work>
void clean_up(Work&& work) noexcept {
  try {
    static_cast<void>(work());
  } catch (...) {
    return;
  }
}

}  // namespace kith
