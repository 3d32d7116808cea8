#include "bags/url_groups.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "text/url/url.h"

namespace kith::bags {

void LinkEvidence::add(uint32_t host, uint64_t window) {
  if (has_host_ && host != host_) is_enough_ = true;
  if (!has_host_) host_ = host;
  has_host_ = true;
  if (window == 0 || window == windows_[0] || window == windows_[1]) return;
  if (windows_[0] != 0 && windows_[1] != 0) is_enough_ = true;
  windows_[windows_[0] != 0] = window;
}

// Equal for equal terms.
uint64_t UrlGroups::window_of(const Fragment& link) const {
  if (link.terms.empty()) return 0;
  if (options_.numbers.empty()) return hash64(link.terms) | 1;
  uint64_t hash = 0;
  for_each_term(link, [&](uint32_t term) {
    hash = mix64(hash + (term < options_.numbers.size() ? options_.numbers[term] : no_term) + 1);
  });
  return hash | 1;
}

bool UrlGroups::enters(const UrlGroup& group) const {
  if (!group.stands_for_url) return false;
  if (options_.urls == UrlScope::all || group.is_fetched || group.alias) return true;
  return options_.urls == UrlScope::seen && group.links.is_enough();
}

uint64_t UrlGroups::left_out() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      groups_, [&](const UrlGroup& group) { return group.stands_for_url && !enters(group); }));
}

std::optional<uint32_t> UrlGroups::add(const Fragment& fragment) {
  if (!aliases_->empty() && aliases_->find(fragment.url) != nullptr) return std::nullopt;
  const auto number = static_cast<uint32_t>(groups_.size());
  const auto [known, is_new] = group_of_.try_emplace(fragment.url, number);
  if (is_new) groups_.emplace_back();
  UrlGroup& group = groups_[known->second];
  if (fragment.kind == FragmentKind::url) {
    if (group.surt.empty()) text::surt_of_url(fragment.text, group.surt);
    return known->second;
  }
  group.stands_for_url |= fragment.kind != FragmentKind::inlink;
  group.is_fetched |= fragment.kind == FragmentKind::page;
  group.has_links |= fragment.kind == FragmentKind::link;
  group.has_words |=
      fragment.kind == FragmentKind::words || fragment.kind == FragmentKind::alias_words;
  if (fragment.kind == FragmentKind::link && options_.urls == UrlScope::seen &&
      !group.links.is_enough()) {
    group.links.add(fragment.host, window_of(fragment));
  }
  if (fragment.kind == FragmentKind::alias_page) {
    group.alias = std::min(group.alias.value_or(fragment.alias), fragment.alias);
  }
  return known->second;
}

std::vector<uint32_t> UrlGroups::by_surt() const {
  std::vector<uint32_t> order;
  for (uint32_t group = 0; group < groups_.size(); ++group) {
    if (enters(groups_[group])) order.push_back(group);
  }
  std::ranges::sort(order, {},
                    [&](uint32_t group) -> const std::string& { return groups_[group].surt; });
  return order;
}

Result<FragmentIndex> index_fragments(std::string_view bytes, UrlGroups& groups) {
  struct Place {
    uint64_t offset;
    uint32_t group;
  };
  std::vector<Place> places;
  Cursor cursor(bytes);
  Fragment fragment;
  while (!cursor.at_end()) {
    const uint64_t offset = bytes.size() - cursor.remaining();
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    const std::optional<uint32_t> group = groups.add(fragment);
    if (group && fragment.kind != FragmentKind::url) places.push_back({offset, *group});
  }
  FragmentIndex index;
  index.begins.assign(groups.size() + 1, 0);
  for (const Place& place : places) ++index.begins[place.group + 1];
  for (size_t group = 0; group < groups.size(); ++group) {
    index.begins[group + 1] += index.begins[group];
  }
  index.offsets.resize(places.size());
  std::vector<uint64_t> next = index.begins;
  for (const Place& place : places) index.offsets[next[place.group]++] = place.offset;
  return index;
}

}  // namespace kith::bags
