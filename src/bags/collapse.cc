#include "bags/collapse.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/run.h"
#include "bags/url_groups.h"
#include "bags/weights.h"

namespace kith::bags {
namespace {

Fragment fragment_at(std::string_view partition, uint64_t offset) {
  Fragment fragment;
  Cursor cursor(partition.substr(offset));
  read_fragment(cursor, fragment);
  return fragment;
}

bool is_title(FragmentKind kind) {
  return kind == FragmentKind::title || kind == FragmentKind::alias_title;
}

// Gathers the fragments of one URL into a raw bag; keeps its buffers from URL to URL.
class BagGatherer {
 public:
  BagGatherer(std::string_view partition, const CollapseOptions& options)
      : partition_(partition), numbers_(options.numbers), slots_(options.frequencies->slots()) {}

  // `offsets` are those of its fragments.
  const RawBag& gather(const UrlGroup& group, std::span<const uint64_t> offsets) {
    bag_.surt = group.surt;
    bag_.facts = 0;
    bag_.inlinks = 0;
    bag_.content = 0;
    bag_.time = no_time;
    bag_.title.clear();
    // What an alias says of itself counts only in the place of what the URL says.
    const auto counts = [&](const Fragment& fragment) {
      // A title alone is no reason to take weight from the content, which has it, too.
      if (is_title(fragment.kind) && group.has_words && !group.has_links) return false;
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
      bag_.facts = fragment.facts;
      bag_.content = fragment.content;
      bag_.time = fragment.time;
    }
    if (fragment.kind == FragmentKind::link || fragment.kind == FragmentKind::inlink) {
      bag_.inlinks += bag_.inlinks < UINT32_MAX;
    }
    if (!has_terms(fragment.kind)) return;
    const bool is_own =
        fragment.kind == FragmentKind::words || fragment.kind == FragmentKind::alias_words;
    const BagPart part = is_own ? BagPart::content : BagPart::anchor;
    if (numbers_.empty()) {
      for_each_term(fragment, [&](uint32_t term) { count(term, part); });
      return;
    }
    for_each_term(fragment, [&](uint32_t term) {
      count(term < numbers_.size() ? numbers_[term] : no_term, part);
    });
  }

  // Of a damaged fragment what is no term: the bag is refused as it is counted.
  void count(uint32_t term, BagPart part) {
    counter_.add(term < slots_.max_terms() ? slots_.slot(term, part) : no_term);
  }

