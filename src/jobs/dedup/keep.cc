#include "jobs/dedup/keep.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/dates.h"
#include "crawl/read/row_fields.h"
#include "jobs/dedup/document_table.h"
#include "storage/file_system.h"
#include "text/url/url.h"
#include "text/words/quality.h"

namespace kith::jobs {
namespace {

using crawl::RowFields;

constexpr std::array<std::string_view, 9> kinds{
    "first", "longest", "shortest", "newest", "oldest", "inlinks", "quality", "score", "source"};

bool has_name(KeepKind kind) {
  return kind == KeepKind::score || kind == KeepKind::source;
}

Result<KeepRule> keep_rule(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const auto found = std::ranges::find(kinds, word);
  KeepRule rule;
  rule.kind = static_cast<KeepKind>(found - kinds.begin());
  const bool is_known = found != kinds.end() && has_name(rule.kind) == (colon != text.npos);
  if (colon != text.npos) rule.name = text.substr(colon + 1);
  if (is_known && rule.name.empty() == !has_name(rule.kind)) return rule;
  return Error{ErrorKind::usage,
               fmt::format("keep = {}: must be first, longest, shortest, newest, oldest, inlinks, "
                           "quality, score:FIELD or source:FILE",
                           text)};
}

// The value of a field of a score: a number, or the seconds of a date; nothing for neither.
std::optional<double> score_of(std::string_view value) {
  value = trim(value);
  if (value.starts_with('+')) value.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return number;
  const std::optional<int64_t> time = parse_date(value);
  if (!time) return std::nullopt;
  constexpr double ms = 1000;
  return static_cast<double>(*time) / ms;
}

}  // namespace

Result<std::vector<KeepRule>> keep_rules(const std::vector<std::string>& keep) {
  std::vector<KeepRule> rules;
  size_t scores = 0;
  for (const std::string& text : keep) {
    KITH_ASSIGN(rules.emplace_back(), keep_rule(text));
    scores += rules.back().kind == KeepKind::score ? 1 : 0;
  }
  // One of the extra fields may be that of the source.
  if (scores < RowFields::max_extras) return rules;
  return Error{ErrorKind::usage, fmt::format("keep: {} scores; at most {} are read of a row",
                                             scores, RowFields::max_extras - 1)};
}

bool keeps_by(const DuplicateOptions& options, KeepKind kind) {
  const auto rules = keep_rules(options.keep);
  return rules && std::ranges::find(*rules, kind, &KeepRule::kind) != rules->end();
}

size_t stored_keys(const DuplicateOptions& options) {
  const auto rules = keep_rules(options.keep);
  return rules ? static_cast<size_t>(std::ranges::count_if(*rules, &KeepRule::is_stored)) : 0;
}

std::vector<std::string> extra_fields(const DedupOptions& options) {
  std::vector<std::string> fields;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(fields, name) == fields.end()) fields.push_back(name);
  };
  const auto rules = keep_rules(options.keep);
  for (const KeepRule& rule : rules ? *rules : std::vector<KeepRule>()) {
    if (rule.kind == KeepKind::score) add(rule.name);
  }
  if (!options.source_field.empty()) add(options.source_field);
  return fields;
}

Result<std::string> sources_text(const DuplicateOptions& options) {
  KITH_ASSIGN(const std::vector<KeepRule> rules, keep_rules(options.keep));
  std::string all;
  for (const KeepRule& rule : rules) {
    if (rule.kind != KeepKind::source) continue;
    KITH_ASSIGN(const std::string text,
                storage::read_file(storage::posix_file_system(), rule.name));
    append_string(all, text);
  }
  return all;
}

