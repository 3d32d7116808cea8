// The keys of indexes of captures (CDX, CDXJ).
#pragma once

#include <string>
#include <string_view>

namespace kith::text {

// The key by which Wayback machines, pywb and Common Crawl find a URL, as the package surt of PyPI
// makes it of one without a scheme:
//
//   https://www.Example.org:8080/A/?b=2&a=1  ->  org,example:8080)/a?a=1&b=2
//
// The host in reverse order without www, www2 and so on; path and query in lower case, the path
// without a slash at its end, parameters in byte order and without session ids, escapes of
// printable characters undone. `url` is canonical (parse_url()). Pure.
std::string cdx_key(std::string_view url);

}  // namespace kith::text
