#include "bags/vocabulary/best_forms.h"

#include <algorithm>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/vocabulary/vocabulary_spool.h"
#include "base/bytes.h"

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
                                  uint64_t memory) {
  BestForms forms(fs);
  if (bytes > 0) {
    const uint64_t chunk = std::max<uint64_t>(memory / 2 / expansion, min_chunk);
    KITH_TRY(forms.sort(path, bytes, std::min(chunk, bytes)));
    KITH_TRY(fs.remove(path));
  }
  KITH_ASSIGN(forms.merger_, RunMerger::open(fs, forms.runs_, memory / 2));
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

}  // namespace kith::bags
