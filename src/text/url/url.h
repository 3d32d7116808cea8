// URL identity (docs/algorithms/urls.md): WHATWG parsing of http and https URLs; host lower-case
// and IDNA; default port, user-info and fragment dropped; dot segments resolved. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::text {

// A canonical absolute http(s) URL and where its parts lie:
//
//   https://example.org:8080/a/b?q=1
//          |          |    |   |
//          host_begin host_end |
//                          path_begin
//                              query_begin (at '?'; = href.size() when there is none)
struct Url {
  std::string href;
  uint32_t host_begin = 0;
  uint32_t host_end = 0;
  uint32_t path_begin = 0;
  uint32_t query_begin = 0;

  std::string_view host() const {
    return std::string_view(href).substr(host_begin, host_end - host_begin);
  }
};

// The longest URL: what most servers accept in a request line. A bound keeps pages with a long base
// URL before very many short links linear in time and memory.
inline constexpr size_t max_url_bytes = 8192;

// Parses `input`, relative to `base` unless that is null, into `out` (its capacity is kept).
// False when the result is not an http(s) URL, or when it, or the input without its fragment, is
// longer than max_url_bytes; `out` is then unspecified. `input` is UTF-8; any bytes are safe.
// Fragments are dropped: "#top" gives the base itself. Queries are encoded as UTF-8 whatever the
// page's charset. Parsing a canonical URL gives the same URL. Thread-safe. REQUIRES: `base` is
// canonical (made by this function) and another object than `out`.
bool parse_url(std::string_view input, const Url* base, Url& out);

// The same, without a base; what is no URL is a name (an id of a data set), and becomes a Url
// without a host, whose href it is. False for a longer one than max_url_bytes, an empty one, and
// one that begins as an http or https URL. parse_url takes names for no base.
bool parse_url_or_name(std::string_view input, Url& out);

// The host of a canonical URL, without its port; empty for a name.
std::string_view host_of(std::string_view canonical_url);

// The sort key that makes a site stand together ("sort-friendly URI reordering transform").
// Byte order of keys is the order of URL ids:
//
//   key  = host TAB [":" port] path ["?" query] [" "]        (the blank at the end: http)
//   host = the labels in reverse order, a blank between two; an IP address as it is
//
//   https://www.example.org:8080/a?b   ->  org example www TAB :8080/a?b
//   http://192.0.2.1/                  ->  192.0.2.1 TAB / " "
//
// The key of a name is a TAB before it.
//
// TAB and the blank stand in no canonical URL and sort before every byte of a label, so the
// keys of a domain and of all its subdomains are one range, with or without port; http and
// https of a page are neighbours. A bijection: url_of_surt(surt_of_url(u)) == u for canonical
// u; other input gives some string. Both replace the content of their output, keeping its
// capacity. Thread-safe.
void surt_of_url(std::string_view canonical_url, std::string& key);
void url_of_surt(std::string_view key, std::string& canonical_url);

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
