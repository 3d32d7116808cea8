// Leaves the boilerplate out of the words of a page.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/report.h"

#include "bags/boilerplate/templates.h"
#include "bags/page_digest.h"

namespace kith::bags {

// The templates, and what is left out because of them. Thread-safe.
class BoilerplateTally {
 public:
  explicit BoilerplateTally(Templates templates) : templates_(std::move(templates)) {}

  const Templates& templates() const { return templates_; }
  // A page of a host with a sample.
  void count(std::string_view host, uint64_t key, uint64_t words, uint64_t left_out);
  // The hosts and their templates. REQUIRES: nobody is counting.
  BoilerplateReport report() const;
  // The hosts that have lost words, those of most first. REQUIRES: the same.
  std::vector<HostBoilerplate> hosts() const;

 private:
  static constexpr size_t stripes = 64;
  struct Stripe {
    std::mutex mutex;
    boost::unordered_flat_map<uint64_t, HostBoilerplate> hosts;
  };
  Templates templates_;
  Stripe stripes_[stripes];
};

// One worker's filter; its buffer is reused. Not thread-safe.
class BoilerplateFilter {
 public:
  // `tally` must outlive this object.
  explicit BoilerplateFilter(BoilerplateTally& tally) : tally_(&tally) {}

  // Which blocks of a page of so many words are boilerplate, of whom leaves_out() then tells; how
  // many words they have.
  uint64_t choose(std::string_view url, std::span<const Block> blocks, size_t words);
  // The terms of the page's words with no_term in the place of boilerplate. Valid until the next
  // call, and as long as `page`.
  std::span<const uint32_t> filter(const PageDigest& page);
  // Frees what a large page has made the buffer grow to.
  void forget_buffers();

  // Words that the last page has lost, and whether it has lost a block, by its number.
  uint64_t left_out() const { return left_out_; }
  bool leaves_out(size_t block) const { return is_left_out_[block]; }

 private:
  BoilerplateTally* tally_;
  std::vector<uint32_t> terms_;
  std::vector<bool> is_left_out_;  // by block
  uint64_t left_out_ = 0;
};

}  // namespace kith::bags
