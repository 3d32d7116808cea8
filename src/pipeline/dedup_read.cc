#include "pipeline/dedup_read.h"

#include <atomic>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/hash.h"
#include "parallel/first_error.h"
#include "pipeline/dedup_seeds.h"
#include "pipeline/pages.h"
#include "pipeline/stage_files.h"
#include "sketch/minhash.h"

namespace kith::pipeline {
namespace {

// Lets batch after batch write, whichever worker has them.
class BatchOrder {
 public:
  // Returns when it is the turn of a batch; false when a batch has failed, and none will follow.
  bool await(uint64_t sequence) {
    for (;;) {
      const uint64_t now = turn_.load(std::memory_order_acquire);
      if (now == failed) return false;
      if (now == sequence) return true;
      turn_.wait(now, std::memory_order_acquire);
    }
  }
  void pass_on(uint64_t sequence) { set(sequence + 1); }
  void fail() { set(failed); }

 private:
  static constexpr uint64_t failed = std::numeric_limits<uint64_t>::max();
  void set(uint64_t value) {
    turn_.store(value, std::memory_order_release);
    turn_.notify_all();
  }
  std::atomic<uint64_t> turn_ = 0;
};

// One worker's way from pages to documents.
class DocumentMaker {
 public:
  explicit DocumentMaker(const DedupOptions& options) : shingler_(shingle_options(options)) {
    if (options.method == DedupMethod::minhash) {
      const index::SketchParams params = sketch_params(options);
      hasher_.emplace(MinHashOptions{params.family, params.lanes, params.seed});
    }
  }

  void add(const crawl::Page& page) {
    if (page.kind == crawl::PageKind::redirect) return;
    const std::string_view text = text_.read(page).text;
    shingler_.elements(text, elements_);
    Document document;
    document.record = page.record;
    document.file = page.file;
    document.bytes = static_cast<uint32_t>(text.size());
    if (!elements_.empty()) {
      document.fingerprint = hash64(std::as_bytes(std::span<const uint64_t>(elements_)));
    }
    block.documents.push_back(document);
    block.names.emplace_back(page.url);
    block.elements.insert(block.elements.end(), elements_.begin(), elements_.end());
    block.sizes.push_back(static_cast<uint32_t>(elements_.size()));
    if (!hasher_) return;
    block.signatures.resize(block.signatures.size() + hasher_->lanes());
    hasher_->sketch(elements_, std::span(block.signatures).last(hasher_->lanes()));
  }

  DocumentBlock block;

 private:
  PageText text_;
  text::Shingler shingler_;
  std::optional<MinHasher> hasher_;
  std::vector<uint64_t> elements_;
};

void count(const DocumentBlock& block, DocumentCounts& counts) {
  counts.documents += block.documents.size();
  counts.elements += block.elements.size();
  for (const Document& document : block.documents) counts.text_bytes += document.bytes;
  for (const uint32_t size : block.sizes) counts.empty += size == 0 ? 1 : 0;
}

}  // namespace

Result<crawl::CrawlOptions> crawl_options(const DedupOptions& options) {
  crawl::CrawlOptions crawl;
  crawl.inputs = options.inputs;
  crawl.base_url = options.base_url;
  crawl.max_page = options.max_page;
  KITH_ASSIGN(crawl.status, crawl::StatusSet::parse(options.status));
  crawl.strict = options.strict;
  crawl.nameless = true;
  return crawl;
}

text::ShingleOptions shingle_options(const DedupOptions& options) {
  text::ShingleOptions shingles;
  shingles.tokens.unit =
      options.shingles == ShingleUnit::words ? text::TokenUnit::words : text::TokenUnit::characters;
  shingles.tokens.normalize = options.normalize;
  shingles.width = options.width;
  shingles.bag = options.bag;
  return shingles;
}

// Bins, whatever the documents are: their error is never larger, and time differs only where
// documents are very short (docs/algorithms/near-duplicates.md).
index::SketchParams sketch_params(const DedupOptions& options) {
  index::SketchParams params;
  params.kind = index::SketchKind::minhash;
  params.family = MinHashFamily::bins;
  params.lanes = options.lanes;
  params.seed = seed_for(options, DedupSeed::sketch);
  const text::ShingleOptions shingles = shingle_options(options);
  params.elements = hash64(fmt::format("{} {} {} {} {:x}", name(options.shingles), options.width,
                                       options.bag, options.normalize, shingles.tokens.seed));
  return params;
}

Result<DocumentsRead> read_documents(storage::FileSystem& fs, const std::string& path,
                                     const DedupOptions& options, ThreadPool& pool,
                                     const ProgressCallback& progress) {
  KITH_ASSIGN(const crawl::CrawlOptions crawl, crawl_options(options));
  // Every capture of a URL is a document, so that none is refused.
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
  std::optional<index::SketchParams> sketches;
  if (options.method == DedupMethod::minhash) sketches = sketch_params(options);
  KITH_ASSIGN(DocumentWriter writer, DocumentWriter::create(fs, path, sketches));
  DocumentsRead read;
  BatchOrder order;
  FirstError error;
  const auto work = [&](unsigned worker) -> Status {
    DocumentMaker maker(options);
    crawl::PageBatch batch;
    for (;;) {
      KITH_ASSIGN(const bool more, reader.next(batch));
      if (!more) return Status::ok();
      maker.block.clear();
      for (const crawl::Page& page : batch.pages) maker.add(page);
      if (!order.await(batch.sequence)) return Status::ok();
      KITH_TRY(writer.add(maker.block));
      count(maker.block, read.documents);
      if (!batch.rest) order.pass_on(batch.sequence);
      if (worker == 0 && progress) {
        progress({documents_stage, static_cast<double>(reader.bytes_done()),
                  static_cast<double>(reader.bytes_total()), "bytes"});
      }
    }
  };
  pool.run([&](unsigned worker) {
    if (!error.keep(work(worker))) order.fail();
  });
  KITH_TRY(error.status());
  KITH_TRY(writer.finish(reader.files()));
  read.crawl = counts_of(reader.report());
  return read;
}

}  // namespace kith::pipeline
