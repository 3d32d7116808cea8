#include "run/clusters.h"

#include <algorithm>
#include <functional>

#include "sketch/bag.h"

namespace kith::run {
namespace {

bool all_below(std::span<const uint32_t> values, uint64_t bound) {
  // Without an early end, so that the compiler can take many values at a time.
  uint64_t outside = 0;
  for (const uint32_t value : values) outside += value >= bound;
  return outside == 0;
}

// What can be seen of the hosts without reading them.
bool have_host_ends(std::span<const uint32_t> hosts, uint64_t urls) {
  if (urls == 0 || hosts.empty()) return urls == 0 && hosts.empty();
  return hosts.front() == 0 && hosts.back() < urls;
}

bool fit_together(const ClusterArrays& arrays) {
  const uint64_t urls = arrays.center.size();
  return storage::have_ends(arrays.members_at, arrays.members.size()) &&
         storage::have_ends(arrays.labels_at, arrays.labels.size()) &&
         arrays.labels_at.size() == arrays.members_at.size() &&
         arrays.sum_of_minima.size() == urls && arrays.members.size() == urls &&
         have_host_ends(arrays.hosts, urls);
}

// REQUIRES: fit_together(arrays).
bool are_sound(const ClusterArrays& arrays) {
  const uint64_t urls = arrays.center.size();
  return std::ranges::is_sorted(arrays.members_at) && std::ranges::is_sorted(arrays.labels_at) &&
         std::ranges::adjacent_find(arrays.hosts, std::greater_equal()) == arrays.hosts.end() &&
         all_below(arrays.center, urls) && all_below(arrays.members, urls) &&
         all_below(arrays.sum_of_minima, uint64_t{sketch::bag_total} + 1) &&
         std::ranges::adjacent_find(arrays.members_at) == arrays.members_at.end();
}

}  // namespace

Status write_clusters(storage::FileSystem& fs, const std::string& path,
                      const ClusterArrays& arrays) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, clusters_kind));
  KITH_TRY(file.write_array("center", arrays.center));
  KITH_TRY(file.write_array("sum", arrays.sum_of_minima));
  KITH_TRY(file.write_array("members", arrays.members));
  KITH_TRY(file.write_array("members_at", arrays.members_at));
  KITH_TRY(file.write_array("labels", arrays.labels));
  KITH_TRY(file.write_array("labels_at", arrays.labels_at));
  KITH_TRY(file.write_array("hosts", arrays.hosts));
  return file.finish();
}

Result<Clusters> Clusters::open(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto clusters, open_for_lookup(fs, path));
  KITH_TRY(clusters.check_values());
  return clusters;
}

Result<Clusters> Clusters::open_for_lookup(storage::FileSystem& fs, const std::string& path) {
  Clusters clusters;
  KITH_ASSIGN(clusters.file_, storage::SectionFile::open(fs, path, clusters_kind));
  ClusterArrays& arrays = clusters.arrays_;
  KITH_ASSIGN(arrays.center, clusters.file_.array<uint32_t>("center"));
  KITH_ASSIGN(arrays.sum_of_minima, clusters.file_.array<uint32_t>("sum"));
  KITH_ASSIGN(arrays.members, clusters.file_.array<uint32_t>("members"));
  KITH_ASSIGN(arrays.members_at, clusters.file_.array<uint64_t>("members_at"));
  KITH_ASSIGN(arrays.labels, clusters.file_.array<uint32_t>("labels"));
  KITH_ASSIGN(arrays.labels_at, clusters.file_.array<uint64_t>("labels_at"));
  KITH_ASSIGN(arrays.hosts, clusters.file_.array<uint32_t>("hosts"));
  if (!fit_together(arrays)) return clusters.file_.do_not_fit();
  return clusters;
}

Status Clusters::check_values() const {
  return are_sound(arrays_) ? Status::ok() : Status(file_.do_not_fit());
}

Status Clusters::verify() const {
  KITH_TRY(file_.verify());
  return check_values();
}

uint32_t Clusters::host_of(uint32_t url) const {
  const auto next = std::ranges::upper_bound(arrays_.hosts, url);
  return static_cast<uint32_t>(next - arrays_.hosts.begin()) - 1;
}

// A search that damage led astray ends between values that do not match their checksums.
Status Clusters::check_host(uint32_t url) const {
  const uint32_t host = host_of(url);
  return file_.check(arrays_.hosts.subspan(host, std::min<uint64_t>(2, hosts() - host)));
}

// There are few sizes: the sum of their different values is at most the number of URLs.
uint64_t Clusters::cluster_of_center(uint32_t center) const {
  const std::span<const uint64_t> at = arrays_.members_at;
  const auto size_of = [&](uint64_t cluster) { return at[cluster + 1] - at[cluster]; };
  const auto center_at = [&](uint64_t cluster) {
    const std::span<const uint32_t> some = members(cluster);
    return some.empty() ? 0 : some.front();  // only damage empties a cluster
  };
  const auto first_not = [](uint64_t begin, uint64_t end, auto&& holds) {
    while (begin < end) {
      const uint64_t middle = begin + (end - begin) / 2;
      holds(middle) ? begin = middle + 1 : end = middle;
    }
    return begin;
  };
  for (uint64_t begin = 0; begin < size();) {
    const uint64_t members = size_of(begin);
    const uint64_t end =
        first_not(begin, size(), [&](uint64_t cluster) { return size_of(cluster) >= members; });
    const uint64_t found =
        first_not(begin, end, [&](uint64_t cluster) { return center_at(cluster) < center; });
    if (found < end && center_at(found) == center) return found;
    begin = std::max(end, begin + 1);  // damaged sizes need not fall
  }
  return size();
}

Status Clusters::check_url(uint32_t url) const {
  KITH_TRY(file_.check(arrays_.center.subspan(url, 1)));
  return center_of(url) < urls() ? Status::ok() : Status(file_.do_not_fit());
}

Status Clusters::check_first_url(uint32_t host) const {
  return file_.check(arrays_.hosts.subspan(host, std::min<size_t>(2, hosts() - host)));
}

Status Clusters::check_size(uint64_t cluster) const {
  KITH_TRY(file_.check(arrays_.members_at.subspan(cluster, 2)));
  return members(cluster).empty() ? Status(file_.do_not_fit()) : Status::ok();
}

Status Clusters::check_label(uint64_t cluster) const {
  KITH_TRY(file_.check(arrays_.labels_at.subspan(cluster, 2)));
  return file_.check(label(cluster));
}

Status Clusters::check(uint64_t cluster) const {
  KITH_TRY(check_size(cluster));
  KITH_TRY(check_label(cluster));
  KITH_TRY(file_.check(members(cluster)));
  for (const uint32_t id : members(cluster)) {
    if (id >= urls()) return file_.do_not_fit();
    KITH_TRY(file_.check(arrays_.sum_of_minima.subspan(id, 1)));
    if (sum_of_minima(id) > sketch::bag_total) return file_.do_not_fit();
    KITH_TRY(check_host(id));
  }
  return Status::ok();
}

}  // namespace kith::run
