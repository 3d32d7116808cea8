#include "jobs/dedup/loss.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/json_walk.h"
#include "jobs/dedup/group_index.h"

namespace kith::jobs {
namespace {

constexpr size_t shown_groups = 3;
constexpr size_t max_pattern_hosts = 100;
constexpr uint64_t none = 0;  // the key of what is of no part

// The longest input that a file lies in, as it was named; the file where none is known.
std::string input_of(std::string_view file, const std::vector<std::string>& inputs) {
  std::string_view best = file;
  bool is_found = false;
  for (const std::string& input : inputs) {
    std::string_view folder = input;
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    const bool is_in = file == folder || (file.starts_with(folder) && file.size() > folder.size() &&
                                          (folder == "/" || file[folder.size()] == '/'));
    if (!is_in || (is_found && input.size() <= best.size())) continue;
    best = input;
    is_found = true;
  }
  return std::string(best);
}

// "/2026/11/some-title.html?id=3" is "/#/#/*.html?id".
void append_pattern(std::string_view path, std::string& out) {
  path = path.substr(0, path.find('#'));
  const size_t query = path.find('?');
  const std::string_view names = query == path.npos ? std::string_view() : path.substr(query + 1);
  path = path.substr(0, query);
  const size_t last = path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1;
  bool was_digit = false;
  for (const char c : path.substr(0, last)) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) out += c;
    if (is_digit && !was_digit) out += '#';
    was_digit = is_digit;
  }
  if (last == 0) out += '/';
  const std::string_view file = path.substr(last);
  if (!file.empty()) out += '*';
  constexpr size_t longest_extension = 5;
  const size_t dot = file.rfind('.');
  if (dot != file.npos && file.size() - dot <= longest_extension) out += file.substr(dot);
  for (std::string_view rest = names; !rest.empty();) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view name = rest.substr(0, std::min(rest.find('='), end));
    out += out.find('?') == out.npos ? '?' : '&';
    out += name;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// The removed documents of a part, by its hash and their groups.
struct RemovedRow {
  uint64_t part = 0;
  uint32_t kept = 0;
  uint32_t id = 0;
  friend auto operator<=>(const RemovedRow&, const RemovedRow&) = default;
};

// The largest groups of rows of one part, which are side by side.
std::vector<Loss::Group> largest_groups(std::span<const RemovedRow> rows) {
  std::vector<Loss::Group> groups;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin;
    while (end < rows.size() && rows[end].kept == rows[begin].kept) ++end;
    Loss::Group group{rows[begin].kept, static_cast<uint32_t>(end - begin), {}};
    for (size_t i = 0; i < std::min(group.examples.size(), end - begin); ++i) {
      group.examples[i] = rows[begin + i].id;
    }
    begin = end;
    const auto at = std::ranges::find_if(
        groups, [&](const Loss::Group& other) { return other.removed < group.removed; });
    groups.insert(at, group);
    if (groups.size() > shown_groups) groups.pop_back();
  }
  return groups;
}

}  // namespace

std::string_view name(LossPart part) {
  return word_of(part, {"source", "host", "path"});
}

Losses::Losses(const DocumentTable& documents, const Against& against, const DedupOptions& options)
    : documents_(documents), against_(against), options_(options) {
  for (uint32_t number = 0; number < documents.files(); ++number) {
    inputs_.push_back(input_of(documents.file(number), options.inputs));
    input_keys_.push_back(hash64(inputs_.back()));
  }
}

std::string_view Losses::part_of(LossPart part, uint32_t id, std::string& buffer) const {
  const std::string_view name = documents_.name(id);
  if (part == LossPart::source) {
    const std::string_view source = documents_.source(id);
    return options_.source_field.empty() ? std::string_view(inputs_[documents_[id].file]) : source;
  }
  const std::string_view host = host_in_name(name, buffer);
  if (part == LossPart::host || host.empty()) return host;
  std::string pattern(host);
  const size_t begin = name.find_first_of("/?#", name.find("://") + 3);
  append_pattern(begin == name.npos ? "/" : name.substr(begin), pattern);
  buffer = std::move(pattern);
  return buffer;
}

uint64_t Losses::key_of(LossPart part, uint32_t id, std::string& buffer) const {
  if (part == LossPart::source && options_.source_field.empty()) {
    return input_keys_[documents_[id].file];
  }
  if (part == LossPart::path) {
    const uint64_t host = key_of(LossPart::host, id, buffer);
    if (!std::ranges::binary_search(pattern_hosts_, host)) return none;
  }
  const std::string_view of = part_of(part, id, buffer);
  return of.empty() ? none : hash64(of);
}

