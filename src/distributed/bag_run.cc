#include "distributed/bag_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bags/vocabulary/dictionary.h"
#include "base/check.h"
#include "base/machine.h"
#include "base/memory.h"
#include "storage/file_system.h"
#include "text/words/language.h"

namespace kith::distributed {
namespace {

constexpr std::string_view stage = "bags";
// In the place of the files of a crawl.
constexpr const char* input = "(bags made by a program)";

}  // namespace

Result<std::unique_ptr<BagRunWriter>> BagRunWriter::create(const std::string& directory,
                                                           const ClusterOptions& options,
                                                           std::span<const std::string_view> stems,
                                                           std::span<const std::string_view> forms,
                                                           std::span<const uint64_t> documents) {
  storage::FileSystem& fs = storage::posix_file_system();
  ClusterOptions run = options;
  run.inputs = {input};
  run.output = directory;
  KITH_TRY(validate(run));
  KITH_ASSIGN(auto made, jobs::RunDirectory::create_for_bags(fs, run));
  if (made.has(stage)) {
    return usage_error(
        fmt::format("{}: has bags already; name a new folder, or remove it", directory));
  }
  std::unique_ptr<BagRunWriter> writer(new BagRunWriter(std::move(made), stems.size()));
  const auto term = [&](size_t i) -> bags::TermRow {
    const uint64_t count = std::min<uint64_t>(documents[i], UINT32_MAX);
    return {stems[i], forms[i], static_cast<uint32_t>(count)};
  };
  KITH_TRY(bags::write_terms(fs, writer->run_.file(run::terms_file), stems.size(), term));
  KITH_ASSIGN(writer->tables_, bags::TablesWriter::create(fs, writer->run_.path()));
  return writer;
}

BagRunWriter::~BagRunWriter() {
  if (!is_finished_) clean_up([&] { run_.abandon(); });
}

Status BagRunWriter::add(std::span<const std::string_view> keys, std::span<const uint64_t> offsets,
                         std::span<const uint64_t> entries) {
  if (offsets.size() != keys.size() + 1 || !std::ranges::is_sorted(offsets) ||
      offsets.back() > entries.size()) {
    return Error{ErrorKind::corrupt, "bags of pages: the arrays do not fit together"};
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    KITH_TRY(add_page(keys[i], entries.subspan(offsets[i], offsets[i + 1] - offsets[i])));
  }
  return Status::ok();
}

Status BagRunWriter::add_page(std::string_view key, std::span<const uint64_t> entries) {
  bags::RunRecord record;
  record.surt = key;
  record.facts = bags::byte_of({text::Language::other});
  if (key.empty() || !tables_->accepts(record)) {
    return usage_error(
        fmt::format("URL key '{}': keys must ascend by their bytes, each once", key));
  }
  bag_.resize(entries.size());
  if (!sketch::unpack_bag(entries, bag_)) {
    return usage_error(fmt::format(
        "URL key '{}': terms of its bag must ascend, and its weights add up to 100", key));
  }
  if (!bag_.empty() && bag_.back().term >= terms_) {
    return usage_error(
        fmt::format("URL key '{}': has term {} of {}", key, bag_.back().term, terms_));
  }
  return tables_->add(record, bag_);
}

Status BagRunWriter::finish() {
  KITH_TRY(tables_->finish());
  BagsCounts& counts = run_.report().bags;
  counts.urls = tables_->urls();
  counts.fetched = tables_->urls();
  counts.empty = tables_->empty_bags();
  counts.entries = tables_->entries();
  counts.terms = terms_;
  counts.vocabulary = terms_;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
  run_.report().threads = 1;
  KITH_TRY(run_.commit({std::string(stage), time.count(), peak_memory(), false}));
  KITH_TRY(run_.finish());
  is_finished_ = true;
  return Status::ok();
}

}  // namespace kith::distributed
