#include "target.h"

#include <algorithm>
#include <charconv>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kith::server {
namespace {

Error usage_error(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

}  // namespace

const std::string* Target::find(std::string_view name) const {
  const auto at = std::ranges::find(
      parameters, name, [](const auto& parameter) { return std::string_view(parameter.first); });
  return at == parameters.end() ? nullptr : &at->second;
}

Result<Target> parse_target(std::string_view text) {
  const auto parsed = boost::urls::parse_origin_form({text.data(), text.size()});
  if (parsed.has_error()) return usage_error("the target of the request is no path with a query");
  Target target;
  target.path = parsed->path();
  boost::urls::encoding_opts plus;
  plus.space_as_plus = true;
  for (const auto& parameter : parsed->params(plus)) {
    target.parameters.emplace_back(parameter.key, parameter.value);
  }
  return target;
}

Result<std::string> Parameters::text(std::string_view name) const {
  const std::string* const value = target_->find(name);
  if (value != nullptr && !value->empty()) return *value;
  return usage_error(fmt::format("the parameter '{}' is missing", name));
}

Result<uint64_t> Parameters::number(std::string_view name, uint64_t usual, uint64_t least,
                                    uint64_t most) const {
  const std::string* const text = target_->find(name);
  if (text == nullptr) return usual;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size() && value >= least &&
      value <= most) {
    return value;
  }
  return usage_error(
      fmt::format("{}={}: must be a whole number from {} to {}", name, *text, least, most));
}

Result<bool> Parameters::flag(std::string_view name) const {
  const std::string* const text = target_->find(name);
  if (text == nullptr || *text == "0" || *text == "false") return false;
  if (text->empty() || *text == "1" || *text == "true") return true;
  return usage_error(fmt::format("{}={}: must be 1 or 0", name, *text));
}

Result<std::string> Parameters::choice(std::string_view name,
                                       const std::vector<std::string_view>& words) const {
  const std::string* const text = target_->find(name);
  if (text == nullptr) return std::string(words.front());
  if (std::ranges::find(words, *text) != words.end()) return *text;
  return usage_error(fmt::format("{}={}: must be one of {}", name, *text, fmt::join(words, ", ")));
}

Status Parameters::check_names(const std::vector<std::string_view>& names) const {
  for (const auto& [name, value] : target_->parameters) {
    if (std::ranges::find(names, name) == names.end()) {
      return usage_error(
          fmt::format("there is no parameter '{}'; there are: {}", name, fmt::join(names, ", ")));
    }
    if (target_->find(name) != &value) {
      return usage_error(fmt::format("the parameter '{}' is there twice", name));
    }
  }
  return Status::ok();
}

}  // namespace kith::server