namespace {

// The place of a field among the extra ones.
size_t place_of(const DedupOptions& options, const std::string& name) {
  const std::vector<std::string> fields = extra_fields(options);
  return static_cast<size_t>(std::ranges::find(fields, name) - fields.begin());
}

// The names of sources in a file by their ranks: those of a line have the same.
Result<std::unordered_map<std::string, uint32_t>> read_ranks(const std::string& path) {
  KITH_ASSIGN(const std::string text, storage::read_file(storage::posix_file_system(), path));
  std::unordered_map<std::string, uint32_t> ranks;
  uint32_t rank = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.starts_with('#')) continue;
    while (!line.empty()) {
      const size_t tab = std::min(line.find('\t'), line.size());
      if (const auto name = trim(line.substr(0, tab)); !name.empty()) ranks.emplace(name, rank);
      line.remove_prefix(std::min(tab + 1, line.size()));
    }
    ++rank;
  }
  if (!ranks.empty()) return ranks;
  return Error{ErrorKind::usage,
               fmt::format("{}: names no source; write one into each line, the one that is to be "
                           "kept first: a source, a host, a file or folder of the input",
                           path)};
}

}  // namespace

Result<KeepKeys> KeepKeys::make(const DedupOptions& options) {
  KeepKeys keys;
  KITH_ASSIGN(std::vector<KeepRule> rules, keep_rules(options.keep));
  if (!options.source_field.empty()) keys.source_field_ = place_of(options, options.source_field);
  for (KeepRule& rule : rules) {
    if (!rule.is_stored()) continue;
    if (rule.kind == KeepKind::score) keys.fields_.push_back(place_of(options, rule.name));
    if (rule.kind == KeepKind::source) {
      KITH_ASSIGN(keys.ranks_.emplace_back(), read_ranks(rule.name));
    }
    keys.rules_.push_back(std::move(rule));
  }
  return keys;
}

namespace {

// The best rank of the names of a document; unknown where none is in the table.
class BestRank {
 public:
  explicit BestRank(const std::unordered_map<std::string, uint32_t>& ranks) : ranks_(ranks) {}
  void look_up(std::string_view name) {
    const auto found = ranks_.find(std::string(name));
    if (found != ranks_.end()) best_ = std::max(best_, -static_cast<double>(found->second));
  }
  double best() const { return best_; }

 private:
  const std::unordered_map<std::string, uint32_t>& ranks_;
  double best_ = KeepKeys::unknown;
};

}  // namespace

