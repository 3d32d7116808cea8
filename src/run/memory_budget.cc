#include "run/memory_budget.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include "base/machine.h"

namespace kith::run {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

}  // namespace

uint64_t memory_or_default(uint64_t asked) {
  if (asked != 0) return asked;
  struct sysinfo info {};
  uint64_t machine = uint64_t{4} << 30;
  if (sysinfo(&info) == 0) machine = uint64_t{info.totalram} * info.mem_unit;
  return part_of(std::min(machine, memory_limit().value_or(machine)), Share::process);
}

// A batch is some MiB and the page that makes it full, as read and decoded; what becomes of a page
// in the end, text and shingles, takes the rest of its cost, once for all workers.
ReadingBudget reading_budget(const Budget& memory, uint64_t max_page, unsigned threads,
                             uint64_t page_cost) {
  const Budget pages = memory.without(Share::program, bytes_of_program, min_working_bytes);
  const uint64_t working = pages.bytes();
  constexpr uint64_t in_batch = 2;
  const uint64_t in_turn = (page_cost - in_batch) * max_page;
  const uint64_t batch = in_batch * max_page + 2 * mebibyte;
  ReadingBudget budget;
  budget.workers = static_cast<unsigned>(
      std::clamp<uint64_t>((std::max(working, in_turn) - in_turn) / batch, 1, threads));
  budget.decoded = std::clamp<uint64_t>(pages.bytes(Share::decoded_batch), mebibyte, 16 * mebibyte);
  budget.page = std::max<uint64_t>(mebibyte, pages.bytes(Share::large_page) / budget.workers);
  budget.buffers = 4 * budget.page;
  return budget;
}

Status check_reading_memory(const Budget& memory, uint64_t max_page, uint64_t page_cost) {
  const uint64_t least = bytes_of_program + std::max(min_working_bytes, page_cost * max_page);
  if (memory.bytes() >= least) return Status::ok();
  return Error{
      ErrorKind::usage,
      fmt::format("{} MiB of memory are too few for pages of up to {} bytes; give memory = "
                  "{}M, or a smaller `max_page`",
                  memory.bytes() / mebibyte, max_page, (least + mebibyte - 1) / mebibyte)};
}

Status check_pages(const Budget& memory, uint64_t pages, uint64_t bytes_of_key,
                   uint64_t alias_bytes) {
  const Budget bags = bag_memory(memory);
  const uint64_t held = pages * bytes_of_key + alias_bytes;
  const uint64_t urls = pages * bytes_of_url + min_working_bytes;
  if (held <= bags.bytes(Share::page_keys) && urls <= bags.bytes()) return Status::ok();
  return bags.too_few(std::max(least_with(Share::page_keys, held), urls),
                      counted(pages, "pages and more"), " for so many");
}

Status check_memory(const Budget& memory, uint64_t count, std::string_view what,
                    uint64_t bytes_of_one) {
  return memory.without(Share::program, bytes_of_program + rounding_bytes)
      .check(count * bytes_of_one + min_working_bytes, counted(count, what));
}

std::string counted(uint64_t count, std::string_view what) {
  return fmt::format("{} {}", count, what);
}

Status check_resources(uint64_t memory, unsigned threads) {
  constexpr uint64_t min_memory = 64u << 20;
  if (memory != 0 && memory < min_memory) {
    return Error{ErrorKind::usage, fmt::format("memory = {}: must be at least 64M", memory)};
  }
  if (threads > 1024) {
    return Error{ErrorKind::usage, fmt::format("threads = {}: must be at most 1024", threads)};
  }
  return Status::ok();
}

}  // namespace kith::run
