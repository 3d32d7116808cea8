// kith::main_hosts and main_language: where the pages of a topic stand, and what they are written
// in.
#include <algorithm>
#include <map>
#include <tuple>

#include "kith/topics.h"

#include "text/url/url.h"

namespace kith {
namespace {

Result<std::string> host_of(const Run& run, UrlId id) {
  KITH_ASSIGN(const std::string url, run.url(id));
  return std::string(text::host_of(url));
}

// Behind `begin` the first of the ascending ids on another host: pages of a host have ids that
// stand together, so that few URLs need be read.
Result<size_t> end_of_host(const Run& run, std::span<const UrlId> ids, size_t begin,
                           const std::string& host) {
  size_t inside = begin;  // known to be on the host
  size_t step = 1;
  size_t outside = ids.size();
  while (inside + 1 < outside) {
    const size_t probe = std::min(inside + step, outside - 1);
    KITH_ASSIGN(const std::string other, host_of(run, ids[probe]));
    if (other == host) {
      inside = probe;
      step *= 2;
    } else {
      outside = probe;
      step = 1;
    }
  }
  return outside;
}

}  // namespace

Result<std::vector<HostShare>> main_hosts(const Run& run, std::span<const UrlId> pages,
                                          size_t most) {
  std::vector<UrlId> ids(pages.begin(), pages.end());
  std::ranges::sort(ids);
  std::vector<HostShare> hosts;
  for (size_t begin = 0; begin < ids.size();) {
    KITH_ASSIGN(std::string host, host_of(run, ids[begin]));
    KITH_ASSIGN(const size_t end, end_of_host(run, ids, begin, host));
    hosts.push_back({std::move(host), end - begin});
    begin = end;
  }
  std::ranges::sort(hosts, [](const HostShare& a, const HostShare& b) {
    return std::tie(b.members, a.host) < std::tie(a.members, b.host);
  });
  hosts.resize(std::min(hosts.size(), most));
  return hosts;
}

Result<std::string> main_language(const Run& run, std::span<const UrlId> pages) {
  std::map<std::string_view, uint64_t> counts;
  for (const UrlId id : pages) {
    KITH_ASSIGN(const std::string_view language, run.language(id));
    if (!language.empty()) ++counts[language];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? std::string() : std::string(most->first);
}

}  // namespace kith
