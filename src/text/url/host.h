// The host parser and serialiser of the WHATWG URL standard (section 3.5), special schemes.
#pragma once

#include <string>
#include <string_view>

namespace kith::text {

// Appends the canonical form of `host` (percent-escapes decoded, IDNA applied, lower-case; an
// IPv4 address dotted, an IPv6 address in brackets) to `out`. False when `host` is invalid;
// `out` is then unspecified. Thread-safe.
bool append_canonical_host(std::string_view host, std::string& out);

}  // namespace kith::text
