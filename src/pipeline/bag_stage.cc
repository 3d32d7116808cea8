#include "pipeline/bag_stage.h"

#include <utility>

#include "bags/bag_builder.h"
#include "crawl/page_reader.h"
#include "parallel/first_error.h"
#include "pipeline/pages.h"
#include "text/language.h"
#include "text/url.h"

namespace kith::pipeline {
namespace {

// One worker's way from a page's bytes to fragments; its buffers are reused.
class PageWorker {
 public:
  explicit PageWorker(bags::PageFragments& fragments) : fragments_(&fragments) {}

  Status add(const crawl::Page& page) {
    // The reader admits only pages whose URL parses; redirects it does not admit at all.
    const bool has_url = text::parse_url(page.url, nullptr, url_);
    if (page.kind == crawl::PageKind::redirect) {
      if (has_url) fragments_->add_redirect(url_, page.location);
      return Status::ok();
    }
    return fragments_->add(url_, text_.read(page), page.title);
  }

 private:
  bags::PageFragments* fragments_;
  PageText text_;
  text::Url url_;
};

bags::BagBuilderOptions builder_options(const ClusterOptions& options, uint64_t memory,
                                        unsigned workers, uint64_t input_bytes) {
  // A crawl compresses about six to one, and half of that comes back as anchor-windows.
  constexpr uint64_t fragments_per_input_byte = 3;
  bags::BagBuilderOptions builder;
  builder.fragments = {options.bags,
                       options.links,
                       options.window,
                       options.order == Order::inlinks,
                       text::language_of_tag(options.language),
                       options.aliases};
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

TextCounts counts_of(const bags::FragmentCounts& counts) {
  return {counts.words, counts.links, counts.bad_links, counts.self_links, counts.windows};
}

AliasReport alias_report(const bags::BagCounts& counts) {
  const auto met = [&](bags::AliasKind kind) {
    return counts.fragments.aliases[static_cast<size_t>(kind)];
  };
  return {met(bags::AliasKind::canonical), met(bags::AliasKind::refresh),
          met(bags::AliasKind::redirect),  counts.aliases.folded,
          counts.aliases.targets,          counts.aliases.largest,
          counts.aliases.largest_target};
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
  KITH_ASSIGN(crawl::PageReader reader, open_pages(options));
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
  run.report().aliases = alias_report(counts);
  run.report().bags = counts_of(counts);
  return Status::ok();
}

}  // namespace kith::pipeline
