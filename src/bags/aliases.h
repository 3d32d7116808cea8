// URLs that stand for another one: a redirect, a refresh, a canonical link (RFC 6596). With
// --aliases fold what is said about such a URL counts for its target.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "base/budget.h"
#include "base/hash.h"
#include "storage/section_file.h"

namespace kith::bags {

// Where a URL has several targets, the first kind in this list counts.
enum class AliasKind : uint8_t {
  canonical,  // the page names its canonical URL
  refresh,    // the page goes elsewhere by itself
  redirect,   // the server answered with another URL
};
inline constexpr size_t alias_kinds = 3;

// "from" stands for `to`, a canonical URL.
struct Alias {
  Key128 from;
  AliasKind kind;
  std::string to;
};

// How much the aliases of all workers may take while pages are read. What is made of them then is
// about as much again. Thread-safe.
class AliasMemory {
 public:
  // memory: of the stage.
  explicit AliasMemory(const Budget& memory) : memory_(memory.share(Share::aliases)) {}

  void add(const Alias& alias);
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // An error of kind usage when they take more than they may; it names the minimum for those so
  // far.
  Status status() const;

 private:
  Budget memory_;
  std::atomic<uint64_t> bytes_ = 0;
  std::atomic<uint64_t> count_ = 0;
};

// Leaves one alias of each URL, in the order of their keys, and none of a URL that was redirected
// but also `is_fetched` (another time it was a page). Returns the number of the latter.
uint64_t choose_aliases(std::vector<Alias>& aliases,
                        const std::function<bool(const Key128&)>& is_fetched);

// The target of every alias, found by following chains. Immutable, so thread-safe.
class AliasMap {
 public:
  struct Target {
    Key128 key;
    std::string url;
  };

  AliasMap() = default;

  // Of aliases that were chosen. Not folded are those whose chain is longer than 20 steps or a
  // circle.
  static AliasMap make(std::span<const Alias> aliases);

  // A URL that make() has folded on another machine.
  void add(const Key128& from, const std::string& url) { targets_[from] = {hash128(url), url}; }

  // Calls take(from, target) for every URL that is folded, in no order.
  template <class Take>
  void for_each(Take&& take) const {
    for (const auto& [from, target] : targets_) take(from, target);
  }

  bool empty() const { return targets_.empty(); }
  // Where a URL is folded into; null when it is not. Valid as long as this object.
  const Target* find(const Key128& url) const {
    const auto found = targets_.find(url);
    return found == targets_.end() ? nullptr : &found->second;
  }
  // What was folded; pages with aliases are counted as they are read.
  AliasReport counts() const;

 private:
  boost::unordered_flat_map<Key128, Target, Key128Hash> targets_;
};

// The URLs of a run that stand for others, and which of its URLs each is folded into
// (docs/algorithms/aliases.md, docs/formats/bags.md).
inline constexpr storage::FileKind aliases_kind{"alia", 1};

// Immutable, thread-safe.
class AliasTable {
 public:
  static Result<AliasTable> open(storage::FileSystem& fs, const std::string& path);
  // Verified; without aliases where there is no such file.
  static Result<AliasTable> open_if_there(storage::FileSystem& fs, const std::string& path);

  uint64_t size() const { return keys_.size(); }
  // The id of the URL that a URL in its canonical form is folded into; nothing where it is not.
  // What it gives is not checked as it is read: see verify().
  std::optional<uint32_t> find(std::string_view canonical_url) const;
  Status verify() const { return file_.verify(); }

 private:
  storage::SectionFile file_;
  std::span<const Key128> keys_;  // ascending
  std::span<const uint32_t> targets_;
};

// Writes the aliases whose targets are in `urls`. Memory: 24 bytes for each.
Status write_alias_table(storage::FileSystem& fs, const std::string& path, const AliasMap& aliases,
                         const UrlTable& urls);

}  // namespace kith::bags
