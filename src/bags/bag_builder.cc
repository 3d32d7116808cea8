#include "bags/bag_builder.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include "bags/aliases.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

constexpr uint32_t max_partitions = 4096;
constexpr uint32_t partitions_of_the_paper = 256;
// Fragments are visited by URL, all over their partition: it had better stay in the cache.
constexpr uint64_t best_partition_bytes = 4 << 20;
// Every worker has a buffer of so many bytes at least for every partition.
constexpr uint64_t min_buffer_bytes = 4 << 10;

// For each worker while partitions are collapsed.
Budget collapse_memory(const Budget& memory, unsigned workers) {
  return memory.share(Share::partitions).each(workers);
}

// What the numbers of stems take, and their document frequencies.
uint64_t number_bytes(const StemNumbers& numbers, Slots slots) {
  return numbers.of.size() * sizeof(uint32_t) + DocumentFrequencies::bytes(numbers.limit, slots);
}

}  // namespace

uint32_t choose_partitions(uint64_t expected_bytes, const Budget& memory, unsigned workers) {
  const uint64_t buffers =
      std::max<uint64_t>(1, memory.bytes(Share::fragment_buffers) / min_buffer_bytes / workers);
  const auto most = std::bit_floor(std::min<uint64_t>(buffers, max_partitions));
  if (expected_bytes == 0) {
    return static_cast<uint32_t>(std::min<uint64_t>(partitions_of_the_paper, most));
  }
  const uint64_t share =
      std::max<uint64_t>(1, PartitionCollapser::max_bytes(collapse_memory(memory, workers)));
  const uint64_t needed =
      std::max<uint64_t>(expected_bytes / std::min(share, best_partition_bytes) + 1, workers);
  return static_cast<uint32_t>(std::min(std::bit_ceil(needed), most));
}

BagBuilder::Worker::Worker(const BagBuilderOptions& options, Vocabulary& vocabulary,
                           VocabularySpool& words, FragmentSpool& spool, AliasMemory& aliases,
                           size_t buffer_bytes, DigestSpool* digests)
    : words_(&words),
      terms_(vocabulary, words, options.memory.bytes(Share::words) / options.workers),
      digester_(options.fragments, terms_),
      writer_(spool, buffer_bytes),
      fragments_(options.fragments, writer_, &aliases) {
  if (digests != nullptr) digests_.emplace(*digests);
}

Status BagBuilder::Worker::add_redirect(const text::Url& url, std::string_view location) {
  text::Url own = url;
  digester_.url_rules().apply(own);
  const auto target = digester_.other_url(own, url, location);
  return target ? fragments_.add_redirect(hash128(own.href), *target) : Status::ok();
}

BagBuilder::BagBuilder(storage::FileSystem& fs, BagBuilderOptions options)
    : fs_(&fs), options_(std::move(options)) {}

Result<BagBuilder> BagBuilder::create(storage::FileSystem& fs, const std::string& scratch,
                                      const BagBuilderOptions& options) {
  BagBuilder builder(fs, options);
  builder.scratch_ = scratch;
  builder.words_ = std::make_unique<VocabularySpool>(fs, builder.spooled_words());
  builder.alias_memory_ = std::make_unique<AliasMemory>(options.memory);
  const Share stems = options.from_shards ? Share::merged_stems : Share::stems;
  builder.vocabulary_ = std::make_unique<Vocabulary>(*builder.words_, options.memory.bytes(stems));
  builder.vocabulary_->leave_out(text::OwnStopWords(options.fragments.stop_words));
  const uint32_t partitions =
      choose_partitions(options.expected_bytes, options.memory, options.workers);
  builder.spool_ = std::make_unique<FragmentSpool>(fs, scratch + "/fragments-", partitions);
  if (options.fragments.remove_boilerplate && !options.from_shards) {
    KITH_ASSIGN(builder.digests_, DigestSpool::create(fs, scratch + "/digests"));
  }
  const uint64_t buffer = std::clamp<uint64_t>(
      options.memory.bytes(Share::fragment_buffers) / partitions / options.workers,
      min_buffer_bytes, 64 << 10);
  for (unsigned worker = 0; worker < options.workers; ++worker) {
    builder.workers_.push_back(
        std::make_unique<Worker>(options, *builder.vocabulary_, *builder.words_, *builder.spool_,
                                 *builder.alias_memory_, buffer, builder.digests_.get()));
  }
  return builder;
}

// In memory while they fit: a vector that grows takes three times its half.
Status BagBuilder::add_surfaces(std::span<const SurfaceCount> surfaces) {
  const uint64_t bytes = (surfaces_.size() + surfaces.size()) * sizeof(SurfaceCount);
  if (words_->empty() && bytes <= options_.memory.bytes(Share::merged_words)) {
    surfaces_.insert(surfaces_.end(), surfaces.begin(), surfaces.end());
    return Status::ok();
  }
  write_surfaces(*words_, surfaces_);
  free_memory(surfaces_);
  write_surfaces(*words_, surfaces);
  return words_->status();
}

