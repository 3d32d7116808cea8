#include "bags/vocabulary/dictionary.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/run.h"
#include "bags/tables.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "storage/section_file.h"

namespace kith::bags {
namespace {

// What a byte of surfaces takes while they are sorted: a record of a dozen bytes takes 32 more.
constexpr uint64_t expansion = 5;
constexpr size_t min_chunk = 64 << 10;
constexpr size_t term_bytes = sizeof(uint32_t);

// The key of a record: the term, its first byte first, and the word.
void append_key(std::string& out, const Surface& surface) {
  append_varint(out, term_bytes + surface.word.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(surface.term >> shift));
  }
  out += surface.word;
}
uint32_t term_of(std::string_view key) {
  uint32_t term = 0;
  for (const char byte : key.substr(0, term_bytes)) term = term << 8 | static_cast<uint8_t>(byte);
  return term;
}

bool read_count(std::string_view record, uint64_t& count) {
  Cursor cursor(record);
  const bool has_term = cursor.take(cursor.varint()).size() >= term_bytes;
  count = cursor.varint();
  return has_term && !cursor.failed();
}

}  // namespace

Result<BestForms> BestForms::open(storage::FileSystem& fs, const std::string& path, uint64_t bytes,
                                  const Budget& memory) {
  BestForms forms(fs);
  if (bytes > 0) {
    const uint64_t chunk =
        std::max<uint64_t>(memory.bytes(Share::best_form_chunk) / expansion, min_chunk);
    KITH_TRY(forms.sort(path, bytes, std::min(chunk, bytes)));
    KITH_TRY(fs.remove(path));
  }
  KITH_ASSIGN(forms.merger_,
              RunMerger::open(fs, forms.runs_, memory.bytes(Share::best_form_merging)));
  return forms;
}

Status BestForms::sort(const std::string& path, uint64_t bytes, size_t chunk) {
  std::string buffer;
  for (uint64_t position = 0; position < bytes;) {
    const size_t kept = buffer.size();
    buffer.resize(kept + chunk);
    const std::span<char> space(buffer.data() + kept, chunk);
    KITH_ASSIGN(const size_t got,
                storage::read_block(*fs_, path, position, std::as_writable_bytes(space)));
    buffer.resize(kept + got);
    if (got == 0) return damaged_partition();
    position += got;
    size_t read = 0;
    KITH_TRY(write_run(buffer, fmt::format("{}-sorted-{:05}", path, runs_.size()), read));
    buffer.erase(0, read);
  }
  return buffer.empty() ? Status::ok() : Status(damaged_partition());
}

Status BestForms::write_run(std::string_view bytes, const std::string& path, size_t& read) {
  std::vector<Surface> surfaces;
  SurfaceReader reader(bytes);
  for (Surface surface; reader.next(surface);) surfaces.push_back(surface);
  read = reader.read();
  std::ranges::sort(surfaces, {},
                    [](const Surface& surface) { return std::tuple(surface.term, surface.word); });
  constexpr size_t block = 64 << 10;
  KITH_ASSIGN(RunWriter run, RunWriter::create(*fs_, path, block));
  runs_.push_back(path);
  std::string record;
  for (size_t i = 0; i < surfaces.size();) {
    const Surface& form = surfaces[i];
    uint64_t count = 0;
    for (; i < surfaces.size() && surfaces[i].term == form.term && surfaces[i].word == form.word;
         ++i) {
      count += surfaces[i].count;
    }
    record.clear();
    append_key(record, form);
    append_varint(record, count);
    KITH_TRY(run.add(std::string_view(record)));
  }
  return run.finish();
}

Result<std::string_view> BestForms::of(uint32_t term) {
  best_.clear();
  uint64_t best_count = 0;
  while (merger_->more() && term_of(merger_->surt()) <= term) {
    key_ = merger_->surt();
    uint64_t sum = 0;
    while (merger_->more() && merger_->surt() == key_) {
      uint64_t count = 0;
      if (!read_count(merger_->record(), count)) return merger_->damaged(merger_->source());
      sum += count;
      KITH_TRY(merger_->next());
    }
    if (term_of(key_) != term || sum <= best_count) continue;
    best_count = sum;
    best_ = std::string_view(key_).substr(term_bytes);
  }
  return std::string_view(best_);
}