  std::string_view partition_;
  std::span<const uint32_t> numbers_;
  Slots slots_;
  RawBag bag_;
  TermCounter counter_;
};

// Enters a bag into the counts. Its terms are those of the vocabulary, unless it is damaged.
Status count_bag(const RawBag& bag, const CollapseOptions& options, CollapseCounts& counts) {
  ++counts.urls;
  counts.fetched += bag.facts != 0;
  counts.with_terms += !bag.terms.empty();
  std::array<bool, max_parts> has_part;
  if (!options.frequencies->add(bag.terms, has_part)) return damaged_partition();
  for (unsigned part = 0; part < max_parts; ++part) counts.with_part[part] += has_part[part];
  const bool is_wanted = options.take_content && bag.content != 0;
  return is_wanted ? options.take_content(bag.content) : Status::ok();
}

}  // namespace

CollapseCounts& CollapseCounts::operator+=(const CollapseCounts& more) {
  urls += more.urls;
  fetched += more.fetched;
  with_terms += more.with_terms;
  for (unsigned part = 0; part < max_parts; ++part) with_part[part] += more.with_part[part];
  left_out += more.left_out;
  fragments += more.fragments;
  return *this;
}

Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const std::string& run_path,
                                          const CollapseOptions& options, size_t write_block) {
  UrlGroups groups(*options.aliases, options);
  KITH_ASSIGN(const FragmentIndex index, index_fragments(partition, groups));
  KITH_ASSIGN(RunWriter run, RunWriter::create(fs, run_path, write_block));
  CollapseCounts counts;
  counts.fragments = index.offsets.size();
  counts.left_out = groups.left_out();
  BagGatherer gatherer(partition, options);
  for (const uint32_t group : groups.by_surt()) {
    const RawBag& bag = gatherer.gather(groups[group], index.of(group));
    KITH_TRY(count_bag(bag, options, counts));
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
                                                  size_t write_block,
                                                  const CollapseOptions& options,
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
    BagGatherer gatherer(chunk, options);
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
                                       const std::string& run_path, const Budget& memory,
                                       bool& too_many_urls, const CollapseOptions& options) {
  // A fragment of a dozen bytes takes twice as much in an index.
  const auto chunk_bytes = std::max<size_t>(memory.bytes(Share::partition_chunk), 64 << 10);
  const size_t max_urls = memory.bytes(Share::partition_urls) / UrlGroups::bytes_of_url;
  CollapseCounts counts;
  UrlGroups groups(*options.aliases, options);
  KITH_TRY(read_groups({fs, paths, chunk_bytes}, max_urls, groups));
  too_many_urls = groups.size() > max_urls;
  if (too_many_urls) return counts;
  counts.left_out = groups.left_out();
  KITH_ASSIGN(std::vector<std::string> runs,
              write_chunk_runs(fs, {fs, paths, chunk_bytes}, groups, run_path,
                               std::min<size_t>(chunk_bytes, 1 << 20), options, counts));
  KITH_TRY(join_runs(fs, std::move(runs), run_path, memory.share(Share::chunk_runs),
                     [&](const RawBag& bag) { return count_bag(bag, options, counts); }));
  return counts;
}

namespace {

constexpr unsigned split_bits = 3;
constexpr unsigned key_bits = 64;

}  // namespace

Result<CollapseCounts> PartitionCollapser::collapse(const PartitionFiles& files,
                                                    const std::string& name,
                                                    std::vector<std::string>& runs) const {
  return collapse_part(files, UINT64_MAX, name, runs);
}

// whole: bytes of the partition that this is a part of.
Result<CollapseCounts> PartitionCollapser::collapse_part(const PartitionFiles& files,
                                                         uint64_t whole, const std::string& name,
                                                         std::vector<std::string>& runs) const {
  if (files.paths.empty()) return CollapseCounts();
  if (files.bytes <= max_bytes(memory_)) {
    runs.push_back(name);
    return collapse_in_memory(files, name);
  }
  const bool can_split = files.first_bit + split_bits <= key_bits;
  if (files.bytes > whole / 4 * 3 || !can_split) {
    bool too_many_urls = false;
    KITH_ASSIGN(const CollapseCounts counts,
                collapse_chunks(fs_, files.paths, name, can_split ? memory_ : Budget(),
                                too_many_urls, options_));
    if (!too_many_urls) {
      runs.push_back(name);
      KITH_TRY(remove(files));
      return counts;
    }
  }
  return split(files, name, runs);
}

Result<CollapseCounts> PartitionCollapser::collapse_in_memory(const PartitionFiles& files,
                                                              const std::string& name) const {
  std::string fragments;
  for (const std::string& path : files.paths) {
    KITH_ASSIGN(std::string more, storage::read_file(fs_, path));
    if (fragments.empty()) {
      fragments = std::move(more);
    } else {
      fragments += more;
    }
  }
  KITH_TRY(remove(files));
  const auto write_block =
      std::clamp<size_t>(memory_.bytes(Share::partition_block), 64 << 10, 1 << 20);
  return collapse_partition(fs_, fragments, name, options_, write_block);
}

// The buffers are gone before the parts are collapsed.
Status PartitionCollapser::deal_out(const PartitionFiles& files, FragmentSpool& parts) const {
  const size_t buffer =
      std::clamp<size_t>(memory_.bytes(Share::part_buffers) / parts.partitions(), 4 << 10, 1 << 20);
  FragmentWriter writer(parts, buffer);
  FragmentChunks chunks(fs_, files.paths,
                        std::clamp<size_t>(memory_.bytes(Share::part_chunk), 64 << 10, 4 << 20));
  for (;;) {
    KITH_ASSIGN(const std::string_view chunk, chunks.next());
    if (chunk.empty()) return writer.flush();
    KITH_TRY(copy_fragments(chunk, writer));
  }
}

Result<CollapseCounts> PartitionCollapser::split(const PartitionFiles& files,
                                                 const std::string& name,
                                                 std::vector<std::string>& runs) const {
  constexpr uint32_t parts = 1 << split_bits;
  FragmentSpool spool(fs_, fmt::format("{}-part-{}-", name, files.first_bit), parts,
                      files.first_bit);
  KITH_TRY(deal_out(files, spool));
  KITH_TRY(remove(files));
  CollapseCounts counts;
  for (uint32_t part = 0; part < parts; ++part) {
    if (spool.bytes(part) == 0) continue;
    const PartitionFiles files_of_part{
        {spool.path(part)}, spool.bytes(part), files.first_bit + split_bits};
    KITH_ASSIGN(const CollapseCounts more,
                collapse_part(files_of_part, files.bytes, fmt::format("{}-{}", name, part), runs));
    counts += more;
  }
  return counts;
}

Status PartitionCollapser::remove(const PartitionFiles& files) const {
  for (const std::string& path : files.paths) KITH_TRY(fs_.remove(path));
  return Status::ok();
}

namespace {

Status fold(const Fragment& fragment, const AliasMap::Target& target, FragmentWriter& folded) {
  switch (fragment.kind) {
    case FragmentKind::link:
      return folded.add_link(target.key, target.url, fragment.source, fragment.terms);
    case FragmentKind::inlink:
      return folded.add_inlink(target.key, target.url);
    case FragmentKind::page:
    case FragmentKind::words:
    case FragmentKind::title:
      return folded.add_alias(fragment, target.key, target.url);
    default:
      return Status::ok();
  }
}

}  // namespace

Status fold_partition(std::string_view partition, const AliasMap& aliases, FragmentWriter& folded) {
  Cursor cursor(partition);
  Fragment fragment;
  while (!cursor.at_end()) {
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    const AliasMap::Target* const target = aliases.find(fragment.url);
    if (target != nullptr) KITH_TRY(fold(fragment, *target, folded));
  }
  return Status::ok();
}

}  // namespace kith::bags