Status BagBuilder::find_boilerplate(ThreadPool& pool, const ForEachPage& for_each_page) {
  KITH_ASSIGN(Templates templates,
              find_templates(*fs_, pool, for_each_page,
                             {.scratch = scratch_ + "/templates-", .memory = options_.memory}));
  boilerplate_ = std::make_unique<BoilerplateTally>(std::move(templates));
  for (const auto& worker : workers_) worker->fragments_.leave_out(*boilerplate_);
  return Status::ok();
}

// Of the pages that were waiting for the templates.
Status BagBuilder::write_fragments(ThreadPool& pool) {
  for (const auto& worker : workers_) {
    KITH_TRY(worker->digests_->flush());
    worker->digester_.forget_buffers();
  }
  KITH_TRY(digests_->close());
  const auto for_each = [&](DigestSpool::Part part, const VisitPage& visit) {
    return digests_->for_each(pool, static_cast<unsigned>(workers_.size()), part, visit,
                              [&](unsigned worker) { workers_[worker]->forget_buffers(); });
  };
  KITH_TRY(find_boilerplate(pool, [&](const WantsBlocks&, const VisitPage& visit) {
    return for_each(DigestSpool::Part::head, visit);
  }));
  KITH_TRY(for_each(DigestSpool::Part::whole, [&](unsigned worker, const PageDigest& page) {
    return workers_[worker]->fragments_.add(page);
  }));
  return digests_->remove();
}

Status BagBuilder::flush(BagCounts& counts) {
  for (const auto& worker : workers_) {
    KITH_TRY(worker->writer_.flush());
    counts.fragments += worker->fragments_.counts();
  }
  counts.bags.partitions = spool_->partitions();
  for (uint32_t i = 0; i < spool_->partitions(); ++i)
    counts.bags.fragment_bytes += spool_->bytes(i);
  return Status::ok();
}

// The numbers of all stems, if these went beyond the memory; else nothing, and ids are numbers.
Result<StemNumbers> BagBuilder::number_stems(ThreadPool& pool) {
  KITH_TRY(words_->status());
  if (words_->empty()) return StemNumbers();
  const uint32_t ids = vocabulary_->size();
  vocabulary_->spill_all();
  for (const auto& worker : workers_) worker->terms_.spill();
  write_surfaces(*words_, surfaces_);
  free_memory(surfaces_);
  KITH_TRY(words_->status());
  // Before the numbers are there; most stems have one.
  if (ids * sizeof(uint32_t) > options_.memory.bytes(Share::stem_numbers)) {
    return check_words(2 * ids * sizeof(uint32_t), ids).error();
  }
  KITH_ASSIGN(StemNumbers numbers, resolve_stems(*fs_, spooled_words(), *words_, ids,
                                                 options_.memory.share(Share::word_sorting), pool));
  KITH_TRY(check_words(number_bytes(numbers, slots()), numbers.stems));
  return numbers;
}

// What the numbers of stems leave.
Budget BagBuilder::memory_beside(const StemNumbers& numbers) const {
  return options_.memory.without(Share::stem_numbers, number_bytes(numbers, slots()));
}

// bytes: what the numbers of so many words take.
Status BagBuilder::check_words(uint64_t bytes, uint64_t words) const {
  return options_.memory.share(Share::stem_numbers).check(bytes, fmt::format("{} words", words));
}

Result<FoldedAliases> BagBuilder::fold(ThreadPool& pool, const StemNumbers& numbers) {
  if (!options_.fragments.keep_aliases) return FoldedAliases();
  std::vector<Alias> aliases;
  boost::unordered_flat_set<Key128, Key128Hash> fetched;
  for (const auto& worker : workers_) {
    std::ranges::move(worker->fragments_.aliases(), std::back_inserter(aliases));
    const std::vector<Key128>& more = worker->fragments_.fetched();
    fetched.insert(more.begin(), more.end());
  }
  // As they were read, and what is made of them.
  const Budget left = memory_beside(numbers).without(Share::aliases, 2 * alias_bytes());
  const AliasFoldingOptions options{.scratch = scratch_,
                                    .memory = left,
                                    .compares = options_.fragments.kind != BagKind::anchor,
                                    .numbers = numbers.of};
  return fold_aliases(
      *fs_, pool, *spool_, std::move(aliases),
      [&](const Key128& url) { return fetched.contains(url); }, options);
}

