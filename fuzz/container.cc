// Zip files and tars of any bytes: every member that is listed comes to an end, in bounded memory,
// and gives at most the bytes of its size, under a name that stays in its folder.
#include "crawl/container/container.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr uint64_t kMost = 1u << 20;

void check_name(std::string_view name) {
  if (name.empty() || name.front() == '/') __builtin_trap();
  if (("/" + std::string(name) + "/").find("/../") != std::string::npos) __builtin_trap();
}

void read_members(kith::crawl::Container& container) {
  for (size_t i = 0; i < container.members().size(); ++i) {
    const kith::crawl::Member& member = container.members()[i];
    check_name(member.name);
    const auto source = container.open(i);
    if (!source) continue;
    char bytes[4096];
    uint64_t sum = 0;
    while (sum < kMost) {
      const auto n = (*source)->read(bytes);
      if (!n || *n == 0) break;
      sum += *n;
    }
    if (sum > member.size) __builtin_trap();
    const bool is_sound = *(*source)->problem() == '\0';
    if (is_sound && sum < kMost && sum != member.size) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("container", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0) return 0;
  if (pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  const auto container = kith::crawl::open_container(path);
  if (container && *container) read_members(**container);
  return 0;
}
