// resolve_urls: the twin of node_url_twin.mjs. Lines "base TAB href" on standard input, the
// canonical URL or "-" for each on standard output.
#include <iostream>
#include <string>
#include <string_view>

#include "text/url/url.h"

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  kith::text::Url base;
  kith::text::Url url;
  while (std::getline(std::cin, line)) {
    const size_t tab = line.find('\t');
    const std::string_view base_text = std::string_view(line).substr(0, tab);
    const std::string_view href =
        tab == std::string::npos ? std::string_view() : std::string_view(line).substr(tab + 1);
    const bool is_url =
        kith::text::parse_url(base_text, nullptr, base) && kith::text::parse_url(href, &base, url);
    std::cout << (is_url ? std::string_view(url.href) : std::string_view("-")) << '\n';
  }
  return 0;
}
