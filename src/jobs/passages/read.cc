#include "jobs/passages/read.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "jobs/dedup/read.h"
#include "jobs/passages/units.h"
#include "run/pages.h"

namespace kith::jobs {
namespace {

// One worker's way from pages to texts and anchors.
class PageUnits {
 public:
  struct Anchor {
    uint32_t document;  // of the block
    uint32_t run;       // of units with that anchor, in the document
    uint64_t anchor;
  };

  explicit PageUnits(const PassageOptions& options) : units_(options) {}

  void add(const crawl::Page& page, bool is_large) {
    if (page.kind == crawl::PageKind::redirect) return;
    const std::string_view text = text_of(page);
    if (is_large) {
      texts.reserve(text.size() + page.url.size() + page.row_head.size() + page.row_tail.size() +
                    64);
    }
    const uint32_t document = texts.documents();
    texts.add(page, text);
    uint64_t units = 0;
    uint64_t last = 0;
    uint32_t run = 0;
    units_.read(text, [&](const PassageKey& key) {
      const bool is_new = units++ == 0 || key.anchor != last;
      last = key.anchor;
      if (is_new) anchors.push_back({document, run++, key.anchor});
    });
    counts.units += units;
    counts.empty += units == 0 ? 1 : 0;
    max_units = std::max(max_units, units);
    if (is_large) text_.emplace();
  }

  uint64_t bytes() const { return texts.bytes() + anchors.size() * sizeof(Anchor); }
  void forget_buffers() {
    texts.free();
    free_memory(anchors);
    text_.emplace();
    give_back_free_memory();
  }

  PassageTexts::Block texts;
  std::vector<Anchor> anchors;
  PassageCounts counts;
  uint64_t max_units = 0;

 private:
  // Of markup a line for each block.
  std::string_view text_of(const crawl::Page& page) {
    const text::HtmlText& html = text_->read(page);
    if (page.kind == crawl::PageKind::text) return html.text;
    lines_ = html.text;
    for (const uint32_t bound : html.block_bounds) {
      if (bound > 0 && lines_[bound - 1] == ' ') lines_[bound - 1] = '\n';
    }
    return lines_;
  }

  PassageUnits units_;
  std::optional<run::PageText> text_{std::in_place};
  std::string lines_;
};

}  // namespace

Result<PassageInput> read_passage_texts(const PassageOptions& options,
                                        const PassageResources& resources,
                                        CrawlCounts& crawl_counts, PassageCounts& counts) {
  KITH_TRY(run::check_reading_memory(resources.memory, options.max_page));
  PassageInput input;
  KITH_ASSIGN(input.texts, PassageTexts::create(resources.fs, resources.scratch + "/texts"));
  const auto sorting =
      sort_options(resources, "anchors", Share::passage_anchors, resources.pool.size());
  input.anchors =
      std::make_unique<storage::WideExternalSort>(resources.fs, resources.pool, sorting);
  const Budget left = resources.memory.without(Share::passage_anchors, sorting.memory);
  const run::ReadingBudget budget =
      run::reading_budget(left, options.max_page, resources.pool.size());
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options));
  crawl.nameless = true;
  crawl.rows = !options.write.empty();
  crawl.decoded_bytes = budget.decoded;
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
  const auto write = [&](PageUnits& pages, unsigned worker) -> Status {
    const uint32_t first = input.texts->documents();
    KITH_TRY(input.texts->append(pages.texts));
    for (const PageUnits::Anchor& anchor : pages.anchors) {
      KITH_TRY(input.anchors->append(
          {anchor.anchor, place_key(first + anchor.document, anchor.run)}, worker));
    }
    counts.units += std::exchange(pages.counts.units, 0);
    counts.empty += std::exchange(pages.counts.empty, 0);
    input.max_units = std::max(input.max_units, pages.max_units);
    pages.texts.clear();
    pages.anchors.clear();
    return run::check_memory(resources.memory, input.texts->documents(), "documents");
  };
  KITH_TRY(read_in_order(
      reader, budget, resources.pool, "read", resources.progress,
      [&] { return PageUnits(options); }, write));
  KITH_TRY(input.texts->close());
  counts.documents = input.texts->documents();
  counts.text_bytes = input.texts->text_bytes();
  input.files = reader.files();
  crawl_counts = run::counts_of(reader.report());
  return input;
}

}  // namespace kith::jobs
