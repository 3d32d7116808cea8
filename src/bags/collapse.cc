#include "bags/collapse.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/fragment_chunks.h"
#include "bags/join_runs.h"
#include "bags/term_counter.h"
#include "bags/url_groups.h"

namespace kith::bags {
namespace {

Fragment fragment_at(std::string_view partition, uint64_t offset) {
  Fragment fragment;
  Cursor cursor(partition.substr(offset));
  read_fragment(cursor, fragment);
  return fragment;
}

// Gathers the fragments of one URL into a raw bag; keeps its buffers from URL to URL.
class BagGatherer {
 public:
  BagGatherer(std::string_view partition, const CountedTerms& terms)
      : partition_(partition), numbers_(terms.numbers) {}

  // `offsets` are those of its fragments.
  const RawBag& gather(const UrlGroup& group, std::span<const uint64_t> offsets) {
    bag_.surt = group.surt;
    bag_.fetched = group.is_fetched || group.alias;
    bag_.inlinks = 0;
    bag_.title.clear();
    // What an alias says of itself counts only in the place of what the URL says.
    const auto counts = [&](const Fragment& fragment) {
      return fragment.alias == Key128() || (!group.is_fetched && fragment.alias == group.alias);
    };
    for (const uint64_t offset : offsets) {
      const Fragment fragment = fragment_at(partition_, offset);
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
    if (numbers_.empty()) {
      for_each_term(fragment, [&](uint32_t term) { counter_.add(term); });
      return;
    }
    // Of a damaged fragment one that is no term: the bag is refused as it is counted.
    for_each_term(fragment, [&](uint32_t term) {
      counter_.add(term < numbers_.size() ? numbers_[term] : no_term);
    });
  }

  std::string_view partition_;
  std::span<const uint32_t> numbers_;
  RawBag bag_;
  TermCounter counter_;
};

// Enters a bag into the counts. Its terms are those of the vocabulary, unless it is damaged.
Status count_bag(const RawBag& bag, const CountedTerms& terms, CollapseCounts& counts) {
  ++counts.urls;
  counts.fetched += bag.fetched;
  counts.with_terms += !bag.terms.empty();
  for (const TermCount& entry : bag.terms) {
    if (entry.term >= terms.document_frequency.size()) return damaged_partition();
    std::atomic_ref(terms.document_frequency[entry.term]).fetch_add(1, std::memory_order_relaxed);
  }
  return Status::ok();
}

}  // namespace

CollapseCounts& CollapseCounts::operator+=(const CollapseCounts& more) {
  urls += more.urls;
  fetched += more.fetched;
  with_terms += more.with_terms;
  fragments += more.fragments;
  return *this;
}

Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const AliasMap& aliases, const std::string& run_path,
                                          const CountedTerms& terms, size_t write_block) {
  UrlGroups groups(aliases);
  KITH_ASSIGN(const FragmentIndex index, index_fragments(partition, groups));
  KITH_ASSIGN(RunWriter run, RunWriter::create(fs, run_path, write_block));
  CollapseCounts counts;
  counts.fragments = index.offsets.size();
  BagGatherer gatherer(partition, terms);
  for (const uint32_t group : groups.by_surt()) {
    const RawBag& bag = gatherer.gather(groups[group], index.of(group));
    KITH_TRY(count_bag(bag, terms, counts));
    KITH_TRY(run.add(bag));
  }
  KITH_TRY(run.finish());
  return counts;
}

namespace {

// Learns what all fragments say of their URLs.
Status read_groups(FragmentChunks chunks, size_t max_urls, UrlGroups& groups) {
  while (groups.size() <= max_urls) {
    KITH_ASSIGN(const std::string_view chunk, chunks.next());
    if (chunk.empty()) break;
    KITH_TRY(index_fragments(chunk, groups).status());
  }
  return Status::ok();
}

// A run for every chunk, of the URLs that have fragments in it.
Result<std::vector<std::string>> write_chunk_runs(storage::FileSystem& fs, FragmentChunks chunks,
                                                  UrlGroups& groups, const std::string& run_path,
                                                  size_t write_block, const CountedTerms& terms,
                                                  CollapseCounts& counts) {
  const std::vector<uint32_t> order = groups.by_surt();
  std::vector<std::string> runs;
  for (;;) {
    KITH_ASSIGN(const std::string_view chunk, chunks.next());
    if (chunk.empty()) return runs;
    KITH_ASSIGN(const FragmentIndex index, index_fragments(chunk, groups));
    counts.fragments += index.offsets.size();
    runs.push_back(fmt::format("{}-chunk-{}", run_path, runs.size()));
    KITH_ASSIGN(RunWriter run, RunWriter::create(fs, runs.back(), write_block));
    BagGatherer gatherer(chunk, terms);
    for (const uint32_t group : order) {
      if (index.of(group).empty()) continue;
      KITH_TRY(run.add(gatherer.gather(groups[group], index.of(group))));
    }
    KITH_TRY(run.finish());
  }
}

}  // namespace

Result<CollapseCounts> collapse_chunks(storage::FileSystem& fs,
                                       const std::vector<std::string>& paths,
                                       const AliasMap& aliases, const std::string& run_path,
                                       uint64_t memory, bool& too_many_urls,
                                       const CountedTerms& terms) {
  // A fragment of a dozen bytes takes twice as much in an index.
  const auto chunk_bytes = std::max<size_t>(memory / 8, 64 << 10);
  const size_t max_urls = memory / 4 / UrlGroups::bytes_of_url;
  CollapseCounts counts;
  UrlGroups groups(aliases);
  KITH_TRY(read_groups({fs, paths, chunk_bytes}, max_urls, groups));
  too_many_urls = groups.size() > max_urls;
  if (too_many_urls) return counts;
  KITH_ASSIGN(std::vector<std::string> runs,
              write_chunk_runs(fs, {fs, paths, chunk_bytes}, groups, run_path,
                               std::min<size_t>(chunk_bytes, 1 << 20), terms, counts));
  KITH_TRY(join_runs(fs, std::move(runs), run_path, memory / 2,
                     [&](const RawBag& bag) { return count_bag(bag, terms, counts); }));
  return counts;
}

}  // namespace kith::bags
