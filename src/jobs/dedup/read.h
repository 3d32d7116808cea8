// The stage that reads documents: in the order of the input, by many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/shingles.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/dates.h"
#include "base/machine.h"
#include "base/parallel/thread_pool.h"
#include "crawl/read/page_reader.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/shard_captures.h"
#include "run/guarded.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "storage/file_system.h"
#include "text/words/shingles.h"

namespace kith::jobs {

// Where and within what the stages of `kith dedup` work.
struct DedupResources {
  storage::FileSystem& fs;
  std::string folder;   // of the run
  std::string scratch;  // a folder for temporary files
  Budget memory;        // of the whole process
  ThreadPool& pool;
};

// Pages of the input through several workers at once, and what each makes of them in the order of
// the input.

// Lets number after number, from 0, write, whichever worker has it.
class WritingOrder {
 public:
  // Returns when it is the turn of a number; false when one has failed, and none will follow.
  bool await(uint64_t number) {
    for (;;) {
      const uint64_t now = turn_.load(std::memory_order_acquire);
      if (now == failed) return false;
      if (now == number) return true;
      turn_.wait(now, std::memory_order_acquire);
    }
  }
  // REQUIRES: it is the turn of the number, or one has failed since it came.
  void pass_on(uint64_t number) {
    turn_.compare_exchange_strong(number, number + 1, std::memory_order_release);
    turn_.notify_all();
  }
  void fail() {
    turn_.store(failed, std::memory_order_release);
    turn_.notify_all();
  }

 private:
  static constexpr uint64_t failed = std::numeric_limits<uint64_t>::max();
  std::atomic<uint64_t> turn_ = 0;
};

// Runs work(worker, order) on every worker of the pool, and lets none wait for one that has failed.
template <class Work>
Status run_in_order(ThreadPool& pool, const Work& work) {
  WritingOrder order;
  FirstError error;
  pool.run([&](unsigned worker) {
    if (!error.keep(run::guarded([&] { return work(worker, order); }))) order.fail();
  });
  return error.status();
}

// Reads all pages. make(): a worker's Maker, with add(page, is_large), bytes() of what is not yet
// written, and forget_buffers(), which frees what a large page took. write(maker, worker) is called
// in the order of the input, and takes what the maker has.
template <class Make, class Write>
Status read_in_order(crawl::PageReader& reader, const run::ReadingBudget& budget, ThreadPool& pool,
                     std::string_view stage, const ProgressCallback& progress, const Make& make,
                     const Write& write) {
  // The worker that tells of the rest may find nothing left to read.
  if (progress) progress({stage, 0, static_cast<double>(reader.bytes_total()), "bytes"});
  return run_in_order(pool, [&](unsigned worker, WritingOrder& order) -> Status {
    if (worker >= budget.workers) return Status::ok();
    auto maker = make();
    crawl::PageBatch batch;
    for (;;) {
      KITH_ASSIGN(const bool more, reader.next(batch));
      if (!more) return Status::ok();
      for (const crawl::Page& page : batch.pages) {
        const bool is_large = page.body.size() > budget.page;
        if (is_large || maker.bytes() > budget.buffers) {
          if (!order.await(batch.sequence)) return Status::ok();
          KITH_TRY(write(maker, worker));
        }
        maker.add(page, is_large);
        if (!is_large) continue;
        KITH_TRY(write(maker, worker));
        maker.forget_buffers();
      }
      if (!order.await(batch.sequence)) return Status::ok();
      KITH_TRY(write(maker, worker));
      if (!batch.rest) {
        order.pass_on(batch.sequence);
        if (batch.shrink(budget.buffers)) give_back_free_memory();
      }
      if (worker == 0 && progress) {
        progress({stage, static_cast<double>(reader.bytes_done()),
                  static_cast<double>(reader.bytes_total()), "bytes"});
      }
    }
  });
}

// The first stage of `kith dedup`: documents from the input to their elements and signatures.

// How documents become elements and signatures.
text::ShingleOptions shingle_options(const ShingleOptions& options);
run::SketchParams sketch_params(const DedupOptions& options);

// What is read, and how: nameless documents, and every capture of a URL.
Result<crawl::CrawlOptions> document_options(const DedupOptions& options);

struct DocumentsRead {
  CrawlCounts crawl;
  DocumentCounts documents;
  BoilerplateReport boilerplate;
};

// Reads all inputs, or the share of a shard, and writes the files of the documents to the folder
// `path`: with all shingles, and so without sketches where some of these are to be dropped
// (common_shingles.h). Ids are the order of the input. A shard keeps the links of documents, all
// captures, and without boilerplate the texts, in place of what depends on other shards (shard.h).
// Of the memory of the resources reading takes what its pages need (ReadingBudget), and 20 bytes
// per document. With Boilerplate::remove the templates of its sites are found before
// (jobs/dedup/boilerplate.h). An error of kind usage when that is too little, or when in-links are
// to be counted and no document has a link.
Result<DocumentsRead> read_documents(const std::string& path, const DedupOptions& options,
                                     const DedupResources& resources,
                                     const ProgressCallback& progress);

// What the ways of reading documents share.
struct ReadingJob {
  const DedupOptions& options;
  const DedupResources& resources;
  const ProgressCallback& progress;
  Budget memory;       // of which reading is done
  uint64_t page_cost;  // see reading_budget()
  const run::ReadingBudget& budget;
  const KeepKeys& keys;
  LinkSink* links;                // null where in-links are not counted
  ShardCapturesWriter* captures;  // null where none are kept
  DocumentsRead& read;
};

// Lets work() make documents in the folder `path`, and counts or keeps their links there.
Result<DocumentsRead> make_documents(const std::string& path, const DedupOptions& options,
                                     const DedupResources& resources,
                                     const ProgressCallback& progress,
                                     const std::function<Status(const ReadingJob& job)>& work);

// The files of documents in the folder `path`, with titles, and sketches where they are made while
// documents are read.
Result<DocumentWriter> document_writer(storage::FileSystem& fs, const std::string& path,
                                       const DedupOptions& options);

// Writes the next documents, counts them, and clears the block.
Status write_block(const ReadingJob& job, DocumentBlock& block, DocumentWriter& writer);

}  // namespace kith::jobs
