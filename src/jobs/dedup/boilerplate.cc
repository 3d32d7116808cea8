#include "jobs/dedup/boilerplate.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "crawl/read/page_reader.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "run/memory_budget.h"

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

}  // namespace

Result<Boilerplate> chosen_boilerplate(const DedupOptions& options) {
  if (options.boilerplate) return *options.boilerplate;
  const bool finds_equal = !finds_pairs(options);
  if (finds_equal || std::ranges::any_of(options.inputs, is_read_once)) return Boilerplate::keep;
  const Result<bool> has_markup = begins_with_markup(options);
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
  const uint64_t memory = run::bag_memory(resources.memory);
  return bags::find_templates(resources.fs, resources.pool, for_each,
                              {.scratch = resources.scratch + "/templates-",
                               .memory = memory,
                               .reserved = resources.memory - memory});
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

}  // namespace kith::jobs
