#include "jobs/dedup/read.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/machine.h"
#include "base/page_keys.h"
#include "cluster/plan/seeds.h"
#include "jobs/dedup/boilerplate.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_spool.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/shard.h"
#include "jobs/dedup/titles.h"
#include "run/captures.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "run/stage_files.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::jobs {
namespace {

// A byte of a page and, as a character of its text, its shingle; a word has two bytes or more.
uint64_t page_cost(const DedupOptions& options) {
  return options.shingles == ShingleUnit::words ? run::usual_page_cost : 1 + sizeof(uint64_t);
}

// One worker's way from pages to documents.
class PageDocuments {
 public:
  // files: the paths of the input files.
  PageDocuments(const DedupOptions& options, const KeepKeys& keys,
                const std::vector<std::string>& files)
      : maker(options),
        links(text::UrlRules::of_valid(options.url_rules)),
        captures(options),
        counts_links_(keeps_by(options, KeepKind::inlinks)),
        notes_(options, keys, files) {}

  // is_large: what the page takes matters, and is freed as soon as it can be.
  void add(const crawl::Page& page, bool is_large) {
    if (page.kind == crawl::PageKind::redirect) return;
    const text::HtmlText& html = text_->read(page);
    maker.read(html.text, is_large);
    if (counts_links_) links.add(page.url, html);
    captures.add(page);
    const std::span<const uint32_t> title = title_.read(html);
    const Status noted = notes_.read(page, html.text);
    if (!noted && !maker.block.problem) maker.block.problem = noted.error();
    const DocumentFacts facts{.name = page.url,
                              .title = title,
                              .record = page.record,
                              .offset = page.offset,
                              .time = page.time,
                              .digest = page.digest,
                              .source = notes_.source(),
                              .keep_keys = notes_.keys(),
                              .file = page.file,
                              .bytes = static_cast<uint32_t>(html.text.size()),
                              .is_cut = page.is_cut};
    if (is_large) text_.emplace();
    maker.add(facts);
  }
  uint64_t bytes() const { return maker.block.bytes(); }
  // Frees what a large page took.
  void forget_buffers() {
    maker.forget_buffers();
    text_.emplace();
    give_back_free_memory();
  }

  DocumentMaker maker;
  LinkBlock links;
  CaptureBlock captures;

 private:
  const bool counts_links_;
  std::optional<run::PageText> text_{std::in_place};
  TitleWords title_;
  DocumentNotes notes_;
};

// In-links of all documents, once all are read.
Status write_inlinks(InlinkCounter& counter, const std::string& path, DocumentCounts& documents) {
  KITH_ASSIGN(const InlinkCounts inlinks,
              counter.write(path, static_cast<uint32_t>(documents.documents)));
  documents.links = inlinks.links;
  documents.linked = inlinks.linked;
  if (inlinks.links > 0 || documents.documents == 0) return Status::ok();
  return Error{
      ErrorKind::usage,
      "keep = inlinks: no document of the input links to another URL (links are read from "
      "HTML and WAT, of documents with an http or https URL); choose keep = first, longest, "
      "shortest or quality"};
}

// Of all pages their whole texts.
Status read_whole(const ReadingJob& job, crawl::PageReader& reader, DocumentWriter& writer) {
  const auto write = [&](PageDocuments& pages, unsigned worker) -> Status {
    const auto first = static_cast<uint32_t>(writer.size());
    if (job.links != nullptr) KITH_TRY(pages.links.give(*job.links, worker, first));
    pages.links.clear();
    if (job.captures != nullptr) KITH_TRY(job.captures->add(pages.captures.rows()));
    pages.captures.clear();
    return write_block(job, pages.maker.block, writer);
  };
  return read_in_order(
      reader, job.budget, job.resources.pool, documents_stage, job.progress,
      [&] { return PageDocuments(job.options, job.keys, reader.files()); }, write);
}

// Decides which documents are read: those without a URL, and of the others one capture of each URL,
// by the rules of spelling. Documents keep their own spelling.
class ChosenDocuments {
 public:
  ChosenDocuments(PageKeys& keys, run::PageChoice choice, text::UrlRules rules)
      : captures_(keys, choice), rules_(std::move(rules)) {}

