// Arrays of many megabytes that are read and written at random.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include <sys/mman.h>

namespace kith {

// n values, not initialised, at a fixed place. The kernel is asked for huge pages: with pages of
// 4 KiB a random access to a large array misses the address cache as well as the data cache.
// Pages that are never written take no memory. Throws std::bad_alloc.
template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  LargeArray() = default;
  explicit LargeArray(size_t n) : size_(n) {
    if (n == 0) return;
    const size_t bytes = (n * sizeof(T) + huge_page - 1) / huge_page * huge_page;
    values_.reset(static_cast<T*>(std::aligned_alloc(huge_page, bytes)));
    if (values_ == nullptr) throw std::bad_alloc();
    ::madvise(values_.get(), bytes, MADV_HUGEPAGE);
  }

  size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T& operator[](size_t i) { return values_.get()[i]; }
  const T& operator[](size_t i) const { return values_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  static constexpr size_t huge_page = size_t{2} << 20;
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::unique_ptr<T, Free> values_;
  size_t size_ = 0;
};

}  // namespace kith
