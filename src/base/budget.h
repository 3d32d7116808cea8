// A budget that adds up: the memory of a job, handed out in named shares.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/budget_shares.h"

namespace kith {

// What budgets have given: of every share the most at a time. Thread-safe.
class BudgetLog {
 public:
  struct Entry {
    Share share;
    uint64_t bytes;
  };

  void note(Share share, uint64_t bytes);
  // In the order of the enum, without those of which nothing was given.
  std::vector<Entry> entries() const;
  void clear();

 private:
  std::array<std::atomic<uint64_t>, static_cast<size_t>(Share::count_)> bytes_ = {};
};

// So many bytes of memory, or no limit. What is counted is taken from it; of the rest everything
// that is held at the same time has a share. It knows which --memory it is of, so that what does
// not fit is refused with the minimum. A value: a share of it, and a copy, are budgets of their
// own. Thread-safe as values are; the log may be noted in by all.
class Budget {
 public:
  // No limit.
  Budget() = default;
  // bytes: 0 is no limit, as in the options of jobs; so options take a number where they have a
  // Budget. `log` must outlive what is given of it; null: nothing is noted.
  Budget(uint64_t bytes, std::shared_ptr<BudgetLog> log = nullptr);

  bool is_limited() const { return bytes_ != UINT64_MAX; }
  // UINT64_MAX without a limit.
  uint64_t bytes() const { return bytes_; }
  // The same where a limit is needed: `otherwise` where there is none.
  Budget or_else(uint64_t otherwise) const;

  // The share of what is left here. Rounded down.
  Budget share(Share share) const;
  uint64_t bytes(Share which) const { return share(which).bytes(); }

  // What each of so many threads has of it.
  Budget each(unsigned threads) const;

  // What is left after `bytes` for what is counted, but `least` at any rate: the caller has
  // refused what would leave less.
  Budget without(Share what, uint64_t bytes, uint64_t least = 0) const;
  // The same of *this; an error, as of check(), where less than `least` would be left.
  Status take(Share share, uint64_t bytes, uint64_t least, std::string_view what);

  // An error of kind usage where so many bytes do not fit: "W MiB of memory are too few for `what`;
  // memory = XM is the minimum" and `advice`. W is that of the budget that this one was made of.
  Status check(uint64_t bytes, std::string_view what, std::string_view advice = "") const;
  Error too_few(uint64_t bytes, std::string_view what, std::string_view advice = "") const;
  // The least budget, like the one that this one was made of, with so many bytes here. It may be a
  // few bytes more.
  uint64_t min_whole(uint64_t bytes) const;

 private:
  uint64_t bytes_ = UINT64_MAX;
  // x bytes here are fixed_ + ceil(x / parts_) * of_ of the whole, least_ at least.
  uint64_t whole_ = UINT64_MAX;
  uint64_t fixed_ = 0;
  uint64_t parts_ = 1;
  uint64_t of_ = 1;
  uint64_t least_ = 0;
  std::shared_ptr<BudgetLog> log_;
};

}  // namespace kith
