#include "jobs/stream/source_file.h"

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/file_system.h"

namespace kith::jobs {
namespace {

constexpr uint64_t hashed_bytes = 64 << 10;  // at either end

// Of the first `size` bytes of a file, which has as many.
Result<uint64_t> hash_of(const storage::ReadableFile& file, uint64_t size) {
  std::string ends(std::min(size, 2 * hashed_bytes), '\0');
  const std::span<char> room(ends);
  const size_t head = std::min<uint64_t>(ends.size(), hashed_bytes);
  const size_t tail = ends.size() - head;
  KITH_TRY(file.read_at(0, std::as_writable_bytes(room.first(head))).status());
  KITH_TRY(file.read_at(size - tail, std::as_writable_bytes(room.subspan(head))).status());
  return hash64(ends) ^ mix64(size);
}

}  // namespace

Result<SourceStart> start_of(const std::string& path, const StreamSource& before) {
  KITH_ASSIGN(const auto file, storage::posix_file_system().open(path));
  SourceStart start;
  start.as.size = file->size();
  KITH_ASSIGN(start.as.hash, hash_of(*file, file->size()));
  bool is_same = before.size <= file->size();
  if (is_same) {
    KITH_ASSIGN(const uint64_t hash, hash_of(*file, before.size));
    is_same = hash == before.hash;
  }
  if (is_same) start.as.next = before.next;
  start.is_other = !is_same && before.next > 0;
  return start;
}

}  // namespace kith::jobs
