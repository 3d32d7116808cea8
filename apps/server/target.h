// The target of a request, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

namespace kith::server {

// Path and parameters, decoded. Parameters keep their order.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> parameters;

  // The first parameter of that name; null without one. Valid as long as this object.
  const std::string* find(std::string_view name) const;
};

// An error of kind usage when the text is no path with a query, or decodes to no UTF-8.
Result<Target> parse_target(std::string_view text);

// What a handler takes of the parameters. An error is of kind usage, and names the parameter.
class Parameters {
 public:
  explicit Parameters(const Target& target) : target_(&target) {}

  // A parameter that must be there, and not empty.
  Result<std::string> text(std::string_view name) const;
  // A whole number in [least, most]; `usual` without one.
  Result<uint64_t> number(std::string_view name, uint64_t usual, uint64_t least,
                          uint64_t most) const;
  // "1", "true" or an empty value; "0" and "false" are no.
  Result<bool> flag(std::string_view name) const;
  // One of these words, the first without one.
  Result<std::string> choice(std::string_view name,
                             const std::vector<std::string_view>& words) const;
  // An error when there is a parameter that is none of these, or twice the same.
  Status check_names(const std::vector<std::string_view>& names) const;

 private:
  const Target* target_;
};

}  // namespace kith::server
