#include "bags/collapse.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/fragment.h"
#include "bags/term_counter.h"
#include "text/url.h"

namespace kith::bags {
namespace {

// A URL of the partition and where its fragments stand in FragmentIndex::offsets.
struct UrlGroup {
  std::string_view url;
  std::string surt;
  bool stands_for_url = false;  // a key that only in-link counts mention does not
  bool is_fetched = false;
  // Of the aliases that were fetched the one with the least key; nothing when there is none.
  std::optional<Key128> alias;
  size_t begin = 0;
  size_t end = 0;
};

// The fragments of a partition by URL: offsets into the partition, those of a URL together and
// in the order in which they were written.
struct FragmentIndex {
  std::vector<uint64_t> offsets;
  std::vector<UrlGroup> groups;
};

// Numbers the URLs as they come, then places the fragments by a counting sort.
Result<FragmentIndex> index_fragments(std::string_view partition, const AliasMap& aliases) {
  struct Place {
    uint64_t offset;
    uint32_t group;
  };
  FragmentIndex index;
  std::vector<Place> places;
  boost::unordered_flat_map<Key128, uint32_t, Key128Hash> group_of;
  Cursor cursor(partition);
  Fragment fragment;
  while (!cursor.at_end()) {
    const uint64_t offset = partition.size() - cursor.remaining();
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    if (!aliases.empty() && aliases.find(fragment.url) != nullptr) continue;
    const auto number = static_cast<uint32_t>(index.groups.size());
    const auto [known, is_new] = group_of.try_emplace(fragment.url, number);
    if (is_new) index.groups.emplace_back();
    UrlGroup& group = index.groups[known->second];
    if (fragment.kind == FragmentKind::url) {
      group.url = fragment.text;
      continue;
    }
    group.stands_for_url |= fragment.kind != FragmentKind::inlink;
    group.is_fetched |= fragment.kind == FragmentKind::page;
    if (fragment.kind == FragmentKind::alias_page) {
      group.alias = std::min(group.alias.value_or(fragment.alias), fragment.alias);
    }
    ++group.end;
    places.push_back({offset, known->second});
  }
  size_t begin = 0;
  for (UrlGroup& group : index.groups) {
    group.begin = begin;
    begin += std::exchange(group.end, begin);
  }
  index.offsets.resize(places.size());
  for (const Place& place : places) index.offsets[index.groups[place.group].end++] = place.offset;
  return index;
}

Fragment fragment_at(std::string_view partition, uint64_t offset) {
  Fragment fragment;
  Cursor cursor(partition.substr(offset));
  read_fragment(cursor, fragment);
  return fragment;
}

// Leaves the groups that stand for a URL, in SURT order.
void order_by_surt(std::vector<UrlGroup>& groups) {
  std::erase_if(groups, [](const UrlGroup& group) { return !group.stands_for_url; });
  for (UrlGroup& group : groups) text::surt_of_url(group.url, group.surt);
  std::ranges::sort(groups, {}, &UrlGroup::surt);
}

// Gathers the fragments of one URL into a raw bag; keeps its buffers from URL to URL.
class BagGatherer {
 public:
  explicit BagGatherer(std::string_view partition) : partition_(partition) {}

  const RawBag& gather(UrlGroup& group, std::span<const uint64_t> offsets) {
    bag_.surt.swap(group.surt);
    bag_.fetched = group.is_fetched || group.alias;
    bag_.inlinks = 0;
    bag_.title.clear();
    // What an alias says of itself counts only in the place of what the URL says.
    const auto counts = [&](const Fragment& fragment) {
      return fragment.alias == Key128() || (!group.is_fetched && fragment.alias == group.alias);
    };
    for (size_t i = group.begin; i < group.end; ++i) {
      const Fragment fragment = fragment_at(partition_, offsets[i]);
      if (counts(fragment)) add(fragment);
    }
    counter_.take(bag_.terms);
    return bag_;
  }

 private:
  void add(const Fragment& fragment) {
    if (fragment.kind == FragmentKind::page || fragment.kind == FragmentKind::alias_page) {
      bag_.title = fragment.text;
    }
    if (fragment.kind == FragmentKind::link || fragment.kind == FragmentKind::inlink) {
      bag_.inlinks += bag_.inlinks < UINT32_MAX;
    }
    for_each_term(fragment, [&](uint32_t term) { counter_.add(term); });
  }

  std::string_view partition_;
  RawBag bag_;
  TermCounter counter_;
};

}  // namespace

Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const AliasMap& aliases, const std::string& run_path,
                                          std::span<std::atomic<uint32_t>> document_frequency) {
  KITH_ASSIGN(FragmentIndex index, index_fragments(partition, aliases));
  order_by_surt(index.groups);
  KITH_ASSIGN(RunWriter run, RunWriter::create(fs, run_path));
  CollapseCounts counts;
  counts.fragments = index.offsets.size();
  BagGatherer gatherer(partition);
  for (UrlGroup& group : index.groups) {
    const RawBag& bag = gatherer.gather(group, index.offsets);
    ++counts.urls;
    counts.fetched += bag.fetched;
    counts.with_terms += !bag.terms.empty();
    for (const TermCount& entry : bag.terms) {
      if (entry.term >= document_frequency.size()) return damaged_partition();
      document_frequency[entry.term].fetch_add(1, std::memory_order_relaxed);
    }
    KITH_TRY(run.add(bag));
  }
  KITH_TRY(run.finish());
  return counts;
}

}  // namespace kith::bags
