// What a job answers, as text, in a file where it leaves what it makes.
#pragma once

#include <filesystem>
#include <string>

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

}  // namespace kith::test
