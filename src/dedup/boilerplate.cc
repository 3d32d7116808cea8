#include "dedup/boilerplate.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "bags/vocabulary/vocabulary.h"
#include "base/free_memory.h"
#include "run/memory_budget.h"
#include "run/pages.h"

namespace kith::pipeline {
namespace {

// One worker's way from a page to its blocks.
struct alignas(worker_alignment) BlockWorker {
  std::optional<PageText> text{std::in_place};
  bags::BlockReader reader;
  bags::PageDigest digest;

  void forget_buffers() {
    text.emplace();
    reader.forget_buffers();
    digest.free();
  }
};

// Reads all pages and visits each with its blocks.
class TemplatePages {
 public:
  TemplatePages(const DedupOptions& options, const DedupResources& resources,
                const ProgressCallback& progress)
      : options_(options), resources_(resources), progress_(progress) {}

  Status for_each(const bags::WantsBlocks& wants_blocks, const bags::VisitPage& visit) {
    const uint64_t memory = resources_.memory;
    const uint64_t cost = usual_page_cost + boilerplate_page_cost;
    const ReadingBudget budget =
        reading_budget(memory, options_.max_page, resources_.pool.size(), cost);
    const auto keys = std::make_unique<PageKeys>();
    KITH_ASSIGN(crawl::PageReader reader, open_pages(options_, *keys, {}, budget.decoded));
    std::deque<BlockWorker> workers(budget.workers);
    const auto add = [&](unsigned worker, const crawl::PageBatch&,
                         const crawl::Page& page) -> Status {
      KITH_TRY(check_pages(memory, keys->size()));
      if (page.kind == crawl::PageKind::redirect) return Status::ok();
      BlockWorker& own = workers[worker];
      own.digest.url = page.url;
      own.digest.blocks.clear();
      if (wants_blocks(page.url)) own.reader.read(own.text->read(page), own.digest.blocks);
      return visit(worker, own.digest);
    };
    return read_pages(reader, budget, resources_.pool, progress_, add,
                      [&](unsigned worker) { workers[worker].forget_buffers(); });
  }

 private:
  const DedupOptions& options_;
  const DedupResources& resources_;
  const ProgressCallback& progress_;
};

}  // namespace

Result<bags::Templates> find_templates(const DedupOptions& options, const DedupResources& resources,
                                       const ProgressCallback& progress) {
  KITH_TRY(check_reading_memory(resources.memory, options.max_page,
                                usual_page_cost + boilerplate_page_cost));
  TemplatePages pages(options, resources, progress);
  const uint64_t memory = bag_memory(resources.memory);
  return bags::find_templates(
      resources.fs, resources.pool,
      [&](const bags::WantsBlocks& wants_blocks, const bags::VisitPage& visit) {
        return pages.for_each(wants_blocks, visit);
      },
      {.scratch = resources.scratch + "/templates-",
       .memory = memory,
       .reserved = resources.memory - memory});
}

std::string_view DocumentFilter::filter(std::string_view url, const text::HtmlText& page) {
  const std::string_view text = page.text;
  if (!tally_->templates().knows(bags::sites_of(url))) return text;
  reader_.read(page, digest_.blocks);
  digest_.url = url;
  digest_.terms.assign(reader_.offsets().size(), 0);
  counts_.words += digest_.terms.size();
  const std::span<const uint32_t> kept = filter_.filter(digest_);
  if (filter_.left_out() == 0) return text;
  if (filter_.left_out() == kept.size()) {
    ++counts_.kept_whole;
    return text;
  }
  counts_.left_out += filter_.left_out();
  rest_.clear();
  const std::vector<uint32_t>& offsets = reader_.offsets();
  for (size_t i = 0; i < digest_.blocks.size(); ++i) {
    const size_t first = digest_.blocks[i].begin;
    if (kept[first] == bags::no_term) continue;
    const bool is_last = i + 1 == digest_.blocks.size();
    const size_t end = is_last ? text.size() : offsets[digest_.blocks[i + 1].begin];
    rest_ += text.substr(offsets[first], end - offsets[first]);
    rest_ += '\n';
  }
  return rest_;
}

void DocumentFilter::forget_buffers() {
  filter_.forget_buffers();
  reader_.forget_buffers();
  digest_.free();
  free_memory(rest_);
}

}  // namespace kith::pipeline
