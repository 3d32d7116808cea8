#include "pipeline/memory_budget.h"

#include <fmt/format.h>

namespace kith::pipeline {

Status check_memory(uint64_t memory, uint64_t urls) {
  const uint64_t least = bytes_of_program + urls * bytes_of_url + least_working_bytes;
  if (memory >= least) return Status::ok();
  constexpr uint64_t mebibyte = 1 << 20;
  return Error{ErrorKind::usage,
               fmt::format("{} MiB of memory are too few for {} URLs; --memory {}M is the least",
                           memory / mebibyte, urls, (least + mebibyte - 1) / mebibyte)};
}

}  // namespace kith::pipeline
