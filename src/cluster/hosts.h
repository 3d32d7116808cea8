// The hosts of a collection, and those that a cluster lies on. Ids are in the order of hosts, so
// that the URLs of a host are one range of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sketch/bag.h"

namespace kith::cluster {

// URL ids [begin, end).
struct IdRange {
  uint32_t begin;
  uint32_t end;
};

// Immutable, thread-safe. 4 bytes per host beside the array that it is a view of.
class Hosts {
 public:
  // begins: the first id of every host, ascending, from 0 on; outlives this object. No id where
  // there are no bags.
  Hosts(std::span<const uint32_t> begins, const sketch::BagCollection& bags);

  size_t size() const { return begins_.size(); }
  // REQUIRES: id < the number of bags.
  uint32_t host_of(uint32_t id) const;
  IdRange ids(uint32_t host) const {
    return {begins_[host], host + 1 < begins_.size() ? begins_[host + 1] : ids_};
  }
  // The bags of the host that have words.
  uint32_t filled(uint32_t host) const { return filled_[host]; }

 private:
  std::span<const uint32_t> begins_;
  uint32_t ids_;
  std::vector<uint32_t> filled_;
};

// The hosts of a cluster with whose other pages it is compared.
struct OwnHosts {
  static constexpr uint32_t min_filled = 10;  // bags with words of such a host
  static constexpr uint32_t most = 10;        // each has a tenth of the members or more

  std::array<uint32_t, most> hosts = {};  // ascending
  uint32_t count = 0;
  uint64_t members = 0;  // of the cluster, on these hosts
  uint64_t filled = 0;   // bags with words, on these hosts

  std::span<const uint32_t> list() const { return std::span(hosts).first(count); }
};

// The hosts that have min_filled bags with words and a tenth of the members. None where the members
// are more than nine tenths of the bags of these hosts: what is left is too little to compare with.
// `scratch` is overwritten.
OwnHosts own_hosts(const Hosts& hosts, std::span<const uint32_t> members,
                   std::vector<uint32_t>& scratch);

}  // namespace kith::cluster
