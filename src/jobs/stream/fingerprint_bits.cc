#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kith/shingles.h"
#include "kith/stream_job.h"

#include "crawl/read/page_reader.h"
#include "jobs/dedup/read.h"
#include "jobs/stream/shared_prefixes.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "text/words/shingles.h"

namespace kith {
namespace {

constexpr uint32_t min_bits = jobs::min_prefix_bits;
constexpr uint32_t max_bits = 64;

// The chance that one of so many fingerprints begins with certain bits.
double chance_of(uint32_t bits, uint64_t fingerprints) {
  return -std::expm1(static_cast<double>(fingerprints) * std::log1p(-std::ldexp(1, -int(bits))));
}

// How many pages go wrong by how many bits.
void count(const SetsView& sets, const FingerprintBitsOptions& options,
           FingerprintBitsReport& report) {
  const auto prefixes = jobs::shared_prefixes(sets, options.similarity);
  // By the most bits by which a page is joined, and by the fewest by which it is parted.
  std::vector<uint64_t> joined(max_bits + 1);
  std::vector<uint64_t> parted(max_bits + 2);
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].empty()) continue;
    ++report.pages;
    ++joined[static_cast<uint32_t>(prefixes[i].unlike)];
    if (prefixes[i].alike < 0) continue;
    ++report.resembling;
    ++parted[std::max(min_bits, static_cast<uint32_t>(prefixes[i].alike) + 1)];
  }
  report.empty = sets.size() - report.pages;
  for (uint32_t bits = max_bits; bits-- > min_bits;) joined[bits] += joined[bits + 1];
  std::partial_sum(parted.begin(), parted.end(), parted.begin());
  const uint64_t others = options.documents - std::min(options.documents, report.pages);
  for (uint32_t bits = min_bits; bits <= max_bits; ++bits) {
    report.errors.push_back({bits, joined[bits], parted[bits], chance_of(bits, others)});
  }
}

uint32_t best_bits(const FingerprintBitsReport& report) {
  const auto share = [&](const FingerprintErrors& of) {
    return static_cast<double>(of.joined + of.parted) / static_cast<double>(report.pages) +
           of.chance;
  };
  const FingerprintErrors* best = &report.errors.front();
  for (const FingerprintErrors& of : report.errors) {
    if (share(of) <= share(*best)) best = &of;
  }
  return best->bits;
}

// What is left of the memory for the shingles of the sample.
Result<uint64_t> memory_of_sample(const FingerprintBitsOptions& options) {
  const uint64_t memory = run::memory_or_default(options.memory);
  KITH_TRY(run::check_reading_memory(memory, options.max_page));
  return memory - run::bytes_of_program -
         std::max(run::min_working_bytes, run::usual_page_cost * options.max_page);
}

class Sample {
 public:
  Sample(const FingerprintBitsOptions& options, uint64_t memory)
      : shingler_(jobs::shingle_options(options.shingles)), memory_(memory) {}

  Status take(const crawl::Page& page) {
    elements_.clear();
    if (!page.is_cut) shingler_.elements(text_.read(page).text, elements_);
    sets_.elements.insert(sets_.elements.end(), elements_.begin(), elements_.end());
    sets_.offsets.push_back(sets_.elements.size());
    // Of a page besides its elements: its places, its fingerprint and what was found.
    constexpr uint64_t bytes_per_page = 120;
    const uint64_t bytes =
        sets_.elements.size() * jobs::shared_prefix_bytes + sets_.size() * bytes_per_page;
    if (bytes <= memory_) return Status::ok();
    return Error{ErrorKind::usage,
                 fmt::format("the sample does not fit the memory: {} pages do; give fewer pages or "
                             "more memory",
                             sets_.size() - 1)};
  }

  const Sets& sets() const { return sets_; }

 private:
  run::PageText text_;
  text::Shingler shingler_;
  std::vector<uint64_t> elements_;
  Sets sets_;
  const uint64_t memory_;
};

Result<FingerprintBitsReport> tune(const FingerprintBitsOptions& options) {
  KITH_ASSIGN(const uint64_t memory, memory_of_sample(options));
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options));
  crawl.nameless = true;
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
  Sample sample(options, memory);
  crawl::PageBatch batch;
  for (;;) {
    KITH_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    for (const crawl::Page& page : batch.pages) {
      if (page.kind != crawl::PageKind::redirect) KITH_TRY(sample.take(page));
    }
  }
  FingerprintBitsReport report;
  report.crawl = run::counts_of(reader.report());
  count(sample.sets(), options, report);
  if (report.pages == 0) {
    return Error{ErrorKind::usage,
                 "no page of the sample has words; give pages like those of the stream"};
  }
  report.best = best_bits(report);
  return report;
}

}  // namespace

Status validate(const FingerprintBitsOptions& options) {
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  KITH_TRY(validate(options.shingles));
  if (options.similarity > 0 && options.similarity <= 1) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("similarity = {}: must be above 0 and at most 1", options.similarity)};
}

Result<FingerprintBitsReport> tune_fingerprint_bits(const FingerprintBitsOptions& options) {
  KITH_TRY(validate(options));
  return run::guarded([&] { return tune(options); });
}

}  // namespace kith
