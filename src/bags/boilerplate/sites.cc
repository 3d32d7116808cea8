#include "bags/boilerplate/sites.h"

#include "base/hash.h"
#include "text/url/url.h"

namespace kith::bags {

Sites sites_of(std::string_view url) {
  const std::string_view host = text::host_of(url);
  Sites sites;
  sites.hashes_[0] = hash64(host);
  if (host.empty()) return sites;  // no URL, as a damaged file may hold
  url.remove_prefix(static_cast<size_t>(host.data() - url.data()));
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  size_t slash = path.find('/');
  while (slash != std::string_view::npos && sites.count_ <= Sites::max_sections) {
    slash = path.find('/', slash + 1);
    if (slash == std::string_view::npos) break;
    sites.hashes_[sites.count_++] = hash64(path.substr(0, slash));
  }
  return sites;
}

}  // namespace kith::bags
