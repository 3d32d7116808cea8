#include "bags/url_groups.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "base/memory.h"
#include "text/url/url.h"

namespace kith::bags {

void LinkEvidence::add(LinkSource source) {
  const auto known = std::span(sources_).first(pages_);
  if (std::ranges::find(known, source.page, &LinkSource::page) != known.end()) return;
  const bool is_elsewhere = pages_ > 0 && sources_[0].host != source.host;
  if (is_elsewhere || pages_ == std::size(sources_)) {
    is_enough_ = true;
  } else {
    sources_[pages_++] = source;
  }
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
    group.links.add(fragment.source);
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

namespace {

// The length of the common prefix. By blocks first: a long base is compared with every link.
size_t shared_bytes(std::string_view a, std::string_view b) {
  constexpr size_t block = 64;
  const size_t size = std::min(a.size(), b.size());
  size_t at = 0;
  while (size - at >= block && std::memcmp(a.data() + at, b.data() + at, block) == 0) at += block;
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

}  // namespace

void LinkUrls::reset(std::string_view base) {
  base_ = base;
  rests_.clear();
  entries_.clear();
}

void LinkUrls::add(std::string_view url) {
  const size_t shared = shared_bytes(url, base_);
  add({static_cast<uint32_t>(shared), url.substr(shared)});
}

void LinkUrls::add(const Parts& parts) {
  rests_ += parts.rest;
  entries_.push_back({parts.shared, static_cast<uint32_t>(rests_.size())});
}

LinkUrls::Parts LinkUrls::parts(size_t i) const {
  const uint32_t begin = i == 0 ? 0 : entries_[i - 1].end;
  return {entries_[i].shared, std::string_view(rests_).substr(begin, entries_[i].end - begin)};
}

void LinkUrls::read(size_t i, std::string& url) const {
  const Parts one = parts(i);
  url.assign(base_, 0, one.shared);
  url += one.rest;
}

void LinkUrls::free() {
  free_memory(base_);
  free_memory(rests_);
  free_memory(entries_);
}

}  // namespace kith::bags
