#include "jobs/stream/answer_batches.h"

namespace kith::jobs {
namespace {

constexpr uint64_t max_bytes = 1 << 20;

}  // namespace

bool AnswerBatches::is_wanted() {
  ++made_;
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  return failure_.is_ok();
}

void AnswerBatches::count(uint64_t bytes) {
  bytes_ += bytes;
  if (pass_on_ && bytes_ >= max_bytes) failure_ = pass_on();
}

void AnswerBatches::add(StreamDecision made) {
  if (!is_wanted()) return;
  uint64_t bytes = sizeof(made) + made.document.size() + made.leader.size();
  for (const std::string& word : made.theme) bytes += sizeof(word) + word.size();
  waiting_.decisions.push_back(std::move(made));
  count(bytes);
}

void AnswerBatches::add(StreamPair made) {
  if (!is_wanted()) return;
  const uint64_t bytes = sizeof(made) + made.earlier.size() + made.later.size();
  waiting_.pairs.push_back(std::move(made));
  count(bytes);
}

Status AnswerBatches::pass_on() {
  KITH_TRY(failure_);
  bytes_ = 0;
  const StreamAnswer batch = take();
  if (pass_on_) failure_ = pass_on_(batch);
  return failure_;
}

}  // namespace kith::jobs
