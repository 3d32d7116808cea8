// Run::related_by_site: both lists of a page as one.
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

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
    const std::string_view host = text::host_of(page_url);
    // A row without a URL has no host.
    if (per_site > 0 && !host.empty() && ++taken[std::string(host)] > per_site) continue;
    related.push_back(page);
  }
  return related;
}

// Run::find_any: the page that was meant, in another spelling.
namespace {

std::string with_other_scheme(const text::Url& url) {
  const bool is_secure = url.href.starts_with("https:");
  return (is_secure ? "http" : "https") + url.href.substr(is_secure ? 5 : 4);
}

// With `www.`, or without.
std::string with_other_host(const text::Url& url) {
  constexpr std::string_view www = "www.";
  std::string other = url.href;
  if (url.host().starts_with(www)) {
    other.erase(url.host_begin, www.size());
  } else {
    other.insert(url.host_begin, www);
  }
  return other;
}

// With a slash at the end of the path, or without. The path of a site's own page is a slash.
std::string with_other_end(const text::Url& url) {
  std::string other = url.href;
  if (url.href[url.query_begin - 1] != '/') {
    other.insert(url.query_begin, 1, '/');
  } else if (url.query_begin - url.path_begin > 1) {
    other.erase(url.query_begin - 1, 1);
  }
  return other;
}

// Other spellings of a canonical URL, those that differ least first.
std::vector<std::string> spellings(const std::string& canonical) {
  constexpr unsigned end = 1;
  constexpr unsigned host = 2;
  constexpr unsigned scheme = 4;
  std::vector<std::string> others;
  for (const unsigned changes :
       {end, host, scheme, end | host, end | scheme, host | scheme, end | host | scheme}) {
    std::string other = canonical;
    // Some changes make no URL: there is no host "www.127.0.0.1".
    const auto change = [&](unsigned which, auto&& make) {
      if ((changes & which) == 0) return true;
      text::Url url;
      if (!text::parse_url(other, nullptr, url)) return false;
      other = make(url);
      return true;
    };
    text::Url url;
    if (change(end, with_other_end) && change(host, with_other_host) &&
        change(scheme, with_other_scheme) && text::parse_url(other, nullptr, url)) {
      others.push_back(url.href);
    }
  }
  return others;
}

}  // namespace

Result<FoundUrl> Run::find_any(std::string_view url) const {
  const Result<UrlId> named = find(url);
  if (named) {
    KITH_ASSIGN(std::string found, this->url(*named));
    if (text::host_of(found).empty()) return FoundUrl{*named, std::move(found), true, false};
  }
  const bool has_scheme = url.find("://") != std::string_view::npos;
  const std::string asked = has_scheme ? std::string(url) : "https://" + std::string(url);
  const Result<UrlId> exact = find(asked);
  if (!exact && exact.error().kind != ErrorKind::not_found) return exact.error();
  text::Url canonical;
  if (exact) {
    KITH_ASSIGN(std::string found, this->url(*exact));
    const bool is_alias = text::parse_url(asked, nullptr, canonical) && canonical.href != found;
    return FoundUrl{*exact, std::move(found), !is_alias, is_alias};
  }
  if (!text::parse_url(asked, nullptr, canonical)) return exact.error();
  for (const std::string& other : spellings(canonical.href)) {
    const Result<UrlId> id = find(other);
    if (id) {
      KITH_ASSIGN(std::string found, this->url(*id));
      return FoundUrl{*id, std::move(found), false};
    }
    if (id.error().kind != ErrorKind::not_found) return id.error();
  }
  return named.error().kind == ErrorKind::not_found ? named.error() : exact.error();
}

}  // namespace kith