  crawl::Admission operator()(std::string_view name, int64_t time, bool /*is_name*/,
                              std::string& own_name) {
    own_name = name;
    if (!text::parse_url(name, nullptr, url_)) return crawl::Admission::accept;
    return captures_.choose(run::rewrite(rules_, url_), time);
  }

 private:
  text::Url url_;
  run::CaptureChoice captures_;
  text::UrlRules rules_;
};

// Reads all inputs for the captures of their URLs.
Status find_captures(const crawl::CrawlOptions& crawl, const text::UrlRules& rules, PageKeys& keys,
                     const DedupResources& resources, const ProgressCallback& progress) {
  KITH_ASSIGN(crawl::PageReader reader,
              crawl::PageReader::open(crawl, ChosenDocuments(keys, run::PageChoice::add, rules)));
  if (!reader.can_read_again()) return run::needs_files();
  return run::add_captures(reader, keys, resources.memory, resources.pool, progress);
}

}  // namespace

Status write_block(const ReadingJob& job, DocumentBlock& block, DocumentWriter& writer) {
  DocumentCounts& counts = job.read.documents;
  counts.documents += block.documents.size();
  counts.elements += block.elements.size();
  for (const Document& document : block.documents) counts.text_bytes += document.bytes;
  for (const uint32_t size : block.sizes) counts.empty += size == 0 ? 1 : 0;
  counts.empty -= block.cut;
  counts.cut += block.cut;
  if (block.problem) return *block.problem;
  KITH_TRY(writer.add(block));
  block.clear();
  return Status::ok();
}

Result<crawl::CrawlOptions> document_options(const DedupOptions& options) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options));
  crawl.nameless = true;
  crawl.fields = crawl::RowFields(options, false, extra_fields(options));
  return crawl;
}

text::ShingleOptions shingle_options(const ShingleOptions& options) {
  text::ShingleOptions shingles;
  shingles.tokens.unit =
      options.shingles == ShingleUnit::words ? text::TokenUnit::words : text::TokenUnit::characters;
  shingles.tokens.normalize = options.normalize;
  shingles.tokens.numbers = options.numbers;
  shingles.width = options.width;
  shingles.bag = options.bag;
  return shingles;
}

// Bins, whatever the documents are: their error is never larger, and time differs only where
// documents are very short (docs/algorithms/near-duplicates.md).
run::SketchParams sketch_params(const DedupOptions& options) {
  run::SketchParams params;
  params.family = sketch::MinHashFamily::bins;
  params.lanes = options.lanes;
  params.seed = cluster::seed_for(options, cluster::SeedUse::dedup_sketch);
  const text::ShingleOptions shingles = shingle_options(options);
  params.elements = hash64(fmt::format(
      "{} {} {} {} {} {} {:x}", name(options.shingles), options.width, options.bag,
      options.normalize, name(options.numbers), text::tokens_version, shingles.tokens.seed));
  return params;
}

Result<DocumentWriter> document_writer(storage::FileSystem& fs, const std::string& path,
                                       const DedupOptions& options) {
  std::optional<run::SketchParams> sketches;
  if (sketches_while_reading(options)) sketches = sketch_params(options);
  return DocumentWriter::create(fs, path, sketches, true, stored_keys(options));
}

