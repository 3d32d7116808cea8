// The URLs that some fragments are about. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"
#include "base/hash.h"

namespace kith::bags {

// Where the links to a URL stand, as far as it matters for one that was not fetched: whether on two
// hosts, or on three pages.
class LinkEvidence {
 public:
  bool is_enough() const { return is_enough_; }
  // The same link may come again.
  void add(LinkSource source);

 private:
  LinkSource sources_[2];  // of different pages, as many as there are
  uint8_t pages_ = 0;
  bool is_enough_ = false;
};

// Which URLs have a bag, and how their terms are numbered.
struct GroupOptions {
  UrlScope urls = UrlScope::all;
  // By term of a fragment, the term that it counts as; empty: each as itself.
  std::span<const uint32_t> numbers = {};
};

struct UrlGroup {
  std::string surt;
  bool stands_for_url = false;  // a key that only in-link counts mention does not
  bool is_fetched = false;
  bool has_links = false;  // an anchor-window points to it
  bool has_words = false;  // it, or an alias of it, says what its content is
  // Of the aliases that were fetched the one with the smallest key; nothing when there is none.
  std::optional<Key128> alias;
  LinkEvidence links;
};

// Numbers the URLs as they come. Fragments of aliases are passed over: what they say was folded.
class UrlGroups {
 public:
  // All must outlive this object.
  UrlGroups(const AliasMap& aliases, const GroupOptions& options)
      : aliases_(&aliases), options_(options) {}

  // The number of the fragment's URL, of which it then knows what the fragment says; nothing for an
  // alias. The same fragment may come again.
  std::optional<uint32_t> add(const Fragment& fragment);

  size_t size() const { return groups_.size(); }
  const UrlGroup& operator[](uint32_t group) const { return groups_[group]; }
  // The groups that stand for a URL that has a bag, in SURT order.
  std::vector<uint32_t> by_surt() const;
  // How many stand for one that has none: it was only seen in links, and not in enough of them.
  uint64_t left_out() const;

  // Memory of a URL whose SURT has the usual length, about.
  static constexpr size_t bytes_of_url = 224;

 private:
  bool enters(const UrlGroup& group) const;

  const AliasMap* aliases_;
  GroupOptions options_;
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

// The canonical URLs of a page's links: internal to this folder.

// Every URL stands as the length of the prefix that it shares with one base URL, and the rest: so
// a long base before very many short links takes memory once. Not thread-safe.
class LinkUrls {
 public:
  struct Parts {
    uint32_t shared = 0;    // bytes of base()
    std::string_view rest;  // what follows them
  };

  // Forgets all URLs; those that follow are compared with `base`.
  void reset(std::string_view base);
  void add(std::string_view url);
  // The same, of parts. REQUIRES: shared <= base().size().
  void add(const Parts& parts);

  size_t size() const { return entries_.size(); }
  std::string_view base() const { return base_; }
  // Valid until the next call of a function that is not const.
  Parts parts(size_t i) const;
  // Replaces the content of `url` by the whole URL.
  void read(size_t i, std::string& url) const;

  // Frees what it has grown to; holds nothing then.
  void free();

 private:
  struct Entry {
    uint32_t shared;
    uint32_t end;  // in rests_, where the rest of the next one begins
  };

  std::string base_;
  std::string rests_;
  std::vector<Entry> entries_;
};

}  // namespace kith::bags
