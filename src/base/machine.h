// What this machine and process may use, and how much they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kith {

// What the operating system says of this process.

// The largest resident set of this process so far, in bytes. Thread-safe.
uint64_t peak_memory();

// Gives the memory that was freed back to the system, where the allocator keeps it. Thread-safe.
void give_back_free_memory();

// The limits that a container or a batch system sets to this process: control groups of Linux,
// versions 1 and 2.

// The least memory limit of the groups that the process is in, in bytes; nothing when there is none
// or it cannot be told. Thread-safe. `root` stands before every path, for tests.
std::optional<uint64_t> memory_limit(const std::string& root = "");

// The least processor quota of these groups, in processors (1.5: one and a half); likewise.
std::optional<double> processor_limit(const std::string& root = "");

}  // namespace kith
