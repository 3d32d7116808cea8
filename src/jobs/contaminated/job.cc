// kith::find_contamination: test sets, then documents, then a copy without some of them.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kith/contaminated.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "crawl/copy/record_copy.h"
#include "crawl/read/page_reader.h"
#include "jobs/contaminated/item_index.h"
#include "jobs/contaminated/scan.h"
#include "jobs/contaminated/test_sets.h"
#include "jobs/dedup/read.h"
#include "jobs/passages/cutter.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "storage/file_system.h"

namespace kith {
namespace jobs {
namespace {

constexpr size_t words_around = 10;
constexpr size_t longest_passage = 1000;

// An item in a document, with what is said of it.
struct OwnedHit {
  uint32_t suite = 0;
  uint32_t item = 0;  // in the suite
  uint32_t matched = 0;
  uint32_t shingles = 0;
  std::string before;
  std::string passage;
  std::string after;
};

struct HitDocument {
  std::string name;
  uint32_t file = 0;
  uint64_t record = 0;
  std::vector<OwnedHit> hits;  // by suite and item
};

// One worker's way from pages to items in them.
class PageHits {
 public:
  // makes_lines: of the texts of documents.
  PageHits(const ItemIndex& index, bool makes_lines)
      : index_(index), makes_lines_(makes_lines), scan_(index, makes_lines) {}

  void add(const crawl::Page& page, bool is_large) {
    if (page.kind == crawl::PageKind::redirect) return;
    ++documents_;
    if (page.is_cut) ++cut_;
    const std::string_view text = text_->read(page).text;
    const std::span<const FoundText> found = scan_.find(text);
    if (!found.empty()) add_hits(page, found);
    if (makes_lines_) add_line(page, text);
    if (is_large) text_.emplace();
  }
  uint64_t bytes() const { return bytes_ + lines_.size(); }
  void forget_buffers() {
    free_memory(lines_);
    scan_.forget_buffers();
    text_.emplace();
    give_back_free_memory();
  }

  // What was found since the last call.
  std::vector<HitDocument> take(ContaminationReport& report) {
    report.documents += std::exchange(documents_, 0);
    report.cut += std::exchange(cut_, 0);
    report.contaminated += hits_.size();
    report.text_bytes += std::exchange(text_bytes_, 0);
    report.cut_bytes += std::exchange(cut_bytes_, 0);
    bytes_ = 0;
    return std::exchange(hits_, {});
  }
  // Their lines, until they are cleared.
  std::string& lines() { return lines_; }

 private:
  void add_hits(const crawl::Page& page, std::span<const FoundText> found) {
    HitDocument document{std::string(page.url), page.file, page.record, {}};
    bytes_ += sizeof document + document.name.size();
    for (const FoundText& text : found) {
      const uint32_t suite = index_.sets().texts[text.text].suite;
      for (const uint32_t item : index_.items(text.text)) {
        document.hits.push_back({suite, item, text.matched, index_.shingles(text.text),
                                 std::string(scan_.before(text, words_around)),
                                 std::string(cut_utf8(scan_.passage(text), longest_passage)),
                                 std::string(scan_.after(text, words_around))});
        const OwnedHit& hit = document.hits.back();
        bytes_ += sizeof hit + hit.before.size() + hit.passage.size() + hit.after.size();
      }
    }
    std::ranges::sort(document.hits, {},
                      [](const OwnedHit& hit) { return std::pair(hit.suite, hit.item); });
    hits_.push_back(std::move(document));
  }

  void add_line(const crawl::Page& page, std::string_view text) {
    const std::span<const text::ByteRange> cuts = scan_.cuts();
    const PassageText whole{
        .name = page.url, .text = text, .row_head = page.row_head, .row_tail = page.row_tail};
    append_json_line(lines_, whole, cuts, PassageMode::remove);
    text_bytes_ += text.size();
    for (const text::ByteRange& cut : cuts) cut_bytes_ += cut.end - cut.begin;
  }

  const ItemIndex& index_;
  const bool makes_lines_;
  std::optional<run::PageText> text_{std::in_place};
  DocumentScan scan_;
  std::vector<HitDocument> hits_;
  std::string lines_;
  uint64_t bytes_ = 0;
  uint64_t documents_ = 0;
  uint64_t cut_ = 0;
  uint64_t text_bytes_ = 0;
  uint64_t cut_bytes_ = 0;
};

// What is known of the items, and hits on their way to the caller.
class Hits {
 public:
  using Take = std::function<bool(const ContaminationHit&)>;

  Hits(const TestSets& sets, const Take& take, bool keeps_records)
      : sets_(sets), take_(take), keeps_records_(keeps_records) {
    for (const Suite& suite : sets.suites) items_.emplace_back(suite.items.size());
    documents_.resize(sets.suites.size());
  }

  // In the order of the input.
  void add(std::vector<HitDocument> documents) {
    for (HitDocument& document : documents) {
      note(document);
      if (keeps_records_) records_.push_back({document.file, document.record});
      waiting_.push_back(std::move(document));
    }
  }

