// Candidates on their way from many workers to their verification, in bounded memory. Internal to
// this folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"

namespace kith::pairs::internal {

class CandidateBuffer {
 public:
  // Receives pairs of ids (key < id); may move them away.
  using Take = std::function<Status(std::vector<std::vector<ShortKeyId>>& by_worker)>;

  // most: candidates that are held before they are given away; a task may bring more.
  CandidateBuffer(size_t most, ThreadPool& pool, Take take);

  // Calls task(number, worker) once for every number below `tasks`. Where enough candidates are
  // held, it stops, gives them away and goes on. An error is that of `take`.
  Status run(size_t tasks, const std::function<void(size_t task, unsigned worker)>& task);

  // To be called by a task, with its worker. REQUIRES: a != b.
  void add(uint32_t a, uint32_t b, unsigned worker) {
    candidates_[worker].push_back(a < b ? ShortKeyId{a, b} : ShortKeyId{b, a});
  }

  // Gives away what is held still.
  Status flush();

 private:
  const size_t most_;
  ThreadPool& pool_;
  const Take take_;
  std::vector<std::vector<ShortKeyId>> candidates_;  // by worker
  std::vector<uint8_t> done_;                        // tasks
  std::atomic<size_t> held_ = 0;
};

}  // namespace kith::pairs::internal
