#include "jobs/dedup/boilerplate.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bags/boilerplate/blocks.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "crawl/read/page_reader.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_spool.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "jobs/dedup/titles.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::jobs {
namespace {

// Standard input and pipes.
bool is_read_once(const std::string& input) {
  std::error_code error;
  const auto kind = std::filesystem::status(input, error).type();
  return input == "-" || kind == std::filesystem::file_type::fifo ||
         kind == std::filesystem::file_type::character;
}

Result<bool> begins_with_markup(const DedupOptions& options) {
  constexpr int looked_at = 100;
  KITH_ASSIGN(const crawl::CrawlOptions crawl, document_options(options));
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
  crawl::PageBatch batch;
  for (int pages = 0;;) {
    KITH_ASSIGN(const bool more, reader.next(batch));
    if (!more) return false;
    for (const crawl::Page& page : batch.pages) {
      if (page.kind == crawl::PageKind::html) return true;
      if (page.kind != crawl::PageKind::redirect && ++pages == looked_at) return false;
    }
  }
}

// All shards must choose alike.
Error say_boilerplate(const Error& error) {
  return {error.kind, error.message +
                          "; whether boilerplate is left out follows the first documents of all "
                          "inputs: say it for every shard, with boilerplate = remove or keep"};
}

}  // namespace

Result<Boilerplate> chosen_boilerplate(const DedupOptions& options) {
  if (options.boilerplate) return *options.boilerplate;
  const bool finds_equal = !finds_pairs(options);
  if (finds_equal || std::ranges::any_of(options.inputs, is_read_once)) return Boilerplate::keep;
  const Result<bool> has_markup = begins_with_markup(options);
  if (!has_markup && options.shards > 0) return say_boilerplate(has_markup.error());
  // Of a finished run, what it was made of is said to be missing.
  if (!has_markup && has_markup.error().kind != ErrorKind::not_found) return has_markup.error();
  return has_markup && *has_markup ? Boilerplate::remove : Boilerplate::keep;
}

Result<bags::Templates> find_templates(const DocumentSpool& spool, const DedupResources& resources,
                                       unsigned workers) {
  std::vector<bags::PageDigest> digests(workers);
  const auto for_each = [&](const bags::WantsBlocks&, const bags::VisitPage& visit) {
    return spool.for_each_blocks(resources.pool, workers,
                                 [&](unsigned worker, const SpooledBlocks& document) -> Status {
                                   if (!document.is_first) return Status::ok();
                                   digests[worker].url = document.url;
                                   digests[worker].blocks = document.blocks;
                                   return visit(worker, digests[worker]);
                                 });
  };
  return bags::find_templates(
      resources.fs, resources.pool, for_each,
      {.scratch = resources.scratch + "/templates-", .memory = run::bag_memory(resources.memory)});
}

std::string_view DocumentFilter::filter(const SpooledBlocks& document, std::span<char> text) {
  const std::string_view whole(text.data(), text.size());
  if (!tally_->templates().knows(bags::sites_of(document.url))) return whole;
  counts_.words += document.words;
  const uint64_t left_out = filter_.choose(document.url, document.blocks, document.words);
  if (left_out == 0) return whole;
  if (left_out == document.words) {
    ++counts_.kept_whole;
    return whole;
  }
  counts_.left_out += left_out;
  size_t size = 0;
  for (size_t i = 0; i < document.blocks.size(); ++i) {
    const size_t begin = document.offsets[i];
    const bool is_last = i + 1 == document.blocks.size();
    const size_t end = is_last ? text.size() : document.offsets[i + 1];
    if (filter_.leaves_out(i)) {
      const bool is_behind_text = size > 0 && text[size - 1] != '\n';
      if (is_behind_text) text[size++] = '\n';
      continue;
    }
    std::memmove(text.data() + size, text.data() + begin, end - begin);
    size += end - begin;
  }
  return whole.substr(0, size);
}

namespace {

constexpr std::string_view pages_stage = "read";

// One worker's way from pages to texts and their blocks.
class PageTexts {
 public:
  PageTexts(const DedupOptions& options, const KeepKeys& keys,
            const std::vector<std::string>& files)
      : links(text::UrlRules::of_valid(options.url_rules)),
        captures(options),
        counts_links_(keeps_by(options, KeepKind::inlinks)),
        notes_(options, keys, files),
        rules_(text::UrlRules::of_valid(options.url_rules)) {}

  void add(const crawl::Page& page, bool is_large) {
    if (page.kind == crawl::PageKind::redirect) return;
    const text::HtmlText& html = text_->read(page);
    if (counts_links_) links.add(page.url, html);
    captures.add(page);
    const std::span<const uint32_t> title = title_.read(html);
    const bool has_url = text::parse_url(page.url, nullptr, url_);
    if (has_url) rules_.apply(url_);
    blocks_.url = has_url ? std::string_view(url_.href) : std::string_view();
    read_blocks(html, has_url);
    const Status noted = notes_.read(page, html.text);
    if (!noted && !problem) problem = noted.error();
    part.add(blocks_,
             {.name = page.url,
              .title = title,
              .record = page.record,
              .offset = page.offset,
              .time = page.time,
              .digest = page.digest,
              .source = notes_.source(),
              .keep_keys = notes_.keys(),
              .file = page.file,
              .is_cut = page.is_cut},
             html.text);
    if (is_large) text_.emplace();
  }
  uint64_t bytes() const { return part.bytes(); }
  void forget_buffers() {
    text_.emplace();
    part.free();
    blocks_ = {};
    give_back_free_memory();
  }