Status BestForms::remove() {
  for (const std::string& run : runs_) KITH_TRY(fs_->remove(run));
  return Status::ok();
}

namespace {

constexpr size_t file_block = 256 << 10;
constexpr size_t count_bytes = sizeof(uint64_t);

// The bytes of a count order as falling counts do.
uint64_t inverted(uint64_t count) {
  return ~count;
}

void append_big_endian(std::string& out, uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// A record is the length of its key, the key (inverted count and stem), number and form.
bool read_term(std::string_view record, RankedTerm& term) {
  Cursor cursor(record);
  const std::string_view key = cursor.take(cursor.varint());
  term.number = static_cast<uint32_t>(cursor.varint());
  term.form = cursor.take(cursor.varint());
  if (cursor.failed() || key.size() < count_bytes) return false;
  term.count = inverted(big_endian(key.substr(0, count_bytes)));
  term.stem = key.substr(count_bytes);
  return true;
}

}  // namespace

Status TermSorter::add(const RankedTerm& term) {
  const size_t begin = bytes_.size();
  bytes_ += term.stem;
  append_varint(bytes_, term.number);
  append_varint(bytes_, term.form.size());
  bytes_ += term.form;
  entries_.push_back({inverted(term.count), begin, static_cast<uint32_t>(term.stem.size()),
                      static_cast<uint32_t>(bytes_.size() - begin)});
  // Both double as they grow.
  const uint64_t taken = 2 * (bytes_.size() + entries_.size() * sizeof(Entry));
  return taken < memory_ ? Status::ok() : write_run();
}

Status TermSorter::write_run() {
  const std::string_view bytes = bytes_;
  const auto key = [&](const Entry& entry) {
    return std::tuple(entry.inverted_count, bytes.substr(entry.begin, entry.stem_size));
  };
  std::ranges::sort(entries_, {}, key);
  runs_.push_back(fmt::format("{}{:05}", prefix_, runs_.size()));
  KITH_ASSIGN(RunWriter run, RunWriter::create(*fs_, runs_.back(), file_block));
  std::string record;
  for (const Entry& entry : entries_) {
    record.clear();
    append_varint(record, count_bytes + entry.stem_size);
    append_big_endian(record, entry.inverted_count);
    record += bytes.substr(entry.begin, entry.size);
    KITH_TRY(run.add(std::string_view(record)));
  }
  KITH_TRY(run.finish());
  bytes_.clear();
  entries_.clear();
  return Status::ok();
}

Result<std::vector<std::string>> TermSorter::finish() {
  if (!entries_.empty()) KITH_TRY(write_run());
  free_memory(bytes_);
  free_memory(entries_);
  return std::move(runs_);
}

Status merge_terms(storage::FileSystem& fs, std::span<const std::string> runs,
                   const std::string& path, const Budget& memory, const TakeTerm& take) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, runs, memory.bytes(Share::term_merging)));
  KITH_ASSIGN(RunWriter out, RunWriter::create(fs, path, file_block));
  RankedTerm term;
  while (merger->more()) {
    if (!read_term(merger->record(), term)) return merger->damaged(merger->source());
    KITH_TRY(take(term));
    KITH_TRY(out.add(merger->record()));
    KITH_TRY(merger->next());
  }
  KITH_TRY(out.finish());
  for (const std::string& run : runs) KITH_TRY(fs.remove(run));
  return Status::ok();
}

Status for_each_term(storage::FileSystem& fs, const std::string& path, const TakeTerm& take) {
  KITH_ASSIGN(RunReader reader, RunReader::open(fs, path, file_block));
  RankedTerm term;
  for (;;) {
    KITH_ASSIGN(const bool more, reader.next());
    if (!more) return Status::ok();
    if (!read_term(reader.record(), term)) return reader.damaged();
    KITH_TRY(take(term));
  }
}

