#include "base/budget.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/budget_phases.h"

namespace kith {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

}  // namespace

void BudgetLog::note(Share share, uint64_t bytes) {
  std::atomic<uint64_t>& most = bytes_[static_cast<size_t>(share)];
  uint64_t now = most.load(std::memory_order_relaxed);
  while (now < bytes && !most.compare_exchange_weak(now, bytes, std::memory_order_relaxed)) {
  }
}

std::vector<BudgetLog::Entry> BudgetLog::entries() const {
  std::vector<Entry> entries;
  for (size_t i = 0; i < bytes_.size(); ++i) {
    if (const uint64_t bytes = bytes_[i].load()) entries.push_back({static_cast<Share>(i), bytes});
  }
  return entries;
}

void BudgetLog::clear() {
  for (auto& bytes : bytes_) bytes = 0;
}

Budget::Budget(uint64_t bytes, std::shared_ptr<BudgetLog> log)
    : bytes_(bytes == 0 ? UINT64_MAX : bytes), whole_(bytes_), log_(std::move(log)) {}

Budget Budget::or_else(uint64_t otherwise) const {
  return is_limited() ? *this : Budget(otherwise, log_);
}

Budget Budget::share(Share share) const {
  if (!is_limited()) return *this;
  const ShareRow& row = row_of(share);
  Budget part = *this;
  part.bytes_ = part_of(bytes_, share);
  part.parts_ *= row.parts;
  part.of_ *= row.of;
  if (log_ != nullptr) log_->note(share, part.bytes_);
  return part;
}

Budget Budget::each(unsigned threads) const {
  if (!is_limited()) return *this;
  Budget part = *this;
  part.bytes_ = bytes_ / threads;
  part.of_ *= threads;
  return part;
}

Budget Budget::without(Share what, uint64_t bytes, uint64_t least) const {
  if (!is_limited()) return *this;
  Budget rest = *this;
  rest.bytes_ = std::max(bytes_ - std::min(bytes_, bytes), least);
  rest.fixed_ = fixed_ + (bytes + parts_ - 1) / parts_ * of_;
  rest.least_ = std::max(least_, min_whole(bytes + least));
  if (log_ != nullptr) log_->note(what, bytes);
  return rest;
}

Status Budget::take(Share share, uint64_t bytes, uint64_t least, std::string_view what) {
  KITH_TRY(check(bytes + least, what));
  *this = without(share, bytes);
  return Status::ok();
}

Status Budget::check(uint64_t bytes, std::string_view what, std::string_view advice) const {
  return bytes <= bytes_ && whole_ >= least_ ? Status::ok() : Status(too_few(bytes, what, advice));
}

Error Budget::too_few(uint64_t bytes, std::string_view what, std::string_view advice) const {
  return {
      ErrorKind::usage,
      fmt::format("{} MiB of memory are too few for {}; memory = {}M is the minimum{}",
                  whole_ / mebibyte, what, (min_whole(bytes) + mebibyte - 1) / mebibyte, advice)};
}

uint64_t Budget::min_whole(uint64_t bytes) const {
  return std::max(least_, fixed_ + (bytes + parts_ - 1) / parts_ * of_);
}

}  // namespace kith
