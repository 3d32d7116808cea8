#include "bags/boilerplate/sites.h"

#include "base/hash.h"

namespace kith::bags {

std::string_view host_of(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const size_t user = url.rfind('@');
  return user == std::string_view::npos ? url : url.substr(user + 1);
}

Sites sites_of(std::string_view url) {
  const std::string_view host = host_of(url);
  url.remove_prefix(static_cast<size_t>(host.data() - url.data()));
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  Sites sites;
  sites.hashes_[0] = hash64(host);
  size_t slash = host.size();
  while (sites.count_ <= Sites::max_sections && slash < path.size()) {
    slash = path.find('/', slash + 1);
    if (slash == std::string_view::npos) break;
    sites.hashes_[sites.count_++] = hash64(path.substr(0, slash));
  }
  return sites;
}

}  // namespace kith::bags
