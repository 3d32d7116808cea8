#include "cli/output/cluster_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kith::cli {

std::vector<std::string> host_texts(const Cluster& cluster) {
  std::vector<std::string> texts;
  for (const HostShare& host : cluster.hosts) {
    const size_t all = cluster.members.size();
    // Not rounded up: 100 % would be all.
    texts.push_back(host.members == all
                        ? host.host
                        : fmt::format("{} {} %", host.host, 100 * host.members / all));
  }
  return texts;
}

std::string label_text(const Cluster& cluster) {
  constexpr size_t most_hosts = 3;
  std::vector<std::string> hosts = host_texts(cluster);
  hosts.resize(std::min(hosts.size(), most_hosts));
  std::string on =
      hosts.empty() ? std::string("many hosts") : fmt::format("{}", fmt::join(hosts, ", "));
  if (cluster.label.empty()) return on;
  return fmt::format("{}: {}", on, fmt::join(cluster.label, ", "));
}

}  // namespace kith::cli
