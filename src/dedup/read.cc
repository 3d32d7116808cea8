#include "dedup/read.h"

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "base/free_memory.h"
#include "base/hash.h"
#include "base/machine.h"
#include "dedup/boilerplate.h"
#include "dedup/files.h"
#include "dedup/inlink_counter.h"
#include "dedup/methods.h"
#include "dedup/page_links.h"
#include "parallel/first_error.h"
#include "plan/seeds.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "run/stage_files.h"
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

// Else sketches are made when it is known which shingles are common.
bool sketches_while_reading(const DedupOptions& options) {
  return needs_signatures(options) && options.max_documents == 0;
}

// A byte of a page and, as a character of its text, its shingle; a word has two bytes or more.
uint64_t page_cost(const DedupOptions& options) {
  const uint64_t shingled =
      options.shingles == ShingleUnit::words ? usual_page_cost : 1 + sizeof(uint64_t);
  return shingled + (options.boilerplate == Boilerplate::remove ? boilerplate_page_cost : 0);
}

// One worker's way from pages to documents.
class DocumentMaker {
 public:
  // tally: null where boilerplate is kept; it outlives this object.
  DocumentMaker(const DedupOptions& options, bags::BoilerplateTally* tally)
      : options_(options), shingler_(shingle_options(options)) {
    if (tally != nullptr) filter_.emplace(*tally);
    if (sketches_while_reading(options)) {
      const index::SketchParams params = sketch_params(options);
      hasher_.emplace(SetSketchOptions{params.family, params.lanes, params.seed});
    }
  }

  // is_large: what the page takes matters, and is freed as soon as it can be.
  void add(const crawl::Page& page, bool is_large) {
    if (page.kind == crawl::PageKind::redirect) return;
    const text::HtmlText& html = text_->read(page);
    const std::string_view text = filter_ ? filter_->filter(page.url, html) : html.text;
    // Growing would take half as much again, and leave holes.
    if (is_large) elements_.reserve(shingler_.count_tokens(text));
    shingler_.read(text, elements_);
    const uint64_t text_hash = text::hash_of_text(elements_);
    // What is removed must be like what is kept to its last word.
    if (page.is_cut) elements_.clear();
    block.cut += page.is_cut ? 1 : 0;
    if (options_.keep == Keep::inlinks) links.add(page.url, html);
    read_title(html.title, splitter_, title_);
    block.title_words.insert(block.title_words.end(), title_.begin(), title_.end());
    block.title_sizes.push_back(static_cast<uint8_t>(title_.size()));
    Document document;
    document.record = page.record;
    document.file = page.file;
    document.bytes = static_cast<uint32_t>(html.text.size());
    if (is_large) text_.emplace();
    shingler_.make_elements(elements_);
    if (!elements_.empty()) {
      document.fingerprint = hash64(std::as_bytes(std::span<const uint64_t>(elements_)));
      document.text = text_hash;
    }
    block.documents.push_back(document);
    block.names.emplace_back(page.url);
    block.sizes.push_back(static_cast<uint32_t>(elements_.size()));
    if (hasher_) {
      block.signatures.resize(block.signatures.size() + hasher_->lanes());
      hasher_->sketch(elements_, std::span(block.signatures).last(hasher_->lanes()));
    }
    if (block.elements.empty()) {
      block.elements.swap(elements_);
    } else {
      block.elements.insert(block.elements.end(), elements_.begin(), elements_.end());
    }
  }

  // Frees what a large page took.
  void forget_buffers() {
    block = {};
    text_.emplace();
    shingler_ = text::Shingler(shingle_options(options_));
    free_memory(elements_);
    if (filter_) filter_->forget_buffers();
    give_back_free_memory();
  }

  void clear() {
    block.clear();
    links.clear();
  }

  // Of all documents so far.
  BoilerplateReport boilerplate() const {
    return filter_ ? filter_->counts() : BoilerplateReport();
  }

  DocumentBlock block;
  LinkBlock links;

 private:
  const DedupOptions& options_;
  std::optional<PageText> text_{std::in_place};
  std::optional<DocumentFilter> filter_;
  text::Shingler shingler_;
  std::optional<SetSketcher> hasher_;
  std::vector<uint64_t> elements_;
  text::WordSplitter splitter_;
  std::vector<uint32_t> title_;
};

void count(const DocumentBlock& block, DocumentCounts& counts) {
  counts.documents += block.documents.size();
  counts.elements += block.elements.size();
  for (const Document& document : block.documents) counts.text_bytes += document.bytes;
  for (const uint32_t size : block.sizes) counts.empty += size == 0 ? 1 : 0;
  counts.empty -= block.cut;
  counts.cut += block.cut;
}

void add(const BoilerplateReport& more, BoilerplateReport& counts) {
  counts.words += more.words;
  counts.left_out += more.left_out;
  counts.kept_whole += more.kept_whole;
}

// Nothing where boilerplate is kept.
Result<std::unique_ptr<bags::BoilerplateTally>> make_tally(const DedupOptions& options,
                                                           const DedupResources& resources,
                                                           const ProgressCallback& progress) {
  if (options.boilerplate == Boilerplate::keep) return std::unique_ptr<bags::BoilerplateTally>();
  KITH_ASSIGN(bags::Templates templates, find_templates(options, resources, progress));
  return std::make_unique<bags::BoilerplateTally>(std::move(templates));
}

// Bytes that the templates take while documents are read.
uint64_t bytes_of(const bags::BoilerplateTally* tally) {
  return tally == nullptr ? 0 : tally->templates().blocks() * bags::Templates::bytes_of_entry;
}

