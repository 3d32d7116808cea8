#include "bags/alias_folding.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/fold.h"
#include "bags/fragment_chunks.h"
#include "base/parallel/first_error.h"

namespace kith::bags {
namespace {

constexpr uint64_t min_folded_bytes = 4 << 10;

class AliasFolding {
 public:
  AliasFolding(storage::FileSystem& fs, ThreadPool& pool, const FragmentSpool& spool,
               const AliasFoldingOptions& options)
      : fs_(&fs), pool_(&pool), spool_(&spool), options_(options) {}

  // Says again for the targets what the partitions say about aliases.
  Status fold(const AliasMap& aliases) {
    const uint32_t partitions = spool_->partitions();
    folded_ = std::make_unique<FragmentSpool>(*fs_, options_.scratch + "/folded-", partitions);
    const uint64_t buffer = std::clamp<uint64_t>(options_.memory / 8 / partitions / pool_->size(),
                                                 min_folded_bytes, 16 << 10);
    std::vector<FragmentWriter> writers(pool_->size(), FragmentWriter(*folded_, buffer));
    std::vector<uint8_t> has_alias(partitions);  // by partition: many have none
    aliases.for_each([&](const Key128& from, const AliasMap::Target&) {
      has_alias[spool_->partition_of(from)] = 1;
    });
    KITH_TRY(for_partitions([&](uint32_t partition, unsigned worker) -> Status {
      if (has_alias[partition] == 0) return Status::ok();
      return for_chunks(*spool_, partition, [&](std::string_view chunk) {
        return fold_partition(chunk, aliases, writers[worker]);
      });
    }));
    for (FragmentWriter& writer : writers) KITH_TRY(writer.flush());
    return Status::ok();
  }

  // The aliases that say something else than their targets, after fold().
  Result<std::vector<OtherAlias>> find_others() {
    std::mutex mutex;
    std::vector<OtherAlias> others;
    const AliasWordOptions options{options_.numbers, options_.memory / 8 / pool_->size()};
    KITH_TRY(for_partitions([&](uint32_t partition, unsigned) -> Status {
      if (folded_->bytes(partition) == 0) return Status::ok();
      KITH_ASSIGN(const std::vector<OtherAlias> more,
                  find_other_aliases(fragments_of(*spool_, partition),
                                     fragments_of(*folded_, partition), options));
      const std::lock_guard lock(mutex);
      others.insert(others.end(), more.begin(), more.end());
      return Status::ok();
    }));
    std::ranges::sort(others, {}, &OtherAlias::url);
    return others;
  }

  std::unique_ptr<FragmentSpool> take_folded() { return std::move(folded_); }

 private:
  Status for_partitions(const std::function<Status(uint32_t, unsigned)>& visit) {
    FirstError error;
    pool_->for_chunks(spool_->partitions(), 1, [&](size_t begin, size_t, unsigned worker) {
      if (!error.failed()) error.keep(visit(static_cast<uint32_t>(begin), worker));
    });
    return error.status();
  }

  template <class Take>
  Status for_chunks(const FragmentSpool& spool, uint32_t partition, const Take& take) const {
    if (spool.bytes(partition) == 0) return Status::ok();
    const size_t chunk_bytes =
        std::clamp<size_t>(options_.memory / 8 / pool_->size(), 64 << 10, 4 << 20);
    FragmentChunks chunks(*fs_, {spool.path(partition)}, chunk_bytes);
    for (;;) {
      KITH_ASSIGN(const std::string_view chunk, chunks.next());
      if (chunk.empty()) return Status::ok();
      KITH_TRY(take(chunk));
    }
  }

  ForEachFragment fragments_of(const FragmentSpool& spool, uint32_t partition) const {
    return [this, &spool, partition](const VisitFragment& visit) {
      return for_chunks(spool, partition,
                        [&](std::string_view chunk) { return for_fragments(chunk, visit); });
    };
  }

  storage::FileSystem* fs_;
  ThreadPool* pool_;
  const FragmentSpool* spool_;
  AliasFoldingOptions options_;
  std::unique_ptr<FragmentSpool> folded_;
};

constexpr uint64_t min_folded_pages = 5;

// The URLs that so many pages are folded into, in the order of their names.
std::vector<FoldedPages> targets_of_pages(std::span<const Alias> aliases, const AliasMap& map) {
  boost::unordered_flat_map<std::string_view, uint64_t> pages;
  for (const Alias& alias : aliases) {
    const AliasMap::Target* const target = map.find(alias.from);
    if (target != nullptr && alias.kind != AliasKind::redirect) ++pages[target->url];
  }
  std::vector<FoldedPages> into;
  for (const auto& [url, count] : pages) {
    if (count >= min_folded_pages) into.push_back({std::string(url), count, 0});
  }
  std::ranges::sort(into, {}, &FoldedPages::target);
  return into;
}

}  // namespace

std::vector<FoldedPages> large_folds(std::vector<FoldedPages> into, const UrlTable& urls) {
  constexpr size_t most = 10;
  if (into.empty()) return {};
  const std::vector<uint32_t> first_ids = first_ids_of_hosts(urls);
  for (FoldedPages& one : into) {
    const std::optional<uint32_t> id = urls.find(one.target);
    if (!id) continue;
    const auto next = std::ranges::upper_bound(first_ids, *id);
    const uint32_t end = next == first_ids.end() ? urls.size() : *next;
    const auto flags = urls.facts().subspan(*(next - 1), end - *(next - 1));
    one.of = one.pages + flags.size() - static_cast<uint64_t>(std::ranges::count(flags, 0));
  }
  // A target without a bag is none of the URLs.
  std::erase_if(into,
                [](const FoldedPages& one) { return one.of == 0 || 20 * one.pages <= one.of; });
  std::ranges::stable_sort(into, std::ranges::greater(), &FoldedPages::pages);
  if (into.size() > most) into.resize(most);
  return into;
}

Result<FoldedAliases> fold_aliases(storage::FileSystem& fs, ThreadPool& pool,
                                   const FragmentSpool& spool, std::vector<Alias> aliases,
                                   const std::function<bool(const Key128&)>& is_fetched,
                                   const AliasFoldingOptions& options) {
  FoldedAliases result;
  AliasFolding folding(fs, pool, spool, options);
  AliasReport left;
  left.fetched = choose_aliases(aliases, is_fetched);
  // What a page names that is not folded ends chains there: others may then stand for that page.
  // Every turn takes aliases away, and a chain has twenty steps at most.
  for (;;) {
    result.map = AliasMap::make(aliases);
    if (result.map.empty()) break;
    KITH_TRY(folding.fold(result.map));
    if (!options.compares) break;
    KITH_ASSIGN(const std::vector<OtherAlias> others, folding.find_others());
    if (others.empty()) break;
    for (const OtherAlias& other : others)
      ++(other.target_is_fetched ? left.other_text : left.other_page);
    std::erase_if(aliases, [&](const Alias& alias) {
      return std::ranges::binary_search(others, alias.from, {}, &OtherAlias::url);
    });
  }
  result.counts = result.map.counts();
  result.into = targets_of_pages(aliases, result.map);
  result.counts.other_text = left.other_text;
  result.counts.other_page = left.other_page;
  result.counts.fetched = left.fetched;
  result.counts.circular = aliases.size() - result.counts.folded;
  if (!result.map.empty()) result.fragments = folding.take_folded();
  return result;
}

}  // namespace kith::bags
