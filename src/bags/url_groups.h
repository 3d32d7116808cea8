// The URLs that some fragments are about. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"
#include "base/hash.h"

namespace kith::bags {

struct UrlGroup {
  std::string surt;
  bool stands_for_url = false;  // a key that only in-link counts mention does not
  bool is_fetched = false;
  // Of the aliases that were fetched the one with the smallest key; nothing when there is none.
  std::optional<Key128> alias;
};

// Numbers the URLs as they come. Fragments of aliases are passed over: what they say was folded.
class UrlGroups {
 public:
  // `aliases` must outlive this object.
  explicit UrlGroups(const AliasMap& aliases) : aliases_(&aliases) {}

  // The number of the fragment's URL, of which it then knows what the fragment says; nothing for an
  // alias. The same fragment may come again.
  std::optional<uint32_t> add(const Fragment& fragment);

  size_t size() const { return groups_.size(); }
  const UrlGroup& operator[](uint32_t group) const { return groups_[group]; }
  // The groups that stand for a URL, in SURT order.
  std::vector<uint32_t> by_surt() const;

  // Memory of a URL whose SURT has the usual length, about.
  static constexpr size_t bytes_of_url = 200;

 private:
  const AliasMap* aliases_;
  std::vector<UrlGroup> groups_;
  boost::unordered_flat_map<Key128, uint32_t, Key128Hash> group_of_;
};

// Where the fragments of some bytes stand, those of a URL together and in the order in which they
// were written.
struct FragmentIndex {
  std::vector<uint64_t> offsets;  // into the bytes
  std::vector<uint64_t> begins;   // by group: of its part of `offsets`; and the end

  std::span<const uint64_t> of(uint32_t group) const {
    return std::span(offsets).subspan(begins[group], begins[group + 1] - begins[group]);
  }
};

// Adds the URLs of whole fragments to `groups`, and places the fragments by a counting sort.
Result<FragmentIndex> index_fragments(std::string_view bytes, UrlGroups& groups);

}  // namespace kith::bags
