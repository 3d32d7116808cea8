// The JSON library as it is installed, except that a value can be destroyed where the machine has
// no memory left: its destructor moves what the value holds to a std::vector first, and so would
// end the program. What links the library finds this header first (KithDependencies.cmake).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include <nlohmann/json_fwd.hpp>

namespace kith::internal {

// Memory for a few thousand values, taken from the end of what is taken, and free again when all
// of it is. Thread-safe. Until it is first used it takes none of the machine's.
class JsonReserve {
 public:
  // Null where there is too little.
  static void* take(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    if (bytes > bytes_.size() - used_) return nullptr;
    void* const taken = bytes_.data() + used_;
    used_ += (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
             alignof(std::max_align_t);
    ++blocks_;
    return taken;
  }
  // Whether `block` was taken here, and is given back now.
  static bool give_back(void* block) noexcept {
    const std::less<const void*> before;
    if (before(block, bytes_.data()) || !before(block, bytes_.data() + bytes_.size())) return false;
    const std::lock_guard lock(mutex_);
    if (--blocks_ == 0) used_ = 0;
    return true;
  }

 private:
  alignas(std::max_align_t) static inline std::array<std::byte, 1 << 20> bytes_;
  static inline std::mutex mutex_;
  static inline std::size_t used_ = 0;    // guarded by mutex_
  static inline std::size_t blocks_ = 0;  // guarded by mutex_
};

template <class Json>
class JsonAllocator {
 public:
  using value_type = Json;
  using is_always_equal = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;

  JsonAllocator() noexcept = default;

  // A template, since the size of a value is not known yet.
  template <class Value = value_type>
  Value* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(Value);
    void* memory = n <= PTRDIFF_MAX / sizeof(Value) ? ::operator new(bytes, std::nothrow) : nullptr;
    if (memory == nullptr && n <= PTRDIFF_MAX / sizeof(Value)) memory = JsonReserve::take(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<Value*>(memory);
  }
  void deallocate(value_type* values, std::size_t) noexcept {
    if (!JsonReserve::give_back(values)) ::operator delete(values);
  }
};

}  // namespace kith::internal

template <>
class std::allocator<nlohmann::json> : public kith::internal::JsonAllocator<nlohmann::json> {
 public:
  allocator() noexcept = default;
  template <class Other>
  allocator(const allocator<Other>&) noexcept {}
  friend bool operator==(const allocator&, const allocator&) noexcept { return true; }
};

template <>
class std::allocator<nlohmann::ordered_json>
    : public kith::internal::JsonAllocator<nlohmann::ordered_json> {
 public:
  allocator() noexcept = default;
  template <class Other>
  allocator(const allocator<Other>&) noexcept {}
  friend bool operator==(const allocator&, const allocator&) noexcept { return true; }
};

#include_next <nlohmann/json.hpp>
