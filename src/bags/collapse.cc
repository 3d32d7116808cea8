#include "bags/collapse.h"

#include <algorithm>
#include <utility>

#include <boost/sort/pdqsort/pdqsort.hpp>

#include "bags/fragment.h"
#include "text/url.h"

namespace kith::bags {
namespace {

// Terms gathered for one URL before they are counted: bounds the memory of a URL to which
// millions of links point.
constexpr size_t gather_limit = 1 << 20;

struct FragmentRef {
  Key128 url;
  uint64_t offset;  // into the partition
};

struct UrlGroup {
  std::string surt;
  size_t begin;  // its fragments, as a range of refs
  size_t end;
};

Error damaged_partition() {
  return {ErrorKind::corrupt,
          "a temporary partition changed while it was in use; run the same command again"};
}

Result<std::vector<FragmentRef>> index_fragments(std::string_view partition) {
  std::vector<FragmentRef> refs;
  Cursor cursor(partition);
  Fragment fragment;
  while (!cursor.at_end()) {
    const uint64_t offset = partition.size() - cursor.remaining();
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    refs.push_back({fragment.url, offset});
  }
  std::ranges::sort(refs, {},
                    [](const FragmentRef& ref) { return std::pair(ref.url, ref.offset); });
  return refs;
}

Fragment fragment_at(std::string_view partition, const FragmentRef& ref) {
  Fragment fragment;
  Cursor cursor(partition.substr(ref.offset));
  read_fragment(cursor, fragment);
  return fragment;
}

// Groups that stand for a URL, in SURT order. A key that only in-link counts mention is none.
std::vector<UrlGroup> group_by_url(std::string_view partition, std::span<const FragmentRef> refs) {
  std::vector<UrlGroup> groups;
  for (size_t begin = 0; begin < refs.size();) {
    size_t end = begin;
    std::string_view url;
    bool stands_for_url = false;
    for (; end < refs.size() && refs[end].url == refs[begin].url; ++end) {
      const Fragment fragment = fragment_at(partition, refs[end]);
      if (fragment.kind == FragmentKind::url) {
        url = fragment.text;
      } else if (fragment.kind != FragmentKind::inlink) {
        stands_for_url = true;
      }
    }
    if (stands_for_url) {
      UrlGroup& group = groups.emplace_back();
      text::surt_of_url(url, group.surt);
      group.begin = begin;
      group.end = end;
    }
    begin = end;
  }
  std::ranges::sort(groups, {}, &UrlGroup::surt);
  return groups;
}

void add_counts(std::vector<TermCount>& sum, std::vector<TermCount>& scratch,
                std::span<const TermCount> more) {
  scratch.clear();
  auto a = sum.begin();
  auto b = more.begin();
  while (a != sum.end() || b != more.end()) {
    if (b == more.end() || (a != sum.end() && a->term < b->term)) {
      scratch.push_back(*a++);
    } else if (a == sum.end() || b->term < a->term) {
      scratch.push_back(*b++);
    } else {
      scratch.push_back({a->term, a->count + b->count});
      ++a;
      ++b;
    }
  }
  sum.swap(scratch);
}

// Gathers the fragments of one URL into a raw bag; keeps its buffers from URL to URL.
class BagGatherer {
 public:
  explicit BagGatherer(std::string_view partition) : partition_(partition) {}

  const RawBag& gather(UrlGroup& group, std::span<const FragmentRef> refs) {
    bag_.surt.swap(group.surt);
    bag_.fetched = false;
    bag_.inlinks = 0;
    bag_.title.clear();
    bag_.terms.clear();
    for (const FragmentRef& ref : refs.subspan(group.begin, group.end - group.begin)) add(ref);
    count_gathered();
    return bag_;
  }

 private:
  void add(const FragmentRef& ref) {
    const Fragment fragment = fragment_at(partition_, ref);
    if (fragment.kind == FragmentKind::page) {
      bag_.fetched = true;
      bag_.title = fragment.text;
    }
    if (fragment.kind == FragmentKind::link || fragment.kind == FragmentKind::inlink) {
      bag_.inlinks += bag_.inlinks < UINT32_MAX;
    }
    for_each_term(fragment, [&](uint32_t term) { gathered_.push_back(term); });
    if (gathered_.size() >= gather_limit) count_gathered();
  }

  void count_gathered() {
    count_terms(gathered_, counted_);
    gathered_.clear();
    if (bag_.terms.empty()) {
      bag_.terms.swap(counted_);
    } else {
      add_counts(bag_.terms, scratch_, counted_);
    }
  }

  std::string_view partition_;
  RawBag bag_;
  std::vector<uint32_t> gathered_;
  std::vector<TermCount> counted_;
  std::vector<TermCount> scratch_;
};

}  // namespace

void count_terms(std::vector<uint32_t>& terms, std::vector<TermCount>& counts) {
  boost::sort::pdqsort_branchless(terms.begin(), terms.end());
  counts.clear();
  for (const uint32_t term : terms) {
    if (counts.empty() || counts.back().term != term) counts.push_back({term, 0});
    ++counts.back().count;
  }
}

Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const std::string& run_path,
                                          std::span<std::atomic<uint32_t>> document_frequency) {
  KITH_ASSIGN(const std::vector<FragmentRef> refs, index_fragments(partition));
  KITH_ASSIGN(RunWriter run, RunWriter::create(fs, run_path));
  CollapseCounts counts;
  counts.fragments = refs.size();
  BagGatherer gatherer(partition);
  for (UrlGroup& group : group_by_url(partition, refs)) {
    const RawBag& bag = gatherer.gather(group, refs);
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
