#include "bags/vocabulary/ranked_terms.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "bags/run.h"
#include "bags/run_merger.h"
#include "base/bytes.h"
#include "base/free_memory.h"

namespace kith::bags {
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
                   const std::string& path, uint64_t memory, const TakeTerm& take) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, runs, memory / 2));
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

}  // namespace kith::bags
