// Errors as values. A function that can fail for a reason outside this program (a file, a
// disk, a user's wish) returns a Status or a Result; it never throws and never exits.
// Asserts (base/check.h) are for mistakes of kith itself.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace kith {

// The few kinds a caller can act on.
enum class ErrorKind {
  usage,      // the options contradict each other or are out of range
  not_found,  // a file, a run or a URL does not exist
  io,         // the operating system refused: permission, full disk, read error
  corrupt,    // bytes are not what their format promises
  memory,     // the memory budget is too small for this input
};

struct Error {
  ErrorKind kind;
  std::string message;  // one line for a person: what, where, what to do
};

// Success, or one Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // implicit: `return Error{...}`

  static Status ok() { return {}; }

  bool is_ok() const { return !error_.has_value(); }
  explicit operator bool() const { return is_ok(); }

  // REQUIRES: !is_ok().
  const Error& error() const& {
    assert(error_);
    return *error_;
  }
  Error error() && {
    assert(error_);
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

// A value, or the Error that kept it from being made.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool is_ok() const { return state_.index() == 0; }
  explicit operator bool() const { return is_ok(); }

  // REQUIRES: is_ok().
  T& value() & {
    assert(is_ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(is_ok());
    return *std::get_if<0>(&state_);
  }
  T value() && {
    assert(is_ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !is_ok().
  const Error& error() const& {
    assert(!is_ok());
    return *std::get_if<1>(&state_);
  }
  Error error() && {
    assert(!is_ok());
    return std::move(*std::get_if<1>(&state_));
  }
  Status status() const { return is_ok() ? Status() : Status(error()); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace kith

#define KITH_CONCAT_INNER(a, b) a##b
#define KITH_CONCAT(a, b) KITH_CONCAT_INNER(a, b)

// Returns the error of a Status or Result expression to the caller, if there is one.
#define KITH_TRY(expression)                                       \
  do {                                                             \
    if (auto kith_outcome = (expression); !kith_outcome.is_ok()) { \
      return std::move(kith_outcome).error();                      \
    }                                                              \
  } while (false)

// KITH_ASSIGN(auto file, open(path)): declares or assigns the value, or returns the error.
#define KITH_ASSIGN(target, expression) \
  KITH_ASSIGN_INNER(KITH_CONCAT(kith_result_, __LINE__), target, expression)
#define KITH_ASSIGN_INNER(result, target, expression)    \
  auto result = (expression);                            \
  if (!result.is_ok()) return std::move(result).error(); \
  target = std::move(result).value()
