// The sort key of a URL; its format stands in url.h.
#include <algorithm>
#include <cstddef>

#include "text/url/url.h"

namespace kith::text {
namespace {

constexpr char host_end_mark = '\t';
constexpr char label_mark = ' ';
constexpr char http_mark = ' ';

// An IPv6 address stands in brackets. An IPv4 address is the only host whose last label begins
// with a digit and is all digits (URL standard, "ends in a number checker").
bool is_address(std::string_view host) {
  if (host.starts_with('[')) return true;
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return !last.empty() && last.find_first_not_of("0123456789") == std::string_view::npos;
}

// Appends the parts of `list` in reverse order.
void append_reversed(std::string_view list, char old_mark, char new_mark, std::string& out) {
  for (;;) {
    const size_t mark = list.rfind(old_mark);
    if (mark == std::string_view::npos) break;
    out.append(list.substr(mark + 1));
    out.push_back(new_mark);
    list = list.substr(0, mark);
  }
  out.append(list);
}

}  // namespace

void surt_of_url(std::string_view canonical_url, std::string& key) {
  const std::string_view host = host_of(canonical_url);
  const bool is_https = canonical_url.starts_with("https:");
  const size_t scheme_size = is_https ? 8 : 7;
  key.clear();
  if (is_address(host)) {
    key.append(host);
  } else {
    append_reversed(host, '.', label_mark, key);
  }
  key.push_back(host_end_mark);
  key.append(canonical_url.substr(std::min(scheme_size + host.size(), canonical_url.size())));
  if (!is_https) key.push_back(http_mark);
}

void url_of_surt(std::string_view key, std::string& canonical_url) {
  const bool is_http = key.ends_with(http_mark);
  if (is_http) key.remove_suffix(1);
  const size_t host_size = std::min(key.find(host_end_mark), key.size());
  const std::string_view host = key.substr(0, host_size);
  canonical_url.assign(is_http ? "http://" : "https://");
  if (host.starts_with('[') || host.find('.') != std::string_view::npos) {
    canonical_url.append(host);
  } else {
    append_reversed(host, label_mark, '.', canonical_url);
  }
  canonical_url.append(key.substr(std::min(host_size + 1, key.size())));
}

}  // namespace kith::text
