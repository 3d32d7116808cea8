#include "jobs/cluster/bag_stage.h"

#include "jobs/cluster/read_into.h"
#include "text/words/language.h"

namespace kith::jobs {
bags::FragmentOptions fragment_options(const ClusterOptions& options) {
  bags::FragmentOptions fragments;
  fragments.kind = options.bags;
  fragments.links = options.links;
  fragments.count_inlinks = options.order == Order::inlinks;
  fragments.language = text::language_of_tag(options.language);
  fragments.window = window_of(options);
  fragments.stop_words = options.stop_words;
  fragments.keep_aliases = folds_aliases(options);
  fragments.remove_boilerplate = options.boilerplate == Boilerplate::remove;
  // Copies of a page are known by them.
  fragments.blocks = fragments.remove_boilerplate || options.bags == BagKind::both;
  return fragments;
}

bags::BagBuilderOptions builder_options(const ClusterOptions& options, uint64_t memory,
                                        unsigned workers, uint64_t input_bytes) {
  // A crawl compresses about six to one, and half of that comes back as anchor-windows.
  constexpr uint64_t fragments_per_input_byte = 3;
  bags::BagBuilderOptions builder;
  builder.fragments = fragment_options(options);
  builder.urls = options.urls;
  builder.dictionary = {options.weighting, options.min_df, options.max_df};
  builder.content_share = options.content_share;
  builder.max_terms = max_terms_of(options);
  builder.memory = run::bag_memory(memory);
  builder.reserved = memory - builder.memory;
  builder.expected_bytes = input_bytes * fragments_per_input_byte;
  builder.workers = workers;
  return builder;
}

AliasReport alias_report(const bags::FragmentCounts& met, const AliasReport& folded) {
  AliasReport report = folded;
  report.canonical = met.aliases[static_cast<size_t>(bags::AliasKind::canonical)];
  report.refresh = met.aliases[static_cast<size_t>(bags::AliasKind::refresh)];
  report.redirect = met.aliases[static_cast<size_t>(bags::AliasKind::redirect)];
  return report;
}

void report_bags(const bags::BagCounts& counts, Report& report) {
  report.text = counts.fragments;
  report.boilerplate = counts.boilerplate;
  report.aliases = alias_report(counts.fragments, counts.aliases);
  report.bags = counts.bags;
}

Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool, uint64_t memory,
                     const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  const auto make = [&](const run::ReadingBudget& budget, const crawl::PageReader& reader) {
    return bags::BagBuilder::create(
        fs, run.scratch(), builder_options(options, memory, budget.workers, reader.bytes_total()));
  };
  const auto add = [](bags::BagBuilder::Worker& worker, const crawl::PageBatch&,
                      const crawl::Page& page, const text::Url& url,
                      const text::HtmlText& text) { return worker.add(url, text, page.title); };
  KITH_ASSIGN(auto read,
              read_into<bags::BagBuilder>(options, {}, pool, memory, progress, make, add));
  KITH_ASSIGN(const bags::BagCounts counts,
              read.builder.finish(pool, run.file(""), [&](double share) {
                if (progress) progress({"bags", share, 1.0, ""});
              }));
  run.report().crawl = run::counts_of(read.reader.report());
  report_bags(counts, run.report());
  return Status::ok();
}

}  // namespace kith::jobs