  // To be called on the thread of the caller. False once it wants no more.
  bool give() {
    for (; !waiting_.empty() && !is_stopped_; waiting_.pop_front()) {
      const HitDocument& document = waiting_.front();
      for (const OwnedHit& hit : document.hits) {
        if (is_stopped_) break;
        const Suite& suite = sets_.suites[hit.suite];
        is_stopped_ = !take_({suite.counts.name, suite.items[hit.item].name, document.name,
                              containment(hit), hit.shingles, hit.before, hit.passage, hit.after});
      }
    }
    return !is_stopped_;
  }
  bool is_stopped() const { return is_stopped_; }

  // The records of a file with an item, ascending.
  std::vector<uint64_t> records(uint32_t file) const {
    std::vector<uint64_t> numbers;
    const auto first = std::ranges::lower_bound(records_, file, {}, &Record::file);
    for (auto record = first; record != records_.end() && record->file == file; ++record) {
      numbers.push_back(record->number);
    }
    return numbers;
  }

  void report(ContaminationReport& report) {
    for (uint32_t i = 0; i < sets_.suites.size(); ++i) {
      const Suite& suite = sets_.suites[i];
      report.suites.push_back(suite.counts);
      report.suites.back().documents = documents_[i];
      for (uint32_t k = 0; k < suite.items.size(); ++k) {
        ContaminatedItem& item = items_[i][k];
        if (item.documents == 0) continue;
        ++report.suites.back().contaminated;
        item.suite = suite.counts.name;
        item.item = suite.items[k].name;
        report.items.push_back(std::move(item));
      }
    }
  }

 private:
  struct Record {
    uint32_t file;
    uint64_t number;
  };

  static double containment(const OwnedHit& hit) {
    return hit.shingles == 0 ? 1 : static_cast<double>(hit.matched) / hit.shingles;
  }

  void note(const HitDocument& document) {
    for (const OwnedHit& hit : document.hits) {
      if (&hit == &document.hits.front() || (&hit)[-1].suite != hit.suite) ++documents_[hit.suite];
      ContaminatedItem& item = items_[hit.suite][hit.item];
      ++item.documents;
      if (containment(hit) <= item.containment) continue;
      item.containment = containment(hit);
      item.document = document.name;
      item.passage = hit.passage;
    }
  }

  const TestSets& sets_;
  const Take& take_;
  const bool keeps_records_;
  std::vector<std::vector<ContaminatedItem>> items_;  // by suite
  std::vector<uint64_t> documents_;                   // with an item of the suite
  std::vector<Record> records_;                       // by file and number
  std::deque<HitDocument> waiting_;
  bool is_stopped_ = false;
};

class ContaminationJob {
 public:
  ContaminationJob(const ContaminationOptions& options, const Hits::Take& take,
                   const run::StoppingProgress& progress)
      : options_(options),
        take_(take),
        progress_(progress.callback()),
        pool_(options.threads),
        memory_(run::memory_or_default(options.memory)) {
    pool_.set_poll(progress.poll());
  }

  Result<ContaminationReport> run() {
    run::note_missing_threads(pool_, progress_);
    KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options_));
    crawl.nameless = true;
    crawl::CopyPlan plan;
    if (!options_.write.empty()) {
      KITH_ASSIGN(plan, crawl::plan_copy(crawl, options_.write));
    }
    KITH_TRY(check_texts());
    KITH_ASSIGN(TestSets sets, read_test_sets(options_, test_set_memory(), progress_));
    KITH_ASSIGN(const ItemIndex index, ItemIndex::make(sets, test_set_memory()));
    ContaminationReport report;
    report.left_out = sets.left_out;
    Hits hits(sets, take_, !options_.write.empty());
    Status status = scan(std::move(crawl), index, hits, report);
    if (makes_texts()) status = finish_texts(std::move(status), hits.is_stopped());
    KITH_TRY(std::move(status));
    hits.report(report);
    if (!options_.write.empty() && !hits.is_stopped()) KITH_TRY(copy(plan, hits, report));
    return report;
  }

 private:
  // A byte of a text in JSON, in its line and while that is made.
  static constexpr uint64_t bytes_of_line_byte = 8;

  bool makes_texts() const { return !options_.write_texts.empty(); }
  std::string unfinished_texts() const { return storage::temporary_name(options_.write_texts); }

  Status check_texts() const {
    if (!makes_texts() || !fs_.exists(options_.write_texts)) return Status::ok();
    return Error{ErrorKind::usage,
                 fmt::format("write_texts = {}: exists; name another file, or remove it",
                             options_.write_texts)};
  }