// The fragments of a partition and what was folded into it.
PartitionFiles BagBuilder::files_of(uint32_t partition) const {
  PartitionFiles files;
  files.first_bit = static_cast<unsigned>(std::countr_zero(spool_->partitions()));
  for (const FragmentSpool* const spool : {spool_.get(), folded_.get()}) {
    if (spool == nullptr || spool->bytes(partition) == 0) continue;
    files.paths.push_back(spool->path(partition));
    files.bytes += spool->bytes(partition);
    files.largest_fragment = std::max(files.largest_fragment, spool->largest_append(partition));
  }
  return files;
}

Result<std::vector<std::string>> BagBuilder::collapse(ThreadPool& pool, const AliasMap& aliases,
                                                      const StemNumbers& numbers, BagCounts& counts,
                                                      DocumentFrequencies& frequencies,
                                                      storage::ExternalSort* contents,
                                                      const Progress& progress) {
  const uint32_t partitions = spool_->partitions();
  std::vector<std::vector<std::string>> runs_of(partitions);
  std::vector<CollapseCounts> collapsed(partitions);
  const bool are_numbered = !numbers.of.empty();
  frequencies = {are_numbered ? numbers.limit : vocabulary_->size(), slots()};
  const uint64_t alias_map = aliases.empty() ? 0 : alias_bytes();
  const Budget memory =
      collapse_memory(memory_beside(numbers).without(Share::aliases, alias_map), pool.size());
  std::vector<PartitionCollapser> collapsers;
  for (unsigned worker = 0; worker < pool.size(); ++worker) {
    CollapseOptions options{{options_.urls, numbers.of}, &aliases, &frequencies};
    if (contents != nullptr) {
      options.take_content = [contents, worker](uint64_t content) {
        return contents->append({content, 0}, worker);
      };
    }
    collapsers.emplace_back(*fs_, memory, options);
  }
  std::atomic<uint32_t> done = 0;
  // A fragment of many megabytes, the words of a large page, takes several times as much whatever
  // the share of a worker is: such partitions come alone.
  std::shared_mutex alone;
  const uint64_t large_fragment =
      std::max<uint64_t>(memory.bytes(Share::large_fragment), 128 << 10);
  const auto collapse_one = [&](size_t i, unsigned worker) -> Status {
    const auto partition = static_cast<uint32_t>(i);
    const PartitionFiles files = files_of(partition);
    const bool is_large = files.largest_fragment > large_fragment;
    std::shared_lock shared(alone, std::defer_lock);
    std::unique_lock unique(alone, std::defer_lock);
    is_large ? unique.lock() : shared.lock();
    const std::string name = fmt::format("{}/run-{:04}", scratch_, partition);
    KITH_ASSIGN(collapsed[partition], collapsers[worker].collapse(files, name, runs_of[partition]));
    if (is_large) give_back_free_memory();
    const uint32_t now = done.fetch_add(1) + 1;
    if (worker == 0) progress(static_cast<double>(now) / partitions);
    return Status::ok();
  };
  KITH_TRY(pool.try_each(partitions, collapse_one));
  std::vector<std::string> runs;
  for (uint32_t partition = 0; partition < partitions; ++partition) {
    counts.collapsed += collapsed[partition];
    std::ranges::move(runs_of[partition], std::back_inserter(runs));
  }
  return runs;
}

// Of the contents of all pages those of several, and their anchors.
Result<CopyAnchors> BagBuilder::gather_copies(ThreadPool& pool, std::span<const std::string> runs,
                                              storage::ExternalSort& contents, BagCounts& counts,
                                              DocumentFrequencies& frequencies) {
  KITH_ASSIGN(storage::SortedRecords sorted, contents.finish());
  KITH_ASSIGN(CopyGroups groups, CopyGroups::read(std::move(sorted)));
  counts.bags.copies = groups.all_pages();
  counts.bags.copied = groups.size();
  return CopyAnchors::gather(*fs_, pool, runs, std::move(groups),
                             {scratch_ + "/copies-", options_.memory}, frequencies,
                             counts.collapsed);
}

// Of every stem the form met most often, by all workers.
std::vector<std::string_view> BagBuilder::choose_forms(size_t stems) {
  std::vector<SurfaceCount> surfaces = std::move(surfaces_);
  for (const auto& worker : workers_) {
    const std::vector<SurfaceCount> more = worker->terms_.surfaces();
    surfaces.insert(surfaces.end(), more.begin(), more.end());
  }
  return max_frequent_forms(surfaces, stems);
}