// Hosts and blocks, beside what the workers have counted.
void add_hosts(const bags::BoilerplateTally* tally, BoilerplateReport& counts) {
  if (tally == nullptr) return;
  BoilerplateReport hosts = tally->report();
  hosts.words = counts.words;
  hosts.left_out = counts.left_out;
  hosts.kept_whole = counts.kept_whole;
  counts = std::move(hosts);
}

// In-links of all documents, once all are read.
Status write_inlinks(InlinkCounter& counter, const std::string& path, DocumentCounts& documents) {
  KITH_ASSIGN(const InlinkCounts inlinks,
              counter.write(path, static_cast<uint32_t>(documents.documents)));
  documents.links = inlinks.links;
  documents.linked = inlinks.linked;
  if (inlinks.links > 0 || documents.documents == 0) return Status::ok();
  return Error{
      ErrorKind::usage,
      "--keep inlinks: no document of the input links to another URL (links are read from "
      "HTML and WAT, of documents with an http or https URL); choose --keep first, longest "
      "or shortest"};
}

}  // namespace

Result<crawl::CrawlOptions> document_options(const DedupOptions& options) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, crawl_options(options));
  crawl.nameless = true;
  return crawl;
}

text::ShingleOptions shingle_options(const ShingleOptions& options) {
  text::ShingleOptions shingles;
  shingles.tokens.unit =
      options.unit == ShingleUnit::words ? text::TokenUnit::words : text::TokenUnit::characters;
  shingles.tokens.normalize = options.normalize;
  shingles.tokens.numbers = options.numbers;
  shingles.width = options.width;
  shingles.bag = options.bag;
  return shingles;
}

text::ShingleOptions shingle_options(const DedupOptions& options) {
  return shingle_options(ShingleOptions{options.shingles, options.width, options.bag,
                                        options.normalize, options.numbers});
}

// Bins, whatever the documents are: their error is never larger, and time differs only where
// documents are very short (docs/algorithms/near-duplicates.md).
index::SketchParams sketch_params(const DedupOptions& options) {
  index::SketchParams params;
  params.family = MinHashFamily::bins;
  params.lanes = options.lanes;
  params.seed = seed_for(options, SeedUse::dedup_sketch);
  const text::ShingleOptions shingles = shingle_options(options);
  params.elements = hash64(fmt::format(
      "{} {} {} {} {} {} {:x}", name(options.shingles), options.width, options.bag,
      options.normalize, name(options.numbers), text::tokens_version, shingles.tokens.seed));
  return params;
}

Result<DocumentsRead> read_documents(const std::string& path, const DedupOptions& options,
                                     const DedupResources& resources,
                                     const ProgressCallback& progress) {
  const uint64_t cost = page_cost(options);
  KITH_TRY(check_reading_memory(resources.memory, options.max_page, cost));
  KITH_ASSIGN(const auto tally, make_tally(options, resources, progress));
  const bool counts_links = options.keep == Keep::inlinks;
  const uint64_t link_memory = counts_links ? working_memory(resources.memory, 0) / 4 : 0;
  const uint64_t taken = std::min(resources.memory, link_memory + bytes_of(tally.get()));
  const ReadingBudget budget =
      reading_budget(resources.memory - taken, options.max_page, resources.pool.size(), cost);
  KITH_ASSIGN(crawl::CrawlOptions crawl, document_options(options));
  crawl.decoded_bytes = budget.decoded;
  // Every capture of a URL is a document, so that none is refused.
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
  std::optional<index::SketchParams> sketches;
  if (sketches_while_reading(options)) sketches = sketch_params(options);
  KITH_ASSIGN(DocumentWriter writer, DocumentWriter::create(resources.fs, path, sketches, true));
  std::optional<InlinkCounter> inlinks;
  if (counts_links) {
    inlinks.emplace(resources.fs, resources.pool, resources.scratch + "/inlinks", link_memory);
  }
  DocumentsRead read;
  BatchOrder order;
  FirstError error;
  std::mutex counting;  // guards read.boilerplate
  // In the turn of the batch.
  const auto write = [&](DocumentMaker& maker, unsigned worker) -> Status {
    const auto first = static_cast<uint32_t>(writer.size());
    KITH_TRY(writer.add(maker.block));
    count(maker.block, read.documents);
    if (inlinks) KITH_TRY(maker.links.give(*inlinks, worker, first));
    maker.clear();
    return Status::ok();
  };
  const auto work = [&](unsigned worker) -> Status {
    if (worker >= budget.workers) return Status::ok();
    DocumentMaker maker(options, tally.get());
    crawl::PageBatch batch;
    for (;;) {
      KITH_ASSIGN(const bool more, reader.next(batch));
      if (!more) {
        const std::lock_guard lock(counting);
        add(maker.boilerplate(), read.boilerplate);
        return Status::ok();
      }
      for (const crawl::Page& page : batch.pages) {
        const bool is_large = page.body.size() > budget.page;
        if (is_large || maker.block.bytes() > budget.buffers) {
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
        progress({documents_stage, static_cast<double>(reader.bytes_done()),
                  static_cast<double>(reader.bytes_total()), "bytes"});
      }
    }
  };
  resources.pool.run([&](unsigned worker) {
    if (!error.keep(guarded([&] { return work(worker); }))) order.fail();
  });
  KITH_TRY(error.status());
  KITH_TRY(writer.finish(reader.files()));
  if (inlinks) {
    KITH_TRY(write_inlinks(*inlinks, path + "/" + std::string(inlinks_file), read.documents));
  }
  add_hosts(tally.get(), read.boilerplate);
  read.crawl = counts_of(reader.report());
  return read;
}

}  // namespace kith::pipeline