  // Moves the file of texts to its place when all of them are in it.
  Status finish_texts(Status status, bool is_stopped) {
    if (status && texts_ != nullptr && !is_stopped) status = texts_->sync();
    if (status && texts_ != nullptr) status = texts_->close();
    texts_.reset();
    if (status && !is_stopped) return fs_.rename(unfinished_texts(), options_.write_texts);
    static_cast<void>(fs_.remove(unfinished_texts()));
    return status;
  }

  Budget test_set_memory() const {
    return memory_.without(Share::program, run::bytes_of_program + run::rounding_bytes,
                           run::min_working_bytes);
  }

  Status scan(crawl::CrawlOptions crawl, const ItemIndex& index, Hits& hits,
              ContaminationReport& report) {
    const uint64_t of_texts =
        pool_.size() * index.sets().texts.size() * DocumentScan::bytes_of_text;
    const Budget left =
        memory_.without(Share::items, index.bytes() + of_texts, run::min_working_bytes);
    // A page as it is read and as a text, and what is made of it.
    uint64_t cost = 2 + DocumentScan::bytes_of_document_byte(index);
    if (makes_texts()) cost += bytes_of_line_byte;
    KITH_TRY(run::check_reading_memory(left, options_.max_page, cost));
    const run::ReadingBudget budget =
        run::reading_budget(left, options_.max_page, pool_.size(), cost);
    crawl.decoded_bytes = budget.decoded;
    crawl.rows = makes_texts();
    KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
    if (makes_texts()) {
      KITH_ASSIGN(texts_, fs_.create(unfinished_texts()));
    }
    const auto write = [&](PageHits& pages, unsigned worker) -> Status {
      hits.add(pages.take(report));
      if (texts_) KITH_TRY(texts_->append(as_bytes(pages.lines())));
      pages.lines().clear();
      if (worker != 0 || hits.give()) return Status::ok();
      return Error{ErrorKind::cancelled, "no more hits are wanted"};
    };
    Status status = read_in_order(
        reader, budget, pool_, "documents", progress_,
        [&] { return PageHits(index, makes_texts()); }, write);
    if (!status && !hits.is_stopped()) return status;
    hits.give();
    report.crawl = run::counts_of(reader.report());
    return Status::ok();
  }

  Status copy(const crawl::CopyPlan& plan, const Hits& hits, ContaminationReport& report) {
    if (progress_) progress_({"copy", 0, 0, ""});
    const auto removed = [&](uint32_t file) -> Result<std::vector<uint64_t>> {
      return hits.records(file);
    };
    KITH_ASSIGN(const crawl::CopyReport copied,
                crawl::write_copy(fs_, pool_, plan, {.removed = removed}));
    report.copy = {.files = copied.files,
                   .bytes_in = copied.bytes_in,
                   .bytes_out = copied.bytes_out,
                   .removed = copied.removed,
                   .kept_by_damage = copied.kept_by_damage};
    return Status::ok();
  }

  const ContaminationOptions& options_;
  const Hits::Take& take_;
  const ProgressCallback progress_;
  ThreadPool pool_;
  const Budget memory_;
  storage::FileSystem& fs_ = storage::posix_file_system();
  std::unique_ptr<storage::WritableFile> texts_;
};

Status out_of_range(std::string_view what, std::string_view range) {
  return Error{ErrorKind::usage, fmt::format("{}: must be {}", what, range)};
}

Status check_rule(std::string_view where, uint32_t width, double containment) {
  if (width < 2 || width > text::ShingleOptions::max_width) {
    return out_of_range(fmt::format("{}width = {}", where, width), "in [2, 256]");
  }
  if (!(containment >= 0 && containment <= 1)) {
    return out_of_range(fmt::format("{}containment = {}", where, containment), "in [0, 1]");
  }
  return Status::ok();
}

}  // namespace
}  // namespace jobs

Status validate(const ContaminationOptions& options) {
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  KITH_TRY(validate(static_cast<const Resources&>(options)));
  if (options.evals.empty()) {
    return Error{ErrorKind::usage, "evals: name the files or folders of the test sets"};
  }
  KITH_TRY(jobs::check_rule("", options.rule.width, options.rule.containment));
  for (const SuiteSettings& suite : options.suites) {
    KITH_TRY(jobs::check_rule(fmt::format("suite {}: ", suite.name),
                              suite.width.value_or(options.rule.width),
                              suite.containment.value_or(options.rule.containment)));
    if (std::ranges::count(options.suites, suite.name, &SuiteSettings::name) > 1) {
      return Error{ErrorKind::usage,
                   fmt::format("suite {}: has its settings twice; give all at once", suite.name)};
    }
  }
  if (options.min_words < 1) return jobs::out_of_range("min_words = 0", "1 at least");
  return Status::ok();
}

Result<ContaminationReport> find_contamination(
    const ContaminationOptions& options, const std::function<bool(const ContaminationHit&)>& take,
    const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  return run::guarded([&]() -> Result<ContaminationReport> {
    const run::StoppingProgress stopping(progress);
    return jobs::ContaminationJob(options, take, stopping).run();
  });
}

}  // namespace kith
