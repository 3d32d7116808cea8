// Host names: WHATWG parsing, IPv4 and IPv6, and those outside ASCII by UTS #46.
#pragma once

#include <string>
#include <string_view>

namespace kith::text {

// Host names outside ASCII, by ICU's UTS #46.

// Appends the ASCII form of `domain` to `out`: WHATWG URL, "domain to ASCII" with beStrict
// false (UTS #46, non-transitional, CheckBidi and CheckJoiners on, CheckHyphens,
// UseSTD3ASCIIRules and VerifyDnsLength off). False when it is no domain, or longer than 1024
// bytes, which no resolver takes and which keeps the time linear; `out` is then unspecified.
// Thread-safe.
bool append_ascii_domain(std::string_view domain, std::string& out);

// The host parser and serialiser of the WHATWG URL standard (section 3.5), special schemes.

// Appends the canonical form of `host` (percent-escapes decoded, IDNA applied, lower-case; an
// IPv4 address dotted, an IPv6 address in brackets) to `out`. False when `host` is invalid;
// `out` is then unspecified. Thread-safe.
bool append_canonical_host(std::string_view host, std::string& out);

}  // namespace kith::text
