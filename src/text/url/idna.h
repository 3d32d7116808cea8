// Host names outside ASCII, by ICU's UTS #46.
#pragma once

#include <string>
#include <string_view>

namespace kith::text {

// Appends the ASCII form of `domain` to `out`: WHATWG URL, "domain to ASCII" with beStrict
// false (UTS #46, non-transitional, CheckBidi and CheckJoiners on, CheckHyphens,
// UseSTD3ASCIIRules and VerifyDnsLength off). False when it is no domain, or longer than 1024
// bytes, which no resolver takes and which keeps the time linear; `out` is then unspecified.
// Thread-safe.
bool append_ascii_domain(std::string_view domain, std::string& out);

}  // namespace kith::text
