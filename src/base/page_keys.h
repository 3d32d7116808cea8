// Of which URLs there are pages, and which capture of each counts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <boost/unordered/unordered_flat_set.hpp>

#include "kith/options.h"

#include "base/dates.h"
#include "base/hash.h"

namespace kith {

// By what dates order the captures of a URL, to the second: the greatest rank is the best, below
// UINT32_MAX. 0 without a date, and where dates do not count.
uint32_t capture_rank(std::optional<Captures> by_date, int64_t time);

// Keys of the URLs of pages, with the dates of their captures, to the second. One thread at a time
// adds; any may ask for the number.
//
// By dates the best capture of a URL is the first or the last; one without a date comes behind all
// that have one, and of equal ones the first in the input is better. Where a better one comes
// later, the pages are to be read again: add() all captures, then take() each.
class PageKeys {
 public:
  // Nothing: the first capture in the input is the best, whatever the dates. Not Captures::all.
  explicit PageKeys(std::optional<Captures> by_date = {}) : by_date_(by_date) {}

  // Lets the first capture in the input be the best. To be called before all others.
  void ignore_dates() { by_date_.reset(); }

  // Whether the URL is new.
  bool add(const Key128& url, int64_t time = no_time);
  // Whether a capture was better than one of its URL before it.
  bool has_better() const { return has_better_.load(std::memory_order_relaxed); }

  // From now on captures are taken: has_better() is false.
  void end_adding() { has_better_.store(false, std::memory_order_relaxed); }
  // Whether this is the best capture of its URL; once for every URL. REQUIRES: what is taken was
  // added, in the same order.
  bool take(const Key128& url, int64_t time);

  // Whether a URL was added. For one thread while others add none.
  bool contains(const Key128& url) const;

  uint64_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  // 16 bytes as the whole key alone: 96 bits tell URLs apart as well.
  struct Capture {
    uint64_t high;
    uint32_t low;
    mutable uint32_t rank;  // the greatest of a URL is the best
    friend bool operator==(const Capture& a, const Capture& b) {
      return a.high == b.high && a.low == b.low;
    }
  };
  struct CaptureHash {
    using is_avalanching = void;
    size_t operator()(const Capture& capture) const {
      return (capture.high >> 6) ^ (uint64_t{capture.low} << 32);
    }
  };

  Capture capture_of(const Key128& url, int64_t time) const;

  // Many tables: one that grows needs its old room and twice that besides.
  static constexpr size_t tables = 64;
  std::optional<Captures> by_date_;
  std::array<boost::unordered_flat_set<Capture, CaptureHash>, tables> captures_;
  std::atomic<uint64_t> size_ = 0;
  std::atomic<bool> has_better_ = false;
};

}  // namespace kith
