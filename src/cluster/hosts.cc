#include "cluster/hosts.h"

#include <algorithm>

#include "base/check.h"

namespace kith::cluster {

Hosts::Hosts(std::span<const uint32_t> begins, const sketch::BagCollection& bags)
    : begins_(begins), ids_(static_cast<uint32_t>(bags.size())), filled_(begins.size(), 0) {
  KITH_CHECK(begins.empty() ? ids_ == 0 : begins.front() == 0 && begins.back() < ids_);
  const auto offsets = bags.offsets();
  for (uint32_t host = 0; host < size(); ++host) {
    const auto [begin, end] = ids(host);
    for (uint32_t id = begin; id < end; ++id) filled_[host] += offsets[id] < offsets[id + 1];
  }
}

uint32_t Hosts::host_of(uint32_t id) const {
  return static_cast<uint32_t>(std::ranges::upper_bound(begins_, id) - begins_.begin()) - 1;
}

OwnHosts own_hosts(const Hosts& hosts, std::span<const uint32_t> members,
                   std::vector<uint32_t>& scratch) {
  scratch.clear();
  for (const uint32_t id : members) scratch.push_back(hosts.host_of(id));
  std::ranges::sort(scratch);
  OwnHosts own;
  for (auto at = scratch.begin(); at != scratch.end();) {
    const auto next = std::upper_bound(at, scratch.end(), *at);
    const auto here = static_cast<uint64_t>(next - at);
    if (here * OwnHosts::most >= members.size() && hosts.filled(*at) >= OwnHosts::min_filled) {
      own.hosts[own.count++] = *at;
      own.members += here;
      own.filled += hosts.filled(*at);
    }
    at = next;
  }
  return own.members * 10 > own.filled * 9 ? OwnHosts() : own;
}

}  // namespace kith::cluster
