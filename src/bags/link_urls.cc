#include "bags/link_urls.h"

#include <algorithm>
#include <cstring>

#include "base/free_memory.h"

namespace kith::bags {
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