  SpoolPart part;
  LinkBlock links;
  CaptureBlock captures;
  std::optional<Error> problem;  // of the first document that ends the job

 private:
  void read_blocks(const text::HtmlText& html, bool has_url) {
    blocks_.blocks.clear();
    blocks_.offsets.clear();
    blocks_.words = 0;
    if (!has_url) return;
    blocks_.words = reader_.read(html, blocks_.blocks, blocks_.offsets);
  }

  const bool counts_links_;
  DocumentNotes notes_;
  text::UrlRules rules_;
  std::optional<run::PageText> text_{std::in_place};
  TitleWords title_;
  text::Url url_;
  bags::BlockReader reader_;
  SpooledBlocks blocks_;
};

void add(const BoilerplateReport& more, BoilerplateReport& counts) {
  counts.words += more.words;
  counts.left_out += more.left_out;
  counts.kept_whole += more.kept_whole;
}

// Ends a worker after the first error, which is the one that is told.
Error another_failed() {
  return {ErrorKind::io, "another thread has failed"};
}

// Documents of what the templates leave of the texts.
Status write_documents(const ReadingJob& job, const DocumentSpool& spool,
                       bags::BoilerplateTally& tally, DocumentWriter& writer) {
  const uint64_t templates = tally.templates().blocks() * bags::Templates::bytes_of_entry;
  const run::ReadingBudget budget =
      run::reading_budget(job.memory.without(Share::templates, templates), job.options.max_page,
                          job.resources.pool.size(), job.page_cost);
  std::atomic<size_t> next = 0;
  std::mutex counting;  // guards the report
  const auto work = [&](unsigned worker, WritingOrder& order) -> Status {
    if (worker >= budget.workers) return Status::ok();
    DocumentMaker maker(job.options);
    DocumentFilter filter(tally);
    std::string buffer;
    for (;;) {
      const size_t part = next++;
      if (part >= spool.parts()) break;
      const auto write = [&]() -> Status {
        if (!order.await(part)) return another_failed();
        return write_block(job, maker.block, writer);
      };
      const auto make = [&](const SpooledBlocks& blocks, DocumentFacts facts,
                            std::string_view text) -> Status {
        const bool is_large = text.size() > budget.page;
        if (is_large || maker.block.bytes() > budget.buffers) KITH_TRY(write());
        facts.bytes = static_cast<uint32_t>(text.size());
        facts.text = hash64(text);
        char* const bytes = buffer.data() + (text.data() - buffer.data());
        maker.read(filter.filter(blocks, {bytes, text.size()}), is_large);
        maker.add(facts);
        if (!is_large) return Status::ok();
        KITH_TRY(write());
        maker.forget_buffers();
        return Status::ok();
      };
      KITH_TRY(spool.for_each(part, buffer, make));
      KITH_TRY(write());
      order.pass_on(part);
      if (buffer.capacity() > budget.buffers) {
        free_memory(buffer);
        give_back_free_memory();
      }
      if (worker == 0 && job.progress) {
        job.progress({documents_stage, static_cast<double>(spool.bytes_until(part)),
                      static_cast<double>(spool.bytes()), "bytes"});
      }
    }
    const std::lock_guard lock(counting);
    add(filter.counts(), job.read.boilerplate);
    return Status::ok();
  };
  return run_in_order(job.resources.pool, work);
}

}  // namespace

Status spool_texts(const ReadingJob& job, crawl::PageReader& reader, const TakeTexts& take) {
  uint32_t documents = 0;
  // In the turn of the batch.
  const auto write = [&](PageTexts& pages, unsigned worker) -> Status {
    if (job.links != nullptr) KITH_TRY(pages.links.give(*job.links, worker, documents));
    pages.links.clear();
    if (job.captures != nullptr) KITH_TRY(job.captures->add(pages.captures.rows()));
    pages.captures.clear();
    documents += pages.part.documents();
    if (pages.problem) return *pages.problem;
    KITH_TRY(take(pages.part));
    pages.part.clear();
    return Status::ok();
  };
  return read_in_order(
      reader, job.budget, job.resources.pool, pages_stage, job.progress,
      [&] { return PageTexts(job.options, job.keys, reader.files()); }, write);
}

Status write_without_boilerplate(const ReadingJob& job, DocumentWriter& writer,
                                 const std::function<Status(const TakeTexts& take)>& read) {
  const DedupResources& resources = job.resources;
  KITH_ASSIGN(const auto spool, DocumentSpool::create(resources.fs, resources.scratch + "/texts"));
  // Of every URL the first sound capture.
  auto keys = std::make_unique<PageKeys>();
  const auto is_first = [&](std::string_view url) -> Result<bool> {
    const bool is_new = keys->add(hash128(url));
    KITH_TRY(run::check_pages(resources.memory, keys->size()));
    return is_new;
  };
  KITH_TRY(read([&](SpoolPart& part) { return spool->append(part, is_first); }));
  keys.reset();
  KITH_TRY(spool->close());
  KITH_ASSIGN(bags::Templates templates, find_templates(*spool, resources, job.budget.workers));
  bags::BoilerplateTally tally(std::move(templates));
  KITH_TRY(write_documents(job, *spool, tally, writer));
  KITH_TRY(spool->remove());
  BoilerplateReport hosts = tally.report();
  add(job.read.boilerplate, hosts);
  job.read.boilerplate = std::move(hosts);
  return Status::ok();
}

}  // namespace kith::jobs
