// How --memory is shared out (DESIGN.md section 3, rule 1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "kith/status.h"

namespace kith::pipeline {

// What a stage holds for every URL, whatever the memory: ids, groups, orders, centers.
inline constexpr uint64_t bytes_of_url = 72;
// The program itself, its buffers for files, and the stacks of its threads.
inline constexpr uint64_t bytes_of_program = 24 << 20;
// What a stage needs at least to work with.
inline constexpr uint64_t least_working_bytes = 16 << 20;

// What is left of the memory for a stage to work with, once every URL has its share.
constexpr uint64_t working_memory(uint64_t memory, uint64_t urls) {
  const uint64_t fixed = bytes_of_program + urls * bytes_of_url;
  return std::max(memory, fixed + least_working_bytes) - fixed;
}

// What a run may take: `asked`, or three quarters of the machine's memory when that is 0.
uint64_t memory_or_default(uint64_t asked);

// An error of kind usage when the memory is too small for so many URLs; it names the least.
Status check_memory(uint64_t memory, uint64_t urls);

}  // namespace kith::pipeline
