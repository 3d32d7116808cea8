// kith::classify_pages: classes of a run, learnt from a table.
#include "kith/classify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bags/tables.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/class_table.h"
#include "jobs/cluster/run_directory.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "text/url/url_rules.h"
#include "topics/classify/classifier.h"

namespace kith {
namespace {

using topics::Best;

class ClassifyJob {
 public:
  ClassifyJob(const ClassifyOptions& options, const run::StoppingProgress& progress)
      : options_(options),
        progress_(progress.callback()),
        pool_(options.threads),
        memory_(run::memory_or_default(options.memory)) {
    pool_.set_poll(progress.poll());
  }

  Status learn() {
    run::note_missing_threads(pool_, progress_);
    KITH_TRY(open_run());
    KITH_TRY(read_table());
    KITH_TRY(choose_examples());
    KITH_ASSIGN(const uint64_t block_bytes, share_memory());
    const topics::ExampleVectors vectors(bags(), examples_);
    bags().release(0, bags().size());
    const topics::Classifier classifier(bags(), vectors, classes(), block_bytes, pool_);
    warn_of_time();
    constexpr double validation = 0.8;  // of all work
    check(classifier.cross_validate([&](double share) { show(validation * share); }));
    show(validation);
    best_ = classifier.classify();
    show(1);
    return Status::ok();
  }

  // Hands over all URLs.
  ClassifyReport finish(const std::function<bool(const ClassifiedPage&)>& take) {
    count_pages();
    bool more = true;
    urls_.for_each([&](uint32_t id, std::string_view url) {
      if (more) more = take(page_of(id, url));
    });
    return std::move(report_);
  }

 private:
  const sketch::BagCollection& bags() const { return bags_.bags(); }
  uint32_t classes() const { return static_cast<uint32_t>(table_.names.size()); }
  void show(double share) const {
    if (progress_) progress_({"classify", share, 1.0, ""});
  }

  Status open_run() {
    storage::FileSystem& fs = storage::posix_file_system();
    KITH_ASSIGN(const auto run, jobs::RunDirectory::open(fs, options_.run, "bags"));
    KITH_TRY(run.verify("bags"));
    url_rules_ = text::UrlRules::of_valid(run.report().options.url_rules);
    KITH_ASSIGN(urls_, bags::UrlTable::open(fs, run.file(run::urls_file)));
    KITH_ASSIGN(bags_, bags::BagTable::open(fs, run.file(run::bags_file)));
    KITH_ASSIGN(terms_, bags::TermTable::open(fs, run.file(run::terms_file)));
    if (bags().size() != urls_.size()) {
      return Error{ErrorKind::corrupt,
                   fmt::format("{}: its files come from different runs; remove the folder and run "
                               "the 'kith cluster' command again",
                               options_.run)};
    }
    KITH_TRY(bags_.check_entries(terms_.size(), pool_));
    return run::check_memory(memory_, bags().size(), "URLs");
  }

  Status read_table() {
    storage::FileSystem& fs = storage::posix_file_system();
    const uint64_t names = run::working_memory(memory_, bags().size()).bytes(Share::learnt_names);
    KITH_ASSIGN(const auto aliases, bags::AliasTable::open_if_there(
                                        fs, options_.run + "/" + std::string(run::aliases_file)));
    KITH_ASSIGN(table_, jobs::read_class_table(fs, options_.labels, urls_,
                                               {.column = options_.column,
                                                .memory = names,
                                                .aliases = &aliases,
                                                .url_rules = url_rules_}));
    report_.rows = table_.counts.rows;
    report_.skipped_rows = table_.counts.skipped_rows;
    report_.unknown = table_.counts.unknown;
    report_.unknown_urls = table_.counts.unknown_urls;
    report_.urls = urls_.size();
    for (const std::string& name : table_.names) {
      report_.classes.emplace_back();
      report_.classes.back().name = name;
    }
    return Status::ok();
  }

  Status choose_examples() {
    for (uint32_t id = 0; id < table_.by_id.size(); ++id) {
      if (table_.by_id[id] == 0) continue;
      const uint32_t own = table_.by_id[id] - 1;
      ++report_.classes[own].examples;
      ++report_.examples;
      if (bags()[id].empty()) {
        ++report_.without_words;
      } else {
        examples_.push_back({id, own});
      }
    }
    const uint64_t with_words = examples_.size();
    examples_ = topics::distinct_examples(bags(), std::move(examples_));
    report_.learnt = examples_.size();
    report_.equal = with_words - report_.learnt;
    const auto is_other = [&](const topics::Example& example) {
      return example.class_number != examples_.front().class_number;
    };
    if (std::ranges::any_of(examples_, is_other)) return Status::ok();
    return usage_error(fmt::format(
        "{}: {}; classes are distinguished, so there must be two or more", options_.labels,
        examples_.empty() ? std::string("none of its URLs has words in the run")
                          : fmt::format("all URLs that have words in the run are of the class '{}'",
                                        table_.names[examples_.front().class_number])));
  }

