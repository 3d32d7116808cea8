// kith::BagRunWriter: the bags stage of a run whose bags come from elsewhere.
#include "kith/bag_run.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bags/tables.h"
#include "bags/vocabulary/dictionary.h"
#include "base/machine.h"
#include "base/memory.h"
#include "jobs/cluster/run_directory.h"
#include "run/guarded.h"
#include "run/options.h"
#include "sketch/bag.h"

namespace kith {
namespace {

constexpr std::string_view stage = "bags";
// In the place of the files of a crawl.
constexpr const char* input = "(bags made by a program)";

Error usage(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

bags::TermRow row_of(const BagRunTerm& term) {
  const uint64_t documents = std::min<uint64_t>(term.documents, UINT32_MAX);
  return {term.stem, term.word, static_cast<uint32_t>(documents)};
}

}  // namespace

struct BagRunWriter::State {
  State(jobs::RunDirectory directory, size_t term_count)
      : run(std::move(directory)), terms(term_count) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!is_finished) clean_up([&] { run.abandon(); });
  }

  Status write_terms(std::span<const BagRunTerm> given) {
    return bags::write_terms(storage::posix_file_system(), run.file(run::terms_file), given.size(),
                             [&](size_t i) { return row_of(given[i]); });
  }

  jobs::RunDirectory run;
  const uint64_t terms;
  std::unique_ptr<bags::TablesWriter> tables;
  std::vector<sketch::BagEntry> bag;  // the one that is added
  uint64_t fetched = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  bool is_finished = false;
};

BagRunWriter::BagRunWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
BagRunWriter::~BagRunWriter() = default;

Result<std::unique_ptr<BagRunWriter>> BagRunWriter::create(const std::string& directory,
                                                           const BagStepOptions& options,
                                                           std::span<const BagRunTerm> terms) {
  if (terms.size() > UINT32_MAX) {
    return usage(fmt::format("{} terms: a run has at most {}", terms.size(), UINT32_MAX));
  }
  return run::guarded([&]() -> Result<std::unique_ptr<BagRunWriter>> {
    storage::FileSystem& fs = storage::posix_file_system();
    const ClusterOptions run = run::run_options_of_bags(options, input, directory);
    KITH_TRY(validate(run));
    KITH_ASSIGN(auto made, jobs::RunDirectory::create(fs, run));
    if (made.has(stage)) {
      return usage(fmt::format("{}: has bags already; name a new folder, or remove it", directory));
    }
    auto state = std::make_unique<State>(std::move(made), terms.size());
    KITH_TRY(state->write_terms(terms));
    KITH_ASSIGN(state->tables, bags::TablesWriter::create(fs, state->run.path()));
    return std::unique_ptr<BagRunWriter>(new BagRunWriter(std::move(state)));
  });
}

Status BagRunWriter::add(const BagRunUrl& url) {
  return run::guarded([&]() -> Status {
    bags::RunRecord record;
    record.surt = url.key;
    const auto language = text::language_of_tag(url.language).value_or(text::Language::other);
    record.facts = url.fetched ? bags::byte_of({language}) : 0;
    if (url.key.empty() || !state_->tables->accepts(record)) {
      return usage(
          fmt::format("URL key '{}': keys must ascend by their bytes, each once", url.key));
    }
    std::vector<sketch::BagEntry>& bag = state_->bag;
    bag.resize(url.entries.size());
    if (!sketch::unpack_bag(url.entries, bag)) {
      return usage(fmt::format(
          "URL key '{}': terms of its bag must ascend, and its weights add up to 100", url.key));
    }
    if (!bag.empty() && bag.back().term >= state_->terms) {
      return usage(
          fmt::format("URL key '{}': has term {} of {}", url.key, bag.back().term, state_->terms));
    }
    KITH_TRY(state_->tables->add(record, bag));
    state_->fetched += url.fetched ? 1 : 0;
    return Status::ok();
  });
}

Status BagRunWriter::finish() {
  return run::guarded([&]() -> Status {
    KITH_TRY(state_->tables->finish());
    BagsCounts& counts = state_->run.report().bags;
    counts.urls = state_->tables->urls();
    counts.fetched = state_->fetched;
    counts.empty = state_->tables->empty_bags();
    counts.entries = state_->tables->entries();
    counts.terms = state_->terms;
    counts.vocabulary = state_->terms;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - state_->start;
    state_->run.report().threads = 1;
    KITH_TRY(state_->run.commit({std::string(stage), time.count(), peak_memory(), false}));
    KITH_TRY(state_->run.finish());
    state_->is_finished = true;
    return Status::ok();
  });
}

}  // namespace kith
