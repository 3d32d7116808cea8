#include "jobs/dedup/group_index.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::jobs {

GroupIndex::GroupIndex(std::span<const uint32_t> kept) {
  std::vector<uint32_t>& sizes = numbers_;
  sizes.resize(kept.size());
  for (const uint32_t own : kept) ++sizes[own];
  std::vector<uint32_t> order;
  for (uint32_t id = 0; id < kept.size(); ++id) {
    if (sizes[id] > 1) order.push_back(id);
  }
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(sizes[b], a) < std::tuple(sizes[a], b);
  });
  begins_.reserve(order.size() + 1);
  for (const uint32_t own : order) begins_.push_back(begins_.back() + sizes[own]);
  std::ranges::fill(numbers_, none);
  for (uint32_t group = 0; group < order.size(); ++group) numbers_[order[group]] = group;
  // Where the next member goes: behind the kept document.
  ids_.resize(begins_.back());
  std::vector<uint64_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t group = 0; group < order.size(); ++group) ids_[next[group]++] = order[group];
  for (uint32_t id = 0; id < kept.size(); ++id) {
    const uint32_t group = numbers_[kept[id]];
    if (group != none && kept[id] != id) ids_[next[group]++] = id;
  }
}

double similarity_to_kept(const DocumentTable& documents, const Groups& groups, DedupMethod method,
                          uint32_t id) {
  const uint32_t kept = groups.kept()[id];
  if (kept == id) return 1;
  const sketch::SetOverlap both{documents.sets().size_of(id), documents.sets().size_of(kept),
                                groups.common()[id]};
  return method == DedupMethod::containment ? both.containment_of_a() : both.resemblance();
}

std::string_view host_in_name(std::string_view name, std::string& buffer) {
  constexpr size_t longest_scheme = 5;
  const size_t begin = name.find("://");
  if (begin > longest_scheme) return {};
  const std::string_view scheme = name.substr(0, begin);
  if (!equals_ignoring_case(scheme, "http") && !equals_ignoring_case(scheme, "https")) return {};
  std::string_view host = name.substr(begin + 3);
  host = host.substr(0, host.find_first_of("/?#\\"));
  host.remove_prefix(host.rfind('@') == std::string_view::npos ? 0 : host.rfind('@') + 1);
  if (!host.starts_with('[')) host = host.substr(0, host.find(':'));
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (std::ranges::none_of(host, is_upper)) return host;
  buffer = host;
  for (char& c : buffer) c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return buffer;
}

GroupFacts GroupReader::facts(uint32_t kept) {
  GroupFacts facts;
  std::string buffer;
  const auto add_time = [&](int64_t time) {
    if (time == no_time) return;
    facts.first_time = facts.first_time == no_time ? time : std::min(facts.first_time, time);
    facts.last_time = std::max(facts.last_time, time);
  };
  const uint64_t number = index_.find(kept);
  if (number == index_.size()) {
    facts.hosts = host_in_name(documents_.name(kept), buffer).empty() ? 0 : 1;
    add_time(documents_[kept].time);
    return facts;
  }
  const std::span<const uint32_t> members = index_[number];
  facts.number = number + 1;
  facts.size = members.size();
  facts.max_similarity = 0;
  hosts_.clear();
  for (const uint32_t id : members) {
    add_time(documents_[id].time);
    if (const auto host = host_in_name(documents_.name(id), buffer); !host.empty()) {
      hosts_.push_back(hash64(host));
    }
    if (id == kept) continue;
    const double similarity = similarity_to_kept(documents_, groups_, method_, id);
    facts.min_similarity = std::min(facts.min_similarity, similarity);
    facts.max_similarity = std::max(facts.max_similarity, similarity);
  }
  std::ranges::sort(hosts_);
  facts.hosts = static_cast<uint64_t>(std::unique(hosts_.begin(), hosts_.end()) - hosts_.begin());
  return facts;
}

Result<GroupWeights> GroupWeights::parse(std::string_view text) {
  GroupWeights weights;
  if (text == "1") return weights;
  if (text == "log" || text == "sqrt") {
    weights.kind_ = text == "log" ? Kind::log : Kind::sqrt;
    return weights;
  }
  const std::string_view number = text.starts_with("cap") ? text.substr(3) : std::string_view();
  const char* const end = number.data() + number.size();
  const auto [at, error] = std::from_chars(number.data(), end, weights.cap_);
  weights.kind_ = Kind::cap;
  if (!number.empty() && at == end && error == std::errc() && weights.cap_ > 0) return weights;
  return Error{
      ErrorKind::usage,
      fmt::format("weights = {}: must be 1, log, sqrt, or cap and a number above 0, such as "
                  "cap5",
                  text)};
}

double GroupWeights::operator()(uint64_t size) const {
  const auto n = static_cast<double>(size);
  switch (kind_) {
    case Kind::one:
      return 1;
    case Kind::log:
      return 1 + std::log(n);
    case Kind::sqrt:
      return std::sqrt(n);
    case Kind::cap:
      return static_cast<double>(std::min(size, cap_));
  }
  return 1;
}

}  // namespace kith::jobs