namespace {

// Documents of the pages, or in a shard without boilerplate their texts. The months of documents.
Result<Months> read_pages(const std::string& path, const ReadingJob& job,
                          crawl::PageReader& reader) {
  const bool removes = job.options.boilerplate == Boilerplate::remove;
  storage::FileSystem& fs = job.resources.fs;
  if (removes && job.options.shards > 0) {
    KITH_ASSIGN(ShardTextsWriter texts, ShardTextsWriter::create(fs, path));
    KITH_TRY(spool_texts(job, reader, [&](SpoolPart& part) { return texts.append(part); }));
    job.read.documents.documents = texts.documents();
    KITH_TRY(texts.finish(reader.files()));
    return Months();
  }
  KITH_ASSIGN(DocumentWriter writer, document_writer(fs, path, job.options));
  KITH_TRY(removes ? write_without_boilerplate(
                         job, writer,
                         [&](const TakeTexts& take) { return spool_texts(job, reader, take); })
                   : read_whole(job, reader, writer));
  KITH_TRY(writer.finish(reader.files()));
  return writer.months();
}

}  // namespace

Result<DocumentsRead> make_documents(const std::string& path, const DedupOptions& options,
                                     const DedupResources& resources,
                                     const ProgressCallback& progress,
                                     const std::function<Status(const ReadingJob& job)>& work) {
  const uint64_t cost = page_cost(options);
  KITH_TRY(run::check_reading_memory(resources.memory, options.max_page, cost));
  const bool counts_links = keeps_by(options, KeepKind::inlinks);
  KITH_ASSIGN(const KeepKeys keys, KeepKeys::make(options));
  Budget left = resources.memory;
  std::optional<InlinkCounter> inlinks;
  std::unique_ptr<ShardLinksWriter> links;
  if (counts_links && options.shards > 0) {
    KITH_ASSIGN(links, ShardLinksWriter::create(resources.fs, path));
  } else if (counts_links) {
    const Budget memory = run::working_memory(resources.memory, 0).share(Share::links);
    inlinks.emplace(resources.fs, resources.pool, resources.scratch + "/inlinks", memory);
    left = left.without(Share::links, memory.bytes());
  }
  std::unique_ptr<ShardCapturesWriter> captures;
  if (keeps_captures(options)) {
    KITH_ASSIGN(captures, ShardCapturesWriter::create(resources.fs, path));
  }
  const run::ReadingBudget budget =
      run::reading_budget(left, options.max_page, resources.pool.size(), cost);
  LinkSink* const sink = inlinks ? static_cast<LinkSink*>(&*inlinks) : links.get();
  DocumentsRead read;
  KITH_TRY(
      work({options, resources, progress, left, cost, budget, keys, sink, captures.get(), read}));
  if (links) KITH_TRY(links->finish());
  if (captures) KITH_TRY(captures->finish());
  if (inlinks) {
    KITH_TRY(write_inlinks(*inlinks, path + "/" + std::string(inlinks_file), read.documents));
  }
  return read;
}

Result<DocumentsRead> read_documents(const std::string& path, const DedupOptions& options,
                                     const DedupResources& resources,
                                     const ProgressCallback& progress) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, document_options(options));
  if (options.shards > 0) crawl.share = {options.shard, options.shards};
  PageKeys keys(options.captures);
  DedupResources left = resources;
  crawl::Admit admit;  // none: all captures are documents
  if (options.captures != Captures::all && !keeps_captures(options)) {
    const auto rules = text::UrlRules::of_valid(options.url_rules);
    KITH_TRY(find_captures(crawl, rules, keys, resources, progress));
    left.memory = left.memory.without(Share::page_keys, keys.size() * run::bytes_of_page_key);
    admit = ChosenDocuments(keys, run::PageChoice::take, rules);
  }
  return make_documents(path, options, left, progress, [&](const ReadingJob& job) -> Status {
    crawl.decoded_bytes = job.budget.decoded;
    KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, std::move(admit)));
    KITH_ASSIGN(Months months, read_pages(path, job, reader));
    job.read.crawl = run::counts_of(reader.report());
    job.read.crawl.months = std::move(months);
    return Status::ok();
  });
}

}  // namespace kith::jobs