Result<Dictionary> BagBuilder::write_dictionary(ThreadPool& pool, const std::string& path,
                                                StemNumbers& numbers, BagCounts& counts,
                                                const DocumentFrequencies& frequencies) {
  const bool has_parts = slots().parts() > 1;
  const PartCounts bags =
      has_parts ? counts.collapsed.with_part : PartCounts{counts.collapsed.with_terms};
  if (!numbers.of.empty()) {
    KITH_ASSIGN(Dictionary dictionary,
                make_spooled_dictionary(*fs_, spooled_words(), *words_, numbers,
                                        options_.dictionary, frequencies, bags, path,
                                        options_.memory.share(Share::word_sorting), pool));
    // What the merge of the runs has beside its buffers.
    const uint64_t factor_bytes = dictionary.terms() * slots().parts() * sizeof(TermFactor);
    KITH_TRY(check_words(dictionary.final_id.size() * sizeof(uint32_t) + factor_bytes,
                         dictionary.terms()));
    counts.bags.vocabulary = numbers.stems;
    counts.bags.terms = dictionary.terms();
    counts.bags.frequent_terms = dictionary.frequent;
    return dictionary;
  }
  const std::vector<std::string_view> stems = vocabulary_->stems();
  std::vector<std::string_view> forms;
  Background beside(pool.size());
  beside.start([&] {
    forms = choose_forms(stems.size());
    return Status::ok();
  });
  Dictionary dictionary = make_dictionary(options_.dictionary, stems, frequencies, bags);
  KITH_TRY(beside.wait());
  const std::vector<uint32_t>& ids = dictionary.provisional_id;
  KITH_TRY(write_terms(*fs_, path, ids.size(), [&](size_t i) -> TermRow {
    return {stems[ids[i]], forms[ids[i]], frequencies.of_part(ids[i], 0)};
  }));
  counts.bags.vocabulary = stems.size();
  counts.bags.terms = dictionary.terms();
  counts.bags.frequent_terms = dictionary.frequent;
  return dictionary;
}

Result<BagCounts> BagBuilder::finish(ThreadPool& pool, const std::string& directory,
                                     const Progress& progress) {
  BagCounts counts;
  if (digests_ != nullptr) KITH_TRY(write_fragments(pool));
  KITH_TRY(flush(counts));
  if (boilerplate_ != nullptr) {
    counts.boilerplate = boilerplate_->report();
    counts.boilerplate.words = counts.fragments.text_words;
    counts.boilerplate.left_out = counts.fragments.left_out;
    counts.boilerplate.kept_whole = counts.fragments.kept_whole;
    boilerplate_.reset();
  }
  give_back_free_memory();
  KITH_ASSIGN(StemNumbers numbers, number_stems(pool));
  KITH_ASSIGN(FoldedAliases aliases, fold(pool, numbers));
  counts.aliases = aliases.counts;
  folded_ = std::move(aliases.fragments);
  DocumentFrequencies frequencies;
  std::optional<storage::ExternalSort> contents;
  if (slots().parts() > 1) {
    // Workers append from inside a job of the pool, which one writer alone may not.
    contents.emplace(
        *fs_, pool,
        storage::ExternalSortOptions{scratch_ + "/contents", options_.memory.bytes(Share::contents),
                                     std::max(2u, pool.size())});
  }
  KITH_ASSIGN(
      const std::vector<std::string> runs,
      collapse(pool, aliases.map, numbers, counts, frequencies, contents ? &*contents : nullptr,
               [&](double share) { progress(share / 2); }));
  CopyAnchors copies;
  if (contents) {
    KITH_ASSIGN(copies, gather_copies(pool, runs, *contents, counts, frequencies));
    contents.reset();
  }
  KITH_ASSIGN(const Dictionary dictionary,
              write_dictionary(pool, directory + "/terms.kith", numbers, counts, frequencies));
  free_memory(numbers.of);
  frequencies = {};
  workers_.clear();
  give_back_free_memory();
  const WeightOptions weights{options_.dictionary.weighting, options_.content_share,
                              options_.max_terms};
  KITH_TRY(merge_runs(*fs_, runs, directory, dictionary, weights, copies,
                      options_.memory.bytes(Share::run_reading), pool, counts.bags));
  KITH_TRY(copies.remove());
  counts.bags.fetched = counts.collapsed.fetched;
  counts.bags.left_out = counts.collapsed.left_out;
  counts.bags.contents = counts.collapsed.with_part[static_cast<size_t>(BagPart::content)];
  for (const std::string& run : runs) KITH_TRY(fs_->remove(run));
  if (!aliases.map.empty()) {
    KITH_ASSIGN(const UrlTable urls, UrlTable::open(*fs_, directory + "/urls.kith"));
    KITH_TRY(write_alias_table(*fs_, directory + "/aliases.kith", aliases.map, urls));
    counts.aliases.large = large_folds(std::move(aliases.into), urls);
  }
  progress(1.0);
  return counts;
}

}  // namespace kith::bags