Losses Losses::find(const DocumentTable& documents, const Against& against, const Groups& groups,
                    const DedupOptions& options, ThreadPool& pool) {
  Losses losses(documents, against, options);
  for (const LossPart part : {LossPart::source, LossPart::host, LossPart::path}) {
    losses.find_part(part, groups, pool);
    if (part != LossPart::host) continue;
    const std::vector<Loss>& hosts = losses.of(part);
    std::string buffer;
    for (const Loss& loss : std::span(hosts).first(std::min(max_pattern_hosts, hosts.size()))) {
      losses.pattern_hosts_.push_back(losses.key_of(part, loss.first, buffer));
    }
    std::ranges::sort(losses.pattern_hosts_);
  }
  return losses;
}

void Losses::find_part(LossPart part, const Groups& groups, ThreadPool& pool) {
  std::vector<RemovedRow> rows;
  std::string buffer;
  for (uint32_t id = 0; id < documents_.size(); ++id) {
    const bool is_earlier = against_.removed(id);
    if (groups.kept()[id] == id && !is_earlier) continue;
    const uint64_t key = key_of(part, id, buffer);
    if (key == none) continue;
    rows.push_back({key, is_earlier ? Loss::Group::earlier : groups.kept()[id], id});
  }
  std::ranges::sort(rows);
  std::vector<uint64_t> keys;
  for (const RemovedRow& row : rows) {
    if (keys.empty() || keys.back() != row.part) keys.push_back(row.part);
  }
  const std::vector<uint64_t> counts = count(part, keys, pool);
  std::vector<Loss>& found = parts_[static_cast<size_t>(part)];
  size_t begin = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    size_t end = begin;
    while (end < rows.size() && rows[end].part == keys[i]) ++end;
    const auto own = std::span(rows).subspan(begin, end - begin);
    found.push_back({.documents = counts[i],
                     .removed = own.size(),
                     .first = std::ranges::min(own, {}, &RemovedRow::id).id,
                     .groups = largest_groups(own)});
    begin = end;
  }
  std::ranges::sort(found, [](const Loss& a, const Loss& b) {
    return a.removed != b.removed ? a.removed > b.removed : a.first < b.first;
  });
}

std::vector<uint64_t> Losses::count(LossPart part, std::span<const uint64_t> keys,
                                    ThreadPool& pool) const {
  std::vector<uint64_t> counts(keys.size());
  if (keys.empty()) return counts;
  std::mutex summing;
  pool.for_chunks(documents_.size(), 1 << 16, [&](size_t begin, size_t end, unsigned) {
    std::string buffer;
    std::unordered_map<uint64_t, uint64_t> own;
    for (size_t id = begin; id < end; ++id) {
      const uint64_t key = key_of(part, static_cast<uint32_t>(id), buffer);
      if (key != none) ++own[key];
    }
    const std::lock_guard lock(summing);
    for (const auto& [key, more] : own) {
      const auto at = std::ranges::lower_bound(keys, key);
      if (at != keys.end() && *at == key) counts[static_cast<size_t>(at - keys.begin())] += more;
    }
  });
  return counts;
}

std::string Losses::name_of(LossPart part, const Loss& loss) const {
  std::string buffer;
  return std::string(part_of(part, loss.first, buffer));
}

// Of what earlier runs remove, the match of the example.
std::string Losses::kept_name(const Loss::Group& group) const {
  if (group.kept != Loss::Group::earlier) return std::string(documents_.name(group.kept));
  const auto row = std::ranges::lower_bound(against_.rows(), group.examples.front(), {},
                                            &EarlierMatch::document);
  return std::string(against_.name(static_cast<size_t>(row - against_.rows().begin())));
}

DedupLoss Losses::described(LossPart part, const Loss& loss) const {
  DedupLoss described{.part = std::string(name(part)),
                      .name = name_of(part, loss),
                      .documents = loss.documents,
                      .removed = loss.removed,
                      .groups = {},
                      .examples = {}};
  for (const Loss::Group& group : loss.groups) {
    described.groups.push_back({group.removed, kept_name(group)});
  }
  // Of every group one, then more of them.
  constexpr size_t most = 3;
  for (size_t i = 0; i < most; ++i) {
    for (size_t g = 0; g < loss.groups.size() && described.examples.size() < most; ++g) {
      const Loss::Group& group = loss.groups[g];
      if (i >= group.removed) continue;
      described.examples.push_back(
          {std::string(documents_.name(group.examples[i])), described.groups[g].kept});
    }
  }
  return described;
}

void Losses::report(DedupReport& report) const {
  constexpr size_t most = 10;
  report.losses.clear();
  report.over_max_loss.clear();
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto part = static_cast<LossPart>(i);
    for (const Loss& loss : std::span(parts_[i]).first(std::min(most, parts_[i].size()))) {
      report.losses.push_back(described(part, loss));
    }
    if (part == LossPart::path) continue;
    size_t over = 0;
    for (const Loss& loss : parts_[i]) {
      const bool is_over = loss.documents >= min_loss_documents &&
                           static_cast<double>(loss.removed) >
                               options_.max_loss * static_cast<double>(loss.documents);
      if (is_over && over++ < most) report.over_max_loss.push_back(described(part, loss));
    }
  }
}

}  // namespace kith::jobs
