// Run::related_by_site: both lists of a page as one.
#include <span>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kith/run.h"

#include "text/url/url.h"

namespace kith {
namespace {

// Both lists as one, each in its order: whichever head is the more similar comes first, ties by id.
// A page of both comes once.
std::vector<Related> merged(std::span<const Related> a, std::span<const Related> b) {
  std::vector<Related> both;
  boost::unordered_flat_set<UrlId> known;
  while (!a.empty() || !b.empty()) {
    const bool first_is_next =
        b.empty() || (!a.empty() && std::tie(b.front().similarity, a.front().id) <
                                        std::tie(a.front().similarity, b.front().id));
    std::span<const Related>& from = first_is_next ? a : b;
    if (known.insert(from.front().id).second) both.push_back(from.front());
    from = from.subspan(1);
  }
  return both;
}

}  // namespace

Result<std::vector<Related>> Run::related_by_site(UrlId id, size_t n, size_t per_site) const {
  constexpr size_t all = SIZE_MAX;
  KITH_ASSIGN(const std::vector<Related> nearest, related(id, all));
  KITH_ASSIGN(const std::vector<Related> elsewhere, related_on_other_sites(id, all));
  boost::unordered_flat_map<std::string, size_t> taken;  // of a host
  std::vector<Related> related;
  for (const Related& page : merged(nearest, elsewhere)) {
    if (related.size() == n) break;
    KITH_ASSIGN(const std::string page_url, url(page.id));
    if (per_site > 0 && ++taken[std::string(text::host_of(page_url))] > per_site) continue;
    related.push_back(page);
  }
  return related;
}

}  // namespace kith
