#include "pipeline/memory_budget.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>

namespace kith::pipeline {

uint64_t memory_or_default(uint64_t asked) {
  if (asked != 0) return asked;
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return uint64_t{1} << 30;
  return uint64_t{info.totalram} * info.mem_unit / 4 * 3;
}

Status check_memory(uint64_t memory, uint64_t urls) {
  const uint64_t least = bytes_of_program + urls * bytes_of_url + least_working_bytes;
  if (memory >= least) return Status::ok();
  constexpr uint64_t mebibyte = 1 << 20;
  return Error{ErrorKind::usage,
               fmt::format("{} MiB of memory are too few for {} URLs; --memory {}M is the least",
                           memory / mebibyte, urls, (least + mebibyte - 1) / mebibyte)};
}

}  // namespace kith::pipeline
