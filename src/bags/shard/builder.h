// The bags stage in parts: of a shard, pages in and the file of their digests out (shard/file.h);
// and of all shards, to bags.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/bag_builder.h"
#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "bags/shard/file.h"
#include "bags/vocabulary/vocabulary.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

// Where in the input a page stands. The pages of a batch come to one worker, in their order.
struct PagePlace {
  uint64_t batch = 0;  // batches are numbered in input order
  uint32_t input = 0;  // the number of its file
};

// Blocks of pages on their way to the final file, in the order in which workers end them.
// add() is thread-safe; the rest is for one thread.
class BlockSpool {
 public:
  struct Block {
    uint64_t batch = 0;
    uint32_t part = 0;  // of the batch
    uint32_t input = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    std::vector<Key128> keys;    // of its pages
    std::vector<int64_t> times;  // likewise
  };

  static Result<BlockSpool> create(storage::FileSystem& fs, const std::string& path);
  Status add(Block block, std::string_view pages);
  // Ends writing and puts the blocks in input order.
  Status close();
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<storage::WritableFile> file_;
  uint64_t bytes_ = 0;
  std::vector<Block> blocks_;
  std::unique_ptr<std::mutex> mutex_;  // guards all above
};

class ShardBuilder {
 public:
  // A worker's way from pages to blocks. Not thread-safe.
  class Worker {
   public:
    // memory: bytes for the words that are remembered.
    Worker(const FragmentOptions& options, Vocabulary& forms, VocabularySpool& words,
           uint64_t memory, AliasMemory& aliases, BlockSpool& spool);

    // `title` wins over page.title unless it is empty.
    Status add(const PagePlace& place, const Payload& payload, const text::Url& url,
               const text::HtmlText& page, std::string_view title, int64_t time);
    // Frees what a large page has made the buffers grow to.
    void forget_buffers() { digester_.forget_buffers(); }
    // `url` was answered by a redirect to `location`, perhaps relative.
    Status add_redirect(const text::Url& url, std::string_view location);

   private:
    friend class ShardBuilder;
    Status end_block();
    // Ends the last block and frees what nothing more is read with.
    Status finish();

    bool keep_aliases_;
    VocabularySpool* words_;
    TermReader terms_;
    PageDigester digester_;
    BlockSpool* spool_;
    FragmentCounts counts_;
    AliasMemory* alias_memory_;
    std::vector<Alias> redirects_;
    BlockSpool::Block block_;     // that is being filled
    std::string pages_;           // of it
    uint64_t payload_bytes_ = 0;  // of its pages
  };

  // Temporary files go to `scratch`, a folder that exists; the caller removes it. `fs` must outlive
  // this object. memory: of the bags stage. Besides 24 bytes per page, and a block of pages per
  // worker.
  static Result<ShardBuilder> create(storage::FileSystem& fs, const std::string& scratch,
                                     const FragmentOptions& options, unsigned workers,
                                     const Budget& memory);

  // What the redirects take that are kept so far. Thread-safe.
  uint64_t alias_bytes() const { return alias_memory_->bytes(); }

  // For the worker of that number alone.
  Worker& worker(unsigned worker) { return *workers_[worker]; }

  // Writes the file of the shard. To be called once, after all pages were added. `inputs`,
  // `example_inputs` and `revisits` are kept for the merge (ShardFile). The same pages give the
  // same file, for any number of workers.
  Result<FragmentCounts> finish(const std::string& path, std::span<const std::string> inputs,
                                std::span<const uint32_t> example_inputs,
                                std::vector<Key128> revisits, ThreadPool& pool);

 private:
  explicit ShardBuilder(storage::FileSystem& fs) : fs_(&fs) {}
  std::vector<uint32_t> forms_by_count();
  Result<std::vector<uint32_t>> write_forms(storage::SectionWriter& file, ThreadPool& pool);
  Result<std::vector<uint32_t>> write_spooled_forms(storage::SectionWriter& file, ThreadPool& pool);
  Status check_forms(uint64_t bytes, uint64_t forms) const;
  Status write_blocks(storage::SectionWriter& file, std::span<const uint32_t> final_form);
  Status write_redirects(storage::SectionWriter& file);

  storage::FileSystem* fs_;
  std::string scratch_;
  Budget memory_;
  std::unique_ptr<VocabularySpool> words_;  // where the vocabulary goes beyond its memory
  std::unique_ptr<Vocabulary> forms_;
  std::unique_ptr<BlockSpool> spool_;
  std::unique_ptr<AliasMemory> alias_memory_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

// The pages of all shards go into one BagBuilder as if they had been read by it.

// For every shard a flag a page: whether it is the best capture of its URL (PageKeys). The shards
// have kept the best one among their own. Memory: up to 40 bytes per page, and 32 per block.
std::vector<std::vector<bool>> best_captures(std::span<const ShardFile> shards, Captures captures);

// How many revisits name a URL of which no shard has a page. Memory: up to 40 bytes per page.
uint64_t lost_revisits(std::span<const ShardFile> shards);

class ShardMerger {
 public:
  // `builder` must outlive this object. `memory`: of the bags stage. A share of it is for what one
  // shard at a time needs, 8 a form and worker, 4 per form, and the strings of its forms: of all
  // that no more workers take part than there is room for, but one.
  ShardMerger(BagBuilder& builder, const Budget& memory)
      : builder_(&builder), memory_(memory.share(Share::shard_forms)) {}

  // Finds the templates of the sites of all pages that are flagged, if boilerplate is to be left
  // out. To be called before add(); the shards are all there are.
  Status find_boilerplate(std::span<const ShardFile> shards,
                          std::span<const std::vector<bool>> is_first, ThreadPool& pool);

  // Adds the pages of one shard that `is_first` has flagged, and its redirects. The shard must live
  // until builder.finish() returns. Counts those that are not flagged, since the shard has counted
  // them and the whole would not. An error of kind usage, which names the minimum, when its forms
  // do not fit the memory.
  Result<PageCounts> add(const ShardFile& shard, const std::vector<bool>& is_first,
                         ThreadPool& pool);

 private:
  Result<unsigned> workers_for(const ShardFile& shard, unsigned threads) const;

  BagBuilder* builder_;
  Budget memory_;
};

}  // namespace kith::bags
