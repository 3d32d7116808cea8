#include "bags/alias_folding.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/collapse.h"
#include "bags/fragment.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

// A URL of the partition for which pages stand.
struct Target {
  Key128 url;
  Key128 first;        // of these pages
  uint64_t bytes = 0;  // of the terms of the page that they are compared with
  bool is_fetched = false;
  std::vector<uint32_t> words;
};

class AliasWords {
 public:
  AliasWords(const ForEachFragment& own, const ForEachFragment& folded,
             const AliasWordOptions& options)
      : own_(own), folded_(folded), options_(options) {}

  Result<std::vector<OtherAlias>> find() {
    KITH_TRY(find_targets());
    KITH_TRY(measure());
    for (size_t begin = 0; begin < targets_.size();) {
      const size_t end = batch_end(begin);
      KITH_TRY(read_words(begin, end));
      KITH_TRY(compare(begin, end));
      begin = end;
    }
    std::ranges::sort(others_, {}, &OtherAlias::url);
    return std::move(others_);
  }

 private:
  Status find_targets() {
    boost::unordered_flat_map<Key128, Key128, Key128Hash> first_of;
    KITH_TRY(folded_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::alias_page) return Status::ok();
      Key128& first = first_of.try_emplace(fragment.url, fragment.alias).first->second;
      first = std::min(first, fragment.alias);
      return Status::ok();
    }));
    for (const auto& [url, first] : first_of) targets_.push_back({url, first, 0, false, {}});
    std::ranges::sort(targets_, {}, &Target::url);
    return Status::ok();
  }

  // Null when the URL is no target of [begin, end).
  Target* find_target(const Key128& url, size_t begin, size_t end) {
    const auto first = targets_.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = targets_.begin() + static_cast<ptrdiff_t>(end);
    const auto found = std::ranges::lower_bound(first, last, url, {}, &Target::url);
    return found == last || found->url != url ? nullptr : &*found;
  }

  // Calls take(target, fragment) for the words that stand for a target of [begin, end).
  template <class Take>
  Status for_words_of_targets(size_t begin, size_t end, const Take& take) {
    if (begin == end) return Status::ok();
    KITH_TRY(own_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::words) return Status::ok();
      Target* const target = find_target(fragment.url, begin, end);
      if (target != nullptr && target->is_fetched) take(*target, fragment);
      return Status::ok();
    }));
    return folded_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::alias_words) return Status::ok();
      Target* const target = find_target(fragment.url, begin, end);
      const bool counts =
          target != nullptr && !target->is_fetched && fragment.alias == target->first;
      if (counts) take(*target, fragment);
      return Status::ok();
    });
  }

  Status measure() {
    if (targets_.empty()) return Status::ok();
    KITH_TRY(own_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::page) return Status::ok();
      Target* const target = find_target(fragment.url, 0, targets_.size());
      if (target != nullptr) target->is_fetched = true;
      return Status::ok();
    }));
    return for_words_of_targets(0, targets_.size(), [](Target& target, const Fragment& fragment) {
      target.bytes += fragment.terms.size();
    });
  }

  // A term takes a byte at least.
  size_t batch_end(size_t begin) const {
    uint64_t bytes = 0;
    size_t end = begin;
    for (; end < targets_.size(); ++end) {
      bytes += targets_[end].bytes * sizeof(uint32_t);
      if (end > begin && bytes > options_.memory) break;
    }
    return end;
  }

  Status read_words(size_t begin, size_t end) {
    KITH_TRY(for_words_of_targets(begin, end, [&](Target& target, const Fragment& fragment) {
      add_words(fragment, target.words);
    }));
    for (size_t i = begin; i < end; ++i) make_set(targets_[i].words);
    return Status::ok();
  }

  Status compare(size_t begin, size_t end) {
    KITH_TRY(folded_([&](const Fragment& fragment) {
      if (fragment.kind != FragmentKind::alias_words) return Status::ok();
      const Target* const target = find_target(fragment.url, begin, end);
      if (target == nullptr) return Status::ok();
      if (!target->is_fetched && fragment.alias == target->first) return Status::ok();
      words_.clear();
      add_words(fragment, words_);
      make_set(words_);
      if (!says_the_same(words_, target->words)) {
        others_.push_back({fragment.alias, target->is_fetched});
      }
      return Status::ok();
    }));
    for (size_t i = begin; i < end; ++i) targets_[i].words = {};
    return Status::ok();
  }

  void add_words(const Fragment& fragment, std::vector<uint32_t>& words) const {
    words.reserve(words.size() + fragment.terms.size());
    for_each_term(fragment, [&](uint32_t term) {
      const std::span<const uint32_t> numbers = options_.numbers;
      words.push_back(term < numbers.size() ? numbers[term] : term);
    });
  }

  static void make_set(std::vector<uint32_t>& words) {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }

  const ForEachFragment& own_;
  const ForEachFragment& folded_;
  AliasWordOptions options_;
  std::vector<Target> targets_;  // by URL
  std::vector<uint32_t> words_;  // of an alias
  std::vector<OtherAlias> others_;
};

}  // namespace

bool says_the_same(std::span<const uint32_t> page, std::span<const uint32_t> target) {
  if (page.size() < min_own_words) return true;
  if (target.size() < min_own_words) return false;
  size_t shared = 0;
  for (auto a = page.begin(), b = target.begin(); a != page.end() && b != target.end();) {
    shared += *a == *b;
    const bool next_a = *a <= *b;
    const bool next_b = *b <= *a;
    a += next_a;
    b += next_b;
  }
  return 2 * shared >= std::min(page.size(), target.size());
}

Result<std::vector<OtherAlias>> find_other_aliases(const ForEachFragment& own,
                                                   const ForEachFragment& folded,
                                                   const AliasWordOptions& options) {
  return AliasWords(own, folded, options).find();
}

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
    const uint64_t buffer = std::clamp<uint64_t>(
        options_.memory.bytes(Share::folded_buffers) / partitions / pool_->size(), min_folded_bytes,
        16 << 10);
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
    const AliasWordOptions options{options_.numbers,
                                   options_.memory.bytes(Share::alias_words) / pool_->size()};
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
    return pool_->try_each(spool_->partitions(), [&](size_t partition, unsigned worker) {
      return visit(static_cast<uint32_t>(partition), worker);
    });
  }

  template <class Take>
  Status for_chunks(const FragmentSpool& spool, uint32_t partition, const Take& take) const {
    if (spool.bytes(partition) == 0) return Status::ok();
    const size_t chunk_bytes = std::clamp<size_t>(
        options_.memory.bytes(Share::folded_chunks) / pool_->size(), 64 << 10, 4 << 20);
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