  uint64_t example_entries() const {
    uint64_t entries = 0;
    for (const topics::Example& example : examples_) entries += bags()[example.id].size();
    return entries;
  }

  // The time is that of the classes times the examples.
  void warn_of_time() const {
    constexpr double min_seconds = 20;
    const double seconds =
        topics::Classifier::seconds(classes(), example_entries(), bags().entries().size());
    if (!progress_ || seconds < min_seconds) return;
    const std::string note = fmt::format(
        "learning {} classes from {} examples takes about {:.0f} s of processor time, which grows "
        "with their product; of classes with one example nothing is learnt surely",
        classes(), examples_.size(), seconds);
    progress_({"classify", 0, 1.0, "", note});
  }

  // What is left for separators of several classes.
  Result<uint64_t> share_memory() const {
    const uint64_t entries = example_entries();
    const uint64_t terms = std::min<uint64_t>(entries, terms_.size());
    const uint64_t fixed =
        topics::ExampleVectors::bytes(examples_.size(), entries, terms_.size()) +
        examples_.size() * (sizeof(topics::Example) + sizeof(Best) + 64) +
        pool_.size() * topics::Classifier::bytes_of_thread(examples_.size(), terms);
    Budget memory = run::working_memory(memory_, bags().size());
    KITH_TRY(memory.take(Share::examples, fixed, topics::SeparatorBlock::bytes(1, terms),
                         run::counted(bags().size(), "URLs and the examples")));
    return memory.bytes();
  }

  // What the examples that were held back tell.
  void check(const std::vector<Best>& best) {
    std::vector<topics::Trial> trials;
    for (size_t row = 0; row < best.size(); ++row) {
      trials.push_back({best[row].margin(), is_right(best[row], row)});
    }
    calibration_.emplace(trials, options_.accuracy);
    report_.right = calibration_->right();
    report_.sure = calibration_->sure();
    report_.sure_and_right = calibration_->sure_and_right();
    report_.margin = calibration_->sure_margin();
    for (size_t row = 0; row < best.size(); ++row) {
      if (!calibration_->is_sure(best[row].margin())) continue;
      ClassCounts& counts = report_.classes[best[row].class_number];
      ++counts.sure;
      counts.right += is_right(best[row], row) ? 1 : 0;
    }
  }
  bool is_right(const Best& best, size_t row) const {
    return best.class_number == examples_[row].class_number;
  }

  // 0: none, else 1 + the class.
  uint32_t class_of(uint32_t id) const {
    if (table_.by_id[id] != 0) return table_.by_id[id];
    if (bags()[id].empty() || !calibration_->is_sure(best_[id].margin())) return 0;
    return best_[id].class_number + 1;
  }

  void count_pages() {
    for (uint32_t id = 0; id < urls_.size(); ++id) {
      const uint32_t own = class_of(id);
      if (own == 0) continue;
      ++report_.classified;
      ++report_.classes[own - 1].pages;
    }
  }

  ClassifiedPage page_of(uint32_t id, std::string_view url) const {
    ClassifiedPage page;
    page.url = url;
    const uint32_t own = class_of(id);
    if (own != 0) page.class_name = table_.names[own - 1];
    if (table_.by_id[id] != 0) {
      page.confidence = 1;
    } else if (!bags()[id].empty()) {
      page.confidence = calibration_->confidence(best_[id].margin());
    }
    return page;
  }

  const ClassifyOptions& options_;
  const ProgressCallback progress_;
  ThreadPool pool_;
  const Budget memory_;
  text::UrlRules url_rules_;
  bags::UrlTable urls_;
  bags::BagTable bags_;
  bags::TermTable terms_;
  jobs::ClassTable table_;
  std::vector<topics::Example> examples_;
  std::optional<topics::Calibration> calibration_;
  std::vector<Best> best_;  // by id
  ClassifyReport report_;
};

}  // namespace

Status validate(const ClassifyOptions& options) {
  if (options.labels == "-")
    return usage_error("labels = -: the table cannot come from a pipe; name a file");
  if (!(options.accuracy > 0 && options.accuracy <= 1)) {
    return usage_error(
        fmt::format("accuracy = {}: must be above 0 and up to 1, as in 0.9", options.accuracy));
  }
  return run::check_resources(options.memory, options.threads);
}

Result<ClassifyReport> classify_pages(const ClassifyOptions& options,
                                      const std::function<bool(const ClassifiedPage&)>& take,
                                      const ProgressCallback& progress) {
  return run::guarded([&]() -> Result<ClassifyReport> {
    KITH_TRY(validate(options));
    const run::StoppingProgress stopping(progress);
    ClassifyJob job(options, stopping);
    KITH_TRY(job.learn());
    return job.finish(take);
  });
}

}  // namespace kith
