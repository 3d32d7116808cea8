#include "bags/vocabulary/vocabulary_spool.h"

#include <fmt/format.h>

#include "bags/run.h"
#include "base/bytes.h"

namespace kith::bags {

void VocabularySpool::add_stems(unsigned shard, std::span<const NumberedStem> stems) {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    used_ = true;
    path = fmt::format("{}stems-{:02}-{:05}", prefix_, shard, runs_[shard].size());
    runs_[shard].push_back(path);
  }
  const auto write = [&]() -> Status {
    KITH_ASSIGN(RunWriter run, RunWriter::create(*fs_, path));
    std::string record;
    for (const NumberedStem& one : stems) {
      record.clear();
      append_varint(record, one.stem.size());
      record += one.stem;
      append_varint(record, one.id);
      KITH_TRY(run.add(std::string_view(record)));
    }
    return run.finish();
  };
  if (!failed()) error_.keep(write());
}

void VocabularySpool::add_surfaces(std::string_view surfaces) {
  if (surfaces.empty() || failed()) return;
  const std::lock_guard lock(mutex_);
  used_ = true;
  const bool begin = surface_bytes_ == 0;
  if (error_.keep(storage::append_block(*fs_, surfaces_path(), as_bytes(surfaces), begin))) {
    surface_bytes_ += surfaces.size();
  }
}

void append_surface(const Surface& surface, std::string& bytes) {
  append_varint(bytes, surface.term);
  append_varint(bytes, surface.word.size());
  bytes += surface.word;
  append_varint(bytes, surface.count);
}

bool SurfaceReader::next(Surface& surface) {
  Cursor cursor(bytes_.substr(read_));
  if (cursor.at_end()) return false;
  surface.term = static_cast<uint32_t>(cursor.varint());
  surface.word = cursor.take(cursor.varint());
  surface.count = cursor.varint();
  if (cursor.failed()) return false;
  read_ = bytes_.size() - cursor.remaining();
  return true;
}

}  // namespace kith::bags
