#include "similar/sets/candidate_buffer.h"

#include <algorithm>

namespace kith::similar {

Status CandidateBuffer::run(size_t tasks,
                            const std::function<void(size_t task, unsigned worker)>& task) {
  done_.assign(tasks, 0);
  for (bool all = false; !all;) {
    pool_.for_chunks(tasks, 1, [&](size_t number, size_t, unsigned worker) {
      if (done_[number] != 0 || held_ >= most_) return;
      const size_t before = candidates_[worker].size();
      task(number, worker);
      held_ += candidates_[worker].size() - before;
      done_[number] = 1;
    });
    all = std::ranges::all_of(done_, [](uint8_t done) { return done != 0; });
    if (held_ >= most_) KITH_TRY(flush());
  }
  return Status::ok();
}

Status CandidateBuffer::flush() {
  held_ = 0;
  Status status = verification_.verify(candidates_);
  candidates_.assign(pool_.size(), {});
  return status;
}

}  // namespace kith::similar
