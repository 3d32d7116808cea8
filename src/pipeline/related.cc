// Run::related_by_site: both lists of a page as one.
#include <algorithm>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/run.h"

#include "text/url/url.h"

namespace kith {

Result<std::vector<Related>> Run::related_by_site(UrlId id, size_t n, size_t per_site) const {
  constexpr size_t all = SIZE_MAX;
  KITH_ASSIGN(std::vector<Related> both, related(id, all));
  KITH_ASSIGN(const std::vector<Related> elsewhere, related_on_other_sites(id, all));
  both.insert(both.end(), elsewhere.begin(), elsewhere.end());
  std::ranges::sort(both, [](const Related& a, const Related& b) {
    return std::tie(b.similarity, a.id) < std::tie(a.similarity, b.id);
  });
  both.erase(std::unique(both.begin(), both.end(),
                         [](const Related& a, const Related& b) { return a.id == b.id; }),
             both.end());
  boost::unordered_flat_map<std::string, size_t> taken;  // of a host
  std::vector<Related> related;
  for (const Related& page : both) {
    if (related.size() == n) break;
    KITH_ASSIGN(const std::string page_url, url(page.id));
    if (per_site > 0 && ++taken[std::string(text::host_of(page_url))] > per_site) continue;
    related.push_back(page);
  }
  return related;
}

}  // namespace kith
