// What a job answers, as text, in a file where it leaves what it makes.
#pragma once

#include <filesystem>
#include <new>
#include <string>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/status.h"

#include "support/fault_loop.h"
#include "unit/faults/countdown.h"

namespace kith::test {

class Answers {
 public:
  template <class... Parts>
  void add(const Parts&... parts) {
    const Untroubled ours;
    ((text_ += fmt::format("{}\t", parts)), ...);
    text_ += "\n";
  }
  void write(const std::string& output) const {
    const Untroubled ours;
    std::filesystem::create_directories(output);
    write_file(output + "/answers", text_);
  }
  static Made read(const std::string& output) {
    const std::string path = output + "/answers";
    return std::filesystem::exists(path) ? Made{{"answers", read_file(path)}} : Made();
  }

 private:
  std::string text_;
};

// Of functions that return an answer of an open object, which may throw where there is no memory.
template <class Ask>
Status throwing(const Ask& ask) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Ask>>) {
      ask();
      return Status::ok();
    } else {
      return ask();
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::memory, "no memory for an answer"};
  }
}

}  // namespace kith::test
