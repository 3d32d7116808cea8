// The clusters of a run as they are looked up and listed. The byte format is
// docs/formats/index_stage.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kith/status.h"

#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::run {

inline constexpr storage::FileKind clusters_kind{"clus", 1};

// What is written, and what is read back. Clusters are numbered from 0 by size (largest
// first), then by center id. In a cluster the center comes first, then the members by
// similarity to it (most first), then by id.
struct ClusterArrays {
  std::span<const uint32_t> center;         // by URL id; its own id for a center
  std::span<const uint32_t> sum_of_minima;  // by URL id; with its center, exact
  std::span<const uint32_t> members;        // URL ids, cluster by cluster
  std::span<const uint64_t> members_at;     // clusters + 1 offsets into members
  std::span<const uint32_t> labels;         // term ids, best first, cluster by cluster
  std::span<const uint64_t> labels_at;      // clusters + 1 offsets into labels
  std::span<const uint32_t> hosts;          // the first URL id of every host, ascending from 0 on
};

Status write_clusters(storage::FileSystem& fs, const std::string& path,
                      const ClusterArrays& arrays);

// Immutable, thread-safe; views live as long as this object.
class Clusters {
 public:
  static Result<Clusters> open(storage::FileSystem& fs, const std::string& path);
  // In a time that does not grow with the URLs, whose values are not read: before those of a
  // cluster or URL are used, call a check of it; before all are, verify().
  static Result<Clusters> open_for_lookup(storage::FileSystem& fs, const std::string& path);

  uint64_t size() const { return arrays_.members_at.size() - 1; }
  uint64_t urls() const { return arrays_.center.size(); }
  // All that the file holds.
  const ClusterArrays& arrays() const { return arrays_; }
  std::span<const uint32_t> members(uint64_t cluster) const {
    return slice(arrays_.members, arrays_.members_at, cluster);
  }
  std::span<const uint32_t> label(uint64_t cluster) const {
    return slice(arrays_.labels, arrays_.labels_at, cluster);
  }
  // The hosts are numbered in the order of URL ids.
  uint64_t hosts() const { return arrays_.hosts.size(); }
  uint32_t host_of(uint32_t url) const;
  uint32_t first_url(uint32_t host) const { return arrays_.hosts[host]; }
  // The cluster of a center: of those of its size, which stand in the order of their centers.
  uint64_t cluster_of_center(uint32_t center) const;
  uint32_t center_of(uint32_t url) const { return arrays_.center[url]; }
  uint32_t sum_of_minima(uint32_t url) const { return arrays_.sum_of_minima[url]; }
  // Compares what belongs to a cluster with the checksums of the file, and with what it can be: its
  // members, their sums and hosts, and its label. REQUIRES: cluster < size().
  Status check(uint64_t cluster) const;
  Status check_label(uint64_t cluster) const;
  Status check_size(uint64_t cluster) const;
  // The same of a URL: its center. REQUIRES: url < urls().
  Status check_url(uint32_t url) const;
  // Of a host: its first URL, and that of the next. REQUIRES: host < hosts().
  Status check_first_url(uint32_t host) const;
  // The same of all.
  Status verify() const;
  // Nothing of it will be read for a while: see Mapping::release().
  void release() const { file_.release(); }

 private:
  Status check_values() const;
  Status check_host(uint32_t url) const;
  static std::span<const uint32_t> slice(std::span<const uint32_t> values,
                                         std::span<const uint64_t> offsets, uint64_t i) {
    const auto [begin, end] = storage::part_of(offsets, i, values.size());
    return values.subspan(begin, end - begin);
  }
  storage::SectionFile file_;
  ClusterArrays arrays_;
};

}  // namespace kith::run
