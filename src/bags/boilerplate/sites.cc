#include "bags/boilerplate/sites.h"

#include <algorithm>

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
  const std::string_view rest = url.substr(static_cast<size_t>(host.data() - url.data()));
  Sites sites{hash64(host), 0};
  if (rest.size() == host.size() || rest[host.size()] != '/') return sites;
  const std::string_view path = rest.substr(0, rest.find_first_of("?#"));
  const size_t end = path.find('/', host.size() + 1);
  if (end != std::string_view::npos) sites.section = hash64(path.substr(0, end));
  return sites;
}

}  // namespace kith::bags
