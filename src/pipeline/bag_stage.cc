#include "pipeline/bag_stage.h"

#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "bags/bag_builder.h"
#include "base/hash.h"
#include "crawl/page_reader.h"
#include "parallel/first_error.h"
#include "text/charset.h"
#include "text/html.h"
#include "text/url.h"

namespace kith::pipeline {
namespace {

struct KeyHash {
  using is_avalanching = void;
  size_t operator()(const Key128& key) const { return key.low; }
};

// Decides, under the reader's lock and so in input order, which pages are taken: those with a
// URL of their own, the first capture of each.
class FirstCaptures {
 public:
  crawl::Admission operator()(std::string_view raw_url, std::string& canonical_url) {
    if (!text::parse_url(raw_url, nullptr, url_)) return crawl::Admission::bad_url;
    if (!seen_.insert(hash128(url_.href)).second) return crawl::Admission::duplicate;
    canonical_url = url_.href;
    return crawl::Admission::accept;
  }

 private:
  text::Url url_;
  boost::unordered_flat_set<Key128, KeyHash> seen_;
};

// One worker's way from a page's bytes to fragments; its buffers are reused.
class PageWorker {
 public:
  explicit PageWorker(bags::PageFragments& fragments) : fragments_(&fragments) {}

  Status add(const crawl::Page& page) {
    const bool is_html = page.kind == crawl::PageKind::html;
    const text::Utf8Text utf8 = text::to_utf8(page.body, page.charset, is_html, utf8_buffer_);
    if (is_html) {
      text::extract_html(utf8.bytes, text_);
    } else {
      text_.clear();
      text_.text = utf8.bytes;
    }
    // The reader admits only URLs that parse.
    text::parse_url(page.url, nullptr, url_);
    return fragments_->add(url_, text_, page.title);
  }

 private:
  bags::PageFragments* fragments_;
  std::string utf8_buffer_;
  text::HtmlText text_;
  text::Url url_;
};

bags::BagBuilderOptions builder_options(const ClusterOptions& options, uint64_t memory,
                                        unsigned workers, uint64_t input_bytes) {
  // A crawl compresses about six to one, and half of that comes back as anchor-windows.
  constexpr uint64_t fragments_per_input_byte = 3;
  bags::BagBuilderOptions builder;
  builder.fragments = {options.bags, options.links, options.window,
                       options.order == Order::inlinks};
  builder.dictionary = {options.weighting, options.min_df, options.max_df};
  builder.memory = memory;
  builder.expected_bytes = input_bytes * fragments_per_input_byte;
  builder.workers = workers;
  return builder;
}

Status read_pages(crawl::PageReader& reader, bags::BagBuilder& builder, ThreadPool& pool,
                  const ProgressCallback& progress) {
  FirstError error;
  const auto work = [&](unsigned worker) -> Status {
    PageWorker pages(builder.worker(worker));
    crawl::PageBatch batch;
    while (!error.failed()) {
      KITH_ASSIGN(const bool more, reader.next(batch));
      if (!more) break;
      for (const crawl::Page& page : batch.pages) KITH_TRY(pages.add(page));
      if (worker == 0 && progress) {
        progress({"read", static_cast<double>(reader.bytes_done()),
                  static_cast<double>(reader.bytes_total()), "bytes"});
      }
    }
    return Status::ok();
  };
  pool.run([&](unsigned worker) { error.keep(work(worker)); });
  return error.status();
}

CrawlCounts counts_of(const crawl::CrawlReport& report) {
  CrawlCounts counts;
  counts.files = report.files;
  counts.bytes_in = report.bytes_in;
  counts.bytes_unpacked = report.bytes_unpacked;
  counts.records = report.records;
  counts.pages = report.pages;
  counts.page_bytes = report.page_bytes;
  counts.cut_pages = report.cut_pages;
  counts.short_pages = report.short_pages;
  for (size_t kind = 0; kind < std::size(report.skipped); ++kind) {
    if (report.skipped[kind] == 0) continue;
    counts.skipped.emplace_back(crawl::skip_name(static_cast<crawl::Skip>(kind)),
                                report.skipped[kind]);
  }
  for (const crawl::SkipExample& example : report.examples) {
    counts.examples.push_back({std::string(crawl::skip_name(example.kind)), example.file,
                               example.offset, example.reason});
  }
  return counts;
}

TextCounts counts_of(const bags::FragmentCounts& counts) {
  return {counts.words, counts.links, counts.bad_links, counts.self_links, counts.windows};
}

BagsCounts counts_of(const bags::BagCounts& counts) {
  BagsCounts result;
  result.urls = counts.merged.urls;
  result.fetched = counts.collapsed.fetched;
  result.empty = counts.merged.empty_bags;
  result.entries = counts.merged.entries;
  result.vocabulary = counts.vocabulary;
  result.terms = counts.terms;
  result.frequent_terms = counts.frequent_terms;
  result.rescued = counts.merged.rescued_bags;
  result.cut_entries = counts.merged.cut_entries;
  result.partitions = counts.partitions;
  result.fragment_bytes = counts.fragment_bytes;
  return result;
}

}  // namespace

Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool, uint64_t memory,
                     const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  KITH_ASSIGN(crawl::PageReader reader,
              crawl::PageReader::open({options.inputs, options.base_url, options.max_page},
                                      FirstCaptures()));
  KITH_ASSIGN(
      bags::BagBuilder builder,
      bags::BagBuilder::create(
          fs, run.scratch(), builder_options(options, memory, pool.size(), reader.bytes_total())));
  KITH_TRY(read_pages(reader, builder, pool, progress));
  KITH_ASSIGN(const bags::BagCounts counts, builder.finish(pool, run.file(""), [&](double share) {
    if (progress) progress({"bags", share, 1.0, ""});
  }));
  run.report().crawl = counts_of(reader.report());
  run.report().text = counts_of(counts.fragments);
  run.report().bags = counts_of(counts);
  return Status::ok();
}

}  // namespace kith::pipeline
