// Errors as values. A function that can fail for a reason outside this program (a file, a
// disk, a user's request) returns a Status or a Result; it never throws and never exits.
// Asserts are for mistakes of kith itself.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#pragma GCC visibility push(default)

namespace kith {

// The few kinds a caller can act on.
enum class ErrorKind {
  usage,      // the options contradict each other or are out of range
  not_found,  // a file, a run or a URL does not exist
  io,         // the operating system refused: permission, full disk, read error
  corrupt,    // bytes are not what their format promises
  memory,     // the memory budget is too small for this input
  cancelled,  // the progress callback asked the job to stop
  internal,   // a mistake of kith itself: please report it
};

struct Error {
  ErrorKind kind;
  std::string message;  // one line for a person: what, where, what to do
};

namespace internal {
// Ends the program: a value or an error was taken that is not there. `error` is what is there.
[[noreturn]] void end_of_wrong_access(const Error* error);
}  // namespace internal

// Success, or one Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // implicit: `return Error{...}`

  static Status ok() { return {}; }

  bool is_ok() const { return !error_.has_value(); }
  explicit operator bool() const { return is_ok(); }

  // REQUIRES: !is_ok(); else the program ends, in every build.
  const Error& error() const& {
    if (!error_) internal::end_of_wrong_access(nullptr);
    return *error_;
  }
  Error error() && {
    if (!error_) internal::end_of_wrong_access(nullptr);
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

  // REQUIRES: is_ok(); else the program ends with the message of the error, in every build.
  T& value() & { return *checked(std::get_if<0>(&state_)); }
  const T& value() const& { return *checked(std::get_if<0>(&state_)); }
  T value() && { return std::move(*checked(std::get_if<0>(&state_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !is_ok(); likewise.
  const Error& error() const& { return *checked(std::get_if<1>(&state_)); }
  Error error() && { return std::move(*checked(std::get_if<1>(&state_))); }
  Status status() const { return is_ok() ? Status() : Status(error()); }

 private:
  template <class Part>
  Part* checked(Part* part) const {
    if (part == nullptr) internal::end_of_wrong_access(std::get_if<1>(&state_));
    return part;
  }

  std::variant<T, Error> state_;
};

}  // namespace kith

#pragma GCC visibility pop

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
