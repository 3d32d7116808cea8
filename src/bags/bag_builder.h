// The bags stage as a whole: pages in, the url, title, term and bag files out.
//
//   pages -> digests -> fragments -> M partitions on disk -> a sorted run each -> one merge ->
//   files
//
// With shards (shard/builder.h) the digests come from other runs. M follows the
// memory budget, and no file depends on it, nor on the number of workers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/alias_folding.h"
#include "bags/aliases.h"
#include "bags/boilerplate/templates.h"
#include "bags/collapse.h"
#include "bags/copies.h"
#include "bags/fragment.h"
#include "bags/merge.h"
#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "bags/vocabulary/dictionary.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::bags {

struct BagBuilderOptions {
  FragmentOptions fragments;
  UrlScope urls = UrlScope::all;
  DictionaryOptions dictionary;
  double content_share = 0.5;  // WeightOptions
  uint32_t max_terms = 0;
  Budget memory = 1u << 30;     // of this stage
  uint64_t expected_bytes = 0;  // of all fragments; 0 = unknown
  unsigned workers = 1;
  bool from_shards = false;  // pages come as digests only
};

struct BagCounts {
  FragmentCounts fragments;
  CollapseCounts collapsed;
  AliasReport aliases;
  BoilerplateReport boilerplate;
  BagsCounts bags;
};

// Number of partitions, a power of two in [1, 4096], such that one fits the cache and a worker's
// share of the memory, if the buffers of all fit theirs; 256, the paper's choice, when the
// size is unknown. Larger ones are split later.
uint32_t choose_partitions(uint64_t expected_bytes, const Budget& memory, unsigned workers);

class BagBuilder {
 public:
  // The way of a worker's pages to fragments. Not thread-safe.
  class Worker {
   public:
    Worker(const BagBuilderOptions& options, Vocabulary& vocabulary, VocabularySpool& words,
           FragmentSpool& spool, AliasMemory& aliases, size_t buffer_bytes, DigestSpool* digests);

    // `title` wins over page.title unless it is empty.
    Status add(const text::Url& url, const text::HtmlText& page, std::string_view title,
               int64_t time) {
      const PageDigest& digest = digester_.read(url, page, title, time);
      KITH_TRY(digests_ ? digests_->add(digest) : fragments_.add(digest));
      return words_->failed() ? words_->status() : Status::ok();
    }
    // Frees what a large page has made the buffers grow to.
    void forget_buffers() {
      digester_.forget_buffers();
      fragments_.forget_buffers();
    }
    // `url` was answered by a redirect to `location`, perhaps relative.
    Status add_redirect(const text::Url& url, std::string_view location);

    // For digests that were made before; their terms are of vocabulary().
    PageFragments& fragments() { return fragments_; }

   private:
    friend class BagBuilder;
    VocabularySpool* words_;
    TermReader terms_;
    PageDigester digester_;
    FragmentWriter writer_;
    PageFragments fragments_;
    // Where pages wait until the templates of their sites are known; nothing when all words count.
    std::optional<DigestSpool::Writer> digests_;
  };

  // Temporary files go to `scratch`, a folder that exists; the caller removes it. `fs` must
  // outlive this object.
  static Result<BagBuilder> create(storage::FileSystem& fs, const std::string& scratch,
                                   const BagBuilderOptions& options);

  // What the aliases take that pages have brought so far. Thread-safe.
  uint64_t alias_bytes() const { return alias_memory_->bytes(); }

  // For the worker of that number in [0, options.workers) alone.
  Worker& worker(unsigned worker) { return *workers_[worker]; }

  // The stems of all terms; thread-safe.
  Vocabulary& vocabulary() { return *vocabulary_; }
  // Adds words to those that the workers have met, for digests that were made before. The views
  // must be valid until finish() returns. Not thread-safe.
  Status add_surfaces(std::span<const SurfaceCount> surfaces);

  // Finds the templates of the sites of all pages, whose words are left out of those that are then
  // added as digests. To be called at most once, before. Not thread-safe.
  Status find_boilerplate(ThreadPool& pool, const ForEachPage& for_each_page);

  // Called with the share of the work that is done, in [0, 1], from one thread at a time.
  using Progress = std::function<void(double share)>;

  // Writes the files into `directory`. To be called once, after all pages were added.
  Result<BagCounts> finish(ThreadPool& pool, const std::string& directory,
                           const Progress& progress);

 private:
  BagBuilder(storage::FileSystem& fs, BagBuilderOptions options);
  Status write_fragments(ThreadPool& pool);
  Status flush(BagCounts& counts);
  Result<StemNumbers> number_stems(ThreadPool& pool);
  Budget memory_beside(const StemNumbers& numbers) const;
  Status check_words(uint64_t bytes, uint64_t words) const;
  Result<FoldedAliases> fold(ThreadPool& pool, const StemNumbers& numbers);
  PartitionFiles files_of(uint32_t partition) const;
  Result<std::vector<std::string>> collapse(ThreadPool& pool, const AliasMap& aliases,
                                            const StemNumbers& numbers, BagCounts& counts,
                                            DocumentFrequencies& frequencies,
                                            storage::ExternalSort* contents,
                                            const Progress& progress);
  Result<CopyAnchors> gather_copies(ThreadPool& pool, std::span<const std::string> runs,
                                    storage::ExternalSort& contents, BagCounts& counts,
                                    DocumentFrequencies& frequencies);
  Slots slots() const { return Slots(options_.fragments.kind == BagKind::both ? 2 : 1); }
  std::vector<std::string_view> choose_forms(size_t stems);
  Result<Dictionary> write_dictionary(ThreadPool& pool, const std::string& path,
                                      StemNumbers& numbers, BagCounts& counts,
                                      const DocumentFrequencies& frequencies);
  std::string spooled_words() const { return scratch_ + "/words-"; }

  storage::FileSystem* fs_;
  BagBuilderOptions options_;
  std::string scratch_;
  std::unique_ptr<VocabularySpool> words_;  // where the vocabulary goes beyond its memory
  std::unique_ptr<Vocabulary> vocabulary_;
  std::unique_ptr<FragmentSpool> spool_;
  std::unique_ptr<AliasMemory> alias_memory_;
  std::unique_ptr<FragmentSpool> folded_;  // null without aliases
  std::unique_ptr<DigestSpool> digests_;   // null when all words count, and in a merge
  std::unique_ptr<BoilerplateTally> boilerplate_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<SurfaceCount> surfaces_;  // that were added
};

}  // namespace kith::bags