// By the source, the host and the domains that it is in, the input file and the folders in its
// path.
double KeepKeys::source_key(const Ranks& ranks, const crawl::Page& page, std::string_view file,
                            std::string_view source) const {
  BestRank rank(ranks);
  if (!source.empty()) rank.look_up(source);
  text::Url url;
  if (text::parse_url(page.url, nullptr, url)) {
    for (std::string_view host = url.host(); !host.empty();) {
      rank.look_up(host);
      host.remove_prefix(std::min(host.find('.'), host.size() - 1) + 1);
    }
  }
  rank.look_up(file);
  for (std::string_view path = file; !path.empty();) {
    const size_t end = std::min(path.find('/'), path.size());
    rank.look_up(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return rank.best();
}

Status KeepKeys::add(const crawl::Page& page, std::string_view text, std::string_view file,
                     std::vector<double>& keys) const {
  if (rules_.empty()) return Status::ok();
  const crawl::ExtraValues extras = crawl::extras_of(page.extras);
  size_t score = 0;
  size_t source = 0;
  for (const KeepRule& rule : rules_) {
    if (rule.kind == KeepKind::quality) {
      keys.push_back(static_cast<double>(text::text_quality(text).score()));
      continue;
    }
    if (rule.kind == KeepKind::source) {
      const std::string_view own =
          source_field_ < extras.size() ? extras[source_field_] : std::string_view();
      keys.push_back(source_key(ranks_[source++], page, file, own));
      continue;
    }
    const std::string_view value = extras[fields_[score++]];
    const std::optional<double> number = trim(value).empty() ? unknown : score_of(value);
    if (!number) {
      constexpr size_t shown = 100;
      return Error{ErrorKind::corrupt,
                   fmt::format("{}, row {}: its \"{}\" is {}, which is neither a number nor a date",
                               file, page.record + 1, rule.name, cut_utf8(value, shown))};
    }
    keys.push_back(std::isnan(*number) ? unknown : *number);
  }
  return Status::ok();
}

DocumentNotes::DocumentNotes(const DedupOptions& options, const KeepKeys& keys,
                             const std::vector<std::string>& files)
    : keys_(keys),
      files_(files),
      source_field_(options.source_field.empty() ? RowFields::max_extras
                                                 : place_of(options, options.source_field)) {}

Status DocumentNotes::read(const crawl::Page& page, std::string_view text) {
  source_ = source_field_ == RowFields::max_extras ? std::string_view()
                                                   : crawl::extras_of(page.extras)[source_field_];
  own_.clear();
  Status status = keys_.add(page, text, files_[page.file], own_);
  if (!status) own_.assign(keys_.size(), KeepKeys::unknown);
  return status;
}

Preference::Preference(const DocumentTable& documents, const DuplicateOptions& options)
    : documents_(documents) {
  auto rules = keep_rules(options.keep);
  rules_ = rules ? std::move(*rules) : std::vector<KeepRule>();
  const auto first = std::ranges::find(rules_, KeepKind::first, &KeepRule::kind);
  rules_.erase(first, rules_.end());
}

// The greater, the better.
double Preference::key(const KeepRule& rule, size_t stored, uint32_t id) const {
  const auto number = [](auto value) { return static_cast<double>(value); };
  switch (rule.kind) {
    case KeepKind::first:
      return 0;
    case KeepKind::longest:
      return number(documents_[id].bytes);
    case KeepKind::shortest:
      return -number(documents_[id].bytes);
    case KeepKind::newest:
    case KeepKind::oldest: {
      const int64_t time = documents_[id].time;
      if (time == no_time) return KeepKeys::unknown;
      return rule.kind == KeepKind::newest ? number(time) : -number(time);
    }
    case KeepKind::inlinks:
      return number(documents_.inlinks(id));
    case KeepKind::quality:
    case KeepKind::score:
    case KeepKind::source:
      return documents_.keep_keys(id)[stored];
  }
  return 0;
}

const KeepRule* Preference::unknown_rule() const {
  size_t stored = 0;
  for (const KeepRule& rule : rules_) {
    bool is_known = documents_.size() == 0;
    for (uint32_t id = 0; id < documents_.size() && !is_known; ++id) {
      is_known = key(rule, stored, id) != KeepKeys::unknown;
    }
    if (!is_known) return &rule;
    stored += rule.is_stored() ? 1 : 0;
  }
  return nullptr;
}

Status check_known(const DocumentTable& documents, const DuplicateOptions& options) {
  const Preference preference(documents, options);
  const KeepRule* const rule = preference.unknown_rule();
  if (rule == nullptr) return Status::ok();
  const std::string_view word = kinds[static_cast<size_t>(rule->kind)];
  if (rule->kind == KeepKind::score) {
    return Error{ErrorKind::usage, fmt::format("keep = score:{0}: no row of the input has a value "
                                               "in a field \"{0}\"",
                                               rule->name)};
  }
  if (rule->kind == KeepKind::source) {
    return Error{ErrorKind::usage,
                 fmt::format("keep = source:{}: no document is of a source, host, file or folder "
                             "that this file names",
                             rule->name)};
  }
  return Error{ErrorKind::usage, fmt::format("keep = {}: no document of the input has a date; name "
                                             "the field of rows that has it, with time_field",
                                             word)};
}

bool Preference::operator()(uint32_t a, uint32_t b) const {
  size_t stored = 0;
  for (const KeepRule& rule : rules_) {
    const double key_a = key(rule, stored, a);
    const double key_b = key(rule, stored, b);
    if (key_a != key_b) return key_a > key_b;
    stored += rule.is_stored() ? 1 : 0;
  }
  return a < b;
}

}  // namespace kith::jobs
