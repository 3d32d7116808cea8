// Arrays of many megabytes that are read and written at random.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // From the kernel and not from the heap: what is freed leaves the resident set at once.
  explicit LargeArray(size_t n) : size_(n) {
    if (n == 0) return;
    const size_t bytes = (n * sizeof(T) / huge_page + 2) * huge_page;  // room to align
    void* const address =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) throw std::bad_alloc();
    ::madvise(address, bytes, MADV_HUGEPAGE);
    mapped_ = {static_cast<std::byte*>(address), Unmap{bytes}};
    const size_t beyond = reinterpret_cast<uintptr_t>(address) % huge_page;
    values_ = reinterpret_cast<T*>(mapped_.get() + (beyond == 0 ? 0 : huge_page - beyond));
  }

  size_t size() const { return size_; }
  T* data() { return values_; }
  const T* data() const { return values_; }
  T& operator[](size_t i) { return values_[i]; }
  const T& operator[](size_t i) const { return values_[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  static constexpr size_t huge_page = size_t{2} << 20;
  struct Unmap {
    size_t bytes = 0;
    void operator()(std::byte* address) const { ::munmap(address, bytes); }
  };
  std::unique_ptr<std::byte, Unmap> mapped_;
  T* values_ = nullptr;  // in it, where a huge page begins
  size_t size_ = 0;
};

}  // namespace kith
