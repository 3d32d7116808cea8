#include "bags/boilerplate/digest_spool.h"

#include <atomic>

#include "bags/fragment.h"
#include "bags/shard/file.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

constexpr size_t chunk_bytes = 256 << 10;
// Larger chunks have a page of many megabytes: they come one at a time.
constexpr uint64_t large_chunk = 2 << 20;

}  // namespace

Status DigestSpool::Writer::add(const PageDigest& page) {
  append_page_head(page, part_);
  append_part();
  append_shard_page(page, {}, part_);
  append_part();
  if (part_.capacity() > chunk_bytes) free_memory(part_);
  return pages_.size() < chunk_bytes ? Status::ok() : flush();
}

void DigestSpool::Writer::append_part() {
  append_varint(pages_, part_.size());
  pages_ += part_;
  part_.clear();
}

Status DigestSpool::Writer::flush() {
  if (pages_.empty()) return Status::ok();
  Status status = spool_->append(pages_);
  if (pages_.capacity() > 2 * chunk_bytes) free_memory(pages_);
  pages_.clear();
  return status;
}

Result<std::unique_ptr<DigestSpool>> DigestSpool::create(storage::FileSystem& fs,
                                                         const std::string& path) {
  std::unique_ptr<DigestSpool> spool(new DigestSpool(fs, path));
  KITH_ASSIGN(spool->file_, fs.create(path));
  return spool;
}

Status DigestSpool::append(std::string_view pages) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(file_->append(as_bytes(pages)));
  chunks_.push_back({bytes_, pages.size()});
  bytes_ += pages.size();
  return Status::ok();
}

Status DigestSpool::for_each(ThreadPool& pool, unsigned workers, Part part, const Visit& visit,
                             const Forget& forget) const {
  KITH_ASSIGN(const auto file, fs_->open(path_));
  std::mutex large;
  FirstError error;
  std::atomic<size_t> next = 0;
  pool.run([&](unsigned worker) {
    if (worker >= workers) return;
    ShardPage page;
    std::string bytes;
    const auto read = [&](const Chunk& chunk) -> Status {
      bytes.resize(chunk.size);
      KITH_ASSIGN(const size_t got,
                  file->read_at(chunk.offset, std::as_writable_bytes(std::span(bytes))));
      if (got != chunk.size) return damaged_partition();
      for (Cursor cursor(bytes); !cursor.at_end();) {
        Cursor head(cursor.take(cursor.varint()));
        Cursor whole(cursor.take(cursor.varint()));
        const bool is_read =
            part == Part::head ? read_page_head(head, page.digest) : read_shard_page(whole, page);
        if (!is_read) return damaged_partition();
        KITH_TRY(visit(worker, page.digest));
      }
      return Status::ok();
    };
    const auto read_large = [&](const Chunk& chunk) -> Status {
      const std::lock_guard lock(large);
      Status status = read(chunk);
      page.digest.free();
      free_memory(bytes);
      forget(worker);
      give_back_free_memory();
      return status;
    };
    for (size_t i = next++; i < chunks_.size() && !error.failed(); i = next++) {
      error.keep(chunks_[i].size > large_chunk ? read_large(chunks_[i]) : read(chunks_[i]));
    }
  });
  return error.status();
}

}  // namespace kith::bags
