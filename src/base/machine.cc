#include "base/machine.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <string_view>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>

namespace kith {

uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void give_back_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

namespace {

// Version 1 writes the largest number of pages where there is no limit.
constexpr uint64_t no_limit = uint64_t{1} << 60;

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// A number at the front of `text`, which is then behind it.
std::optional<uint64_t> take_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<uint64_t> number_in(const std::string& path) {
  const std::optional<std::string> line = first_line(path);
  if (!line) return std::nullopt;
  std::string_view text = *line;
  return take_number(text);
}

// no_limit where there is no number.
uint64_t limit_in(const std::string& path) {
  return number_in(path).value_or(no_limit);
}

bool names(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    const size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == controller) return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

// The folders of the groups of a controller that the process is in, innermost first. In a container
// the path of the group may not be visible: its own group is then the root of what is mounted.
std::vector<std::string> group_folders(const std::string& root, std::string_view controller) {
  std::vector<std::string> folders;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_version_2 = line.starts_with("0:") && controllers.empty();
    if (!is_version_2 && !names(controllers, controller)) continue;
    const std::string mount =
        root + "/sys/fs/cgroup" + (is_version_2 ? "" : "/" + std::string(controller));
    std::string path = line.substr(second + 1);
    while (!path.empty() && path != "/") {
      folders.push_back(mount + path);
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
    folders.push_back(mount);
  }
  return folders;
}

template <class T>
std::optional<T> least(const std::vector<std::string>& folders,
                       const std::function<std::optional<T>(const std::string&)>& limit_of) {
  std::optional<T> least;
  for (const std::string& folder : folders) {
    const std::optional<T> limit = limit_of(folder);
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

std::optional<double> quota(uint64_t time, uint64_t period) {
  if (time == 0 || period == 0) return std::nullopt;
  return static_cast<double>(time) / static_cast<double>(period);
}

}  // namespace

std::optional<uint64_t> memory_limit(const std::string& root) {
  return least<uint64_t>(group_folders(root, "memory"),
                         [](const std::string& folder) -> std::optional<uint64_t> {
                           uint64_t limit = limit_in(folder + "/memory.max");
                           if (limit >= no_limit)
                             limit = limit_in(folder + "/memory.limit_in_bytes");
                           return limit < no_limit ? std::optional(limit) : std::nullopt;
                         });
}

std::optional<double> processor_limit(const std::string& root) {
  return least<double>(group_folders(root, "cpu"),
                       [](const std::string& folder) -> std::optional<double> {
                         if (const auto line = first_line(folder + "/cpu.max")) {
                           std::string_view text = *line;
                           const auto time = take_number(text);
                           const auto period = take_number(text);
                           return time && period ? quota(*time, *period) : std::nullopt;
                         }
                         const auto time = number_in(folder + "/cpu.cfs_quota_us");
                         const auto period = number_in(folder + "/cpu.cfs_period_us");
                         return time && period ? quota(*time, *period) : std::nullopt;
                       });
}

}  // namespace kith
