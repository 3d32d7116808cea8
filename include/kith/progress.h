// How a job reports its progress and can be cancelled. The library itself never prints.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace kith {

struct Progress {
  std::string_view stage;  // "bags", "pairs", ...; a new name begins a new stage
  double done = 0;         // in `unit`
  double total = 0;        // 0 when it is not known
  std::string_view unit;   // "bytes", "URLs", "steps"; may be empty
  // A line that the user should read now: a damaged file and what is done about it. Empty in all
  // other calls.
  std::string_view note = {};
  // The stage that is finished and safe on the disk: from now on the same command goes on behind
  // it. Empty in all other calls.
  std::string_view finished = {};
};

// Wraps a function of a Progress that returns nothing, or whether the job is to go on. A job calls
// it often, and always on the thread that has called the job; it must return fast. Once it returns
// false the job stops and returns an error of kind cancelled: what it has finished stays on the
// disk, and the same command goes on from there. What the function throws stops the job likewise,
// with an error of kind io. May be empty. Copyable; as thread-safe as the function.
class ProgressCallback {
 public:
  ProgressCallback() = default;
  ProgressCallback(std::nullptr_t) {}  // implicit, as that of std::function

  template <class Function>
  requires(!std::same_as<Function, ProgressCallback> && std::invocable<Function&, const Progress&>)
      ProgressCallback(Function function) {  // implicit: a lambda is an argument
    // std::function keeps what is empty empty: another std::function, or a null pointer.
    if constexpr (std::is_void_v<std::invoke_result_t<Function&, const Progress&>>) {
      std::function<void(const Progress&)> given(std::move(function));
      if (!given) return;
      function_ = [given = std::move(given)](const Progress& now) {
        given(now);
        return true;
      };
    } else {
      function_ = std::move(function);
    }
  }

  // Whether there is a function.
  explicit operator bool() const { return static_cast<bool>(function_); }
  // Whether the job is to go on. REQUIRES: there is a function.
  bool operator()(const Progress& now) const { return function_(now); }

 private:
  std::function<bool(const Progress&)> function_;
};

}  // namespace kith

#pragma GCC visibility pop
