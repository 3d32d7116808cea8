#include "run/guarded.h"

#include <string>

#include <fmt/format.h>

namespace kith::run {

void note_missing_threads(const ThreadPool& pool, const ProgressCallback& progress) {
  if (!progress || pool.missing() == 0) return;
  const std::string note = fmt::format(
      "warning: goes on with {} of {} threads: the system starts no more (a limit of processes or "
      "of memory, see ulimit -u and -v); the result is the same",
      pool.size(), pool.size() + pool.missing());
  progress({"threads", 0, 0, "", note});
}

}  // namespace kith::run
