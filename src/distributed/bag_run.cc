#include "distributed/bag_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/vocabulary/dictionary.h"
#include "base/check.h"
#include "base/machine.h"
#include "base/memory.h"
#include "sketch/bag.h"
#include "storage/file_system.h"
#include "text/words/language.h"

namespace kith::distributed {
namespace {

// Whether the arrays are the words of pages, with numbers of stems below `stems`.
bool are_words(size_t stems, std::span<const uint64_t> offsets, std::span<const uint64_t> entries) {
  if (offsets.empty() || offsets.back() > entries.size() || !std::ranges::is_sorted(offsets)) {
    return false;
  }
  return std::ranges::all_of(entries, [&](uint64_t entry) {
    return static_cast<uint32_t>(entry) < stems && entry >> 32 > 0;
  });
}

}  // namespace

Result<std::unique_ptr<BagDictionary>> BagDictionary::make(const ClusterOptions& options,
                                                           std::span<const uint64_t> filled,
                                                           std::span<const std::string_view> stems,
                                                           std::span<const uint64_t> documents) {
  for (const uint64_t pages : filled) {
    if (pages <= UINT32_MAX) continue;
    return usage_error(
        fmt::format("{} pages: bags are made of at most {}; divide them", pages, UINT32_MAX));
  }
  std::unique_ptr<BagDictionary> made(new BagDictionary);
  const bags::Slots slots(static_cast<unsigned>(filled.size()));
  bags::DocumentFrequencies frequencies(stems.size(), slots);
  for (uint32_t slot = 0; slot < documents.size(); ++slot) {
    frequencies.add(slot, static_cast<uint32_t>(documents[slot]));
  }
  for (const std::string_view stem : stems) made->stems_.add(stem);
  made->ids_.reserve(stems.size());
  for (uint32_t id = 0; id < stems.size(); ++id) made->ids_.emplace(made->stems_[id], id);
  bags::PartCounts pages = {};
  std::ranges::copy(filled, pages.begin());
  made->dictionary_ = bags::make_dictionary({options.weighting, options.min_df, options.max_df},
                                            stems, frequencies, pages);
  made->weights_.weighting = options.weighting;
  made->weights_.content_share = options.content_share;
  made->weights_.max_terms = max_terms_of(options);
  return made;
}

uint32_t BagDictionary::id_of(std::string_view stem) const {
  const auto found = ids_.find(stem);
  return found == ids_.end() ? bags::no_term : found->second;
}

std::optional<uint32_t> BagDictionary::find(std::string_view stem) const {
  const uint32_t id = id_of(stem);
  if (id == bags::no_term || dictionary_.final_id[id] == bags::no_term) return std::nullopt;
  return dictionary_.final_id[id];
}

Result<PageBags> BagDictionary::weigh(std::span<const std::string_view> stems,
                                      std::span<const uint64_t> offsets,
                                      std::span<const uint64_t> entries) const {
  const bags::Slots slots = dictionary_.slots;
  if (!are_words(stems.size() * slots.parts(), offsets, entries)) {
    return Error{ErrorKind::corrupt, "words of pages: the arrays do not fit together"};
  }
  std::vector<uint32_t> ids;
  ids.reserve(stems.size());
  for (const std::string_view stem : stems) ids.push_back(id_of(stem));
  bags::BagWeigher weigher(dictionary_, weights_);
  std::vector<bags::TermCount> page;
  PageBags made;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    page.clear();
    for (const uint64_t entry : entries.subspan(offsets[i], offsets[i + 1] - offsets[i])) {
      const auto slot = static_cast<uint32_t>(entry);
      const uint32_t id = ids[slots.term(slot)];
      if (id == bags::no_term) continue;
      const auto part = bags::BagPart(slots.part(slot));
      page.push_back({slots.slot(id, part), static_cast<uint32_t>(entry >> 32)});
    }
    for (const sketch::BagEntry& entry : weigher.weigh(page)) {
      made.entries.push_back(packed(entry.term, entry.weight));
    }
    made.offsets.push_back(made.entries.size());
  }
  return made;
}

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