Status write_term_strings(storage::FileSystem& fs, const std::string& path,
                          storage::SectionWriter& file, const std::string& name,
                          const std::function<std::string_view(const RankedTerm& term)>& text) {
  KITH_TRY(file.begin(name));
  KITH_TRY(
      for_each_term(fs, path, [&](const RankedTerm& term) { return file.append(text(term)); }));
  KITH_TRY(file.begin(name + "_at"));
  uint64_t end = 0;
  KITH_TRY(file.append_array(std::span<const uint64_t>(&end, 1)));
  return for_each_term(fs, path, [&](const RankedTerm& term) {
    end += text(term).size();
    return file.append_array(std::span<const uint64_t>(&end, 1));
  });
}

namespace {

TermFactor factor_of(const DictionaryOptions& options, uint64_t df, uint64_t n) {
  if (df < options.min_df) return {};
  const uint64_t most =
      std::max(min_max_df, static_cast<uint64_t>(options.max_df * static_cast<double>(n)));
  return {term_factor(options.weighting, df, n), df > most};
}

}  // namespace

Dictionary number_terms(const DictionaryOptions& options, std::vector<uint32_t> ids,
                        const DocumentFrequencies& frequencies, const PartCounts& n) {
  Dictionary dictionary;
  dictionary.slots = frequencies.slots();
  dictionary.provisional_id = std::move(ids);
  dictionary.final_id.assign(frequencies.terms(), no_term);
  const unsigned parts = dictionary.slots.parts();
  for (const uint32_t id : dictionary.provisional_id) {
    dictionary.final_id[id] = static_cast<uint32_t>(dictionary.terms());
    bool counts = false;
    for (unsigned part = 0; part < parts; ++part) {
      const TermFactor factor = factor_of(options, frequencies.of_part(id, part), n[part]);
      dictionary.factors[part].push_back(factor);
      counts |= !factor.is_rare() && !factor.is_frequent();
    }
    dictionary.frequent += !counts;
  }
  return dictionary;
}

Dictionary make_dictionary(const DictionaryOptions& options,
                           std::span<const std::string_view> stems,
                           const DocumentFrequencies& frequencies, const PartCounts& n) {
  std::vector<uint32_t> ids;
  uint64_t dropped_rare = 0;
  for (uint32_t id = 0; id < stems.size(); ++id) {
    if (frequencies.of_all(id) == 0) continue;  // only ever seen in windows that make no bag
    if (frequencies.reaches(id, options.min_df)) {
      ids.push_back(id);
    } else {
      ++dropped_rare;
    }
  }
  std::ranges::sort(ids, [&](uint32_t a, uint32_t b) {
    return std::tuple(frequencies.of_all(b), stems[a]) <
           std::tuple(frequencies.of_all(a), stems[b]);
  });

  Dictionary dictionary = number_terms(options, std::move(ids), frequencies, n);
  dictionary.dropped_rare = dropped_rare;
  return dictionary;
}

std::vector<std::string_view> max_frequent_forms(std::vector<SurfaceCount>& surfaces,
                                                 size_t vocabulary_size) {
  std::ranges::sort(surfaces, [](const SurfaceCount& a, const SurfaceCount& b) {
    return std::tuple(a.term, a.word) < std::tuple(b.term, b.word);
  });
  std::vector<std::string_view> forms(vocabulary_size);
  std::vector<uint64_t> best(vocabulary_size, 0);
  for (size_t i = 0; i < surfaces.size();) {
    const SurfaceCount& form = surfaces[i];
    uint64_t count = 0;
    for (; i < surfaces.size() && surfaces[i].term == form.term && surfaces[i].word == form.word;
         ++i) {
      count += surfaces[i].count;
    }
    if (count > best[form.term]) {
      best[form.term] = count;
      forms[form.term] = form.word;
    }
  }
  return forms;
}

Status write_terms(storage::FileSystem& fs, const std::string& path, size_t count,
                   const std::function<TermRow(size_t i)>& row) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, terms_kind));
  KITH_TRY(file.write_strings("stems", count, [&](size_t i) { return row(i).stem; }));
  KITH_TRY(file.write_strings("surfaces", count, [&](size_t i) { return row(i).form; }));
  std::vector<uint32_t> frequencies;
  frequencies.reserve(count);
  for (size_t i = 0; i < count; ++i) frequencies.push_back(row(i).document_frequency);
  KITH_TRY(file.write_array("df", frequencies));
  return file.finish();
}

}  // namespace kith::bags
