// A machine that a simulation sets: its clocks, and a disk of its own for one folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "support/forwarding_file_system.h"

namespace kith::server {

// As long as it lives all code of the test program, libraries in headers included, reads these
// clocks, and finds the files of the folder on this disk; all others are those of the operating
// system. One at a time; not thread-safe.
class Machine {
 public:
  Machine(storage::FileSystem& disk, std::string folder);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Both clocks.
  void advance(std::chrono::milliseconds time);
  // The clock of the date alone, as when somebody sets it.
  void jump(std::chrono::milliseconds time);
  std::chrono::steady_clock::time_point now() const;
  int64_t date_ms() const;

 private:
  class Files;
  std::unique_ptr<Files> files_;
};

}  // namespace kith::server
