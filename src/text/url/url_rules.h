// Which spellings of a URL are one: --url-rules (docs/algorithms/url_rules.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "text/url/url.h"

namespace kith::text {

class UrlRules {
 public:
  // No rules: apply() changes nothing.
  UrlRules() = default;

  // Lines of rules: "common", the name of one, or "parameter NAME" to drop those of a query that
  // have the name, or begin with it where it ends in *. Empty lines and what follows # do not
  // count. An error of kind usage names the first other line.
  static Result<UrlRules> parse(std::string_view text);

  // The rules of options that are valid; none where they are not.
  static UrlRules of_valid(std::string_view text) {
    auto rules = parse(text);
    return rules ? *std::move(rules) : UrlRules();
  }

  bool empty() const { return rules_ == 0 && parameters_.empty(); }

  // Rewrites a URL in canonical form; what comes out has that form, too, and is rewritten to
  // itself. Thread-safe.
  void apply(Url& url) const;

 private:
  enum class Rule : uint8_t {
    escapes,
    sessions,
    tracking,
    order,
    empty,
    names,
    slash,
    www,
    https,
    unwrap
  };

  bool has(Rule rule) const { return (rules_ >> static_cast<unsigned>(rule) & 1) != 0; }
  void add(Rule rule) { rules_ |= 1u << static_cast<unsigned>(rule); }
  Status add_line(std::string_view line);
  std::string path_of(std::string_view path) const;
  std::string query_of(std::string_view query) const;
  bool drops(std::string_view parameter) const;

  uint32_t rules_ = 0;
  std::vector<std::string> parameters_;  // that are dropped; "pk_*"
};

}  // namespace kith::text
