#include "bags/bag_builder.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include "bags/fold.h"
#include "parallel/background.h"
#include "parallel/first_error.h"

namespace kith::bags {
namespace {

constexpr uint32_t most_partitions = 1024;
constexpr uint32_t partitions_of_the_paper = 256;
// A partition in memory takes its own bytes, an index of fragments and the strings of its URLs.
constexpr uint64_t collapse_expansion = 3;
// Fragments are visited by URL, all over their partition: it had better stay in the cache.
constexpr uint64_t best_partition_bytes = 4 << 20;

}  // namespace

uint32_t choose_partitions(uint64_t expected_bytes, uint64_t memory, unsigned workers) {
  if (expected_bytes == 0) return partitions_of_the_paper;
  const uint64_t share = std::max<uint64_t>(1, memory / (2 * collapse_expansion * workers));
  const uint64_t needed = std::clamp<uint64_t>(
      expected_bytes / std::min(share, best_partition_bytes) + 1, workers, most_partitions);
  return static_cast<uint32_t>(std::bit_ceil(needed));
}

BagBuilder::Worker::Worker(const FragmentOptions& options, Vocabulary& vocabulary,
                           FragmentSpool& spool, size_t buffer_bytes)
    : terms_(vocabulary),
      digester_(options, terms_),
      writer_(spool, buffer_bytes),
      fragments_(options, writer_) {}

void BagBuilder::Worker::add_redirect(const text::Url& url, std::string_view location) {
  const auto target = digester_.other_url(url, url, location);
  if (target) fragments_.add_redirect(hash128(url.href), *target);
}

BagBuilder::BagBuilder(storage::FileSystem& fs, BagBuilderOptions options)
    : fs_(&fs), options_(options), vocabulary_(std::make_unique<Vocabulary>()) {}

Result<BagBuilder> BagBuilder::create(storage::FileSystem& fs, const std::string& scratch,
                                      const BagBuilderOptions& options) {
  BagBuilder builder(fs, options);
  builder.scratch_ = scratch;
  const uint32_t partitions =
      choose_partitions(options.expected_bytes, options.memory, options.workers);
  KITH_ASSIGN(FragmentSpool spool, FragmentSpool::create(fs, scratch + "/fragments-", partitions));
  builder.spool_ = std::make_unique<FragmentSpool>(std::move(spool));
  const uint64_t buffer =
      std::clamp<uint64_t>(options.memory / 8 / partitions / options.workers, 4 << 10, 64 << 10);
  for (unsigned worker = 0; worker < options.workers; ++worker) {
    builder.workers_.push_back(
        std::make_unique<Worker>(options.fragments, *builder.vocabulary_, *builder.spool_, buffer));
  }
  return builder;
}

void BagBuilder::add_surfaces(std::vector<SurfaceCount> surfaces) {
  surfaces_ = std::move(surfaces);
}

Status BagBuilder::flush(BagCounts& counts) {
  for (const auto& worker : workers_) {
    KITH_TRY(worker->writer_.flush());
    counts.fragments += worker->fragments_.counts();
  }
  KITH_TRY(spool_->close());
  counts.partitions = spool_->partitions();
  for (uint32_t i = 0; i < spool_->partitions(); ++i) counts.fragment_bytes += spool_->bytes(i);
  return Status::ok();
}

AliasMap BagBuilder::map_aliases() {
  if (!options_.fragments.keep_aliases) return {};
  std::vector<Alias> aliases;
  boost::unordered_flat_set<Key128, Key128Hash> fetched;
  for (const auto& worker : workers_) {
    std::ranges::move(worker->fragments_.aliases(), std::back_inserter(aliases));
    const std::vector<Key128>& more = worker->fragments_.fetched();
    fetched.insert(more.begin(), more.end());
  }
  return AliasMap::make(std::move(aliases),
                        [&](const Key128& url) { return fetched.contains(url); });
}

// Says again for the targets what the partitions say about aliases.
Status BagBuilder::fold(ThreadPool& pool, const AliasMap& aliases) {
  const uint32_t partitions = spool_->partitions();
  KITH_ASSIGN(FragmentSpool spool, FragmentSpool::create(*fs_, scratch_ + "/folded-", partitions));
  folded_ = std::make_unique<FragmentSpool>(std::move(spool));
  constexpr size_t buffer_bytes = 16 << 10;
  std::vector<FragmentWriter> writers(pool.size(), FragmentWriter(*folded_, buffer_bytes));
  FirstError error;
  const auto fold_one = [&](uint32_t partition, FragmentWriter& writer) -> Status {
    KITH_ASSIGN(const std::string fragments, storage::read_file(*fs_, spool_->path(partition)));
    return fold_partition(fragments, aliases, writer);
  };
  pool.for_chunks(partitions, 1, [&](size_t begin, size_t, unsigned worker) {
    if (!error.failed()) error.keep(fold_one(static_cast<uint32_t>(begin), writers[worker]));
  });
  KITH_TRY(error.status());
  for (FragmentWriter& writer : writers) KITH_TRY(writer.flush());
  return folded_->close();
}

// The fragments of a partition and what was folded into it; the files are gone afterwards.
Result<std::string> BagBuilder::read_partition(uint32_t partition) {
  KITH_ASSIGN(std::string fragments, storage::read_file(*fs_, spool_->path(partition)));
  KITH_TRY(fs_->remove(spool_->path(partition)));
  if (folded_ == nullptr) return fragments;
  KITH_ASSIGN(const std::string folded, storage::read_file(*fs_, folded_->path(partition)));
  KITH_TRY(fs_->remove(folded_->path(partition)));
  return std::move(fragments) + folded;
}

Result<std::vector<std::string>> BagBuilder::collapse(ThreadPool& pool, const AliasMap& aliases,
                                                      BagCounts& counts,
                                                      std::vector<uint32_t>& document_frequency,
                                                      const Progress& progress) {
  const uint32_t partitions = spool_->partitions();
  std::vector<std::string> runs(partitions);
  std::vector<CollapseCounts> collapsed(partitions);
  std::vector<std::atomic<uint32_t>> frequency(vocabulary_->size());
  FirstError error;
  std::atomic<uint32_t> done = 0;
  const auto collapse_one = [&](uint32_t partition) -> Status {
    KITH_ASSIGN(const std::string fragments, read_partition(partition));
    runs[partition] = fmt::format("{}/run-{:04}", scratch_, partition);
    KITH_ASSIGN(collapsed[partition],
                collapse_partition(*fs_, fragments, aliases, runs[partition], frequency));
    return Status::ok();
  };
  pool.for_chunks(partitions, 1, [&](size_t begin, size_t, unsigned worker) {
    if (error.failed() || !error.keep(collapse_one(static_cast<uint32_t>(begin)))) return;
    const uint32_t now = done.fetch_add(1) + 1;
    if (worker == 0) progress(static_cast<double>(now) / partitions);
  });
  KITH_TRY(error.status());
  for (const CollapseCounts& more : collapsed) {
    counts.collapsed.urls += more.urls;
    counts.collapsed.fetched += more.fetched;
    counts.collapsed.with_terms += more.with_terms;
    counts.collapsed.fragments += more.fragments;
  }
  document_frequency.assign(frequency.begin(), frequency.end());
  return runs;
}

// Of every stem the form met most often, by all workers.
std::vector<std::string_view> BagBuilder::choose_forms(size_t stems) {
  std::vector<SurfaceCount> surfaces = std::move(surfaces_);
  for (const auto& worker : workers_) {
    const std::vector<SurfaceCount> more = worker->terms_.surfaces();
    surfaces.insert(surfaces.end(), more.begin(), more.end());
  }
  return most_frequent_forms(surfaces, stems);
}

Result<Dictionary> BagBuilder::write_dictionary(ThreadPool& pool, const std::string& path,
                                                BagCounts& counts,
                                                std::span<const uint32_t> document_frequency) {
  const std::vector<std::string_view> stems = vocabulary_->stems();
  std::vector<std::string_view> forms;
  Background beside(pool.size());
  beside.start([&] {
    forms = choose_forms(stems.size());
    return Status::ok();
  });
  Dictionary dictionary =
      make_dictionary(options_.dictionary, stems, document_frequency, counts.collapsed.with_terms);
  KITH_TRY(beside.wait());
  KITH_TRY(write_terms(*fs_, path, dictionary, stems, forms, document_frequency));
  counts.vocabulary = stems.size();
  counts.terms = dictionary.factor.size();
  counts.frequent_terms = dictionary.frequent;
  return dictionary;
}

Result<BagCounts> BagBuilder::finish(ThreadPool& pool, const std::string& directory,
                                     const Progress& progress) {
  BagCounts counts;
  KITH_TRY(flush(counts));
  const AliasMap aliases = map_aliases();
  counts.aliases = aliases.counts();
  if (!aliases.empty()) KITH_TRY(fold(pool, aliases));
  std::vector<uint32_t> document_frequency;
  KITH_ASSIGN(const std::vector<std::string> runs,
              collapse(pool, aliases, counts, document_frequency,
                       [&](double share) { progress(share / 2); }));
  KITH_ASSIGN(const Dictionary dictionary,
              write_dictionary(pool, directory + "/terms.kith", counts, document_frequency));
  workers_.clear();
  KITH_ASSIGN(counts.merged, merge_runs(*fs_, runs, directory, dictionary,
                                        options_.dictionary.weighting, options_.memory / 4, pool));
  for (const std::string& run : runs) KITH_TRY(fs_->remove(run));
  progress(1.0);
  return counts;
}

}  // namespace kith::bags
