// Which HTTP statuses make a response a page.
#pragma once

#include <bitset>
#include <string_view>

#include "kith/status.h"

namespace kith::crawl {

// A set of HTTP status codes. Holds 200 alone when default-constructed.
class StatusSet {
 public:
  StatusSet() { codes_.set(200); }

  // "200", "200,203", "2xx", "200,4xx" or "any"; blanks around items do no harm. An error of
  // kind usage when an item is none of these.
  static Result<StatusSet> parse(std::string_view list);

  bool contains(unsigned status) const { return status < codes_.size() && codes_[status]; }

 private:
  std::bitset<1000> codes_;
};

}  // namespace kith::crawl
